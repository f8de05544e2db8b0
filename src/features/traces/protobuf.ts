import { KEPT, keepName, namedBySpan } from '../../spans/keep.ts'
import { isKeptForRun, keepForRun } from './first_token.ts'
import { EXCEPTION_TYPE } from '../../spans/names.ts'
import type { AttributeValue, Attributes } from '../../spans/span.ts'
import {
  type Decoded,
  type RawSpan,
  type Time,
  STATUS_ERROR,
  SpanList,
  emptySpan,
  Malformed,
} from './spans.ts'
import { hex } from '../../base/text.ts'

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
    readScopeSpans(reader, scope, list, resource)
  }
  reader.leave(outer)
}

/** The scope may come behind its spans, too. */
function readScopeSpans(reader: Reader, place: number, list: SpanList, resource: Attributes): void {
  let name: string | undefined
  const spans: RawSpan[] = []
  const outer = reader.enter(place)
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = readScope(reader)
    else if (field === 2) {
      list.expect(spans.length)
      spans.push(readSpan(reader))
    } else reader.skip()
  }
  for (const span of spans) {
    span.scope = name
    list.add(span, resource)
  }
  reader.leave(outer)
}

function readScope(reader: Reader): string | undefined {
  let name: string | undefined
  const outer = reader.enter()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = reader.text()
    else reader.skip()
  }
  reader.leave(outer)
  return name
}

function readSpan(reader: Reader): RawSpan {
  const span = emptySpan()
  let name: number | undefined
  const outer = reader.enter()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    const read = SPAN_FIELDS[field]
    if (field === 5) name = reader.later()
    else if (read === undefined) reader.skip()
    else read(span, reader)
  }
  if (name !== undefined && namedBySpan(span.attributes) !== undefined)
    keepName(span.attributes, reader.textAt(name))
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

/** The value is read last: only of a name that is kept. */
function readAttribute(reader: Reader, into: Record<string, AttributeValue>): void {
  let name: string | undefined
  let value: number | undefined
  const outer = reader.enter()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = reader.name(NAMES, isKeptForRun)
    else if (field === 2) value = reader.later()
    else reader.skip()
  }
  if (name !== undefined && value !== undefined) keepForRun(into, name, valueAt(reader, value))
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

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const FIXED32 = 5

/** Bytes. */
const LONGEST_ID = 16

/** Most fields of an export: a span has some tens, and an empty field takes two bytes. */
const MOST_FIELDS = 4_000_000

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the fields of protobuf messages, and never a byte behind the end of the one that it is in: what is cut off throws
 * Malformed. After `next` has said which field comes, one of the others takes its value.
 */
