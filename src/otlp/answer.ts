import type { Format } from './body.ts'

/** The body of an answer and its `Content-Type`. */
export interface OtlpAnswer {
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** Spans that no run was made of, by reason. */
export type Rejections = ReadonlyMap<string, number>

/** Longest text that tells of them, characters; and how many reasons it names. */
const MOST_CHARS = 2000
const MOST_REASONS = 10

/**
 * The answer to an export that was taken: whole, or but for these spans, which are not to be sent again. Warnings are told
 * in the same place, beside no rejected spans (OTLP specification, Partial Success).
 */
export function acceptedAnswer(
  format: Format,
  rejections: Rejections,
  warnings: readonly string[] = [],
): OtlpAnswer {
  let count = 0
  for (const spans of rejections.values()) count += spans
  if (count === 0 && warnings.length === 0) return answer(format, {}, [])
  const errorMessage = shortened(
    [...(count === 0 ? [] : [textOf(rejections)]), ...warnings.map(text => `Warning: ${text}`)].join('; '),
  )
  return answer(format, { partialSuccess: { rejectedSpans: String(count), errorMessage } }, [
    10,
    ...lengthFirst([...(count === 0 ? [] : [8, ...varint(count)]), 18, ...lengthFirst(utf8(errorMessage))]),
  ])
}

/** A `google.rpc.Status`, as which OTLP wants errors. */
export function refusedAnswer(format: Format, message: string): OtlpAnswer {
  return answer(format, { message }, [18, ...lengthFirst(utf8(message))])
}

function textOf(rejections: Rejections): string {
  const reasons = [...rejections].sort(([, a], [, b]) => b - a)
  const told = reasons.slice(0, MOST_REASONS).map(([reason, spans]) => `${spans} × ${reason}`)
  if (reasons.length > MOST_REASONS) told.push(`and ${reasons.length - MOST_REASONS} more reasons`)
  return `Spans of which no run was made: ${told.join('; ')}`
}

function shortened(text: string): string {
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text
}

function answer(format: Format, json: object, protobuf: readonly number[]): OtlpAnswer {
  if (format === 'protobuf') return { contentType: 'application/x-protobuf', body: Uint8Array.from(protobuf) }
  return { contentType: 'application/json', body: new TextEncoder().encode(JSON.stringify(json)) }
}

function lengthFirst(bytes: readonly number[] | Uint8Array): number[] {
  return [...varint(bytes.length), ...bytes]
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128)
  return [...bytes, left]
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
