import type { Outcome } from '../../models/answers/decision.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { hex } from '../../base/text.ts'
import { actor } from '../access.ts'
import { ApiError, callApi } from '../api.ts'

/** What became of an attempt. */
export type Attempt =
  | { readonly kind: 'decided'; readonly outcome: Outcome }
  | { readonly kind: 'requested'; readonly request: PromotionRequest }
  | { readonly kind: 'refused'; readonly policy: PolicyVerdict }

let sent: { meant: string; body: Readonly<Record<string, unknown>>; key: string } | undefined

/**
 * Sends a decision once: where the answer to it was lost, sending the same again carries the same key, and the service
 * answers with what it recorded the first time. Throws an error that says what to do where nothing came of it.
 */
export async function sendDecision(
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Attempt> {
  const body = { ...fields, ...(actor.value.trim() === '' ? {} : { actor: actor.value.trim() }) }
  // That it is the first one here may be known otherwise by now, because it was recorded.
  const meant = JSON.stringify([path, { ...body, first: undefined }])
  if (sent?.meant !== meant) sent = { meant, body, key: randomKey() }
  try {
    const answer = await callApi<Outcome | PromotionRequest>({
      method: 'POST',
      path,
      body: sent.body,
      headers: { 'idempotency-key': sent.key },
    })
    sent = undefined
    return 'request_id' in answer
      ? { kind: 'requested', request: answer }
      : { kind: 'decided', outcome: answer }
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): Attempt {
  if (!(error instanceof ApiError)) throw error
  const isUncertain = error.status === 0 || error.status >= 500
  if (!isUncertain) sent = undefined
  const detail = (error.body as { detail?: { outcome?: Outcome; policy?: PolicyVerdict } } | undefined)
    ?.detail
  if (error.status === 409 && detail?.outcome !== undefined)
    return { kind: 'decided', outcome: detail.outcome }
  if (error.status === 409 && detail?.policy !== undefined) return { kind: 'refused', policy: detail.policy }
  if (!isUncertain) throw error
  throw new Error(`${error.message} It may have been recorded: send it again, it counts once.`)
}

/** randomUUID is there on secure origins only. */
function randomKey(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)))
}
