import { KEPT, keep } from '../../spans/keep.ts'
import { EXCEPTION_TYPE } from '../../spans/names.ts'
import type { AttributeValue } from '../../spans/span.ts'
import { type Decoded, type RawSpan, STATUS_ERROR, SpanList, emptySpan } from './spans.ts'
import { Names, Reader } from './wire.ts'

/**
 * Reads an ExportTraceServiceRequest (opentelemetry-proto, trace/v1) of at most `mostSpans` spans. What no run is made of
 * is skipped by its length, whatever is nested in it. Throws Malformed.
 */
export function decodeProtobuf(bytes: Uint8Array, mostSpans: number): Decoded {
  const list = new SpanList(mostSpans)
  const reader = new Reader(bytes)
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readResourceSpans(reader, list)
    else reader.skip()
  }
  return list
}

/** The resource may come behind its spans, which need it. */
function readResourceSpans(reader: Reader, list: SpanList): void {
  list.hold()
  const resource: Record<string, AttributeValue> = {}
  const scopes: number[] = []
  const outer = reader.enter()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) readAttributes(reader, 1, resource)
    else if (field === 2) {
      list.hold()
      scopes.push(reader.later())
    } else reader.skip()
  }
  for (const scope of scopes) {
    const around = reader.enter(scope)
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      if (field !== 2) {
        reader.skip()
        continue
      }
      list.expect()
      list.add(readSpan(reader), resource)
    }
    reader.leave(around)
  }
  reader.leave(outer)
}

function readSpan(reader: Reader): RawSpan {
  const span = emptySpan()
  const outer = reader.enter()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    const read = SPAN_FIELDS[field]
    if (read === undefined) reader.skip()
    else read(span, reader)
  }
  reader.leave(outer)
  return span
}

/** By number. */
const SPAN_FIELDS: Readonly<Record<number, (span: RawSpan, reader: Reader) => void>> = {
  1: (span, reader) => void (span.traceId = reader.id()),
  2: (span, reader) => void (span.spanId = reader.id()),
  4: (span, reader) => void (span.parentId = reader.id()),
  7: (span, reader) => void (span.start = reader.time()),
  8: (span, reader) => void (span.end = reader.time()),
  9: (span, reader) => readAttribute(reader, span.attributes),
  11: readEvent,
  15: readStatus,
  16: (span, reader) => void (span.flags = reader.fixed32()),
}

function readEvent(span: RawSpan, reader: Reader): void {
  const attributes: Record<string, AttributeValue> = {}
  readAttributes(reader, 3, attributes)
  const type = attributes[EXCEPTION_TYPE]
  if (typeof type === 'string') span.exceptionType = type
}

function readStatus(span: RawSpan, reader: Reader): void {
  const outer = reader.enter()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) span.hasFailed = reader.integer() === STATUS_ERROR
    else reader.skip()
  }
  reader.leave(outer)
}

/** Reads the attributes of a message that has them under this number. */
function readAttributes(reader: Reader, number: number, into: Record<string, AttributeValue>): void {
  const outer = reader.enter()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === number) readAttribute(reader, into)
    else reader.skip()
  }
  reader.leave(outer)
}

const NAMES = new Names(KEPT)

/** The value is read last: only of a name that is kept. */
function readAttribute(reader: Reader, into: Record<string, AttributeValue>): void {
  let name: string | undefined
  let value: number | undefined
  const outer = reader.enter()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = reader.name(NAMES)
    else if (field === 2) value = reader.later()
    else reader.skip()
  }
  if (name !== undefined && value !== undefined) keep(into, name, valueAt(reader, value))
  reader.leave(outer)
}

/** A text, truth value or number; undefined for lists, maps and bytes. */
function valueAt(reader: Reader, place: number): unknown {
  let value: unknown
  const outer = reader.enter(place)
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) value = reader.text()
    else if (field === 2) value = reader.integer() !== 0
    else if (field === 3) value = reader.integer()
    else if (field === 4) value = reader.double()
    else reader.skip()
  }
  reader.leave(outer)
  return value
}
