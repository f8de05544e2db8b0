import type { SinceRequest } from '../models/answers/promotion_request.ts'
import type { Comparison } from '../models/answers/diff.ts'
import type { Policy } from '../models/documents/policy.ts'
import { policyChanges } from './policy_changes.ts'

/** What an evaluation rested on, kept with a request to be compared with that of its confirmation. */
export interface Assessed {
  readonly baseline_release_id: string | null
  readonly policy: Policy
  /** Null for a first promotion. */
  readonly metrics: Comparison | null
}

/** What is otherwise at a confirmation than when it was asked for. */
export function sinceRequest(before: Assessed, now: Assessed): SinceRequest {
  const [old, current] = [before.metrics, now.metrics] as (Readonly<Record<string, number | null>> | null)[]
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(current ?? {})])]
  return {
    baseline:
      before.baseline_release_id === now.baseline_release_id
        ? null
        : { from: before.baseline_release_id, to: now.baseline_release_id },
    policy: policyChanges(before.policy, now.policy),
    figures: names
      .map(name => ({ name, from: old?.[name] ?? null, to: current?.[name] ?? null }))
      .filter(({ from, to }) => from !== to),
  }
}
