import type { Reach } from '../models/answers/decision.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/time.ts'

/** A half-open interval of epoch milliseconds: since inclusive, until exclusive. */
export interface Window {
  readonly since: number
  readonly until: number
}

const UNIT_MS = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS } as const

/** The year 1 begins, epoch ms: before it no date is written with four digits. */
const EARLIEST_MS = -62_135_596_800_000

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
  if (!(since >= EARLIEST_MS)) return `${invalid(text)}: it starts before the year 1.`
  return { since, until }
}

/** How wide the buckets are, ms, that can't be cut at the ends of a window; 1 where single events are known. */
export interface EndWidths {
  readonly since: number
  readonly until: number
}

/** The part of a window in whole buckets: at most one less at each end. It may be empty. */
export function wholeWindow({ since, until }: Window, widths: EndWidths): Window {
  const from = Math.ceil(since / widths.since) * widths.since
  const to = Math.floor(until / widths.until) * widths.until
  return { since: from, until: Math.max(from, to) }
}

/** The whole hours of a window, by their numbers since the epoch; `to` is not above `from` where there is none. */
export function hoursWithin({ since, until }: Window): Range {
  return { from: Math.ceil(Math.max(0, since) / HOUR_MS), to: Math.floor(until / HOUR_MS) }
}

/** An age such as 24h, as settings have it, in milliseconds. */
export function ageMs(text: string): number {
  return Number(text.slice(0, -1)) * UNIT_MS[text.at(-1) as keyof typeof UNIT_MS]
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
export interface MinuteSegments {
  /** Minutes since the epoch that begin in the window. */
  readonly minutes: Range
  /** Milliseconds since the epoch before the first of them. */
  readonly edge: Range
  /**
   * Milliseconds of the last of them that lie behind the window and are to be taken off: where a window ends now, few
   * events are later, while that minute may hold all of a burst.
   */
  readonly beyond: Range
}

/** The same with whole hours in the middle. */
interface Segments extends Omit<MinuteSegments, 'minutes'> {
  /** Whole hours since the epoch. */
  readonly hours: Range
  /** The minutes before and after the whole hours. */
  readonly minutes: readonly [Range, Range]
}

export interface Range {
  readonly from: number
  readonly to: number
}

/** Splits a window into minutes and ragged edges shorter than a minute each. */
export function minuteSegmentsOf(window: Window): MinuteSegments {
  const since = Math.max(0, window.since)
  const until = Math.max(since, window.until)
  const [from, to] = [Math.ceil(since / MINUTE_MS), Math.ceil(until / MINUTE_MS)]
  return from === to
    ? { minutes: { from, to }, edge: { from: since, to: until }, beyond: { from: until, to: until } }
    : {
        minutes: { from, to },
        edge: { from: since, to: from * MINUTE_MS },
        beyond: { from: until, to: to * MINUTE_MS },
      }
}

/**
 * Splits a window into whole hours, minutes and ragged edges shorter than a minute each. The last minute, of which
 * something may be taken off, is never part of a whole hour.
 */
export function segmentsOf(window: Window): Segments {
  const { minutes, edge, beyond } = minuteSegmentsOf(window)
  const { from, to } = minutes
  const whole = beyond.from === beyond.to ? to : to - 1
  const [firstHour, endHour] = [Math.ceil(from / 60), Math.floor(whole / 60)]
  return firstHour > endHour
    ? { hours: { from: endHour, to: endHour }, minutes: [minutes, { from: to, to }], edge, beyond }
    : {
        hours: { from: firstHour, to: endHour },
        minutes: [
          { from, to: firstHour * 60 },
          { from: endHour * 60, to },
        ],
        edge,
        beyond,
      }
}

/** A range that is added, or with the sign -1 taken off. */
export interface SignedRange extends Range {
  readonly sign: 1 | -1
}

/** A window as whole coarse buckets, more or less, and what makes up for it at its ends. */
interface Edges {
  /** In coarse buckets since the epoch. */
  readonly whole: Range
  /** In fine buckets since the epoch. */
  readonly parts: readonly [start: SignedRange, end: SignedRange]
  /** In milliseconds since the epoch. */
  readonly edges: readonly [start: SignedRange, end: SignedRange]
}

/**
 * Splits a window so that at its start as little as possible is smaller than a bucket. At its end whole buckets are
 * taken and what is later is taken off: nearly nothing, where a window ends now. `fineMs` divides `coarseMs`.
 */
export function edgesOf(window: Window, coarseMs: number, fineMs: number): Edges {
  const since = Math.max(0, window.since)
  const until = Math.max(since, window.until)
  const [first, last] = [Math.round(since / coarseMs), Math.ceil(until / coarseMs)]
  const [start, end] = [Math.round(since / fineMs), Math.ceil(until / fineMs)]
  const perCoarse = coarseMs / fineMs
  return {
    whole: { from: first, to: last },
    parts: [signed(start, first * perCoarse), { sign: -1, from: end, to: last * perCoarse }],
    edges: [signed(since, start * fineMs), { sign: -1, from: until, to: end * fineMs }],
  }
}

function signed(from: number, to: number): SignedRange {
  return from <= to ? { sign: 1, from, to } : { sign: -1, from: to, to: from }
}

/** Blocks of time that a window is cut into where it is compared as it is. */
export const BLOCKS = 24

/** A span in ms; null where none is given. */
export function spanOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const window = parseWindow(text, 0)
  return typeof window === 'string' ? 0 : -window.since
}

/** What a decision is judged by unless somebody chooses another window. */
export const USUAL_WINDOW = '24h'

/**
 * The usual window, or the shortest that holds enough runs of both releases where that one doesn't: what was replaced days
 * ago has no runs of today.
 */
export function likelyWindow(reach: Reach | undefined): string {
  const missing = reach?.missing_for_high
  const isShort = missing !== undefined && missing.baseline_runs_needed + missing.candidate_runs_needed > 0
  return isShort ? (missing.shortest_window ?? USUAL_WINDOW) : USUAL_WINDOW
}
