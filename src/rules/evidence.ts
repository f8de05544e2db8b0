import type { CatalogReport, Comparison } from '../models/answers/diff.ts'
import type { DiffStatistics } from '../models/answers/statistics.ts'
import type { Policy, PolicyScope } from '../models/documents/policy.ts'
import type { PricingEntry } from '../models/documents/pricing.ts'
import type { VariantSums } from './rollup.ts'
import type { LeftOut } from './left_out.ts'

export type Confidence = 'HIGH' | 'MEDIUM' | 'LOW'

/** Sample sizes in runs; 0 means no minimum. */
export interface Thresholds {
  readonly min_candidate_runs: number
  readonly min_baseline_runs: number
  readonly min_low_runs: number
}

export interface ConfidenceLabel {
  readonly confidence: Confidence
  /** Null when HIGH. */
  readonly confidence_reason: string | null
}

/** A policy's thresholds where it sets them, the workspace's elsewhere (specification, Policy). */
export function resolveThresholds(
  policy: { readonly [K in keyof Thresholds]: number | null },
  workspace: Thresholds,
): Thresholds {
  return {
    min_candidate_runs: policy.min_candidate_runs ?? workspace.min_candidate_runs,
    min_baseline_runs: policy.min_baseline_runs ?? workspace.min_baseline_runs,
    min_low_runs: policy.min_low_runs ?? workspace.min_low_runs,
  }
}

/** Labels a pair of samples (specification, POST /v1/diff, Confidence). HIGH is tried before LOW. */
export function confidenceOf(
  baselineRuns: number,
  candidateRuns: number,
  thresholds: Thresholds,
): ConfidenceLabel {
  const enoughBaseline = baselineRuns >= thresholds.min_baseline_runs
  const enoughCandidate = candidateRuns >= thresholds.min_candidate_runs
  if (enoughBaseline && enoughCandidate) return { confidence: 'HIGH', confidence_reason: null }
  const low = Math.min(baselineRuns, candidateRuns) < thresholds.min_low_runs
  const reasons = [
    enoughCandidate ? '' : `candidate sample < ${thresholds.min_candidate_runs} runs`,
    enoughBaseline ? '' : `baseline sample < ${thresholds.min_baseline_runs} runs`,
    low ? `LOW floor is ${thresholds.min_low_runs} runs` : '',
  ].filter(reason => reason !== '')
  return {
    confidence: low ? 'LOW' : 'MEDIUM',
    confidence_reason: reasons.join('; ') || 'insufficient sample size',
  }
}

/** The rules that decisions are made by now. What a decision was made by is in its evidence. */
export const RULES_VERSION = 1

/**
 * All that a decision rested on; kept in its audit record, so that it can be replayed. Features that decide by themselves
 * keep what they saw next to it, each by its name.
 */
export interface Evidence {
  readonly rules_version: number
  readonly window: { readonly text: string; readonly since: string; readonly until: string }
  /** Only where runs at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole buckets. */
  readonly window_used?: { readonly since: string; readonly until: string }
  readonly promotion_requires_approval: boolean
  /** Only where the workspace was strict: a limit without data blocked. */
  readonly strict?: true
  /** Only where it was forced: the policy was not evaluated. */
  readonly forced?: true
  /** Only where runs that keep a window from being decided on were to be left out. */
  readonly exclude_unusable?: true
  /** As it applied to the agent in the environment: without overrides. */
  readonly policy: Policy
  /** Only where the policy had overrides. */
  readonly policy_scope?: PolicyScope
  /** What conditions found that a promotion has to meet besides the policy; only where some concern it. */
  readonly gates?: Readonly<Record<string, unknown>> | undefined
  readonly evaluated_at: string
  /** Null for a first promotion, which is not evaluated. */
  readonly evaluation: EvaluatedEvidence | null
  /** The request that a confirmation settled. */
  readonly request: {
    readonly request_id: string
    readonly requested_by: string
    /** Only where it took several. */
    readonly approvals?: readonly { readonly actor: string; readonly reason: string }[]
    /** Confirmations that no longer counted, and why. */
    readonly void_approvals?: readonly { readonly actor: string; readonly because: readonly string[] }[]
  } | null
}

export interface EvaluatedEvidence {
  readonly thresholds: Thresholds
  /** The workspace's own, which hold where a policy has none. */
  readonly workspace_thresholds: Thresholds
  readonly confidence: Confidence
  readonly confidence_reason: string | null
  readonly baseline: SideEvidence
  readonly candidate: SideEvidence
  readonly metrics: Comparison
  readonly statistics: DiffStatistics
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
  /** Only where runs were left out: which, and how many. They are in none of the sums. */
  readonly left_out?: LeftOut
  /** The rates of the models that those events used. */
  readonly rates: readonly PricingEntry[]
  /** Only where its runs were summed elsewhere: by whom. */
  readonly sources?: readonly SideSource[]
}

/** A source of sums of a side, and which of them the side rests on. */
export interface SideSource {
  readonly source: string
  readonly engine: string
  readonly query_sha256: string
  /** Up to when they are complete; null where the window has none. */
  readonly covered_until: string | null
  /** As the source had them then, the hours that are oldest and newest. */
  readonly oldest_as_of: string | null
  readonly newest_as_of: string | null
  /** How many imports they came by, how many aggregates they are, and of how many runs. */
  readonly imports: number
  readonly aggregates: number
  readonly runs: number
  /** SHA-256 of the digests of their hours, a line each. */
  readonly sha256: string
}

interface Decision {
  readonly policy_passed: boolean
  readonly forced?: true | undefined
}

/** Whether a decision moved the pointer: its policy passed, or it was forced. */
export const hasMoved = ({ policy_passed, forced }: Decision): boolean => policy_passed || forced === true