class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #texts: RecentTexts
  readonly #ids: RecentTexts
  #at = 0
  #fields = 0
  #end: number
  #type = VARINT

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#texts = new RecentTexts(bytes, textOf)
    this.#ids = new RecentTexts(bytes, hex)
    this.#end = bytes.length
  }

  /** The number of the next field; 0 at the end. */
  next(): number {
    if (this.#at >= this.#end) return 0
    if (++this.#fields > MOST_FIELDS)
      throw new Malformed(`more than ${MOST_FIELDS} fields; send smaller batches`)
    const tag = this.#varint()
    this.#type = tag & 7
    const field = Math.floor(tag / 8)
    if (field === 0 || field > 536_870_911) throw new Malformed('a protobuf field has no valid number')
    return field
  }

  skip(): void {
    if (this.#type === VARINT) this.#varint()
    else if (this.#type === FIXED64) this.#take(8)
    else if (this.#type === FIXED32) this.#take(4)
    else this.#span()
  }

  /** Goes into a message, or into one that `later` skipped, and returns what `leave` wants behind its last field. */
  enter(place?: number): number {
    if (place !== undefined) {
      this.#at = place
      this.#type = LENGTH
    }
    const start = this.#span()
    const outer = this.#end
    this.#end = this.#at
    this.#at = start
    return outer
  }

  leave(outer: number): void {
    this.#at = this.#end
    this.#end = outer
  }

  /** Skips a message, and returns its place, which is good until the message around it is left. */
  later(): number {
    const place = this.#at
    this.#span()
    return place
  }

  /** A text that `later` skipped. */
  textAt(place: number): string {
    const [at, type] = [this.#at, this.#type]
    this.#at = place
    this.#type = LENGTH
    const text = this.text()
    this.#at = at
    this.#type = type
    return text
  }

  text(): string {
    const start = this.#span()
    return this.#texts.get(start, this.#at)
  }

  /** A text that is one of a few, or that is wanted; undefined for all others. */
  name(names: Names, isWanted: (name: string) => boolean): string | undefined {
    const start = this.#span()
    const known = names.find(this.#bytes, start, this.#at)
    if (known !== undefined) return known
    // Others must be texts, too.
    const name = this.#texts.get(start, this.#at)
    return isWanted(name) ? name : undefined
  }

  /** An id as lowercase hex; empty where it is longer than any may be. */
  id(): string {
    const start = this.#span()
    return this.#at - start > LONGEST_ID ? '' : this.#ids.get(start, this.#at)
  }

  /** A whole number, exact from -2^53 to 2^53. */
  integer(): number {
    this.#expect(VARINT)
    const start = this.#at
    const value = this.#varint()
    if (value < 2 ** 63) return value
    // Below 0 it fills 64 bits, more than a double's 53: those that are not set are few.
    let unset = 0
    for (let at = this.#at - 1; at-- > start;) unset = unset * 128 + (~this.#bytes[at]! & 127)
    return -1 - unset
  }

  /** A time in nanoseconds since 1970. */
  time(): Time {
    this.#expect(FIXED64)
    const at = this.#take(8)
    const [low, high] = [this.#view.getUint32(at, true), this.#view.getUint32(at + 4, true)]
    // 2^32 is 4294 × 10^6 + 967,296, so that every number stays below 2^53.
    const rest = high * 967_296 + low
    return { ms: high * 4294 + Math.floor(rest / 1e6), ns: rest % 1e6 }
  }

  double(): number {
    this.#expect(FIXED64)
    return this.#view.getFloat64(this.#take(8), true)
  }

  fixed32(): number {
    this.#expect(FIXED32)
    return this.#view.getUint32(this.#take(4), true)
  }

  #varint(): number {
    const first = this.#at < this.#end ? this.#bytes[this.#at]! : 128
    if (first < 128) {
      this.#at += 1
      return first
    }
    let value = 0
    for (let factor = 1; factor <= 2 ** 63; factor *= 128) {
      const byte = this.#bytes[this.#take(1)]!
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
    throw new Malformed('a protobuf number is longer than 64 bits')
  }

  /** Where the value begins; it ends where the next field does. */
  #span(): number {
    this.#expect(LENGTH)
    return this.#take(this.#varint())
  }

  #take(length: number): number {
    const start = this.#at
    if (length > this.#end - start) throw new Malformed('the protobuf message is cut off')
    this.#at = start + length
    return start
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new Malformed('a protobuf field is of the wrong type')
  }
}

/** Texts that are looked for among others: found by their bytes, without making a text of any other. */
class Names {
  readonly #byLength: { readonly name: string; readonly bytes: Uint8Array }[][] = []

  /** All are ASCII. */
  constructor(names: Iterable<string>) {
    for (const name of names) {
      const same = (this.#byLength[name.length] ??= [])
      same.push({ name, bytes: new TextEncoder().encode(name) })
    }
  }

  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    for (const { name, bytes: own } of this.#byLength[end - start] ?? []) {
      // From behind: many begin alike.
      let left = own.length
      while (left > 0 && bytes[start + left - 1] === own[left - 1]) left -= 1
      if (left === 0) return name
    }
    return undefined
  }
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  try {
    return decoder.decode(bytes.subarray(start, end))
  } catch {
    throw new Malformed('a protobuf text is not valid UTF-8')
  }
}

/** Longest run of bytes that is remembered, and how many are. */
const LONGEST = 64
const SLOTS = 256

type Make = (bytes: Uint8Array, start: number, end: number) => string

interface CachedText {
  readonly start: number
  readonly end: number
  readonly text: string
}

const NOTHING: CachedText = { start: 0, end: 0, text: '' }

/**
 * Texts made of parts of the same bytes, each made once as long as no other takes its place: spans repeat the names of
 * agents, models and providers, and the ids of traces and parents.
 */
class RecentTexts {
  readonly #bytes: Uint8Array
  readonly #make: Make
  readonly #known = Array.from({ length: SLOTS }, () => NOTHING)

  constructor(bytes: Uint8Array, make: Make) {
    this.#bytes = bytes
    this.#make = make
  }

  /** The text of the bytes from one place to another. */
  get(start: number, end: number): string {
    const bytes = this.#bytes
    if (start === end || end - start > LONGEST) return this.#make(bytes, start, end)
    const slot = (bytes[start]! + bytes[end - 1]! * 31) % SLOTS
    const known = this.#known[slot]!
    if (this.#isSame(known, start, end)) return known.text
    const text = this.#make(bytes, start, end)
    this.#known[slot] = { start, end, text }
    return text
  }

  #isSame(known: CachedText, start: number, end: number): boolean {
    if (known.end - known.start !== end - start) return false
    const [bytes, apart] = [this.#bytes, known.start - start]
    for (let at = start; at < end; at++) if (bytes[at] !== bytes[at + apart]) return false
    return true
  }
}

const NAMES = new Names(KEPT)
