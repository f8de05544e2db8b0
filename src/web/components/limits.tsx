import type { DiffReport } from '../../models/answers/diff.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { CHANGE_LIMITS, TAIL_LIMITS, riseOf } from '../../rules/limits.ts'
import { Forest, type Weighed } from './forest.tsx'
import { MEASURES } from '../format.ts'

/** The limits of the policy, each with what was measured; nothing where it sets none. */
export function Limits({ report, policy }: { report: DiffReport; policy: Partial<Policy> | undefined }) {
  if (policy === undefined) return null
  const rows = [...ofCandidate(report, policy), ...ofChanges(report, policy), ...ofTails(report, policy)]
  if (rows.length === 0) return null
  return (
    <div class="limits">
      <h3>Against the limits of the policy</h3>
      <Forest label="Limits" rows={rows} />
    </div>
  )
}

function ofCandidate({ metrics, samples }: DiffReport, policy: Partial<Policy>): Weighed[] {
  return MEASURES.flatMap(({ figure, limit: key }) => {
    const limit = policy[key]
    if (limit == null) return []
    const value = samples.candidate_runs === 0 ? null : metrics[`candidate_${figure}`]
    const verdict = value === null ? 'unmeasured' : value > limit ? 'fail' : 'pass'
    return [{ policy_key: key, value, limit, low: null, high: null, verdict }]
  })
}

function ofChanges({ statistics }: DiffReport, policy: Partial<Policy>): Weighed[] {
  return CHANGE_LIMITS.flatMap(({ key, metric, unit }) => {
    const limit = policy[key]
    return limit == null ? [] : [estimated(key, limit, statistics[metric][riseOf({ unit })])]
  })
}

function ofTails({ statistics: { latency_percentiles } }: DiffReport, policy: Partial<Policy>): Weighed[] {
  return TAIL_LIMITS.flatMap(({ key, percentile }) => {
    const limit = policy[key]
    return limit == null ? [] : [estimated(key, limit, latency_percentiles?.[percentile].candidate ?? null)]
  })
}

interface Estimate {
  readonly estimate: number
  readonly low: number | null
  readonly high: number | null
}

/** Beyond a limit is what is proven to be; within, what is proven not to be. */
function estimated(policy_key: string, limit: number, known: Estimate | null): Weighed {
  if (known === null) return { policy_key, value: null, limit, low: null, high: null, verdict: 'unmeasured' }
  const { estimate: value, low, high } = known
  const verdict =
    high !== null && high <= limit ? 'pass' : low !== null && low > limit ? 'fail' : 'inconclusive'
  return { policy_key, value, limit, low, high, verdict }
}
