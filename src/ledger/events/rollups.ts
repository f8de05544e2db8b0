import { BLOCKS } from '../../rules/comparability.ts'
import type { VariantSums } from '../../rules/rollup.ts'
import { HOUR_MS } from '../../base/time.ts'
import { type Range, type Segments, type Window, minuteSegmentsOf, segmentsOf } from '../../rules/window.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'

/** Exact filters of a diff; null matches everything. */
export interface Filters {
  readonly tenant_id: string | null
  readonly task_id: string | null
}

export const NO_FILTERS: Filters = { tenant_id: null, task_id: null }

/** Which block of a window a time is in, from 0 on. What is bound would make the division one of doubles. */
export function blockOf({ since, until }: Window, time: string, blocks = raw(String(BLOCKS))): Statement {
  const width = sql`CAST(${Math.max(1, until - since)} AS BIGINT)`
  return sql`(${raw(time)} - CAST(${since} AS BIGINT)) * CAST(${blocks} AS BIGINT) / ${width}`
}

/** Columns, and what their sums are called. */
type Sums = readonly (readonly [column: string, name: string, ...more: unknown[]])[]

/** The sums of columns of `p`. */
export function summed(sums: Sums): Statement {
  return raw(sums.map(([column, name]) => `sum(p.${column}) AS ${name}`).join(', '))
}

/** Columns of `s`: some, and the sums of {@link summed}. */
export function named(others: readonly string[], sums: Sums): Statement {
  return raw([...others, ...sums.map(([, name]) => name)].map(name => `s.${name}`).join(', '))
}

export function toVariantSums(row: Row): VariantSums {
  return { agent_id: String(row.agent_id), provider: String(row.provider), ...toModelSums(row) }
}

/** The sums of runs of one model. */
export function toModelSums(row: Row): Omit<VariantSums, 'agent_id' | 'provider'> {
  return {
    model: String(row.model),
    runs: Number(row.runs),
    errors: Number(row.errors),
    latency_count: Number(row.latency_count),
    latency_sum_ms: Number(row.latency_sum_ms),
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cached_input_tokens: Number(row.cached_input_tokens),
  }
}

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

/** Hours would be coarser than the blocks of a window of less than a day. */
export function cellSegmentsOf(window: Window): Segments {
  if (window.until - window.since >= BLOCKS * HOUR_MS) return segmentsOf(window)
  const { minutes, edge, beyond } = minuteSegmentsOf(window)
  const end = { from: minutes.to, to: minutes.to }
  return { hours: NOTHING, minutes: [minutes, end], edge, beyond }
}

const NOTHING: Range = { from: 0, to: 0 }

export function isFiltered({ tenant_id, task_id }: Filters): boolean {
  return tenant_id !== null || task_id !== null
}

/** Which hours a window touches. */
export function hoursOf({ since, until }: Window): Statement {
  return sql`bucket >= ${Math.floor(Math.max(0, since) / HOUR_MS)} AND bucket < ${Math.ceil(until / HOUR_MS)}`
}
