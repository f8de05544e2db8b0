import { ServiceError, badRequest } from './errors.ts'
import { hex } from './text.ts'

/** Chunks of `length` bytes in all as one array; a single chunk is not copied. */
export function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  if (chunks.length === 1) return chunks[0] as Uint8Array<ArrayBuffer>
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

/** Bytes as base64 with padding (RFC 4648, 4). */
export function base64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** The bytes of a base64 text; undefined where it is written in any other way than `base64` writes it. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), char => char.charCodeAt(0))
    return base64(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

/** SHA-256 of bytes. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return nodeDigest()?.(bytes) ?? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** SHA-256 of each of many. */
export async function digestAll(
  all: readonly Uint8Array<ArrayBuffer>[],
): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const digest = nodeDigest()
  return digest === undefined ? Promise.all(all.map(digestOf)) : all.map(digest)
}

type Digest = (bytes: Uint8Array) => Uint8Array<ArrayBuffer>

/**
 * Node's own hash, in this thread: for what is as short as an entry of the audit log, WebCrypto takes several times as long.
 * Undefined where the runtime is another one, or a Node before 20.12. It is found at run time, so that bundles for browsers
 * hold no import of it.
 */
function nodeDigest(): Digest | undefined {
  const { process: node } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined }
  }
  const hash = node?.getBuiltinModule?.('node:crypto')?.hash
  return hash && (bytes => new Uint8Array(hash('sha256', bytes, 'buffer')))
}

interface NodeCrypto {
  readonly hash?: (algorithm: string, data: Uint8Array, encoding: 'buffer') => Uint8Array
}

/** SHA-256 of a text's UTF-8, lowercase hex. */
export async function sha256(text: string): Promise<string> {
  return hex(await digestOf(new TextEncoder().encode(text)))
}

/** HMAC-SHA-256 of a text's UTF-8. */
export async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text)))
}

/** Takes the same time wherever two texts of one length differ. */
export function equalTexts(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

/** The bytes of a gzip in chunks. Stops at the first one that is too much: a few kB can hold gigabytes. */
export async function* unzipped(
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
  tooLarge: () => ServiceError,
): AsyncGenerator<Uint8Array> {
  const chunks = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    for (let length = 0; ;) {
      const { done, value } = await chunks.read().catch(throwNoGzip)
      if (done) return
      length += value.length
      if (length > maxBytes) throw tooLarge()
      yield value
    }
  } finally {
    await chunks.cancel().catch(() => {})
  }
}

function throwNoGzip(error: unknown): never {
  throw badRequest('The body is not valid gzip.', error)
}

/** The bytes of a gzip, of `maxBytes` at most. */
export async function gunzip(...given: Parameters<typeof unzipped>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of unzipped(...given)) chunks.push(chunk)
  return concatenate(
    chunks,
    chunks.reduce((sum, { length }) => sum + length, 0),
  )
}
