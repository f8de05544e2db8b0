import type { JsonValue } from '@bufbuild/protobuf'
import { encode } from './schema.ts'

type Attribute = string | number | boolean | readonly string[]

/** A span as tests write it down; ids are numbers, times are epoch milliseconds. */
export interface TestSpan {
  readonly id: number
  readonly trace?: number
  readonly parent?: number
  readonly isParentRemote?: boolean
  /** An invalid id, in JSON. */
  readonly spanId?: string
  readonly startMs?: number
  readonly endMs?: number
  readonly failed?: boolean
  readonly name?: string
  readonly exception?: string
  readonly attributes?: Readonly<Record<string, Attribute>>
}

/** Spans of one resource each. */
export interface TestResource {
  readonly attributes?: Readonly<Record<string, Attribute>>
  readonly scope?: string
  readonly spans: readonly TestSpan[]
}

/** Noon of the tests: the spans end a minute before it. */
export const NOON = Date.UTC(2026, 0, 31, 12)

export const RESOURCE = { 'service.name': 'bot', 'service.version': '1.5.0' } as const

/** An export in the JSON encoding of OTLP, in which ids are hex. */
export function jsonExport(...resources: readonly TestResource[]): string {
  return JSON.stringify(exportOf(resources, hexId))
}

/** The same in protobuf. */
export function protobufExport(...resources: readonly TestResource[]): Uint8Array<ArrayBuffer> {
  return encode(
    'ExportTraceServiceRequest',
    exportOf(resources, (id, digits) => Buffer.from(hexId(id, digits), 'hex').toString('base64')),
  )
}

export function hexId(id: number, digits: number): string {
  return id.toString(16).padStart(digits, '0')
}

function exportOf(
  resources: readonly TestResource[],
  idOf: (id: number, digits: number) => string,
): JsonValue {
  return {
    resourceSpans: resources.map(({ attributes = RESOURCE, scope = 'test', spans }) => ({
      resource: { attributes: attributesOf(attributes) },
      scopeSpans: [{ scope: { name: scope }, spans: spans.map(span => spanOf(span, idOf)) }],
    })),
  }
}

function spanOf(span: TestSpan, idOf: (id: number, digits: number) => string): JsonValue {
  const { id, trace = 1, parent, endMs = NOON - 60_000, startMs = endMs - 800 } = span
  const exception = span.exception === undefined ? {} : { 'exception.type': span.exception }
  return {
    traceId: idOf(trace, 32),
    spanId: span.spanId ?? idOf(id, 16),
    ...(parent === undefined ? {} : { parentSpanId: idOf(parent, 16) }),
    flags: span.isParentRemote === true ? 0x301 : 0x101,
    name: span.name ?? 'span',
    kind: 1,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${endMs}000000`,
    attributes: attributesOf(span.attributes ?? {}),
    status: span.failed === true ? { code: 2, message: 'failed' } : {},
    events: [{ name: 'exception', timeUnixNano: `${endMs}000000`, attributes: attributesOf(exception) }],
  }
}

function attributesOf(attributes: Readonly<Record<string, Attribute>>): JsonValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))
}

function valueOf(value: Attribute): JsonValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { arrayValue: { values: value.map(text => ({ stringValue: text })) } }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
