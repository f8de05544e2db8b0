import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { NO_SUMS, type PartSums } from '../../rules/rollup.ts'
import { type Range, type Window } from '../../rules/window.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { PART_PRODUCTS } from './parts_sql.ts'
import {
  type Blocks,
  type Filters,
  IN_SCOPE,
  blockOf,
  cellRangesOf,
  isFiltered,
  named,
  scopeCte,
  summed,
  unionAll,
} from './rollups.ts'

/** The sums of the parts of a release's runs, a row per variant: from roll-ups, and raw at the ragged ends. */
export function partsStatement(
  releaseId: string,
  environment: string,
  blocks: Blocks,
  filters: Filters,
): Statement {
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT ${NAMED}, v.agent_id, v.provider, v.model
    FROM (
      SELECT p.variant, ${blockOf(blocks, 'p.at_ms')} AS block, ${SUMMED}
      FROM (${isFiltered(filters) ? filteredParts(blocks.window, filters) : allParts(blocks)}) AS p GROUP BY p.variant, 2
    ) AS s JOIN variants v ON v.id = s.variant
    ORDER BY v.agent_id, v.provider, v.model, s.block`
}

export const PART_COLUMNS = [
  ['parts', 'parts'],
  ['input_sum', 'input_tokens'],
  ['output_sum', 'output_tokens'],
  ['cached_sum', 'cached_input_tokens'],
  ['write_sum', 'cache_write_input_tokens'],
  ...PART_PRODUCTS.map(({ column }) => [column, column] as const),
] as const
const SUMMED = summed(PART_COLUMNS)
const NAMED = named(['block'], PART_COLUMNS)

export function toPartSums(row: Row): PartSums {
  return {
    ...NO_SUMS,
    agent_id: String(row.agent_id),
    provider: String(row.provider),
    model: String(row.model),
    block: Number(row.block ?? 0),
    parts: Number(row.parts),
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cached_input_tokens: Number(row.cached_input_tokens),
    cache_write_input_tokens: Number(row.cache_write_input_tokens),
    token_products: PART_PRODUCTS.map(({ column }) => Number(row[column] ?? 0)),
  }
}

function allParts(blocks: Blocks): Statement {
  const { hours, minutes, rows } = addedRanges(blocks)
  return unionAll([
    ...hours.map(range => rolledUp('rollup_part_hours', HOUR_MS, range)),
    ...minutes.map(range => rolledUp('rollup_part_minutes', MINUTE_MS, range)),
    ...rows.map(({ from, to }) => rawParts(sql`ts >= ${from} AND ts < ${to}`)),
  ])
}

/** A window as ranges that are added up: hours, minutes, and raw rows in milliseconds. Nothing is taken off. */
export function addedRanges(blocks: Blocks): {
  readonly hours: readonly Range[]
  readonly minutes: readonly Range[]
  readonly rows: readonly Range[]
} {
  const { hours, minutes, edge, beyond, end } = cellRangesOf(blocks)
  // The last minute is whole where nothing of it lies behind the window.
  if (beyond.from === beyond.to) return { hours, minutes, rows: [edge] }
  const last = end - 1
  return {
    hours,
    minutes: minutes.map(({ from, to }) => ({ from, to: Math.min(to, last) })),
    rows: [edge, { from: last * MINUTE_MS, to: beyond.from }],
  }
}

function rolledUp(table: string, widthMs: number, { from, to }: Range): Statement {
  return sql`SELECT bucket * ${raw(String(widthMs))} AS at_ms, variant, parts, input_sum, output_sum, cached_sum, write_sum,
      ${raw(PART_PRODUCTS.map(({ column }) => column).join(', '))}
    FROM ${raw(table)}
    WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
}

function rawParts(where: Statement): Statement {
  const sums = ['input', 'output', 'cached_input', 'cache_write_input'].map(
    name => `CAST(${name}_tokens AS DOUBLE PRECISION)`,
  )
  const products = PART_PRODUCTS.map(
    ({ column, factors: [one, other] }) => `CAST(${one} AS DOUBLE PRECISION) * ${other} AS ${column}`,
  )
  return sql`SELECT ts AS at_ms, variant, 1 AS parts, ${raw(`${sums[0]} AS input_sum, ${sums[1]} AS output_sum,
      ${sums[2]} AS cached_sum, ${sums[3]} AS write_sum, ${products.join(', ')}`)}
    FROM run_parts WHERE ${IN_SCOPE} AND ${where}`
}

function filteredParts(window: Window, filters: Filters): Statement {
  return rawParts(matching(window, filters))
}

function matching({ since, until }: Window, { tenant_id, task_id }: Filters): Statement {
  const tenant = tenant_id === null ? sql`true` : sql`tenant_id = ${tenant_id}`
  const task = task_id === null ? sql`true` : sql`task_id = ${task_id}`
  return sql`ts >= ${since} AND ts < ${until} AND ${tenant} AND ${task}`
}

/** Slots of time, each of so many rows of a roll-up. */
export interface Slots {
  readonly hourly: boolean
  readonly perSlot: number
  /** The rows. */
  readonly range: Range
}

/** Sums of parts by slot and variant: for a course over time. */
export function partSeriesStatement(
  releaseId: string,
  environment: string,
  { hourly, perSlot, range }: Slots,
): Statement {
  // A bound parameter would make the division one of doubles.
  const slot = raw(`s.bucket / ${perSlot}`)
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT ${slot} AS slot, v.agent_id, v.provider, v.model, sum(s.parts) AS parts,
      sum(s.input_sum) AS input_tokens, sum(s.output_sum) AS output_tokens,
      sum(s.cached_sum) AS cached_input_tokens, sum(s.write_sum) AS cache_write_input_tokens
    FROM ${raw(hourly ? 'rollup_part_hours' : 'rollup_part_minutes')} s JOIN variants v ON v.id = s.variant
    WHERE s.scope = (SELECT id FROM scope) AND s.bucket >= ${range.from} AND s.bucket < ${range.to}
    GROUP BY ${slot}, v.agent_id, v.provider, v.model
    ORDER BY slot, v.agent_id, v.provider, v.model`
}

/** The same of the runs that match a filter, by slots of so many milliseconds. */
export function matchingPartSeries(
  releaseId: string,
  environment: string,
  window: Window,
  widthMs: number,
  filters: Filters,
): Statement {
  const slot = raw(`s.ts / ${widthMs}`)
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT ${slot} AS slot, v.agent_id, v.provider, v.model, count(*) AS parts,
      sum(s.input_tokens) AS input_tokens, sum(s.output_tokens) AS output_tokens,
      sum(s.cached_input_tokens) AS cached_input_tokens, sum(s.cache_write_input_tokens) AS cache_write_input_tokens
    FROM run_parts s JOIN variants v ON v.id = s.variant
    WHERE ${IN_SCOPE} AND ${matching(window, filters)}
    GROUP BY ${slot}, v.agent_id, v.provider, v.model
    ORDER BY slot, v.agent_id, v.provider, v.model`
}

/** One run_id that used a model beside its own one. */
export function onePartStatement(
  releaseId: string,
  environment: string,
  { since, until }: Window,
  model: string,
): Statement {
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT e.run_id FROM run_parts p JOIN run_events e ON e.seq = p.event
    WHERE p.scope = (SELECT id FROM scope) AND p.ts >= ${since} AND p.ts < ${until}
      AND p.variant IN (SELECT id FROM variants WHERE model = ${model}) LIMIT 1`
}
