import { type FieldProblem, ServiceError, badRequest, unprocessable } from '../../base/errors.ts'
import { type CheckedName, checkDocument } from '../../models/all/check.ts'
import type { ModelName, ModelValue } from '../../models/all/models.ts'
import type { RequestLike } from '../wire/message.ts'
import { problemsIn, readPart, shapesOf } from './read_input.ts'
import { MAX_ITEMS, findBadText, fitsBytes, mayHoldBadText } from '../../base/text.ts'
import { concatenate } from '../../base/bytes.ts'
import {
  JSON_BOUNDS,
  TOO_DEEP,
  excessText,
  nestsDeeper,
  parsePieces,
  repeatedField,
} from '../../base/json_pieces.ts'
import type { Context } from '../access/context.ts'

export interface JsonBody {
  readonly value: unknown
  /** Whether it may hold text that no database keeps faithfully; `findBadText` tells for certain. */
  readonly suspect: boolean
}

/**
 * The body of a request as JSON. Throws 413 past `maxBytes` and for what would take too much to make, 415 for one that is
 * compressed, 422 for anything that isn't JSON. A document (`once`) has each field once, of which the parser would take the last, and no longer lists
 * than documents may have: 422.
 */
export async function readJson(
  request: RequestLike,
  maxBytes: number,
  nextTurn: Context['nextTurn'],
  { once }: { readonly once: boolean },
): Promise<JsonBody> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw bodyProblem('content_type', 'must be sent with Content-Type: application/json')
  }
  const text = await readText(request, maxBytes)
  const value = text.length > SMALL_CHARS ? await parseLong(text, nextTurn, once) : parseJson(text)
  const repeated = once ? repeatedField(text) : undefined
  if (repeated !== undefined) {
    throw bodyProblem(
      'repeated',
      `has the field ${JSON.stringify(repeated.slice(0, 80))} twice in one object`,
    )
  }
  return { value, suspect: mayHoldBadText(text) }
}

/** Bodies of up to so many characters are parsed at once, whatever they hold. */
const SMALL_CHARS = 500_000

/** A long body, so that nobody waits for it, and it takes no more memory than ten times its length. */
async function parseLong(text: string, nextTurn: Context['nextTurn'], once: boolean): Promise<unknown> {
  const bounds = once ? { ...JSON_BOUNDS, items: MAX_ITEMS } : JSON_BOUNDS
  const parsed = await parsePieces(text, bounds, nextTurn).catch(throwInvalid)
  if ('value' in parsed) return parsed.value
  const { kind, most } = parsed.excess
  if (kind === 'depth') throw bodyProblem('text', TOO_DEEP)
  if (kind === 'items') throw bodyProblem('text', `must not have a list of more than ${most} items`)
  throw new ServiceError(413, `The body has ${excessText(parsed.excess)}.`)
}

/** The value of a body whose text is all sound. Throws 422 otherwise. */
export function soundValue({ value, suspect }: JsonBody): unknown {
  const bad = suspect ? findBadText(value) : undefined
  if (bad === undefined) return value
  throw unprocessable([{ loc: ['body', ...bad.path], msg: bad.message, type: 'text' }])
}

function parseJson(text: string): unknown {
  if (nestsDeeper(text)) throw bodyProblem('text', TOO_DEEP)
  try {
    return JSON.parse(text)
  } catch (error) {
    return throwInvalid(error)
  }
}

function throwInvalid(error: unknown): never {
  throw bodyProblem('json_invalid', `is not valid JSON: ${(error as Error).message}`)
}

/**
 * How much of a body that is too large is still read and thrown away: a client that gets the answer before it has sent
 * everything loses its connection, or never reads the answer. Past this it does.
 */
export const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

async function readText(request: RequestLike, maxBytes: number): Promise<string> {
  if (typeof request.body === 'string' && fitsBytes(request.body, maxBytes)) return request.body
  const bytes = await readBytes(request, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const encoding = request.headers.get('content-encoding') ?? 'identity'
    if (encoding !== 'identity') {
      throw new ServiceError(
        415,
        `The body has Content-Encoding ${encoding.slice(0, 80)}: send it without one; /v1/traces and /v1/aggregates take gzip.`,
      )
    }
    throw bodyProblem('json_invalid', 'is not valid UTF-8')
  }
}

