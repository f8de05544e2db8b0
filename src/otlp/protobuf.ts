import { hex } from '../base/text.ts'
import { isKept, keep } from '../sdk/spans/keep.ts'
import { EXCEPTION_TYPE } from '../sdk/spans/names.ts'
import type { AttributeValue } from '../sdk/spans/span.ts'
import { type Decoded, type RawSpan, STATUS_ERROR, SpanList, emptySpan } from './spans.ts'
import { Malformed, Message } from './wire.ts'

/**
 * Reads an ExportTraceServiceRequest (opentelemetry-proto, trace/v1) of at most `mostSpans` spans. What no run is made of
 * is skipped by its length, whatever is nested in it. Throws Malformed.
 */
export function decodeProtobuf(bytes: Uint8Array, mostSpans: number): Decoded {
  const list = new SpanList()
  const request = new Message(bytes)
  for (let field = request.next(); field !== 0; field = request.next()) {
    if (field === 1) readResourceSpans(request.message(), list, mostSpans)
    else request.skip()
  }
  return list
}

function readResourceSpans(message: Message, list: SpanList, mostSpans: number): void {
  const resource: Record<string, AttributeValue> = {}
  const scopes: Message[] = []
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) readAttributes(message.message(), 1, resource)
    else if (field === 2) scopes.push(message.message())
    else message.skip()
  }
  for (const scope of scopes) {
    for (let field = scope.next(); field !== 0; field = scope.next()) {
      if (field !== 2) {
        scope.skip()
        continue
      }
      if (list.length >= mostSpans) throw new Malformed(`more than ${mostSpans} spans; send smaller batches`)
      list.add(readSpan(scope.message()), resource)
    }
  }
}

function readSpan(message: Message): RawSpan {
  const span = emptySpan()
  for (let field = message.next(); field !== 0; field = message.next()) {
    const read = SPAN_FIELDS[field]
    if (read === undefined) message.skip()
    else read(span, message)
  }
  return span
}

/** By number. */
const SPAN_FIELDS: Readonly<Record<number, (span: RawSpan, message: Message) => void>> = {
  1: (span, message) => void (span.traceId = hex(message.bytes())),
  2: (span, message) => void (span.spanId = hex(message.bytes())),
  4: (span, message) => void (span.parentId = hex(message.bytes())),
  7: (span, message) => void (span.startNs = message.nanoseconds()),
  8: (span, message) => void (span.endNs = message.nanoseconds()),
  9: (span, message) => readAttribute(message.message(), span.attributes),
  11: (span, message) => readEvent(span, message.message()),
  15: (span, message) => readStatus(span, message.message()),
  16: (span, message) => void (span.flags = message.fixed32()),
}

function readEvent(span: RawSpan, message: Message): void {
  const attributes: Record<string, AttributeValue> = {}
  readAttributes(message, 3, attributes)
  const type = attributes[EXCEPTION_TYPE]
  if (typeof type === 'string') span.exceptionType = type
}

function readStatus(span: RawSpan, message: Message): void {
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 3) span.hasFailed = message.integer() === STATUS_ERROR
    else message.skip()
  }
}

/** Reads the attributes of a message that has them under this number. */
function readAttributes(message: Message, number: number, into: Record<string, AttributeValue>): void {
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === number) readAttribute(message.message(), into)
    else message.skip()
  }
}

function readAttribute(message: Message, into: Record<string, AttributeValue>): void {
  let [name, value]: [string, Message | undefined] = ['', undefined]
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) name = message.text()
    else if (field === 2) value = message.message()
    else message.skip()
  }
  if (value !== undefined && isKept(name)) keep(into, name, valueOf(value))
}

/** A text, truth value or number; undefined for lists, maps and bytes. */
function valueOf(message: Message): unknown {
  let value: unknown
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) value = message.text()
    else if (field === 2) value = message.integer() !== 0
    else if (field === 3) value = message.integer()
    else if (field === 4) value = message.double()
    else message.skip()
  }
  return value
}
