import type { AttributeValue, Attributes, Span } from '../../spans/span.ts'
import { isCall, isRunLike, reportsTokens } from '../../spans/use.ts'

/** What a request holds. */
export interface Decoded {
  /** Those that can be read, and a placeholder for each of the others that a run can't do without. */
  readonly spans: readonly Span[]
  /** One reason per span. */
  readonly broken: readonly string[]
}

/** A time since 1970: whole milliseconds, and the nanoseconds beyond. */
export interface Time {
  readonly ms: number
  readonly ns: number
}

export const NEVER: Time = { ms: 0, ns: 0 }

/** A span of either encoding, before it is checked. */
export interface RawSpan {
  /** Lowercase hex; empty for none. */
  traceId: string
  spanId: string
  parentId: string
  flags: number
  start: Time
  end: Time
  hasFailed: boolean
  scope: string | undefined
  exceptionType: string | undefined
  readonly attributes: Record<string, AttributeValue>
}

export function emptySpan(): RawSpan {
  return {
    traceId: '',
    spanId: '',
    parentId: '',
    flags: 0,
    start: NEVER,
    end: NEVER,
    hasFailed: false,
    scope: undefined,
    exceptionType: undefined,
    attributes: {},
  }
}

/** Longest name of a scope that is kept, characters. */
const LONGEST_SCOPE = 200

/** `status.code` of a span that failed. */
export const STATUS_ERROR = 2

/** The bits of `flags` by which a parent is known to be in another process. */
const REMOTE_PARENT = 0x300

/** What a time of 64 bits can't reach, in the year 2554: 2^64 ns. */
const END_OF_TIME: Time = { ms: 18_446_744_073_709, ns: 551_616 }

/** Collects checked spans. */
export class SpanList implements Decoded {
  readonly spans: Span[] = []
  readonly broken: string[] = []
  length = 0
  readonly #most: number
  #holders = 0

  /** `most` spans, and as many resources and scopes as these can have. */
  constructor(most: number) {
    this.#most = most
  }

  /** Counts a resource or a scope before it is read: an empty one takes two bytes. Throws Malformed. */
  hold(): void {
    if (++this.#holders > 2 * this.#most)
      throw new Malformed(`more than ${2 * this.#most} resources and scopes; send smaller batches`)
  }

  /** Throws Malformed where the next span is one too many, together with those not added yet. */
  expect(others = 0): void {
    if (this.length + others >= this.#most)
      throw new Malformed(`more than ${this.#most} spans; send smaller batches`)
  }

  add(raw: RawSpan, resource: Attributes): void {
    this.length += 1
    const { traceId, spanId, parentId, start, end } = raw
    const problem = problemOf(raw)
    if (problem !== undefined) return this.#addBroken(raw, problem)
    this.spans.push({
      traceId,
      spanId,
      parentId: NO_PARENT.test(parentId) ? undefined : parentId,
      isParentRemote: (raw.flags & REMOTE_PARENT) === REMOTE_PARENT,
      endMs: end.ms,
      latencyMs: Math.round(((end.ms - start.ms) * 1e6 + (end.ns - start.ns)) / 1e6),
      hasFailed: raw.hasFailed,
      scope: raw.scope !== undefined && raw.scope.length <= LONGEST_SCOPE ? raw.scope : undefined,
      exceptionType: raw.exceptionType,
      attributes: raw.attributes,
      resource,
    })
  }

  #addBroken(raw: RawSpan, problem: string): void {
    this.broken.push(problem)
    const { traceId, spanId, attributes } = raw
    const span = { parentId: NOWHERE, attributes }
    if (!TRACE_ID.test(traceId) || !(reportsTokens(span) || isCall(span) || isRunLike(span))) return
    this.spans.push({
      traceId,
      spanId: SPAN_ID.test(spanId) ? spanId : UNREADABLE,
      parentId: NOWHERE,
      isParentRemote: false,
      endMs: 0,
      latencyMs: 0,
      hasFailed: raw.hasFailed,
      exceptionType: undefined,
      attributes: {},
      resource: {},
      problem,
    })
  }
}

/** Placeholders for the id of a span and of its parent that can't be read: its place in the trace is not known. */
const UNREADABLE = '?'
const NOWHERE = '-'

function problemOf({ traceId, spanId, parentId, start, end }: RawSpan): string | undefined {
  const isParent = NO_PARENT.test(parentId) || SPAN_ID.test(parentId)
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId) || !isParent) {
    return 'traceId, spanId or parentSpanId is not 16 or 8 bytes, in JSON as hex'
  }
  if (!isBefore(NEVER, start) || isBefore(end, start) || !isBefore(end, END_OF_TIME)) {
    return 'startTimeUnixNano or endTimeUnixNano is missing or impossible'
  }
  return undefined
}

/** So many hex digits, and not all of them 0: an id of nothing but zeros is none. */
const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/
const NO_PARENT = /^0*$/

function isBefore(a: Time, b: Time): boolean {
  return a.ms < b.ms || (a.ms === b.ms && a.ns < b.ns)
}

/** Bytes or JSON that are no OTLP export; `message` says what is wrong. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}
