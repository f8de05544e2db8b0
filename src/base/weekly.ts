import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** A time of the week such as `fri 16:00`, in milliseconds from Monday, 00:00; undefined for anything else. */
export function parseWeekly(text: string): number | undefined {
  const match = /^(mon|tue|wed|thu|fri|sat|sun) ([01]\d|2[0-3]):([0-5]\d)$/.exec(text.toLowerCase())
  if (match === null) return undefined
  const [, day, hour, minute] = match
  return (
    DAYS.indexOf(day as (typeof DAYS)[number]) * DAY_MS + Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS
  )
}

/** What the clocks of a time zone show at an instant, in milliseconds from Monday, 00:00. */
export function timeOfWeek(ms: number, timeZone: string): number {
  const shown = new Intl.DateTimeFormat('en-GB', { ...FIELDS, timeZone }).formatToParts(ms)
  const of = (type: string): string => shown.find(part => part.type === type)?.value ?? ''
  const minutes = parseWeekly(`${of('weekday')} ${of('hour')}:${of('minute')}`)!
  return minutes + (((ms % MINUTE_MS) + MINUTE_MS) % MINUTE_MS)
}

const FIELDS = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** Whether a time of the week is within a span that may go over its end; the end is not in it. */
export function isWithinWeekly(at: number, from: number, to: number): boolean {
  return from < to ? at >= from && at < to : at >= from || at < to
}

/** Whether it is an IANA time zone that is known here. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
