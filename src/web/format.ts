import * as plain from '../base/text.ts'

export { count, counted } from '../base/text.ts'

/** Writes a value. */
export type Format = (value: number) => string

const MINUS = '−'

/** As all else writes it, with a minus as wide as a plus. */
const typeset =
  (format: Format): Format =>
  value =>
    format(value).replace('-', MINUS)

export const usd = typeset(plain.usd)
export const milliseconds = typeset(plain.milliseconds)
export const percent = typeset(plain.percent)
/** Difference of two shares, in percentage points. */
export const points = typeset(plain.points)

export const signed = (value: number, format: Format): string =>
  plain.signed(value, size => format(size).replace(MINUS, '-')).replace('-', MINUS)

/** A rate per 1,000 tokens, as many digits as it has. */
export function rate(value: number | null | undefined): string {
  return value == null ? 'none' : `$${Number(value.toPrecision(12))}`
}

/** The rates of a price table, as an entry names them. */
export const RATES = [
  ['Input', 'input_usd_per_1k_tokens'],
  ['Output', 'output_usd_per_1k_tokens'],
  ['Cached input', 'cached_input_usd_per_1k_tokens'],
  ['Cache write', 'cache_write_input_usd_per_1k_tokens'],
] as const

/** A figure of so many runs: without runs there is no data, whatever the value. */
export function figureOf(runs: number, value: number | null, format: (value: number) => string): string {
  return runs === 0 || value === null ? 'no data' : format(value)
}

/** What releases are compared by: where a diff, the policy and a bucket of a series have it, and how it is written. */
export const MEASURES = [
  {
    name: 'Cost per run',
    figure: 'cost_per_run_usd',
    statistic: 'cost_per_run_usd',
    limit: 'max_cost_per_run_usd',
    format: usd,
  },
  {
    name: 'Latency, mean',
    figure: 'latency_ms_avg',
    statistic: 'latency_ms',
    limit: 'max_latency_ms',
    format: milliseconds,
  },
  {
    name: 'Error rate',
    figure: 'error_rate',
    statistic: 'error_rate',
    limit: 'max_error_rate',
    format: percent,
  },
] as const

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const

/** A length of time in its largest unit: `3 h`. */
export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([unitMs]) => ms >= unitMs) ?? [1000, 's']
  return `${Math.max(1, Math.round(ms / size))} ${unit}`
}

export function ago(at: number, now: number, fine = false): string {
  const passed = now - at
  if (passed < -60_000) return `in ${duration(-passed)}`
  return passed < (fine ? 1000 : 10_000) ? 'just now' : `${duration(passed)} ago`
}

/** An instant to the second, in the reader's time zone. */
export function exactTime(iso: string | number): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return String(iso)
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** The reader's time zone at an instant: `UTC`, `UTC+5:30`. */
export function zone(iso: string | number): string {
  const minutes = -new Date(iso).getTimezoneOffset()
  if (Number.isNaN(minutes) || minutes === 0) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `UTC${minutes < 0 ? MINUS : '+'}${hours}${rest === 0 ? '' : `:${pad(rest)}`}`
}

/** Time of day, with the day where a span has more than one, or the day alone where it is long. */
export function axisTime(at: number, since: number, until: number): string {
  const text = exactTime(at)
  if (until - since > 4 * 86_400_000) return text.slice(5, 10)
  const isOneDay = exactTime(since).slice(0, 10) === exactTime(until).slice(0, 10)
  return isOneDay ? text.slice(11, 16) : text.slice(5, 16)
}
