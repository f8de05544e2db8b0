import type { Policy } from '../models/documents/policy.ts'

/** The policy in force when none was ever set (specification, Policy). */
export const DEFAULT_POLICY: Policy = {
  policy_id: 'default',
  max_cost_per_run_usd: null,
  max_latency_ms: null,
  max_error_rate: null,
  min_candidate_runs: null,
  min_baseline_runs: null,
  min_low_runs: null,
  require_high_diff_confidence: true,
}
