import { keep } from '../spans/keep.ts'
import { EXCEPTION_TYPE } from '../spans/names.ts'
import type { AttributeValue, Attributes, Span } from '../spans/span.ts'

type HrTime = readonly [seconds: number, nanoseconds: number]

/** What is read of a span of OpenTelemetry's SDK for JavaScript, 1.x to 3.x. */
export interface SpanLike {
  spanContext(): { readonly traceId: string; readonly spanId: string }
  /** Since 2.0. */
  readonly parentSpanContext?: { readonly spanId: string; readonly isRemote?: boolean } | undefined
  /** In 1.x. */
  readonly parentSpanId?: string | undefined
  readonly endTime: HrTime
  readonly duration: HrTime
  readonly status: { readonly code: number }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly { readonly attributes?: Readonly<Record<string, unknown>> | undefined }[]
  readonly resource: { readonly attributes: Readonly<Record<string, unknown>> }
}

const STATUS_ERROR = 2

/** A span that has ended, reduced to what makes a run of it. */
export function spanOf(span: SpanLike): Span {
  const { traceId, spanId } = span.spanContext()
  const exceptions = span.events.map(({ attributes }) => kept(attributes)[EXCEPTION_TYPE])
  return {
    traceId,
    spanId,
    parentId: parentIdOf(span),
    isParentRemote: span.parentSpanContext?.isRemote === true,
    endMs: Math.floor(milliseconds(span.endTime)),
    latencyMs: Math.round(milliseconds(span.duration)),
    hasFailed: span.status.code === STATUS_ERROR,
    exceptionType: exceptions.findLast(type => typeof type === 'string'),
    attributes: kept(span.attributes),
    resource: kept(span.resource.attributes),
  }
}

export function parentIdOf({ parentSpanContext, parentSpanId }: SpanLike): string | undefined {
  return parentSpanContext?.spanId ?? parentSpanId
}

function kept(attributes: Readonly<Record<string, unknown>> = {}): Attributes {
  const into: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(attributes)) keep(into, name, value)
  return into
}

function milliseconds([seconds, nanoseconds]: HrTime): number {
  return seconds * 1000 + nanoseconds / 1e6
}
