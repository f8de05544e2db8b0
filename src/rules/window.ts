import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts'

/** A half-open interval of epoch milliseconds: since inclusive, until exclusive. */
export interface Window {
  readonly since: number
  readonly until: number
}

const UNIT_MS = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS } as const

/** Earliest instant a Date can hold, epoch ms (ECMA-262, Time Values). */
const EARLIEST_MS = -8.64e15

/**
 * The window `{N}d`, `{N}h` or `{N}m` that ends at `until` (specification, POST /v1/diff).
 * Blanks and upper case are tolerated. Returns a sentence that starts with `Invalid window` otherwise.
 */
export function parseWindow(text: string, until: number): Window | string {
  const match = /^\s*(\d+)\s*([dhm])\s*$/i.exec(text)
  if (match === null)
    return `${invalid(text)}: use a positive number and d, h or m, for example 7d, 24h or 30m.`
  const count = Number(match[1])
  if (count === 0) return `${invalid(text)}: the number must be at least 1.`
  const since = until - count * UNIT_MS[match[2]!.toLowerCase() as keyof typeof UNIT_MS]
  if (!(since >= EARLIEST_MS)) return `${invalid(text)}: it starts before any date that can be written.`
  return { since, until }
}

function invalid(text: string): string {
  return `Invalid window ${JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)}`
}

/**
 * The shortest window text that covers at least `minutes`: to the minute up to two hours, then in whole
 * hours up to three days, then in whole days.
 */
export function windowCovering(minutes: number): string {
  if (minutes <= 120) return `${Math.max(1, Math.ceil(minutes))}m`
  if (minutes <= 72 * 60) return `${Math.ceil(minutes / 60)}h`
  return `${Math.ceil(minutes / 1440)}d`
}

/** Half-open ranges that together make a window, each in its own unit. Empty ranges have from = to. */
export interface Segments {
  /** Whole hours since the epoch. */
  readonly hours: Range
  /** Whole minutes since the epoch, before and after the whole hours. */
  readonly minutes: readonly [Range, Range]
  /** Milliseconds since the epoch at the two ragged edges. */
  readonly edges: readonly [Range, Range]
}

export interface Range {
  readonly from: number
  readonly to: number
}

/** Splits a window into whole hours, whole minutes and two ragged edges shorter than a minute each. */
export function segmentsOf(window: Window): Segments {
  const since = Math.max(0, window.since)
  const until = Math.max(since, window.until)
  const firstMinute = Math.ceil(since / MINUTE_MS)
  const lastMinute = Math.floor(until / MINUTE_MS)
  if (firstMinute > lastMinute) {
    const minutes = { from: lastMinute, to: lastMinute }
    const hour = Math.floor(lastMinute / 60)
    return {
      hours: { from: hour, to: hour },
      minutes: [minutes, minutes],
      edges: [
        { from: since, to: until },
        { from: until, to: until },
      ],
    }
  }
  const edges = [
    { from: since, to: firstMinute * MINUTE_MS },
    { from: lastMinute * MINUTE_MS, to: until },
  ] as const
  const firstHour = Math.ceil(firstMinute / 60)
  const lastHour = Math.floor(lastMinute / 60)
  if (firstHour > lastHour) {
    return {
      hours: { from: lastHour, to: lastHour },
      minutes: [
        { from: firstMinute, to: lastMinute },
        { from: lastMinute, to: lastMinute },
      ],
      edges,
    }
  }
  return {
    hours: { from: firstHour, to: lastHour },
    minutes: [
      { from: firstMinute, to: firstHour * 60 },
      { from: lastHour * 60, to: lastMinute },
    ],
    edges,
  }
}
