import type { Policy } from '../../../models/documents/policy.ts'
import { Facts } from '../../components/table.tsx'
import { Words } from '../../components/text.tsx'
import { counted, milliseconds, percent, usd } from '../../format.ts'

/** A policy in words. */
export function PolicyFacts({ policy }: { policy: Policy }) {
  const runs = (value: number | null): string =>
    value === null ? 'as service.yaml says' : value === 0 ? 'no minimum' : counted(value, 'run')
  const limit = (value: number | null, format: (value: number) => string): string =>
    value === null ? 'off' : format(value)
  return (
    <Facts
      facts={[
        ['Policy', <Words key="id">{policy.policy_id}</Words>],
        ['Cost per run, at most', limit(policy.max_cost_per_run_usd, usd)],
        ['Latency, mean, at most', limit(policy.max_latency_ms, milliseconds)],
        ['Error rate, at most', limit(policy.max_error_rate, percent)],
        ['HIGH confidence', policy.require_high_diff_confidence ? 'required' : 'not required'],
        ['Candidate runs for HIGH', runs(policy.min_candidate_runs)],
        ['Baseline runs for HIGH', runs(policy.min_baseline_runs)],
        ['Runs below which it is LOW', runs(policy.min_low_runs)],
      ]}
    />
  )
}
