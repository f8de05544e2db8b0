import { hmac } from '../../base/bytes.ts'
import { hex } from '../../base/text.ts'
import type { Outgoing } from '../world/send.ts'

/** A payload to be signed for one receiver. */
export interface Signable {
  readonly url: string
  readonly secret: string
  /** The secret before, while a rotation lasts. */
  readonly previousSecret?: string | undefined
  readonly event: string
  readonly deliveryId: string
  readonly body: string
}

/** Prefix of secrets; what follows is the key of the Standard Webhooks signature, in base64. */
export const SECRET_PREFIX = 'whsec_'

/**
 * The request that carries a payload. Signed twice: over the body alone, keyed with the secret as it is written
 * (specification, Events), and over id, time and body (standardwebhooks.com), keyed with the bytes behind its prefix.
 *
 * While a secret is rotated both sign. Standard Webhooks has a list for that. X-Service-Signature is one value, that
 * of the secret before: receivers that compare it as a whole go on as they are, until the rotation ends.
 */
export async function signedRequest(signable: Signable, nowMs: number): Promise<Outgoing> {
  const { url, secret, previousSecret, event, deliveryId, body } = signable
  const timestamp = String(Math.floor(nowMs / 1000))
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  const timed = secrets.map(each => timedSignature(each, `${deliveryId}.${timestamp}.${body}`))
  const plain = await plainSignature(secret, body)
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'release-governance-webhooks',
      'x-service-event': event,
      'x-service-delivery': deliveryId,
      ...(previousSecret === undefined
        ? { 'x-service-signature': plain }
        : {
            'x-service-signature': await plainSignature(previousSecret, body),
            'x-service-signature-next': plain,
          }),
      'webhook-id': deliveryId,
      'webhook-timestamp': timestamp,
      'webhook-signature': (await Promise.all(timed)).join(' '),
    },
  }
}

async function plainSignature(secret: string, body: string): Promise<string> {
  return `sha256=${hex(await hmac(new TextEncoder().encode(secret), body))}`
}

async function timedSignature(secret: string, content: string): Promise<string> {
  const keyBytes = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), char => char.charCodeAt(0))
  return `v1,${btoa(String.fromCharCode(...(await hmac(keyBytes, content))))}`
}
