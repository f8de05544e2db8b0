import type { ExplainedLimit } from '../../models/answers/explanation.ts'
import { type Gates, freezeSpan, gateReasons, liveText } from '../../rules/gates.ts'
import type { Decided } from '../../rules/evidence.ts'

const NO_RUNS = { low: null, high: null, baseline_runs: null, candidate_runs: null } as const

/** How `promotes_from` decided on a promotion. */
export function orderRows(gates: Gates, decided: Decided, evaluatedAt: string): ExplainedLimit[] {
  const { freeze: _, ...order } = gates
  const { promotes_from: from } = order
  if (from === undefined) return []
  const [why = null] = gateReasons(order, decided, evaluatedAt)
  const passed = why === null
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
  { freeze = [], clock }: Gates,
  decided: Decided,
  evaluatedAt: string,
): ExplainedLimit[] {
  return freeze.map(one => {
    const alone = { freeze: [one], ...(clock === undefined ? {} : { clock }) }
    const [why = null] = gateReasons(alone, decided, evaluatedAt)
    const passed = why === null
    return {
      ...NO_RUNS,
      policy_key: 'freeze',
      metric: 'time',
      value: clock?.at ?? evaluatedAt,
      limit: freezeSpan(one),
      verdict: passed ? 'pass' : 'fail',
      passed,
      why,
    }
  })
}
