import type { Outcome } from '../../models/answers/decision.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { hex } from '../../base/text.ts'
import { actor } from '../access.ts'
import { ApiError, callApi } from '../api.ts'
import { type Live, liveInstead } from './reviewed.tsx'

/** What became of an attempt. */
export type Attempt =
  | { readonly kind: 'decided'; readonly outcome: Outcome }
  | { readonly kind: 'requested'; readonly request: PromotionRequest }
  | { readonly kind: 'refused'; readonly policy: PolicyVerdict }

/** Something else is live than the decision expects: nothing was recorded. */
interface Stale {
  readonly kind: 'stale'
  readonly live: Live
}

let sent: { meant: string; body: Readonly<Record<string, unknown>>; key: string } | undefined

/** Sends a decision once, as `sendOnce` does, and says what became of it. */
export async function sendDecision(
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Attempt | Stale> {
  try {
    const done = await sendOnce<Outcome | PromotionRequest>(path, fields)
    if (done.kind === 'stale') return done
    const { answer } = done
    return 'request_id' in answer
      ? { kind: 'requested', request: answer }
      : { kind: 'decided', outcome: answer }
  } catch (error) {
    return refusal(error)
  }
}

/**
 * Sends a change once: where the answer to it was lost, sending the same again carries the same key, and the service
 * answers with what it recorded the first time. Throws an error that says what to do where nothing came of it.
 */
export async function sendOnce<T>(
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<{ readonly kind: 'answered'; readonly answer: T } | Stale> {
  const body: Readonly<Record<string, unknown>> = {
    ...fields,
    ...(actor.value.trim() === '' ? {} : { actor: actor.value.trim() }),
  }
  // What it replaces may be known otherwise by now, because it was recorded.
  const meant = JSON.stringify([path, { ...body, first: undefined, expected_baseline_release_id: undefined }])
  if (sent?.meant !== meant) sent = { meant, body, key: randomKey() }
  const expected = sent.body.expected_baseline_release_id
  try {
    const answer = await callApi<T>({
      method: 'POST',
      path,
      body: sent.body,
      headers: { 'idempotency-key': sent.key },
    })
    sent = undefined
    return { kind: 'answered', answer }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 0 || error.status >= 500) {
      throw new Error(`${error.message} It may have been recorded: send it again, it counts once.`, {
        cause: error,
      })
    }
    sent = undefined
    const live = liveInstead(error)
    if (live === undefined) throw error
    // It was not recorded after all, and what is live has been reviewed since it was first sent.
    const isReviewed = expected !== body.expected_baseline_release_id
    return isReviewed ? sendOnce<T>(path, fields) : { kind: 'stale', live }
  }
}

function refusal(error: unknown): Attempt {
  if (!(error instanceof ApiError) || error.status !== 409) throw error
  const detail = (error.body as { detail?: { outcome?: Outcome; policy?: PolicyVerdict } } | undefined)
    ?.detail
  if (detail?.outcome !== undefined) return { kind: 'decided', outcome: detail.outcome }
  if (detail?.policy !== undefined) return { kind: 'refused', policy: detail.policy }
  throw error
}

/** randomUUID is there on secure origins only. */
function randomKey(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)))
}
