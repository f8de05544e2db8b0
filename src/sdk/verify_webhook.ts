/** A delivery whose signature holds. */
export interface VerifiedWebhook {
  readonly event: string
  /** The same at every attempt and replay: what to tell repetitions by. */
  readonly delivery_id: string
  /** When it happened, ISO-8601. Not to be ordered by: several decisions may have the same. */
  readonly created_at: string
  /** The decision's place in the audit trail, by which decisions are in order; null where it is about none. */
  readonly audit_seq: number | null
  readonly data: Readonly<Record<string, unknown>>
}

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from now, in seconds, 0 or more; 300 unless said otherwise. */
  readonly toleranceS?: number
  /**
   * Refuse a delivery without the headers of Standard Webhooks, which the service always sends; true unless said
   * otherwise. Only they hold a time: without this an old delivery that somebody has stripped of them is believed.
   */
  readonly requireTimed?: boolean
  /** The clock, epoch milliseconds. */
  readonly now?: () => number
}

/** A delivery that must not be believed; `message` says why. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/**
 * Reads a delivery and verifies it with the secret of the subscription. Where the request has the headers of Standard
 * Webhooks, they must hold, and so must the time in them; without them it is refused, or, where `requireTimed` is false,
 * `X-Service-Signature` must hold. Where both are there, both must. While a secret
 * is rotated a delivery has a signature of each: one that holds is enough. Comparisons take constant time. Throws {@link WebhookVerificationError}; the body is read either
 * way.
 */
export async function verifyWebhook(
  request: Pick<Request, 'headers' | 'arrayBuffer'>,
  secret: string,
  options: VerifyOptions = {},
): Promise<VerifiedWebhook> {
  const { toleranceS = 300, requireTimed = true } = options
  const body = new Uint8Array(await request.arrayBuffer())
  if (!(toleranceS >= 0)) {
    throw new WebhookVerificationError(`toleranceS must be 0 or more (it is ${toleranceS})`)
  }
  const plain = request.headers.get('x-service-signature')
  const next = request.headers.get('x-service-signature-next')
  const timed = request.headers.get('webhook-signature')
  if (plain === null && timed === null) throw new WebhookVerificationError('the request is not signed')
  if (requireTimed && timed === null) {
    throw new WebhookVerificationError('webhook-signature is missing, and requireTimed requires it')
  }
  if (timed !== null) await verifyTimed(request.headers, timed, body, secret, options)
  if (plain !== null) await verifyPlain(next === null ? [plain] : [plain, next], body, secret)
  return parsePayload(body)
}

/**
 * The specification's signature: HMAC-SHA256 of the body, keyed with the whole secret, in hex; and, while a secret is
 * rotated, that of the next one.
 */
async function verifyPlain(
  headers: readonly string[],
  body: Uint8Array<ArrayBuffer>,
  secret: string,
): Promise<void> {
  const signatures = headers.map(header => {
    const hex = /^sha256=([0-9a-f]{64})$/i.exec(header.trim())?.[1]
    if (hex === undefined)
      throw new WebhookVerificationError('X-Service-Signature is not sha256=<64 hex digits>')
    return Uint8Array.from(hex.match(/../g)!, pair => Number.parseInt(pair, 16))
  })
  if (await holds(new TextEncoder().encode(secret), signatures, body)) return
  throw new WebhookVerificationError('X-Service-Signature does not match the body and the secret')
}

/** The signature of standardwebhooks.com: HMAC-SHA256 of `id.timestamp.body`; several may be given. */
async function verifyTimed(
  headers: Headers,
  header: string,
  body: Uint8Array<ArrayBuffer>,
  secret: string,
  { toleranceS = 300, now = Date.now }: VerifyOptions,
): Promise<void> {
  const [id, timestamp] = [headers.get('webhook-id'), headers.get('webhook-timestamp')]
  if (id === null || timestamp === null) {
    throw new WebhookVerificationError('webhook-id or webhook-timestamp is missing')
  }
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a number')
  const signatures = header
    .split(' ')
    .filter(part => part.startsWith('v1,'))
    .map(part => fromBase64(part.slice(3)))
    .filter(bytes => bytes !== undefined)
  const key = fromBase64(secret.replace(/^whsec_/, ''))
  if (key === undefined) throw new WebhookVerificationError('the secret is not whsec_ and base64')
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(start.length + body.length)
  content.set(start)
  content.set(body, start.length)
  if (!(await holds(key, signatures, content))) {
    throw new WebhookVerificationError('webhook-signature does not match the body and the secret')
  }
  // This way round a clock or tolerance that is no number refuses.
  if (!(Math.abs(now() / 1000 - Number(timestamp)) <= toleranceS)) {
    throw new WebhookVerificationError(`webhook-timestamp is more than ${toleranceS} s from now`)
  }
}

/** Whether one of the signatures is right. Web Crypto compares in constant time. */
async function holds(
  key: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (key.length === 0) throw new WebhookVerificationError('the secret is empty')
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  const results = await Promise.all(
    signatures.map(signature => crypto.subtle.verify('HMAC', imported, signature, content)),
  )
  return results.includes(true)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), char => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

function parsePayload(body: Uint8Array): VerifiedWebhook {
  const payload = parseJson(body)
  if (isDelivery(payload)) {
    const { audit_seq } = payload.data
    return { ...payload, audit_seq: Number.isSafeInteger(audit_seq) ? (audit_seq as number) : null }
  }
  throw new WebhookVerificationError(
    'the body is not a delivery with event, delivery_id, created_at and data',
  )
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    throw new WebhookVerificationError('the body is not JSON', { cause: error })
  }
}

function isDelivery(value: unknown): value is Omit<VerifiedWebhook, 'audit_seq'> {
  if (typeof value !== 'object' || value === null) return false
  const { event, delivery_id, created_at, data } = value as Record<string, unknown>
  return (
    [event, delivery_id, created_at].every(text => typeof text === 'string') &&
    typeof data === 'object' &&
    data !== null
  )
}