/** The body of a request as it came. Throws 413 past `maxBytes`, 400 where the client breaks off. */
export async function readBytes({ body }: RequestLike, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    // The declared length is a hint; what arrives is counted.
    for await (const chunk of chunksOf(body)) {
      bytes += chunk.byteLength
      if (bytes <= maxBytes) chunks.push(chunk)
      else chunks.length = 0
      if (bytes > maxBytes + MAX_DISCARDED_BYTES) break
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw badRequest('The body broke off before its end.', error)
  }
  if (bytes > maxBytes) throw tooLarge(maxBytes)
  return concatenate(chunks, bytes)
}

function chunksOf(body: RequestLike['body']): AsyncIterable<Uint8Array> | Uint8Array[] {
  if (body === null) return []
  return typeof body === 'string' ? [new TextEncoder().encode(body)] : body
}

/** 413; `isLast` ends the connection. */
export function tooLarge(maxBytes: number, isLast = false): ServiceError {
  const headers = isLast ? { connection: 'close' } : {}
  return new ServiceError(413, `The body is larger than ${maxBytes} bytes.`, { headers })
}

function bodyProblem(type: string, msg: string): ServiceError {
  return unprocessable([{ loc: ['body'], msg, type }])
}

/** What a body has to be that is no flat one of an input. `kind` and its model are there for the OpenAPI description. */
export type Body<T> = JsonKind<T> | BytesKind<T>

type JsonKind<T> = (
  | { readonly kind: 'fields' }
  | { readonly kind: 'document'; readonly model: ModelName }
  | { readonly kind: 'any'; readonly shape: ModelName }
) & {
  /** Most bytes it may have; the service's own limit where it is absent. */
  readonly maxBytes?: number
  readonly read: (body: JsonBody) => Promise<{ value: T; problems: readonly FieldProblem[] }>
}

/** A body that may be something else than JSON; `read` is given it as it came, and throws for what it is not. */
interface BytesKind<T> {
  readonly kind: 'bytes'
  readonly shape: ModelName
  /** Content types it may have in addition to JSON. */
  readonly types: readonly string[]
  readonly maxBytes?: number
  readonly read: (bytes: Uint8Array<ArrayBuffer>, headers: RequestLike['headers']) => T
}

/** Enough for every field of a request at its longest, escaped, and for a policy. */
const FIELDS_BYTES = 256 * 1024

/** Enough for the longest document that a command reads from a file. */
const DOCUMENT_BYTES = 4 * 1024 * 1024

/** The model that says what a body has to be, of one that is no flat one. */
export function modelOf(body: Body<unknown>): ModelName {
  if (body.kind === 'document') return body.model
  if (body.kind !== 'fields') return body.shape
  throw new Error('the fields of a flat body are in its input')
}

interface Declared {
  readonly takes?: string | undefined
  readonly body?: Body<unknown>
  readonly maxBytes?: number
}

/** The flat body of an input, or the body that an endpoint declares itself. */
export function bodyOf(spec: Declared): Body<unknown> | undefined {
  const shapes = shapesOf(spec)
  if (shapes.body === undefined) return spec.body
  return {
    kind: 'fields',
    maxBytes: spec.maxBytes ?? (shapes.documents === undefined ? FIELDS_BYTES : DOCUMENT_BYTES),
    read: async body => {
      const json = soundValue(body)
      if (typeof json === 'object' && json !== null && !Array.isArray(json)) {
        const { values, problems } = await readPart(shapes, 'body', { ...json })
        return { value: values, problems }
      }
      return { value: {}, problems: [{ loc: ['body'], msg: 'must be a JSON object', type: 'dict_type' }] }
    },
  }
}

/** A whole document of the specification. */
export function documentBody<N extends CheckedName>(model: N): Body<ModelValue<N>> {
  return {
    kind: 'document',
    model,
    maxBytes: FIELDS_BYTES,
    read: async body => {
      const checked = await checkDocument(model, soundValue(body))
      if (checked.ok) return { value: checked.value, problems: [] }
      return { value: undefined as never, problems: problemsIn(checked.problems, 'body') }
    },
  }
}

/** Whatever JSON comes; the endpoint looks at it itself. `shape` is what it says it takes. */
export function uncheckedBody(shape: ModelName): Body<JsonBody> {
  return { kind: 'any', shape, read: async body => ({ value: body, problems: [] }) }
}
