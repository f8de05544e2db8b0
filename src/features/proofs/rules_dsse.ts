import type { Envelope } from './models.ts'
import { base64, concatenate, fromBase64 } from '../../base/bytes.ts'
import { type PublicKey, type Signer, isSignedBy } from '../../rules/keys.ts'

/** The type of payloads that are statements of in-toto. */
export const IN_TOTO = 'application/vnd.in-toto+json'

export async function seal(text: string, { key, sign }: Signer): Promise<Envelope> {
  const payload = new TextEncoder().encode(text)
  const sig = base64(await sign(authenticated(IN_TOTO, payload)))
  return { payload: base64(payload), payloadType: IN_TOTO, signatures: [{ keyid: key.id, sig }] }
}

/** The payload of an envelope that the key has signed, or why it is not to be believed. */
export async function open(
  envelope: unknown,
  key: PublicKey,
): Promise<{ readonly payload: string } | { readonly problem: string }> {
  const read = readEnvelope(envelope)
  if (read === undefined) return { problem: 'it is not a DSSE envelope' }
  if (read.payloadType !== IN_TOTO) return { problem: `its payload is not of the type ${IN_TOTO}` }
  const payload = bytesOf(read.payload)
  if (payload === undefined) return { problem: 'its payload is not base64' }
  const message = authenticated(read.payloadType, payload)
  for (const { sig } of read.signatures) {
    const signature = bytesOf(sig)
    if (signature === undefined || !(await isSignedBy(key, message, signature))) continue
    try {
      return { payload: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload) }
    } catch {
      return { problem: 'its payload is not UTF-8' }
    }
  }
  return { problem: 'none of its signatures was made by this key' }
}

/** What is signed: the pre-authentication encoding, so that no other type or length reads the same. */
function authenticated(type: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const typed = new TextEncoder().encode(type)
  const start = new TextEncoder().encode(`DSSEv1 ${typed.length} ${type} ${payload.length} `)
  return concatenate([start, payload], start.length + payload.length)
}

/** Most signatures that are looked at. */
const MOST_SIGNATURES = 100

function readEnvelope(value: unknown): (Omit<Envelope, 'payloadType'> & { payloadType: string }) | undefined {
  const { payload, payloadType, signatures } = (value ?? {}) as Partial<Record<keyof Envelope, unknown>>
  if (typeof payload !== 'string' || typeof payloadType !== 'string') return undefined
  if (!Array.isArray(signatures) || signatures.length > MOST_SIGNATURES) return undefined
  const isSigned = signatures.every(
    (one: unknown) => typeof (one as { sig?: unknown } | null)?.sig === 'string',
  )
  return isSigned ? { payload, payloadType, signatures: signatures as Envelope['signatures'] } : undefined
}

/** Verifiers take both alphabets of base64 (DSSE, envelope). */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
}
