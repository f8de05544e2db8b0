import type { PricingEntry } from '../../models/documents/pricing.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { CatalogReport, Comparison } from '../../models/answers/diff.ts'
import { type Confidence, type Thresholds, confidenceOf } from '../../rules/confidence.ts'
import { sideMetrics } from '../../rules/cost.ts'
import { FIRST_PROMOTION_REASON, policyReasons } from '../../rules/policy.ts'
import { type VariantSums, byModel } from '../../rules/rollup.ts'
import { isoTime } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import type { Evaluation } from '../compare/evaluation.ts'
import type { Side } from '../compare/sides.ts'

/** All that a decision rested on; kept in its audit record, so that it can be replayed. */
export interface Evidence {
  readonly window: { readonly text: string; readonly since: string; readonly until: string }
  readonly promotion_requires_approval: boolean
  readonly policy: Policy
  readonly evaluated_at: string
  /** Null for a first promotion, which is not evaluated. */
  readonly evaluation: EvaluatedEvidence | null
  /** The request that a confirmation settled. */
  readonly request: { readonly request_id: string; readonly requested_by: string } | null
}

interface EvaluatedEvidence {
  readonly thresholds: Thresholds
  readonly confidence: Confidence
  readonly confidence_reason: string | null
  readonly baseline: SideEvidence
  readonly candidate: SideEvidence
  readonly metrics: Comparison
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

/** What evidence needs beside the evaluation itself. */
export interface EvidenceFacts {
  readonly windowText: string
  readonly window: Window
  readonly requiresApproval: boolean
  readonly policy: Policy
  readonly evaluatedAt: string
  readonly evaluated: {
    evaluation: Evaluation
    sides: { baseline: Side; candidate: Side }
    catalog: CatalogReport
  } | null
  readonly request: Evidence['request']
}

export function evidenceOf(facts: EvidenceFacts): Evidence {
  const { window, evaluated } = facts
  return {
    window: { text: facts.windowText, since: isoTime(window.since), until: isoTime(window.until) },
    promotion_requires_approval: facts.requiresApproval,
    policy: facts.policy,
    evaluated_at: facts.evaluatedAt,
    evaluation:
      evaluated === null
        ? null
        : {
            thresholds: evaluated.evaluation.thresholds,
            ...evaluated.evaluation.label,
            baseline: sideEvidence(evaluated.sides.baseline),
            candidate: sideEvidence(evaluated.sides.candidate),
            metrics: evaluated.evaluation.metrics,
            catalog: evaluated.catalog,
          },
    request: facts.request,
  }
}

function sideEvidence({ release, variants, rates }: Side): SideEvidence {
  const models = new Set(variants.map(variant => variant.model))
  return {
    release_id: release.release_id,
    checksum: release.checksum,
    model: release.model,
    provider: release.provider,
    pricing_version: release.pricing_version,
    variants: byModel(variants),
    rates: [...rates.values()].filter(entry => models.has(entry.model)),
  }
}

/** Decides again from evidence alone: the reasons that the policy gives for it. */
export function replayReasons({ policy, evaluation }: Evidence): string[] {
  if (evaluation === null) return [FIRST_PROMOTION_REASON]
  const measure = ({ variants, rates }: SideEvidence) =>
    sideMetrics(variants, new Map(rates.map(entry => [entry.model, entry])))
  const [baseline, candidate] = [measure(evaluation.baseline), measure(evaluation.candidate)]
  return policyReasons(policy, candidate, confidenceOf(baseline.runs, candidate.runs, evaluation.thresholds))
}
