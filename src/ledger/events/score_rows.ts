import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { FIRST_TOKEN, scoresOf } from '../../rules/rollup.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Range, Window } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { matchingEvents } from './matching.ts'
import {
  type Blocks,
  type Filters,
  IN_SCOPE,
  addedRanges,
  blockOf,
  isFiltered,
  scopeCte,
  unionAll,
} from './rollups.ts'
import { type Coming, firstOfEach } from './parts.ts'
import { BIN_TABLES, addCounts, binClauses, firstTokensOf, latencySelect } from './latency_counts.ts'
import { MOVED, eventsUnderWay, movedAt } from './under_way.ts'

/** A score of a run: what `run_scores` has of it besides what it takes from the event. */
export type ScoreRow = readonly [run_id: string, name: string, millionths: number, ts: number]

/** The scores of those of these events that may be stored. */
export function scoreRows(events: readonly StoredEvent[]): ScoreRow[] {
  if (events.every(({ scores, metrics }) => scores === undefined && metrics.ttft_ms === undefined)) return []
  return firstOfEach(events).flatMap(({ event, ts }) =>
    scoresOf(event).map(([name, stored]): ScoreRow => [event.run_id, name, stored, ts]),
  )
}

function haveFirstTokens(scores: readonly ScoreRow[]): boolean {
  return scores.some(([, name]) => name === FIRST_TOKEN)
}

const COLUMNS = raw('event, name, scope, ts, score')

/** What rollups keep of scores: how many runs have one, the sum, and the sum of squares. */
const SUMS = [
  ['runs', 'count(*)'],
  ['score_sum', 'sum(CAST(score AS DOUBLE PRECISION))'],
  ['score_sq', 'sum(CAST(score AS DOUBLE PRECISION) * score)'],
] as const

export const SCORE_SUMS: readonly string[] = SUMS.map(([column]) => column)

export const SCORE_WIDTHS = [
  ['rollup_score_minutes', 60_000],
  ['rollup_score_hours', 3_600_000],
] as const

/** `scope, bucket, name` and the sums of the scores that `source` (a FROM clause's rest) names. */
export function scoreRollupSelect(widthMs: number, source: Statement): Statement {
  const width = raw(String(widthMs))
  return sql`SELECT scope, ts / ${width} AS bucket, name,
      ${raw(SUMS.map(([column, expression]) => `${expression} AS ${column}`).join(', '))}
    FROM ${source} GROUP BY scope, ts / ${width}, name`
}

