import { hex } from '../../base/text.ts'
import type { Outgoing } from '../send.ts'

/** A payload to be signed for one receiver. */
export interface Signable {
  readonly url: string
  readonly secret: string
  readonly event: string
  readonly deliveryId: string
  readonly body: string
}

/** Prefix of secrets; what follows is the key of the Standard Webhooks signature, in base64. */
export const SECRET_PREFIX = 'whsec_'

/**
 * The request that carries a payload. Signed twice: over the body alone, keyed with the secret as it is written
 * (specification, Events), and over id, time and body (standardwebhooks.com), keyed with the bytes behind its prefix.
 */
export async function signedRequest(signable: Signable, nowMs: number): Promise<Outgoing> {
  const { url, secret, event, deliveryId, body } = signable
  const timestamp = String(Math.floor(nowMs / 1000))
  const keyBytes = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), char => char.charCodeAt(0))
  const plain = await hmac(new TextEncoder().encode(secret), body)
  const timed = await hmac(keyBytes, `${deliveryId}.${timestamp}.${body}`)
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'release-governance-webhooks',
      'x-service-event': event,
      'x-service-delivery': deliveryId,
      'x-service-signature': `sha256=${hex(plain)}`,
      'webhook-id': deliveryId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${btoa(String.fromCharCode(...timed))}`,
    },
  }
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text)))
}
