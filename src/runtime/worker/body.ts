import type { RequestLike } from '../../http/wire/message.ts'
import { MAX_BODY_BYTES } from '../services.ts'

/** A request whose body comes in large parts: workerd gives 4 kB at a time to whoever brings no buffer of its own. */
export function inLargeParts(request: Request): RequestLike {
  const { method, url, headers, body } = request
  const declared = Number(headers.get('content-length'))
  const parts = body === null ? null : partsOf(body, declared)
  return { method, url, headers: declared > MAX_BODY_BYTES ? undeclared(headers) : headers, body: parts }
}

/** Hides the length of a body that is too large: of one that nobody read, workerd resets the connection before the 413. */
function undeclared(headers: Headers): RequestLike['headers'] {
  return {
    get: name => (name.toLowerCase() === 'content-length' ? null : headers.get(name)),
    keys: () => headers.keys(),
  }
}

/** Most bytes of a part, whatever a request declares; and those of one where it declares nothing. */
const MOST_BYTES = 1024 * 1024
const USUAL_BYTES = 64 * 1024

async function* partsOf(body: ReadableStream<Uint8Array>, declared: number): AsyncGenerator<Uint8Array> {
  const reader = fillingReader(body)
  if (reader === undefined) {
    yield* body
    return
  }
  let left = Number.isSafeInteger(declared) ? declared : 0
  try {
    for (;;) {
      // With room for one byte more it also learns that the body is over.
      const size = left > 0 ? Math.min(left + 1, MOST_BYTES) : USUAL_BYTES
      const { value } = await reader.readAtLeast(size, new Uint8Array(size))
      if (value !== undefined && value.byteLength > 0) yield value
      if (value === undefined || value.byteLength < size) return
      left -= size
    }
  } finally {
    await reader.cancel()
  }
}

/** A reader that fills buffers, unless the stream is one that a program made of its own parts, or another runtime's. */
function fillingReader(body: ReadableStream<Uint8Array>): FillingReader | undefined {
  try {
    const reader = body.getReader({ mode: 'byob' })
    if ('readAtLeast' in reader) return reader as unknown as FillingReader
    reader.releaseLock()
  } catch {
    // A stream of whatever values can't fill a buffer.
  }
  return undefined
}

/** workerd's own: it waits until the buffer is full, or the body over. */
interface FillingReader {
  readAtLeast(bytes: number, buffer: Uint8Array): Promise<{ readonly value?: Uint8Array }>
  cancel(): Promise<void>
}
