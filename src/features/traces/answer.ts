import type { Format } from './body.ts'
import type { Outcome } from './receive.ts'

/** The body of an answer and its `Content-Type`. */
export interface OtlpAnswer {
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
}

/** Longest text of a partial success, characters; and how many reasons of a kind it names. */
const MOST_CHARS = 2000
const MOST_REASONS = 10

/** How many spans no run is made of. */
export function refusedCount({ refused }: Outcome): number {
  let count = 0
  for (const spans of refused.values()) count += spans
  return count
}

/**
 * The answer to an export that was taken: whole, or but for the refused spans, which are not to be sent again. What else
 * there is to say is sent with a count of 0, as OTLP has it for warnings.
 */
export function acceptedAnswer(format: Format, outcome: Outcome): OtlpAnswer {
  const errorMessage = textOf(outcome)
  if (errorMessage === '') return answer(format, {}, [])
  const count = refusedCount(outcome)
  return answer(format, { partialSuccess: { rejectedSpans: String(count), errorMessage } }, [
    10,
    ...lengthFirst([...(count === 0 ? [] : [8, ...varint(count)]), 18, ...lengthFirst(utf8(errorMessage))]),
  ])
}

/** A `google.rpc.Status`, as which OTLP wants errors. */
export function refusedAnswer(format: Format, message: string): OtlpAnswer {
  return answer(format, { message }, [18, ...lengthFirst(utf8(message))])
}

function textOf({ refused, waiting, warnings, notes }: Outcome): string {
  const all = [...warnings, ...notes.filter(({ kind }) => kind !== 'not registered').map(({ text }) => text)]
  const texts = [
    ...(refused.size > 0 ? [`Spans that made no run: ${listed(refused)}`] : []),
    ...(waiting.size > 0 ? [`Spans that wait for others of their trace: ${listed(waiting)}`] : []),
    ...all.slice(0, MOST_REASONS).map(warning => `Warning: ${warning}`),
  ]
  const text = texts.join('; ')
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text
}

function listed(counts: ReadonlyMap<string, number>): string {
  const reasons = [...counts].sort(([, a], [, b]) => b - a)
  const named = reasons.slice(0, MOST_REASONS).map(([reason, spans]) => `${spans} × ${reason}`)
  if (reasons.length > MOST_REASONS) named.push(`and ${reasons.length - MOST_REASONS} more reasons`)
  return named.join('; ')
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
