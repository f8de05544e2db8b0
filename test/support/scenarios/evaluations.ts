import type { RouteName } from '../../../handlers/index.ts'
import { LATEST } from './latest.ts'

interface EvaluationStep {
  readonly route: RouteName
  readonly path?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: Readonly<Record<string, unknown>>
  readonly record?: false
}

interface Sides {
  readonly baseline_release_id: string
  readonly candidate_release_id: string
}

/** Two evaluations of the same cases, for the story of every endpoint. */
export function evaluationSteps(agent_id: string, sides: Sides): readonly EvaluationStep[] {
  const suite = 'refunds'
  const casesOf = (release_id: string, failing: number) => ({
    release_id,
    suite,
    cases: ['in-italian', 'after-90-days', 'without-receipt', 'by-cheque'].map((id, index) => ({
      id,
      passed: index !== failing,
      scores: { faithfulness: 0.9 - index / 20 },
    })),
  })
  const finish = (release_id: string) => ({ release_id, suite, import_id: LATEST, parts: 1 })
  const { baseline_release_id: baseline, candidate_release_id: candidate } = sides
  return [
    { route: 'POST /v1/scores/cases', body: casesOf(baseline, 3) },
    { route: 'POST /v1/scores/cases', body: casesOf('rel_unknown', 3) },
    { route: 'POST /v1/scores', body: finish(baseline) },
    { route: 'POST /v1/scores/cases', body: casesOf(candidate, 1), record: false },
    { route: 'POST /v1/scores', body: finish(candidate), record: false },
    { route: 'POST /v1/scores/diff', body: { ...sides, suite } },
    { route: 'GET /v1/scores/suites', query: { agent_id } },
    { route: 'GET /v1/scores/suites/{suite}', path: { suite }, query: { agent_id } },
    { route: 'GET /v1/scores/suites/{suite}', path: { suite: 'unknown' }, query: { agent_id } },
  ]
}
