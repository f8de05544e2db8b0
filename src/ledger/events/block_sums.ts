import { BLOCKS, type Range, type Window, minuteSegmentsOf } from '../../rules/window.ts'
import type { Aggregate } from '../../rules/rollup.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import {
  type Blocks,
  type Filters,
  IN_SCOPE,
  NO_FILTERS,
  addedRanges,
  blockOf,
  rangesOf,
  hoursOf,
  wholeHours,
  isFiltered,
  named,
  VARIANT_SUMS,
  scopeCte,
  summed,
  unionAll,
} from './rollups.ts'
import { matchingRuns } from './matching_runs.ts'
import { MOVED, eventsUnderWay, movedAt } from './under_way.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { asNumber, columns } from '../../sql/query.ts'

/**
 * The sums of a release's events in an environment and window, a row per block of time and variant: whole hours and
 * whole minutes from the rollups, raw rows only at the ragged edges. With a filter, whole hours from the sums by name
 * where they have them, and raw rows by index. Of a release
 * with very many variants, which anybody who sends events can make up, all is in one block, as it is where `most` is 1.
 */
export function blockSumsStatement(
  releaseId: string,
  environment: string,
  blocks: Blocks,
  filters: Filters,
  most = BLOCKS,
): Statement {
  const { window } = blocks
  const cut = cutCte(window, most)
  const moved = movedPart(blocks, filters)
  if (isFiltered(filters)) {
    const { ctes, parts } = matchingRuns({ releaseId, environment }, filters, window, wholeHours(blocks))
    const own = parts('runs', summedPart, events => filteredPart(blocks, events))
    return summedAggregates(sql`${ctes}, ${cut}`, blocks, unionAll([...own, ...moved]))
  }
  return summedAggregates(
    sql`${scopeCte(releaseId, environment)}, ${cut}, ${lastMinuteCte(window)}`,
    blocks,
    unionAll([...rolledUpParts(blocks), ...edgeParts(blocks), ...moved]),
  )
}

/**
 * What of the same sums is not in whole hours and minutes, with {@link cutCte} and the scope among the CTEs. Sums may be
 * below 0: what is later than the window is taken off.
 */
export function edgesStatement(ctes: Statement, blocks: Blocks): Statement {
  const parts = [...edgeParts(blocks), ...movedPart(blocks, NO_FILTERS)]
  return summedAggregates(
    sql`${ctes}, ${lastMinuteCte(blocks.window)}`,
    blocks,
    unionAll(parts),
    'count(*) > 0',
  )
}

function summedAggregates(
  ctes: Statement,
  blocks: Blocks,
  parts: Statement,
  having = 'sum(p.runs) > 0',
): Statement {
  const count = sql`(SELECT blocks FROM cut)`
  const block = blockOf(blocks, 'p.at_ms', count)
  return sql`WITH ${ctes}
    SELECT ${NAMED}, v.agent_id, v.provider, v.model
    FROM (
      SELECT p.variant, ${blocks.cut === undefined ? block : sql`CASE WHEN ${count} = 1 THEN 0 ELSE ${block} END`} AS block,
        ${SUMMED}
      FROM (${parts}) AS p GROUP BY p.variant, 2 HAVING ${raw(having)}
    ) AS s JOIN variants v ON v.id = s.variant
    ORDER BY v.agent_id, v.provider, v.model, s.block`
}

/** `cut.blocks` is 1 of a release with very many variants. */
export function cutCte(window: Window, blocks = BLOCKS): Statement {
  return sql`cut AS (
      SELECT CASE WHEN ${moreThan(MOST_VARIANTS, sql`SELECT 1 FROM variants`)} AND ${moreThan(
        MOST_VARIANTS,
        sql`SELECT DISTINCT variant FROM rollup_hours WHERE ${IN_SCOPE} AND ${hoursOf(window)}`,
      )} THEN 1 ELSE ${blocks} END AS blocks)`
}

/** Variants of a release beyond which its runs are not split by time. */
const MOST_VARIANTS = 500

/** Whether a query has more rows than that; no more of them are read than it takes to know. */
function moreThan(count: number, query: Statement): Statement {
  const limit = raw(String(count + 1))
  return sql`(SELECT count(*) FROM (${query} LIMIT ${limit}) AS found) > ${raw(String(count))}`
}

