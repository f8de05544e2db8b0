import { badRequest } from '../base/errors.ts'
import { base64, digestOf, fromBase64 } from '../base/bytes.ts'
import { hex } from '../base/text.ts'

/** Signs by Ed25519 (RFC 8032). */
export interface Signer {
  readonly key: PublicKey
  readonly sign: (message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>
}

export interface PublicKey {
  /** The 32 bytes of RFC 8032. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of the key as SubjectPublicKeyInfo, hex: what names it in envelopes. */
  readonly id: string
}

/** What comes before the 32 bytes of a key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI_START = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00)

/** A new pair of keys as PEM: PKCS#8 and SubjectPublicKeyInfo, as openssl writes them. */
export async function newKeys(): Promise<{ privatePem: string; publicPem: string }> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  const [secret, known] = [
    await crypto.subtle.exportKey('pkcs8', pair.privateKey),
    await crypto.subtle.exportKey('spki', pair.publicKey),
  ]
  return {
    privatePem: pem('PRIVATE KEY', new Uint8Array(secret)),
    publicPem: pem('PUBLIC KEY', new Uint8Array(known)),
  }
}

/** The signer of a private key in PEM. `name` is what an error calls it; throws 400 if it is not a key. */
export async function signerOf(text: string, name: string): Promise<Signer> {
  const der = bytesOfPem(text, 'PRIVATE KEY')
  if (der === undefined) {
    throw badRequest(`${name} is not a private key in PEM (PKCS#8); make one with \`svc audit keygen FILE\`.`)
  }
  try {
    const secret = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', true, ['sign'])
    const { x } = (await crypto.subtle.exportKey('jwk', secret)) as { x?: string }
    const bytes = fromBase64(`${x!.replaceAll('-', '+').replaceAll('_', '/')}=`)!
    return {
      key: await publicKey(bytes),
      sign: async message => new Uint8Array(await crypto.subtle.sign('Ed25519', secret, message)),
    }
  } catch (error) {
    throw badRequest(
      `${name} is not a private key of Ed25519; make one with \`svc audit keygen FILE\`.`,
      error,
    )
  }
}

/** The public key of a PEM. `name` is what an error calls it; throws 400 if it is not a key. */
export async function publicKeyOf(text: string, name: string): Promise<PublicKey> {
  const der = bytesOfPem(text, 'PUBLIC KEY')
  const start = der?.subarray(0, SPKI_START.length) ?? []
  if (der?.length !== SPKI_START.length + 32 || SPKI_START.some((byte, index) => start[index] !== byte)) {
    throw badRequest(`${name} is not a public key of Ed25519 in PEM, as \`svc audit keygen\` prints one.`)
  }
  return publicKey(der.slice(SPKI_START.length))
}

/** Whether a signature of a message is one by the key. */
export async function isSignedBy(
  { bytes }: PublicKey,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (signature.length !== 64) return false
  try {
    const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', key, signature, message)
  } catch {
    // 32 bytes that are no point of the curve.
    return false
  }
}

async function publicKey(bytes: Uint8Array<ArrayBuffer>): Promise<PublicKey> {
  return { bytes, id: hex(await digestOf(new Uint8Array([...SPKI_START, ...bytes]))) }
}

function pem(label: string, der: Uint8Array): string {
  const lines = base64(der).match(/.{1,64}/g)!
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

function bytesOfPem(text: string, label: string): Uint8Array<ArrayBuffer> | undefined {
  const found = new RegExp(`^-----BEGIN ${label}-----\\s([\\s\\w+/=]+)-----END ${label}-----$`).exec(
    text.trim(),
  )
  return found === null ? undefined : fromBase64(found[1]!.replaceAll(/\s/g, ''))
}
