import type { ExplainedLimit } from '../../models/answers/trail/explanation.ts'
import { type Gates, freezeSpan, gateReasons, isLiveLongEnough, liveText } from './gates.ts'
import type { Decided } from './replay.ts'

const NO_RUNS = { low: null, high: null, baseline_runs: null, candidate_runs: null } as const

/** How `promotes_from` decided on a promotion. */
export function orderRows(
  { freeze: _, ...gates }: Gates,
  decided: Decided,
  evaluatedAt: string,
): ExplainedLimit[] {
  const { promotes_from: from, clock } = gates
  if (from === undefined) return []
  const passed = isLiveLongEnough(from, clock?.doubt)
  const [why = null] = gateReasons(gates, decided, evaluatedAt)
  return [
    {
      ...NO_RUNS,
      policy_key: 'promotes_from',
      metric: `live in ${from.environment}`,
      value: from.longest_ms === null ? 'never' : liveText(from.longest_ms),
      limit: from.live_for ?? 'once',
      verdict: passed ? 'pass' : 'fail',
      passed,
      why,
    },
  ]
}

/** How each freeze of its environment did. */
export function freezeRows(
  { freeze = [], promotes_from: _, ...gates }: Gates,
  decided: Decided,
  evaluatedAt: string,
): ExplainedLimit[] {
  return freeze.map(one => {
    const [why = null] = gateReasons({ ...gates, freeze: [one] }, decided, evaluatedAt)
    const passed = why === null
    return {
      ...NO_RUNS,
      policy_key: 'freeze',
      metric: 'time',
      value: gates.clock?.at ?? evaluatedAt,
      limit: freezeSpan(one),
      verdict: passed ? 'pass' : 'fail',
      passed,
      why,
    }
  })
}
