import { quoted } from '../base/text.ts'
import type { Policy } from '../models/documents/policy.ts'

/** The contract's four constraints, and settings that are no limits. */
const APPLIED: ReadonlySet<string> = new Set<keyof Policy>([
  'policy_id',
  'max_cost_per_run_usd',
  'max_latency_ms',
  'max_error_rate',
  'min_candidate_runs',
  'min_baseline_runs',
  'min_low_runs',
  'require_high_diff_confidence',
  'on_inconclusive',
  'sequential',
  'compare_by',
  'cluster_by',
  'unpriced',
  'watch',
  'on_rollback',
])

/**
 * The policy for a rollback: the contract's constraints, and what `on_rollback` names. A rollback is a rescue:
 * a release that fails fast is cheap and quick, so limits on a change from it to the good one would block.
 */
export function rollbackPolicy(policy: Policy): Policy {
  const { suites, ...limits } = policy
  const named: readonly string[] = policy.on_rollback ?? []
  const applied = Object.entries(limits).filter(([key]) => APPLIED.has(key) || named.includes(key))
  const others = Object.entries(suites ?? {}).filter(([, rules]) => rules.on_rollback === true)
  return {
    ...(Object.fromEntries(applied) as Policy),
    ...(others.length === 0 ? {} : { suites: Object.fromEntries(others) }),
  }
}

/** How a warning begins that says what lets a blocked rollback pass. */
export const ROLL_BACK_ANYWAY = 'to roll back anyway'

/** The command that rolls a place back as the options say, if `live` is still live there, with a reason to fill in. */
export function rollbackCommand(
  release_id: string,
  { environment, live }: { readonly environment: string; readonly live: string },
  options: string,
): string {
  return `svc release rollback ${release_id} --env ${quoted(environment)} ${options} --expect ${live} --reason WHY`
}
