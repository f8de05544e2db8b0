import { ServiceError, unprocessable } from '../errors.ts'
import { findBadText, mayHoldBadText } from '../rules/text.ts'
import type { RequestLike } from './message.ts'

export interface JsonBody {
  readonly value: unknown
  /** Whether it may hold text that no database keeps faithfully; `findBadText` tells for certain. */
  readonly suspect: boolean
}

/** The body of a request as JSON. Throws 413 past `maxBytes`, 422 for anything that isn't JSON. */
export async function readJson(request: RequestLike, maxBytes: number): Promise<JsonBody> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw bodyProblem('content_type', 'must be sent with Content-Type: application/json')
  }
  const text = await readText(request, maxBytes)
  return { value: parseJson(text), suspect: mayHoldBadText(text) }
}

/** The value of a body whose text is all sound. Throws 422 otherwise. */
export function soundValue({ value, suspect }: JsonBody): unknown {
  const bad = suspect ? findBadText(value) : undefined
  if (bad === undefined) return value
  throw unprocessable([{ loc: ['body', ...bad.path], msg: bad.message, type: 'text' }])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw bodyProblem('json_invalid', `is not valid JSON: ${(error as Error).message}`)
  }
}

/**
 * How much of a body that is too large is still read and thrown away: a client that is told so before it has sent
 * everything loses its connection, or never reads the answer. Past this it does.
 */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

async function readText({ body }: RequestLike, maxBytes: number): Promise<string> {
  if (body === null) return ''
  if (typeof body === 'string') return body
  const chunks: Uint8Array[] = []
  let bytes = 0
  // The declared length is a hint; what arrives is counted.
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes <= maxBytes) chunks.push(chunk)
    else if (bytes > maxBytes + MAX_DISCARDED_BYTES) break
  }
  if (bytes > maxBytes) {
    throw new ServiceError(413, `The body is larger than ${maxBytes} bytes.`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(concatenate(chunks, bytes))
  } catch {
    throw bodyProblem('json_invalid', 'is not valid UTF-8')
  }
}

function concatenate(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!
  const whole = new Uint8Array(bytes)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

function bodyProblem(type: string, msg: string): ServiceError {
  return unprocessable([{ loc: ['body'], msg, type }])
}
