import { type Statement, raw, sql } from '../../sql/port.ts'
import { LATENCY_TABLES, addLatencies } from './latency_counts.ts'
import { addToCounter } from '../chain/counters.ts'

const SUMS = [
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
] as const

export const ROLLUP_SUMS: readonly string[] = SUMS.map(([column]) => column)

/** `scope, bucket, variant` and the sums of the events that `source` (a FROM clause's rest) names. */
export function rollupSelect(widthMs: number, source: Statement): Statement {
  return {
    text: `SELECT scope, ts / ${widthMs} AS bucket, variant,
        ${SUMS.map(([column, expression]) => `${expression} AS ${column}`).join(', ')}
      FROM ${source.text} GROUP BY scope, ts / ${widthMs}, variant`,
    params: source.params,
  }
}

/** Adds events to the roll-ups of one width, in the given order. */
export function rollUp(
  table: 'rollup_minutes' | 'rollup_hours',
  widthMs: number,
  source: Statement,
  order = '',
): Statement {
  const ordered = raw(order)
  return sql`${insertInto(table)} ${rollupSelect(widthMs, source)} ${ordered} ${onConflict(table)}`
}

function insertInto(table: string): Statement {
  return raw(`INSERT INTO ${table} (scope, bucket, variant, ${ROLLUP_SUMS.join(', ')})`)
}

function onConflict(table: string): Statement {
  const sums = ROLLUP_SUMS.map(column => `${column} = ${table}.${column} + excluded.${column}`)
  return raw(`ON CONFLICT (scope, bucket, variant) DO UPDATE SET ${sums.join(', ')}`)
}

// With a covering index at hand SQLite would scan all of it for the few newest rows.
const NEW_EVENTS = raw('run_events NOT INDEXED WHERE seq > (SELECT seq FROM rollup_mark)')

/** Says that roll-ups count all that SQLite has stored. */
export const MARK_NEWEST = raw(
  'UPDATE rollup_mark SET seq = (SELECT coalesce(max(seq), 0) FROM run_events) WHERE id = 1',
)

/** Adds the events that SQLite has stored since the mark to all that is kept of events. */
export function rollUpNewest(): Statement[] {
  return [
    rollUp('rollup_minutes', 60_000, NEW_EVENTS),
    rollUp('rollup_hours', 3_600_000, NEW_EVENTS),
    ...LATENCY_TABLES.map(table => addLatencies('sqlite', table, NEW_EVENTS)),
    addToCounter('run_events_total', sql`(SELECT count(*) FROM ${NEW_EVENTS})`),
  ]
}