/** What an event adds to the sums of a rollup, and what the sums are called that leave. */
const AMOUNTS = [
  ['latency_sum', 'latency_sum_ms', ['latency_ms']],
  ['latency_sq', 'latency_sum_ms2', ['latency_ms', 'latency_ms']],
  ['input_sum', 'input_tokens', ['input_tokens']],
  ['output_sum', 'output_tokens', ['output_tokens']],
  ['cached_sum', 'cached_input_tokens', ['cached_input_tokens']],
  ['input_sq', 'input_sq', ['input_tokens', 'input_tokens']],
  ['input_output', 'input_output', ['input_tokens', 'output_tokens']],
  ['input_cached', 'input_cached', ['input_tokens', 'cached_input_tokens']],
  ['output_sq', 'output_sq', ['output_tokens', 'output_tokens']],
  ['output_cached', 'output_cached', ['output_tokens', 'cached_input_tokens']],
  ['cached_sq', 'cached_sq', ['cached_input_tokens', 'cached_input_tokens']],
] as const
const COUNTS = ['runs', 'errors', 'latency_count'] as const
/** The same of failed runs alone: how many they count, and some of the amounts. */
const FAILED_COUNTS = ['failed_count', 'failed_latency_count'] as const
const FAILED_AMOUNTS = [
  ['failed_latency_sum', 'failed_latency_sum_ms', ['latency_ms']],
  ['failed_latency_sq', 'failed_latency_sum_ms2', ['latency_ms', 'latency_ms']],
  ['failed_input_sum', 'failed_input_tokens', ['input_tokens']],
  ['failed_output_sum', 'failed_output_tokens', ['output_tokens']],
  ['failed_cached_sum', 'failed_cached_input_tokens', ['cached_input_tokens']],
] as const
export const SUM_COLUMNS = [
  ...COUNTS.map(name => [name, name] as const),
  ...AMOUNTS,
  ...FAILED_COUNTS.map(name => [name, name] as const),
  ...FAILED_AMOUNTS,
]
export const COLUMNS = SUM_COLUMNS.map(([column]) => column).join(', ')
const SUMMED = summed(SUM_COLUMNS)
const NAMED = named(['variant', 'block'], SUM_COLUMNS)

/** What an event adds to each column of a rollup, times a sign. */
function ofOneEvent(sign: string): string[] {
  const counted = (own: string): string => `CASE WHEN latency_ms IS NULL THEN 0 ELSE ${own} END`
  const amounted = (
    own: string,
    amounts: readonly (readonly [string, string, readonly string[]])[],
  ): string[] =>
    amounts.map(([, , factors]) => {
      const [first, ...rest] = factors.map(name => (name === 'latency_ms' ? 'coalesce(latency_ms, 0)' : name))
      return [own, `CAST(${first} AS DOUBLE PRECISION)`, ...rest].join(' * ')
    })
  const failed = `${sign} * (1 - success)`
  const all = [sign, failed, counted(sign), ...amounted(sign, AMOUNTS)]
  return [...all, failed, counted(failed), ...amounted(failed, FAILED_AMOUNTS)]
}

const asRollup = (amounts: readonly string[]): Statement =>
  raw(amounts.map((amount, index) => `${amount} AS ${SUM_COLUMNS[index]![0]}`).join(', '))
const SIGNED_EVENT = asRollup(ofOneEvent('sign'))
const MOVED_EVENT = asRollup(ofOneEvent('moved.sign'))
const SUMMED_EVENTS = asRollup(ofOneEvent('1').map(amount => `sum(${amount})`))

const PRODUCTS = AMOUNTS.slice(5).map(([, name]) => name)

const readAggregate = columns({
  ...VARIANT_SUMS,
  block: asNumber,
  latency_sum_ms2: asNumber,
  failed_count: asNumber,
  failed_latency_count: asNumber,
  failed_latency_sum_ms: asNumber,
  failed_latency_sum_ms2: asNumber,
  failed_input_tokens: asNumber,
  failed_output_tokens: asNumber,
  failed_cached_input_tokens: asNumber,
})

export function toBlockSums(row: Row): Aggregate {
  const token_products: number[] = []
  for (const name of PRODUCTS) token_products.push(asNumber(row[name]))
  return Object.assign(readAggregate(row), { token_products })
}

/** Sums of integers are exact up to 2^53 - 1. */
const PAST_EXACT = raw(AMOUNTS.map(([column]) => `${column} > 9007199254740991`).join(' OR '))

