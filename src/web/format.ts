const MINUS = '−'

/** A number with commas between thousands. Intl would take ten milliseconds to begin, before the first paint. */
export function count(value: number): string {
  const [whole, fraction] = String(value).split('.')
  return [whole!.replace(/\B(?=(?:\d{3})+$)/g, ','), ...(fraction === undefined ? [] : [fraction])].join('.')
}

/** A count with its noun: `1 run`, `12 runs`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Writes a value; with `digits` more than usual. */
export type Format = (value: number, moreDigits?: number) => string

/** US dollars: small amounts to a millionth, as costs of one run are. */
export function usd(value: number, moreDigits = 0): string {
  const digits = Math.abs(value) >= 1 ? 2 : Math.abs(value) >= 0.1 ? 4 : 6
  return `${value < 0 ? MINUS : ''}$${Math.abs(value).toFixed(digits + moreDigits)}`
}

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

export function milliseconds(value: number, moreDigits = 0): string {
  const digits = 10 ** moreDigits
  return `${value < 0 ? MINUS : ''}${count(Math.round(Math.abs(value) * digits) / digits)} ms`
}

export function percent(fraction: number, moreDigits = 0): string {
  const value = fraction * 100
  const digits = (Math.abs(value) >= 100 ? 0 : 1) + moreDigits
  return `${value < 0 ? MINUS : ''}${Math.abs(value).toFixed(digits)} %`
}

/** Difference of two shares, in percentage points. */
export function points(fraction: number, moreDigits = 0): string {
  const value = fraction * 100
  return `${value < 0 ? MINUS : ''}${Math.abs(value).toFixed(1 + moreDigits)} points`
}

/** Whether a text shows no other digit than 0: what it says is no change, whatever lies behind it. */
export function showsZero(text: string): boolean {
  return !/[1-9]/.test(text)
}

export function signed(value: number, format: Format): string {
  const text = format(value)
  if (showsZero(text)) return text.replace(MINUS, '')
  return value > 0 ? `+${text}` : text
}

/** What releases are compared by: where a diff, the policy and a bucket of a series have it, and how it is written. */
export const MEASURES = [
  {
    name: 'Cost per run',
    figure: 'cost_per_run_usd',
    statistic: 'cost_per_run_usd',
    limit: 'max_cost_per_run_usd',
    format: usd,
    formatDelta: usd,
  },
  {
    name: 'Latency, mean',
    figure: 'latency_ms_avg',
    statistic: 'latency_ms',
    limit: 'max_latency_ms',
    format: milliseconds,
    formatDelta: milliseconds,
  },
  {
    name: 'Error rate',
    figure: 'error_rate',
    statistic: 'error_rate',
    limit: 'max_error_rate',
    format: percent,
    formatDelta: points,
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
