import { ServiceError, badRequest } from '../../base/errors.ts'
import { gunzip } from '../../base/bytes.ts'
import { JSON_BOUNDS, excessText, parsePieces } from '../../base/json_pieces.ts'
import { keepName } from '../../spans/keep.ts'
import { isKeptForRun, keepForRun } from './first_token.ts'
import { EXCEPTION_TYPE } from '../../spans/names.ts'
import type { AttributeValue } from '../../spans/span.ts'
import { type Decoded, Malformed, NEVER, type RawSpan, STATUS_ERROR, SpanList, type Time } from './spans.ts'
import { decodeProtobuf } from './protobuf.ts'
import type { Fields } from '../../models/checks.ts'

/** How an export is written down; its answer is written alike. */
export type Format = 'protobuf' | 'json'

/** The body of an export as it arrived, and what its headers say of it. */
export interface ExportBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly format: Format
  /** `Content-Encoding`. */
  readonly encoding: string | null
}

interface Limits {
  /** Most bytes after decompression. */
  readonly maxBytes: number
  readonly maxSpans: number
}

/** 16 MiB, as of every body. Exporters send 512 spans at a time, the Collector 8192. */
export const LIMITS: Limits = { maxBytes: 16 * 1024 * 1024, maxSpans: 20_000 }

/** The format that a `Content-Type` names. Throws 415. */
export function formatOf(contentType: string | null): Format {
  const type = /^[^;]*/
    .exec(contentType ?? '')![0]
    .trim()
    .toLowerCase()
  if (type === 'application/x-protobuf') return 'protobuf'
  if (type === 'application/json') return 'json'
  throw new ServiceError(415, 'Spans must be sent as application/x-protobuf or application/json.')
}

/** Decompresses and decodes an export. Throws 415 for an encoding, 413 for too much, 400 for what is no export. */
export async function readExport(
  body: ExportBody,
  limits: Limits = LIMITS,
  nextTurn: () => Promise<void> | void = () => {},
): Promise<Decoded> {
  const bytes = await plainBytes(body, limits.maxBytes)
  try {
    if (body.format === 'protobuf') return decodeProtobuf(bytes, limits.maxSpans)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const parsed = await parsePieces(text, JSON_BOUNDS, nextTurn).catch((error: unknown) => {
      throw noJson(error)
    })
    if ('excess' in parsed && parsed.excess.kind === 'depth')
      throw new Malformed(`the body has ${excessText(parsed.excess)}`)
    if ('excess' in parsed) throw new ServiceError(413, `The body has ${excessText(parsed.excess)}.`)
    return decodeJson(parsed.value, limits.maxSpans)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const what = error instanceof Malformed ? error.message : 'it is not valid UTF-8'
    throw badRequest(`This is not an OTLP export of traces: ${what}.`, error)
  }
}

async function plainBytes({ bytes, encoding }: ExportBody, maxBytes: number): Promise<Uint8Array> {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name !== '' && name !== 'identity' && name !== 'gzip') {
    throw new ServiceError(415, 'Spans must be sent with Content-Encoding gzip, or none.')
  }
  const plain = name === 'gzip' ? await gunzip(bytes, maxBytes, () => tooLarge(maxBytes)) : bytes
  if (plain.length > maxBytes) throw tooLarge(maxBytes)
  return plain
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(413, `The spans are larger than ${maxBytes} bytes; send smaller batches.`)
}

/**
 * Reads an ExportTraceServiceRequest in JSON (OTLP 1.10, JSON encoding: ids are hex, 64-bit numbers texts or numbers,
 * unknown fields ignored) of at most `mostSpans` spans. Throws Malformed.
 */
export function decodeJson(value: unknown, mostSpans: number): Decoded {
  const list = new SpanList(mostSpans)
  for (const { resource, scopeSpans } of listOf(objectOf(value, 'the body'), 'resourceSpans')) {
    list.hold()
    const attributes = attributesOf(resource === undefined ? {} : objectOf(resource, 'resource'))
    for (const scope of listOf({ scopeSpans }, 'scopeSpans')) {
      list.hold()
      const name = scope.scope == null ? undefined : objectOf(scope.scope, 'scope').name
      for (const span of listOf(scope, 'spans')) {
        list.expect()
        list.add(rawSpan(span, name), attributes)
      }
    }
  }
  return list
}

/** What is said of a text that is no JSON. */
export function noJson(error: unknown): Malformed {
  return new Malformed(`the body is not valid JSON: ${(error as Error).message.slice(0, 200)}`)
}

function rawSpan(span: Fields, scope: unknown): RawSpan {
  const status = span.status == null ? {} : objectOf(span.status, 'status')
  const attributes = attributesOf(span)
  keepName(attributes, span.name)
  return {
    traceId: idOf(span.traceId),
    spanId: idOf(span.spanId),
    parentId: idOf(span.parentSpanId),
    flags: typeof span.flags === 'number' ? span.flags : 0,
    start: timeOf(span.startTimeUnixNano),
    end: timeOf(span.endTimeUnixNano),
    hasFailed: status.code === STATUS_ERROR || status.code === 'STATUS_CODE_ERROR',
    scope: typeof scope === 'string' ? scope : undefined,
    exceptionType: exceptionOf(span),
    attributes,
  }
}

/** The check of all ids refuses what isn't hex. */
function idOf(id: unknown): string {
  if (id == null) return ''
  return typeof id === 'string' ? id.toLowerCase() : 'no text'
}

/** Of nanoseconds since 1970, of which a text has them all. */
function timeOf(value: unknown): Time {
  const isNumber = typeof value === 'number' && Number.isInteger(value) && value >= 0
  const digits = isNumber ? String(BigInt(value)) : value
  if (typeof digits !== 'string' || !/^\d{1,20}$/.test(digits)) return NEVER
  return { ms: Number(digits.slice(0, -6)), ns: Number(digits.slice(-6)) }
}

function exceptionOf(span: Fields): string | undefined {
  let type: string | undefined
  for (const event of listOf(span, 'events')) {
    const given = attributesOf(event)[EXCEPTION_TYPE]
    if (typeof given === 'string') type = given
  }
  return type
}

function attributesOf(holder: Fields): Record<string, AttributeValue> {
  const kept: Record<string, AttributeValue> = {}
  for (const { key, value } of listOf(holder, 'attributes')) {
    if (typeof key === 'string' && isKeptForRun(key) && value != null)
      keepForRun(kept, key, valueOf(objectOf(value, key)))
  }
  return kept
}

/** A text, truth value or number; undefined for lists, maps and bytes. */
function valueOf({ stringValue, boolValue, intValue, doubleValue }: Fields): unknown {
  if (typeof intValue === 'string') return Number(intValue)
  return intValue ?? stringValue ?? boolValue ?? doubleValue
}

function listOf(holder: Fields, name: string): readonly Fields[] {
  const value = holder[name]
  if (value == null) return []
  if (!Array.isArray(value)) throw new Malformed(`${name} must be a list`)
  for (const item of value) objectOf(item, name)
  return value as readonly Fields[]
}

function objectOf(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new Malformed(`${name} must be an object, or contain objects`)
}
