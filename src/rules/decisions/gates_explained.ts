import type { ExplainedLimit } from '../../models/answers/trail/explanation.ts'
import { type Gates, freezeSpan, gateReasons, isLiveLongEnough, liveText } from './gates.ts'
import type { Decided } from './replay.ts'

const NO_RUNS = { low: null, high: null, baseline_runs: null, candidate_runs: null } as const

/** How `promotes_from` decided on a promotion. */
export function orderRows({ promotes_from: from }: Gates, decided: Decided): ExplainedLimit[] {
  if (from === undefined) return []
  const passed = isLiveLongEnough(from)
  const [why = null] = gateReasons({ promotes_from: from }, decided, 0)
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
export function freezeRows({ freeze = [] }: Gates, decided: Decided, evaluatedAt: string): ExplainedLimit[] {
  return freeze.map(one => {
    const [why = null] = gateReasons({ freeze: [one] }, decided, Date.parse(evaluatedAt))
    const passed = why === null
    return {
      ...NO_RUNS,
      policy_key: 'freeze',
      metric: 'time',
      value: evaluatedAt,
      limit: freezeSpan(one),
      verdict: passed ? 'pass' : 'fail',
      passed,
      why,
    }
  })
}
