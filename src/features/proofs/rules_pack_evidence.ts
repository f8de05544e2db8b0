import { jsonOf } from '../../base/text.ts'

export interface DecisionEvidence {
  readonly words: string
  /** The request that it carried out. */
  readonly request_id: string | undefined
  /** Why the policy blocked it. */
  readonly reasons: readonly string[]
  /** The rollout whose last step it was; that was confirmed before its candidate had run. */
  readonly rollout: RolloutRead | undefined
}

/** What a decision rested on, by its record; undefined for other text. */
export function evidenceOf(record: string): DecisionEvidence | undefined {
  const { evidence, policy_reasons: reasons } = (jsonOf(record) ?? {}) as {
    readonly evidence?: EvidenceRead | null
    readonly policy_reasons?: readonly string[]
  }
  if (evidence == null) return undefined
  const { window, evaluation, policy, request, ...parts } = evidence
  const compared =
    evaluation == null
      ? 'nothing was compared'
      : `${evaluation.baseline?.release_id} with ${runsOf(evaluation.baseline)} runs against ` +
        `${evaluation.candidate?.release_id} with ${runsOf(evaluation.candidate)}, confidence ${evaluation.confidence}`
  const words = [
    `window ${window?.text} (${window?.since} to ${window?.until})`,
    compared,
    `policy ${policy?.policy_id}`,
    ...(request == null ? [] : [`request ${request.request_id} of ${request.requested_by}`]),
    ...deciders(parts),
    ...(reasons ?? []),
  ].join('; ')
  return {
    words,
    reasons: reasons ?? [],
    request_id: request?.request_id,
    rollout: evidence.rollout ?? undefined,
  }
}

/** What decided where nobody did, such as a rollout: evidence has each under its name, with its id. */
function deciders(parts: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parts).flatMap(([name, part]) => {
    const id = (part as Readonly<Record<string, unknown>> | null)?.[`${name}_id`]
    return typeof id === 'string' ? [`${name} ${id}`] : []
  })
}

interface RolloutRead {
  readonly rollout_id: string
  /** What stays on the baseline after completion; `until` is epoch ms. */
  readonly hold?: { readonly share: number; readonly until: number }
}

interface SideRead {
  readonly release_id: string
  readonly variants: readonly { readonly runs: number }[]
}

/** What of evidence a pack says; of older decisions parts may be missing. */
interface EvidenceRead {
  readonly window?: { readonly text: string; readonly since: string; readonly until: string }
  readonly evaluation?: {
    readonly baseline?: SideRead
    readonly candidate?: SideRead
    readonly confidence: string
  } | null
  readonly policy?: { readonly policy_id: string }
  readonly request?: { readonly request_id: string; readonly requested_by: string } | null
  readonly rollout?: RolloutRead | null
}

function runsOf(side: SideRead | undefined): number {
  return side?.variants.reduce((sum, { runs }) => sum + runs, 0) ?? 0
}