/**
 * How the last, partial minute is summed: `whole` is 1 where its rollup is taken and what is later taken off, which
 * reads few events. Doubles past 2^53 would leave more or less than was there, so then the events before the end are
 * added up.
 */
function lastMinuteCte(window: Window): Statement {
  const { minutes, beyond } = minuteSegmentsOf(window)
  return sql`last_minute AS (
    SELECT CASE WHEN EXISTS (
        SELECT 1 FROM rollup_minutes WHERE ${IN_SCOPE} AND bucket = ${minutes.to - 1} AND (${PAST_EXACT})
      ) AND EXISTS (
        SELECT 1 FROM run_events WHERE ${IN_SCOPE} AND ts >= ${beyond.from} AND ts < ${beyond.to}
      ) THEN 0 ELSE 1 END AS whole)`
}

const IS_WHOLE = sql`(SELECT whole FROM last_minute) = 1`

function rolledUpParts(blocks: Blocks): Statement[] {
  const { hours, minutes } = addedRanges(blocks)
  return [
    ...hours.map(range => rollupPart('rollup_hours', HOUR_MS, range)),
    ...minutes.map(range => rollupPart('rollup_minutes', MINUTE_MS, range)),
  ]
}

function edgeParts(blocks: Blocks): Statement[] {
  const { edge, beyond, end } = rangesOf(blocks)
  const last = end - 1
  const lastMinute = rollupPart('rollup_minutes', MINUTE_MS, { from: last, to: end })
  return [
    rawPart(edge, blocks),
    ...(beyond.from === beyond.to ? [] : [sql`${lastMinute} AND ${IS_WHOLE}`]),
    lastMinutePart(last * MINUTE_MS, beyond),
  ]
}

/** Runs that were under way at the moments of the cut, moved out of its blocks. */
function movedPart({ window, cut }: Blocks, filters: Filters): Statement[] {
  if (cut?.moments === undefined) return []
  return [
    sql`SELECT ${movedAt('e.ts')} AS at_ms, e.variant, ${MOVED_EVENT}
      FROM ${eventsUnderWay(cut.moments, window, filters, MOVED)}`,
  ]
}

/** What of the last minute is later than the window, taken off, or what is before its end, added. */
function lastMinutePart(start: number, { from, to }: Range): Statement {
  return sql`SELECT CAST(${start} AS BIGINT) AS at_ms, variant, ${SIGNED_EVENT}
    FROM run_events, (SELECT CASE WHEN ${IS_WHOLE} THEN -1 ELSE 1 END AS sign) AS direction
    WHERE ${IN_SCOPE} AND ts >= (SELECT CASE WHEN ${IS_WHOLE} THEN CAST(${from} AS BIGINT) ELSE CAST(${start} AS BIGINT) END)
      AND ts < (SELECT CASE WHEN ${IS_WHOLE} THEN CAST(${to} AS BIGINT) ELSE CAST(${from} AS BIGINT) END)`
}

function rollupPart(
  table: 'rollup_hours' | 'rollup_minutes',
  widthMs: number,
  { from, to }: Range,
): Statement {
  return sql`SELECT bucket * ${raw(String(widthMs))} AS at_ms, variant, ${raw(COLUMNS)}
    FROM ${raw(table)} WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
}

/** Summed before the sort that joins the parts, which would carry all columns of each event. */
function rawPart({ from, to }: Range, blocks: Blocks): Statement {
  return sql`SELECT min(ts) AS at_ms, variant, ${SUMMED_EVENTS}
    FROM run_events WHERE ${IN_SCOPE} AND ts >= ${from} AND ts < ${to} GROUP BY variant, ${blockOf(blocks, 'ts')}`
}

function filteredPart(blocks: Blocks, events: Statement): Statement {
  return sql`SELECT min(e.ts) AS at_ms, e.variant, ${SUMMED_EVENTS}
    FROM ${events} GROUP BY e.variant, ${blockOf(blocks, 'e.ts')}`
}

function summedPart(rows: Statement): Statement {
  const own = raw(SUM_COLUMNS.map(([column]) => `t.${column}`).join(', '))
  return sql`SELECT t.bucket * ${raw(String(HOUR_MS))} AS at_ms, t.variant, ${own} FROM ${rows}`
}
