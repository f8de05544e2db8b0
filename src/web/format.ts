const COUNT = new Intl.NumberFormat('en')
const MINUS = '−'

export function count(value: number): string {
  return COUNT.format(value)
}

/** A count with its noun: `1 run`, `12 runs`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** US dollars: small amounts to a millionth, as costs of one run are. */
export function usd(value: number): string {
  const digits = Math.abs(value) >= 1 ? 2 : Math.abs(value) >= 0.1 ? 4 : 6
  return `${value < 0 ? MINUS : ''}$${Math.abs(value).toFixed(digits)}`
}

/** A rate per 1,000 tokens, as many digits as it has. */
export function rate(value: number | null | undefined): string {
  return value == null ? 'none' : `$${Number(value.toPrecision(12))}`
}

/** A figure of so many runs: of none there is no data, whatever stands there. */
export function figureOf(runs: number, value: number | null, format: (value: number) => string): string {
  return runs === 0 || value === null ? 'no data' : format(value)
}

export function milliseconds(value: number): string {
  return `${value < 0 ? MINUS : ''}${COUNT.format(Math.round(Math.abs(value)))} ms`
}

export function percent(fraction: number): string {
  const value = fraction * 100
  return `${value < 0 ? MINUS : ''}${Math.abs(value).toFixed(Math.abs(value) >= 100 ? 0 : 1)} %`
}

/** Difference of two shares, in percentage points. */
export function points(fraction: number): string {
  const value = fraction * 100
  return `${value < 0 ? MINUS : ''}${Math.abs(value).toFixed(1)} points`
}

export function signed(value: number, format: (value: number) => string): string {
  return value > 0 ? `+${format(value)}` : format(value)
}

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

export function ago(at: number, now: number): string {
  const passed = now - at
  if (passed < -60_000) return `in ${duration(-passed)}`
  return passed < 10_000 ? 'just now' : `${duration(passed)} ago`
}

/** An instant to the second, in the reader's time zone. */
export function exactTime(iso: string | number): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return String(iso)
  const pad = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

/** Time of day, or the day where a span is longer than that. */
export function axisTime(at: number, spanMs: number): string {
  const text = exactTime(at)
  return spanMs <= 2 * 86_400_000 ? text.slice(11, 16) : text.slice(5, 10)
}
