import type { AttributeValue, Attributes, Span } from '../sdk/spans/span.ts'

/** What a request holds: the spans that can be read, and why the others can't. */
export interface Decoded {
  readonly spans: readonly Span[]
  /** One reason per span. */
  readonly broken: readonly string[]
}

/** A span as it stands in either encoding, before it is checked. */
export interface RawSpan {
  /** Lowercase hex; empty for none. */
  traceId: string
  spanId: string
  parentId: string
  flags: number
  startNs: bigint
  endNs: bigint
  hasFailed: boolean
  exceptionType: string | undefined
  readonly attributes: Record<string, AttributeValue>
}

export function emptySpan(): RawSpan {
  return {
    traceId: '',
    spanId: '',
    parentId: '',
    flags: 0,
    startNs: 0n,
    endNs: 0n,
    hasFailed: false,
    exceptionType: undefined,
    attributes: {},
  }
}

/** `status.code` of a span that failed. */
export const STATUS_ERROR = 2

/** The bits of `flags` by which a parent is known to be in another process. */
const REMOTE_PARENT = 0x300

const NS_PER_MS = 1_000_000n
/** What a time of 64 bits can't reach, in the year 2554. */
const END_OF_TIME_NS = 2n ** 64n

/** Collects checked spans. */
export class SpanList implements Decoded {
  readonly spans: Span[] = []
  readonly broken: string[] = []

  get length(): number {
    return this.spans.length + this.broken.length
  }

  add(raw: RawSpan, resource: Attributes): void {
    const problem = problemOf(raw)
    if (problem !== undefined) return void this.broken.push(problem)
    const { traceId, spanId, parentId, flags, startNs, endNs, ...others } = raw
    this.spans.push({
      ...others,
      traceId,
      spanId,
      parentId: hasParent(raw) ? parentId : undefined,
      isParentRemote: (flags & REMOTE_PARENT) === REMOTE_PARENT,
      endMs: Number(endNs / NS_PER_MS),
      latencyMs: Math.round(Number(endNs - startNs) / 1e6),
      resource,
    })
  }
}

function problemOf(raw: RawSpan): string | undefined {
  const { traceId, spanId, parentId, startNs, endNs } = raw
  if (!isId(traceId, 32) || !isId(spanId, 16) || (hasParent(raw) && !isId(parentId, 16))) {
    return 'traceId, spanId or parentSpanId is not 16 or 8 bytes, in JSON as hex'
  }
  if (startNs <= 0n || endNs < startNs || endNs >= END_OF_TIME_NS) {
    return 'startTimeUnixNano or endTimeUnixNano is missing or impossible'
  }
  return undefined
}

/** An id of nothing but zeros is none either. */
function hasParent({ parentId }: RawSpan): boolean {
  return /[^0]/.test(parentId)
}

/** So many hex digits, and not all of them 0. */
function isId(id: string, digits: number): boolean {
  return id.length === digits && /^[0-9a-f]*$/.test(id) && /[^0]/.test(id)
}
