export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const DAY_HOURS = 24

/** Latest instant a four-digit year can write, epoch ms. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)?$/

/** An instant: `ms` is epoch milliseconds rounded down, `text` is ISO-8601 UTC and keeps finer digits. */
export interface Instant {
  readonly ms: number
  readonly text: string
}

/** The beginning of the texts of a day, and when it begins: answers list times that lie close together. */
let lastDay = { ms: Number.NaN, text: '' }
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/**
 * Epoch milliseconds as ISO-8601 UTC with milliseconds and `Z`. Throws RangeError for what is no time of a Date, as Date does,
 * which takes seven times as long for each time of a day but the first.
 */
export function isoTime(time: number): string {
  const ms = Math.trunc(time)
  if (!(ms >= lastDay.ms && ms < lastDay.ms + DAY_MS)) {
    const text = new Date(ms).toISOString()
    lastDay = { ms: Math.floor(ms / DAY_MS) * DAY_MS, text: text.slice(0, -'00:00:00.000Z'.length) }
  }
  const millis = (ms - lastDay.ms) % 1000
  const seconds = (ms - lastDay.ms - millis) / 1000
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const zeros = millis < 10 ? '00' : millis < 100 ? '0' : ''
  return `${lastDay.text}${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[seconds % 60]}.${zeros}${millis}Z`
}

/** The day (UTC) of a time, epoch ms: `2026-01-31`. */
export function dayText(ms: number): string {
  return isoTime(ms).slice(0, 10)
}

/**
 * Reads an ISO-8601 date and time with `Z`, an offset, or neither (then UTC), to the nanosecond at most.
 * Returns undefined for anything else: a date alone, a day that doesn't exist, before 1970, past 9999.
 */
export function parseTimestamp(text: string): Instant | undefined {
  if (text !== lastText) {
    lastInstant = parseUsual(text) ?? parseAny(text)
    lastText = text
  }
  return lastInstant
}

/** The same, or a date alone, which is its first moment in UTC. */
export function parseDateOrTimestamp(text: string): Instant | undefined {
  return parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text)
}

// A timestamp is checked by the model and then normalised, so most are read twice in a row.
let lastText: string | undefined
let lastInstant: Instant | undefined

/** What most programs write, with milliseconds or whole seconds and `Z`, in a fraction of the time. */
function parseUsual(text: string): Instant | undefined {
  const isWhole = text.length === WHOLE_SECONDS
  if (!(isWhole || text.length === MILLISECONDS) || !isPunctuated(text, isWhole)) return undefined
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)]
  const [hour, minute, second] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)]
  const millisecond = isWhole ? 0 : digits(text, 20, 3)
  // What is no number is below no bound.
  const isTime = hour <= 23 && minute <= 59 && second <= 59 && millisecond <= 999
  if (!(isTime && year >= 1970 && day >= 1 && day <= daysIn(year, month))) return undefined
  const ms = Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
  return { ms, text: isWhole ? `${text.slice(0, 19)}.000Z` : text }
}

const WHOLE_SECONDS = '1970-01-01T00:00:00Z'.length
const MILLISECONDS = '1970-01-01T00:00:00.000Z'.length

function isPunctuated(text: string, isWhole: boolean): boolean {
  const isDate = text[4] === '-' && text[7] === '-' && text[10] === 'T'
  return (
    isDate &&
    text[13] === ':' &&
    text[16] === ':' &&
    (isWhole || text[19] === '.') &&
    text[text.length - 1] === 'Z'
  )
}

/** The number that so many digits write; NaN where one is none. */
function digits(text: string, from: number, count: number): number {
  let number = 0
  for (let index = from; index < from + count; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number
}

/** Days of a month from 1 to 12; none of any other. */
function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function parseAny(text: string): Instant | undefined {
  const match = TIMESTAMP.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '', , sign, offsetHour, offsetMinute] =
    match
  const parts = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)]
  const local = Date.UTC(...(parts as [number, number, number, number, number, number]))
  if (!sameFields(new Date(local), parts)) return undefined
  const offset = offsetMs(sign, offsetHour, offsetMinute)
  if (offset === undefined) return undefined
  const ms = local - offset + Number(fraction.slice(0, 3).padEnd(3, '0'))
  if (ms < 0 || ms > LAST_MS) return undefined
  const finer = fraction.length > 3 ? fraction.slice(3) : ''
  return { ms, text: finer === '' ? isoTime(ms) : `${isoTime(ms).slice(0, -1)}${finer}Z` }
}

const UNITS = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS } as const

/** How long `2h`, `30m` or `1d` is, ms; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const match = /^([1-9]\d{0,5})([dhm])$/.exec(text)
  return match === null ? undefined : Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
}

function sameFields(date: Date, [year, month, day, hour, minute, second]: readonly number[]): boolean {
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  )
}

function offsetMs(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number | undefined {
  if (sign === undefined) return 0
  const [h, m] = [Number(hours), Number(minutes ?? 0)]
  if (h > 23 || m > 59) return undefined
  return (sign === '-' ? -1 : 1) * (h * HOUR_MS + m * MINUTE_MS)
}
