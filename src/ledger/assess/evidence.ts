import type { Gates } from '../../rules/gates.ts'
import type { HeldPolicy } from '../../rules/scope.ts'
import type { Thresholds } from '../../rules/confidence.ts'
import type { CatalogReport } from '../../models/answers/diff.ts'
import type { UsedWindow } from '../../models/answers/window_used.ts'
import { type Evidence, RULES_VERSION, type SideEvidence } from '../../rules/evidence.ts'
import { byModel } from '../../rules/rollup.ts'
import { isoTime } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import type { Evaluation } from './evaluation.ts'
import type { Side } from './sides.ts'

/** What evidence needs beside the evaluation itself. */
export interface EvidenceFacts {
  readonly windowText: string
  readonly window: Window
  /** Undefined where the window was read as it is. */
  readonly windowUsed?: UsedWindow | undefined
  readonly requiresApproval: boolean
  readonly strict: boolean
  readonly forced?: boolean
  readonly excludesStrays?: boolean
  readonly held: HeldPolicy
  /** Undefined where none concerns the decision. */
  readonly gates: Gates | undefined
  /** Undefined where the policy demands nothing beside its limits. */
  readonly demands?: Readonly<Record<string, unknown>> | undefined
  readonly workspaceThresholds: Thresholds
  readonly evaluatedAt: string
  readonly evaluated: {
    evaluation: Evaluation
    sides: { baseline: Side; candidate: Side }
    catalog: CatalogReport
  } | null
  readonly request: Evidence['request']
}

export function evidenceOf(facts: EvidenceFacts): Evidence {
  const { window, evaluated, held, gates } = facts
  return {
    rules_version: RULES_VERSION,
    window: { text: facts.windowText, since: isoTime(window.since), until: isoTime(window.until) },
    ...(facts.windowUsed === undefined ? {} : { window_used: facts.windowUsed }),
    promotion_requires_approval: facts.requiresApproval,
    ...(facts.strict ? { strict: true } : {}),
    ...(facts.forced === true ? { forced: true } : {}),
    ...(facts.excludesStrays === true ? { exclude_undecidable: true } : {}),
    policy: held.policy,
    ...(held.scope === undefined ? {} : { policy_scope: held.scope }),
    ...(gates === undefined ? {} : { gates }),
    ...(facts.demands === undefined ? {} : { demands: facts.demands }),
    evaluated_at: facts.evaluatedAt,
    evaluation:
      evaluated === null
        ? null
        : {
            thresholds: evaluated.evaluation.thresholds,
            workspace_thresholds: facts.workspaceThresholds,
            ...evaluated.evaluation.label,
            baseline: sideEvidence(evaluated.sides.baseline),
            candidate: sideEvidence(evaluated.sides.candidate),
            metrics: evaluated.evaluation.metrics,
            statistics: evaluated.evaluation.statistics,
            catalog: evaluated.catalog,
          },
    request: facts.request,
  }
}

function sideEvidence({ release, variants, rates, leftOut }: Side): SideEvidence {
  const models = new Set(variants.map(variant => variant.model))
  return {
    release_id: release.release_id,
    checksum: release.checksum,
    model: release.model,
    provider: release.provider,
    pricing_version: release.pricing_version,
    variants: byModel(variants),
    ...(leftOut === undefined ? {} : { left_out: leftOut }),
    rates: [...rates.values()].filter(entry => models.has(entry.model)),
  }
}
