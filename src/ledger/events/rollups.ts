import {
  BLOCKS,
  type MinuteSegments,
  type Range,
  type Window,
  minuteSegmentsOf,
  segmentsOf,
} from '../../rules/window.ts'
import type { VariantSums } from '../../rules/rollup.ts'
import type { Cut } from '../../rules/common_time.ts'
import { UNDER_WAY } from '../../rules/statistics/match.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { type Row, type Statement, join, raw, sql } from '../../sql/port.ts'
import { asNumber, asText, columns } from '../../sql/query.ts'

/** Exact filters of a diff; null matches everything. */
export interface Filters {
  readonly tenant_id: string | null
  readonly task_id: string | null
}

export const NO_FILTERS: Filters = { tenant_id: null, task_id: null }

/** A window, and what it is cut into: blocks of the UTC clock of a part of it, or 24 blocks of its own. */
export interface Blocks {
  readonly window: Window
  readonly cut?: Cut | undefined
}

/**
 * Which block a time is in, from 0 on; -1 is before the part that is cut, the number of blocks behind it, and a time below 0
 * is of runs that were under way at a moment. What is bound would make the division one of doubles.
 */
export function blockOf({ window, cut }: Blocks, time: string, blocks = raw(String(BLOCKS))): Statement {
  if (cut !== undefined) return blockOfCut(cut, raw(time))
  const { since, until } = window
  const width = sql`CAST(${Math.max(1, until - since)} AS BIGINT)`
  return sql`(${raw(time)} - CAST(${since} AS BIGINT)) * CAST(${blocks} AS BIGINT) / ${width}`
}

function blocksOfCut({ from, to, width_ms }: Cut): { readonly first: number; readonly count: number } {
  const first = Math.floor(from / width_ms)
  return { first, count: Math.ceil(to / width_ms) - first }
}

/** The block of a cut that a time is in, epoch ms; see {@link blockOf}. */
export function blockAt(cut: Cut, time: number): number {
  if (cut.starts !== undefined) return cut.starts.filter(start => start <= time).length
  const { first, count } = blocksOfCut(cut)
  if (time < cut.from) return -1
  return time >= cut.to ? count : Math.floor(time / cut.width_ms) - first
}

/** Its ends move with each question, so they are bound: a statement of a text of its own would be prepared each time. */
function blockOfCut(cut: Cut, time: Statement): Statement {
  const { from, to, width_ms, starts } = cut
  const { first, count } = blocksOfCut(cut)
  const bound = (value: number): Statement => sql`CAST(${value} AS BIGINT)`
  if (starts !== undefined) {
    const before = starts.map(
      (start, block) => sql`WHEN ${time} < ${bound(start)} THEN ${raw(String(block))}`,
    )
    return sql`CASE ${join(before, ' ')} ELSE ${raw(String(starts.length))} END`
  }
  return sql`CASE WHEN ${time} < 0 THEN ${raw(String(UNDER_WAY))} WHEN ${time} < ${bound(from)} THEN -1 WHEN ${time} >= ${bound(to)} THEN ${bound(count)}
    ELSE ${time} / ${bound(width_ms)} - ${bound(first)} END`
}

/** Columns, and what their sums are called. */
export type SumColumns = readonly (readonly [column: string, name: string, ...more: unknown[]])[]

/** The sums of columns of `p`. */
export function summed(sums: SumColumns): Statement {
  return raw(sums.map(([column, name]) => `sum(p.${column}) AS ${name}`).join(', '))
}

/** The sums of columns in one text that begins with the first of them; expressions. */
export function sumsText(sums: readonly string[]): string {
  return sums.map(sum => `CAST(coalesce(sum(${sum}), 0) AS TEXT)`).join(" || ' ' || ")
}

/** Columns of `s`: some, and the sums of {@link summed}. */
export function named(others: readonly string[], sums: SumColumns): Statement {
  return raw([...others, ...sums.map(([, name]) => name)].map(name => `s.${name}`).join(', '))
}

/** The sums of runs of one model, by their columns. */
export const MODEL_SUMS = {
  model: asText,
  runs: asNumber,
  errors: asNumber,
  latency_count: asNumber,
  latency_sum_ms: asNumber,
  input_tokens: asNumber,
  output_tokens: asNumber,
  cached_input_tokens: asNumber,
} as const

/** The same of one variant. */
export const VARIANT_SUMS = { agent_id: asText, provider: asText, ...MODEL_SUMS } as const

export const toVariantSums: (row: Row) => VariantSums = columns(VARIANT_SUMS)

/** `scope` names the id of a release in an environment; it has no row where nothing was ingested. */
export function scopeCte(releaseId: string, environment: string): Statement {
  return sql`scope AS (
    SELECT id FROM scopes WHERE release_id = ${releaseId} AND environment = ${environment})`
}

/** Within the scope that {@link scopeCte} names. */
export const IN_SCOPE = sql`scope = (SELECT id FROM scope)`