function rollupScores(table: string, widthMs: number, source: Statement, order = ''): Statement {
  const added = SCORE_SUMS.map(column => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
  return sql`INSERT INTO ${raw(`${table} (scope, bucket, name, ${SCORE_SUMS.join(', ')})`)}
    ${scoreRollupSelect(widthMs, source)} ${raw(order)}
    ON CONFLICT (scope, bucket, name) DO UPDATE SET ${raw(added)}`
}

/** Stores the scores of events that are newer than the mark, and adds those that come in to their rollups. */
export function scoreStatements(scores: readonly ScoreRow[], coming: Coming): Statement[] {
  if (scores.length === 0) return []
  return [
    sql`INSERT INTO run_scores (${COLUMNS})
      SELECT e.seq, given.value ->> 1, e.scope, e.ts, given.value ->> 2
      FROM json_each(${JSON.stringify(scores)}) AS given CROSS JOIN run_events e
      WHERE e.run_id = given.value ->> 0 AND e.ts = given.value ->> 3 AND e.seq > (SELECT seq FROM rollup_mark)`,
    ...(coming === 'back' ? [] : SCORE_WIDTHS).map(([table, width]) =>
      rollupScores(table, width, NEW_SCORES),
    ),
    ...(coming === 'back' || !haveFirstTokens(scores) ? [] : BIN_TABLES.ttft).map(([table, width]) =>
      addCounts(table, latencySelect(width, firstTokensOf(NEW_SCORES))),
    ),
  ]
}

const NEW_SCORES = sql`run_scores WHERE event > (SELECT seq FROM rollup_mark)`

/** The same on PostgreSQL: more of a WITH clause in which `added` are the new events. */
export function scoreClauses(scores: readonly ScoreRow[], coming: Coming): Statement {
  if (scores.length === 0) return sql``
  const [minutes, hours] = SCORE_WIDTHS.map(([table, width]) =>
    rollupScores(table, width, raw('scored'), 'ORDER BY 1, 2, 3'),
  )
  return sql`, scored AS (
      INSERT INTO run_scores (${COLUMNS})
      SELECT a.seq, given ->> 1, a.scope, a.ts, CAST(given ->> 2 AS BIGINT)
      FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(scores)} AS TEXT) AS JSONB)) AS given
      JOIN added a ON a.run_id = given ->> 0 AND a.ts = CAST(given ->> 3 AS BIGINT)
      RETURNING scope, ts, name, score
    )${coming === 'in' ? sql`, score_minutes AS (${minutes!}), score_hours AS (${hours!})` : raw('')}${
      coming === 'in' && haveFirstTokens(scores)
        ? binClauses('ttft', firstTokensOf(raw('scored WHERE true')))
        : raw('')
    }`
}

/** Names of scores that are counted each: those of most runs. */
const MOST_NAMES = 200

/** The sums of the scores of a release's runs, a row per name and block of time: from rollups, and raw at ragged ends. */
export function scoreSumsStatement(
  releaseId: string,
  environment: string,
  blocks: Blocks,
  filters: Filters,
): Statement {
  const rows = [
    ...(isFiltered(filters) ? [filteredScores(blocks.window, filters)] : allScores(blocks)),
    ...movedScores(blocks, filters),
  ]
  return sql`WITH ${scopeCte(releaseId, environment)}, sums AS (
      SELECT p.name, ${blockOf(blocks, 'p.at_ms')} AS block, sum(p.runs) AS runs, sum(p.score_sum) AS score_sum,
        sum(p.score_sq) AS score_sq
      FROM (${unionAll(rows)}) AS p GROUP BY p.name, 2 HAVING sum(p.runs) > 0
    )
    SELECT name, block, runs, score_sum, score_sq FROM sums WHERE name IN (
      SELECT name FROM sums GROUP BY name ORDER BY sum(runs) DESC, name LIMIT ${MOST_NAMES})
    ORDER BY name, block`
}

function allScores(blocks: Blocks): Statement[] {
  const { hours, minutes, rows } = addedRanges(blocks)
  return [
    ...hours.map(range => rolledUp('rollup_score_hours', HOUR_MS, range)),
    ...minutes.map(range => rolledUp('rollup_score_minutes', MINUTE_MS, range)),
    ...rows.map(rawScores),
  ]
}

/** Scores of runs that were under way at the moments of the cut, moved out of its blocks. */
function movedScores({ window, cut }: Blocks, filters: Filters): Statement[] {
  if (cut?.moments === undefined) return []
  const joined = sql`JOIN run_scores r ON r.event = e.seq ${MOVED}`
  return [
    sql`SELECT ${movedAt('r.ts')} AS at_ms, r.name, ${ofOne('moved.sign')}
      FROM ${eventsUnderWay(cut.moments, window, filters, joined)}`,
  ]
}

function rolledUp(table: string, widthMs: number, { from, to }: Range): Statement {
  return sql`SELECT bucket * ${raw(String(widthMs))} AS at_ms, name, runs, score_sum, score_sq
    FROM ${raw(table)} WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
}

function ofOne(sign = '1'): Statement {
  const score = `${sign} * CAST(r.score AS DOUBLE PRECISION)`
  return raw(`${sign} AS runs, ${score} AS score_sum, ${score} * r.score AS score_sq`)
}

function rawScores({ from, to }: Range): Statement {
  return sql`SELECT r.ts AS at_ms, r.name, ${ofOne()} FROM run_scores r
    WHERE r.${IN_SCOPE} AND r.ts >= ${from} AND r.ts < ${to}`
}

/** Most releases have no scores, and the events that match need not be looked up twice then. */
function filteredScores(window: Window, filters: Filters): Statement {
  const { since, until } = window
  return sql`SELECT e.ts AS at_ms, r.name, ${ofOne()}
    FROM ${matchingEvents(window, filters, sql`JOIN run_scores r ON r.event = e.seq`)}
      AND EXISTS (SELECT 1 FROM run_scores WHERE ${IN_SCOPE} AND ts >= ${since} AND ts < ${until})`
}
