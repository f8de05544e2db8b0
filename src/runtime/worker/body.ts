import type { RequestLike } from '../../http/message.ts'

/** A request whose body comes in large parts: workerd gives 4 kB at a time to whoever brings no buffer of its own. */
export function inLargeParts(request: Request): RequestLike {
  const { method, url, headers, body } = request
  const declared = Number(headers.get('content-length'))
  return { method, url, headers, body: body === null ? null : partsOf(body, declared) }
}

/** Most bytes of a part, whatever a request declares; and those of one past that, or where it declares nothing. */
const MOST_BYTES = 1024 * 1024
const USUAL_BYTES = 16 * 1024

async function* partsOf(body: ReadableStream<Uint8Array>, declared: number): AsyncGenerator<Uint8Array> {
  const reader = body.getReader({ mode: 'byob' }) as unknown as FillingReader
  let left = Number.isSafeInteger(declared) ? declared : 0
  try {
    for (;;) {
      const size = left > 0 ? Math.min(left, MOST_BYTES) : USUAL_BYTES
      const { value, done } = await reader.readAtLeast(size, new Uint8Array(size))
      if (value !== undefined && value.byteLength > 0) yield value
      if (done) return
      left -= size
    }
  } finally {
    await reader.cancel()
  }
}

/** workerd's own: it waits until the buffer is full, or the body over. */
interface FillingReader {
  readAtLeast(
    bytes: number,
    buffer: Uint8Array,
  ): Promise<{ readonly value?: Uint8Array; readonly done: boolean }>
  cancel(): Promise<void>
}
