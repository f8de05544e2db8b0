import type { CatalogReport, Comparison } from '../models/answers/diff.ts'
import type { DiffStatistics } from '../models/answers/statistics.ts'
import type { Policy } from '../models/documents/policy.ts'
import type { PricingEntry } from '../models/documents/pricing.ts'
import { type Confidence, type Thresholds, confidenceOf } from './confidence.ts'
import { sideMetrics } from './cost.ts'
import { decideLimits } from './limits.ts'
import { FIRST_PROMOTION_REASON, FORCED_REASON, policyReasons, unmeasuredLimits } from './policy.ts'
import type { VariantSums } from './rollup.ts'

/** All that a decision rested on; kept in its audit record, so that it can be replayed. */
export interface Evidence {
  readonly window: { readonly text: string; readonly since: string; readonly until: string }
  readonly promotion_requires_approval: boolean
  /** Only where the workspace was strict: a limit without data blocked. */
  readonly strict?: true
  /** Only where it was forced: the policy was not asked. */
  readonly forced?: true
  readonly policy: Policy
  readonly evaluated_at: string
  /** Null for a first promotion, which is not evaluated. */
  readonly evaluation: EvaluatedEvidence | null
  /** The request that a confirmation settled. */
  readonly request: {
    readonly request_id: string
    readonly requested_by: string
    /** Only where it took several. */
    readonly approvals?: readonly { readonly actor: string; readonly reason: string }[]
  } | null
}

interface EvaluatedEvidence {
  readonly thresholds: Thresholds
  readonly confidence: Confidence
  readonly confidence_reason: string | null
  readonly baseline: SideEvidence
  readonly candidate: SideEvidence
  readonly metrics: Comparison
  /** Decisions from before there were intervals have none. */
  readonly statistics?: DiffStatistics
  readonly catalog: CatalogReport
}

/** What a decision noted of one side. */
export interface SideEvidence {
  readonly release_id: string
  readonly checksum: string
  readonly model: string
  readonly provider: string
  readonly pricing_version: string
  /** Sums of the side's events, by agent and model; providers don't count, prices are per model. */
  readonly variants: readonly VariantSums[]
  /** The rates of the models that those events used. */
  readonly rates: readonly PricingEntry[]
}

/** Decides again from evidence alone: the reasons that the policy gives for it. */
export function replayReasons({ policy, strict, forced, evaluation }: Evidence): string[] {
  if (forced === true) return [FORCED_REASON]
  if (evaluation === null) return [FIRST_PROMOTION_REASON]
  const measure = ({ variants, rates }: SideEvidence) =>
    sideMetrics(variants, new Map(rates.map(entry => [entry.model, entry])))
  const [baseline, candidate] = [measure(evaluation.baseline), measure(evaluation.candidate)]
  const label = confidenceOf(baseline.runs, candidate.runs, evaluation.thresholds)
  const { statistics } = evaluation
  return [
    ...policyReasons(policy, candidate, label, statistics && decideLimits(policy, statistics)),
    ...(strict === true ? unmeasuredLimits(policy, candidate) : []),
  ]
}
