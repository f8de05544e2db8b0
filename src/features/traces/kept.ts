import { FACTS } from '../../spans/names.ts'
import { type Attributes, type Span, textOf } from '../../spans/span.ts'
import { isRunByResource, isRunLike } from '../../spans/use.ts'

/** A span that came in an earlier request, and is remembered until the rest of its run comes. */
export interface KeptSpan {
  readonly seq: number
  readonly span: Span
  /** When it came, epoch ms of the database's clock. */
  readonly arrivedAt: number
  /** Whether no answer has reported yet that it is in no run. */
  readonly isUnreported: boolean
}

/** A run of a trace that is stored. */
export interface StoredRun {
  readonly traceId: string
  readonly spanId: string
  readonly startMs: number
  readonly endMs: number
}

export interface Recalled {
  /** Epoch ms of the database's clock. */
  readonly now: number
  /** Spans that came before this may be forgotten; 0 where none is. */
  readonly forgottenBefore: number
  /** In the order in which they came. */
  readonly kept: readonly KeptSpan[]
}

/** What is known of traces from earlier requests, whichever server took them. */
export interface TraceMemory {
  recall(traceIds: readonly string[]): Promise<Recalled>
  storedRuns(traceIds: readonly string[]): Promise<readonly StoredRun[]>
  /** The newest remembered calls of processes. */
  callsOf(processes: readonly string[]): Promise<readonly Span[]>
}

/** The JSON text that a span is kept as: no message, and nothing of what only the first span of a run is read for. */
export function textOfSpan(span: Span): string {
  const { traceId: _trace, spanId: _span, ...rest } = span
  if (mayBegin(span)) return JSON.stringify(rest)
  const attributes = withoutFacts(span.attributes)
  const resource = Object.fromEntries(Object.entries(span.resource).filter(([name]) => OF_PROCESS.has(name)))
  return JSON.stringify({ ...rest, attributes, resource })
}

/** Whose run may begin with a span; empty where none may, or it doesn't say. */
export function tenantOf(span: Span): string {
  return (mayBegin(span) ? textOf(span, FACTS.tenant_id) : undefined) ?? ''
}

function mayBegin(span: Span): boolean {
  return isRunLike(span) || isRunByResource(span)
}

export function spanOfText(traceId: string, spanId: string, text: string): Span {
  return { ...(JSON.parse(text) as Omit<Span, 'traceId' | 'spanId'>), traceId, spanId }
}

/** Attributes of a resource that say which process it is. */
const OF_PROCESS: ReadonlySet<string> = new Set(['service.name', ...FACTS.release_id])
const RUN_FACTS: ReadonlySet<string> = new Set(Object.values<readonly string[]>(FACTS).flat())

function withoutFacts(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !RUN_FACTS.has(name)))
}
