import type { WebhookFormat } from '../../models/names.ts'
import { withoutSecretUrl } from '../../rules/secret_url.ts'
import { type RowOf, asText, orNull } from '../../sql/query.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import type { Sent } from '../world/send.ts'
import { signedRequest } from './signing.ts'

/** How one attempt went. `problem` is null where the receiver took the payload. */
export interface AttemptFacts {
  readonly response_code: number | null
  readonly duration_ms: number
  readonly response_text: string | null
  readonly problem: string | null
}

/** Characters of an answer that are kept. */
const KEPT_CHARS = 200

/** Whom a payload goes to, and how. */
export interface Receiver {
  readonly webhook_id: string
  readonly url: string
  readonly format: WebhookFormat
  readonly secret: string
  /** The secret before, while a rotation lasts. */
  readonly previousSecret: string | undefined
}

/** What {@link toReceiver} takes; `previous_secret` where it still signs. */
export const RECEIVER = {
  webhook_id: asText,
  url: asText,
  format: asText<WebhookFormat>,
  secret: asText,
  previous_secret: orNull(asText),
} as const

export function toReceiver({
  webhook_id,
  url,
  format,
  secret,
  previous_secret,
}: RowOf<typeof RECEIVER>): Receiver {
  return { webhook_id, url, format, secret, previousSecret: previous_secret ?? undefined }
}

/** A payload as the outbox has it. */
export interface Outbound {
  readonly event: string
  readonly deliveryId: string
  readonly payload: string
}

/** Writes a payload as a body; `publicUrl` is where people find the web UI. */
export type Format = (payload: string, publicUrl: string | null | undefined) => string

/** Signs and sends a payload once. Only a 2xx answer counts as taken. */
export async function deliverOnce(
  { send, now, workspace, features }: Pick<Ledger, 'send' | 'now' | 'workspace' | 'features'>,
  { url, format, secret, previousSecret }: Receiver,
  { event, deliveryId, payload }: Outbound,
): Promise<AttemptFacts> {
  const startedAt = now()
  const formats = await partsOf(features, 'formats')
  const write = formats.find(each => each[format] !== undefined)?.[format]
  const body = write?.(payload, workspace.public_url) ?? payload
  const signed = await signedRequest({ url, secret, previousSecret, event, deliveryId, body }, startedAt)
  const sent = await send(signed)
  const endedAt = now()
  const shown = (text: string | null): string | null =>
    text === null ? null : withoutSecretUrl(format, url, text)
  return {
    response_code: 'status' in sent ? sent.status : null,
    duration_ms: Math.max(0, endedAt - startedAt),
    response_text: 'status' in sent ? startOf(withoutSecretUrl(format, url, sent.text)) : null,
    problem: shown(problemOf(sent)),
  }
}

function problemOf(sent: Sent): string | null {
  if ('problem' in sent) return sent.problem
  const { status } = sent
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `the receiver answered ${status}; redirects are not followed, so use the address itself`
    : `the receiver answered ${status}`
}

/** Whole characters only, and none that a database would refuse. */
function startOf(text: string): string {
  return Array.from(text.slice(0, KEPT_CHARS * 2))
    .slice(0, KEPT_CHARS)
    .join('')
    .toWellFormed()
    .replaceAll('\0', '\uFFFD')
}