/** How many events of the scope are between two times. */
export function countBetween({ from, to }: Range): Statement {
  return sql`(SELECT count(*) FROM run_events WHERE ${IN_SCOPE} AND ts >= ${from} AND ts < ${to})`
}

/** What rollups and rows hold of a window; together they are all of it, but for what lies beyond it. */
interface SumRanges extends Pick<MinuteSegments, 'edge' | 'beyond'> {
  /** Hours and minutes since the epoch. */
  readonly hours: readonly Range[]
  readonly minutes: readonly Range[]
  /** The minute behind the last. */
  readonly end: number
}

/** Hours would be coarser than the blocks of a window of less than a day, or than those that it is cut into. */
export function rangesOf({ window, cut }: Blocks): SumRanges {
  const { minutes, edge, beyond } = minuteSegmentsOf(window)
  const ends = { edge, beyond, end: minutes.to }
  if (window.until - window.since < BLOCKS * HOUR_MS)
    return { ...ends, hours: [], minutes: filled([minutes]) }
  const { hours, minutes: around } = segmentsOf(window)
  if (cut?.starts !== undefined) {
    const parted = new Set(
      cut.starts.filter(start => start % HOUR_MS !== 0).map(start => Math.floor(start / HOUR_MS)),
    )
    const inHours = [...parted].filter(hour => hour >= hours.from && hour < hours.to)
    const between = [hours.from - 1, ...inHours, hours.to]
    const minutesOf = (hour: number): Range => ({
      from: hour * MINUTES_PER_HOUR,
      to: (hour + 1) * MINUTES_PER_HOUR,
    })
    return {
      ...ends,
      hours: filled(between.slice(1).map((to, index) => ({ from: between[index]! + 1, to }))),
      minutes: filled([...around, ...inHours.map(minutesOf)]),
    }
  }
  if (cut === undefined || cut.width_ms >= HOUR_MS) {
    return { ...ends, hours: filled([hours]), minutes: filled(around) }
  }
  const within = (hour: number): number => Math.min(hours.to, Math.max(hours.from, hour))
  const [from, to] = [within(Math.floor(cut.from / HOUR_MS)), within(Math.ceil(cut.to / HOUR_MS))]
  const fine = { from: from * MINUTES_PER_HOUR, to: to * MINUTES_PER_HOUR }
  return {
    ...ends,
    hours: filled([
      { from: hours.from, to: from },
      { from: to, to: hours.to },
    ]),
    minutes: filled([...around, fine]),
  }
}

/**
 * The longest part of a cut window in whole hours, each of which lies in one block. Undefined where there is none, and without
 * a cut: then a run is in the block of its own time.
 */
export function wholeHours(blocks: Blocks): Range | undefined {
  if (blocks.cut === undefined) return undefined
  const [longest] = rangesOf(blocks).hours.toSorted((a, b) => b.to - b.from - (a.to - a.from))
  return longest
}

/** A window as ranges that are added up: hours, minutes, and raw rows in milliseconds. Nothing is taken off. */
export function addedRanges(blocks: Blocks): {
  readonly hours: readonly Range[]
  readonly minutes: readonly Range[]
  readonly rows: readonly Range[]
} {
  const { hours, minutes, edge, beyond, end } = rangesOf(blocks)
  // The last minute is whole where nothing of it lies behind the window.
  if (beyond.from === beyond.to) return { hours, minutes, rows: [edge] }
  const last = end - 1
  return {
    hours,
    minutes: filled(minutes.map(({ from, to }) => ({ from, to: Math.min(to, last) }))),
    rows: [edge, { from: last * MINUTE_MS, to: beyond.from }],
  }
}

const MINUTES_PER_HOUR = HOUR_MS / MINUTE_MS

function filled(ranges: readonly Range[]): Range[] {
  return ranges.filter(({ from, to }) => from < to)
}

/** Most terms of a compound SELECT that D1 takes. */
const MOST_TERMS = 5

/** All rows of several statements with the same columns; at least one. */
export function unionAll(parts: readonly Statement[]): Statement {
  if (parts.length <= MOST_TERMS) return join(parts, ' UNION ALL ')
  const rest = sql`SELECT * FROM (${unionAll(parts.slice(MOST_TERMS - 1))}) AS rest`
  return join([...parts.slice(0, MOST_TERMS - 1), rest], ' UNION ALL ')
}

export function isFiltered({ tenant_id, task_id }: Filters): boolean {
  return tenant_id !== null || task_id !== null
}

/** Which hours a window touches. */
export function hoursOf(window: Window): Statement {
  return bucketsOf(window, HOUR_MS)
}

/** Which buckets of such a width a window touches. */
export function bucketsOf({ since, until }: Window, widthMs: number): Statement {
  const [from, to] = [Math.floor(Math.max(0, since) / widthMs), Math.ceil(Math.max(0, until) / widthMs)]
  return sql`bucket >= ${from} AND bucket < ${to}`
}
