import { type Statement, forPostgres, join, raw, sql } from '../../sql/port.ts'
import { BIN_TABLES, addCounts, binClauses, latencySelect } from './latency_counts.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { addToCounter } from '../trail/counters.ts'

export const RUN_SUMS = [
  ['runs', 'count(*)'],
  ['errors', 'sum(1 - success)'],
  ['latency_count', 'count(latency_ms)'],
  ['latency_sum', 'sum(CAST(coalesce(latency_ms, 0) AS DOUBLE PRECISION))'],
  ['latency_sq', 'sum(CAST(coalesce(latency_ms, 0) AS DOUBLE PRECISION) * coalesce(latency_ms, 0))'],
  ['input_sum', 'sum(CAST(input_tokens AS DOUBLE PRECISION))'],
  ['output_sum', 'sum(CAST(output_tokens AS DOUBLE PRECISION))'],
  ['cached_sum', 'sum(CAST(cached_input_tokens AS DOUBLE PRECISION))'],
  ['input_sq', 'sum(CAST(input_tokens AS DOUBLE PRECISION) * input_tokens)'],
  ['output_sq', 'sum(CAST(output_tokens AS DOUBLE PRECISION) * output_tokens)'],
  ['cached_sq', 'sum(CAST(cached_input_tokens AS DOUBLE PRECISION) * cached_input_tokens)'],
  ['input_output', 'sum(CAST(input_tokens AS DOUBLE PRECISION) * output_tokens)'],
  ['input_cached', 'sum(CAST(input_tokens AS DOUBLE PRECISION) * cached_input_tokens)'],
  ['output_cached', 'sum(CAST(output_tokens AS DOUBLE PRECISION) * cached_input_tokens)'],
  ['failed_count', 'sum(1 - success)'],
  ['failed_latency_count', 'count(CASE WHEN success = 0 THEN latency_ms END)'],
  ['failed_latency_sum', 'sum(CAST((1 - success) * coalesce(latency_ms, 0) AS DOUBLE PRECISION))'],
  [
    'failed_latency_sq',
    'sum(CAST((1 - success) * coalesce(latency_ms, 0) AS DOUBLE PRECISION) * coalesce(latency_ms, 0))',
  ],
  ['failed_input_sum', 'sum(CAST((1 - success) * input_tokens AS DOUBLE PRECISION))'],
  ['failed_output_sum', 'sum(CAST((1 - success) * output_tokens AS DOUBLE PRECISION))'],
  ['failed_cached_sum', 'sum(CAST((1 - success) * cached_input_tokens AS DOUBLE PRECISION))'],
] as const

export const ROLLUP_SUMS: readonly string[] = RUN_SUMS.map(([column]) => column)

/** `scope, bucket, variant` and the sums of the events that `source` (a FROM clause's rest) names. */
export function rollupSelect(widthMs: number, source: Statement): Statement {
  const bucket = raw(`ts / ${widthMs}`)
  return sql`SELECT scope, ${bucket} AS bucket, variant,
      ${raw(RUN_SUMS.map(([column, expression]) => `${expression} AS ${column}`).join(', '))}
    FROM ${source} GROUP BY scope, ${bucket}, variant`
}

/** Adds aggregates, `scope, bucket, variant` and sums, to the rollups of one width. */
function addAggregates(table: 'rollup_minutes' | 'rollup_hours', aggregates: Statement): Statement {
  const sums = ROLLUP_SUMS.map(column => `${column} = ${table}.${column} + excluded.${column}`)
  return sql`INSERT INTO ${raw(`${table} (scope, bucket, variant, ${ROLLUP_SUMS.join(', ')})`)} ${aggregates}
    ON CONFLICT (scope, bucket, variant) DO UPDATE SET ${raw(sums.join(', '))}`
}

/** Events that SQLite has stored since the mark. With a covering index at hand it would scan all of that for the few newest rows. */
export const NEW_EVENTS = raw('run_events NOT INDEXED WHERE seq > (SELECT seq FROM rollup_mark)')

/** Says that rollups count all that SQLite has stored. */
export const MARK_NEWEST = raw(
  'UPDATE rollup_mark SET seq = (SELECT coalesce(max(seq), 0) FROM run_events) WHERE id = 1',
)

/** Adds the events that SQLite has stored since the mark to all that is kept of events. */
export function rollupNewest(): Statement[] {
  return [
    addAggregates('rollup_minutes', rollupSelect(MINUTE_MS, NEW_EVENTS)),
    addAggregates('rollup_hours', rollupSelect(HOUR_MS, NEW_EVENTS)),
    ...BIN_TABLES.latency.map(([table, widthMs]) => addCounts(table, latencySelect(widthMs, NEW_EVENTS))),
    addToCounter('run_events_total', sql`(SELECT count(*) FROM ${NEW_EVENTS})`),
  ]
}

/**
 * The same on PostgreSQL, with what features do: more of a WITH clause in which `added` are the new events. What is wide is
 * summed up from what is narrow, and all is written in the order of its keys.
 */
export function rollupAdded(further: readonly Statement[]): Statement {
  const hours = sql`SELECT scope, bucket / ${raw(String(HOUR_MS / MINUTE_MS))} AS bucket, variant,
      ${raw(ROLLUP_SUMS.map(column => `sum(${column})`).join(', '))}
    FROM minute_aggregates GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`
  return sql`, minute_aggregates AS (${rollupSelect(MINUTE_MS, raw('added'))}),
    minutes AS (${addAggregates('rollup_minutes', sql`SELECT * FROM minute_aggregates ORDER BY 1, 2, 3`)}),
    hours AS (${addAggregates('rollup_hours', hours)})${binClauses('latency', raw('added'))},
    counted AS (
      INSERT INTO counters (name, slot, value)
      SELECT 'run_events_total', pg_backend_pid() % ${raw(String(COUNTER_SLOTS))}, count(*) FROM added
      ON CONFLICT (name, slot) DO UPDATE SET value = counters.value + excluded.value
    )${join(
      further.map((statement, index) => sql`, further_${raw(String(index))} AS (${forPostgres(statement)})`),
      '',
    )}`
}

/** Writers at the same time count in rows of their own, mostly. */
const COUNTER_SLOTS = 16
