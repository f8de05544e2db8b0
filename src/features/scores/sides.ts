import { type ScoreCell, type ScoreSides, scoreStatistics } from './rules_statistics.ts'
import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, asNumber, asText, columns, mapped, ofSides, together } from '../../sql/query.ts'
import type { SideQuery } from '../../ledger/assess/sides.ts'
import type { Measure } from '../../ledger/assess/parts.ts'
import { newestImports, toSuite } from './imports.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Range, Window } from '../../rules/window.ts'
import { addedRanges } from '../../ledger/events/parts.ts'
import {
  type Blocks,
  type Filters,
  IN_SCOPE,
  blockOf,
  isFiltered,
  scopeCte,
  unionAll,
} from '../../ledger/events/rollups.ts'
import { matchingEvents } from '../../ledger/events/matching.ts'

export const measure: Measure<ScoreSides> = {
  name: 'scores',
  // Few runs have any, so they are always read.
  isLimited: () => true,
  query: scoresQuery,
  measured: async (_ledger, _query, _sides, sides) => {
    return ({ policy, options }) => {
      const scores = scoreStatistics(sides, options, policy.max_score_drop)
      return { statistics: scores.length === 0 ? {} : { scores } }
    }
  },
}

function scoresQuery(
  dialect: Sql['dialect'],
  { environment, window, cut, filters, ...query }: SideQuery,
): Query<ScoreSides> {
  return ofSides(side => {
    const releaseId = query[`${side}Id`]
    return together({
      runs: allRows(
        runScoresStatement(dialect, releaseId, environment, { window, cut }, filters),
        toScoreCell,
      ),
      suites: mapped(newestImports(releaseId), imports => imports.map(toSuite)),
    })
  })
}

/** Most names of scores that are compared: those of most runs. */
const MOST_NAMES = 200

/** The sums of the scores of a release's runs, a row per name and block of time: from roll-ups, and raw at ragged ends. */
function runScoresStatement(
  dialect: Sql['dialect'],
  releaseId: string,
  environment: string,
  blocks: Blocks,
  filters: Filters,
): Statement {
  const parts = isFiltered(filters) ? filteredScores(dialect, blocks.window, filters) : allScores(blocks)
  return sql`WITH ${scopeCte(releaseId, environment)}, cells AS (
      SELECT p.name, ${blockOf(blocks, 'p.at_ms')} AS block, sum(p.runs) AS runs, sum(p.score_sum) AS score_sum,
        sum(p.score_sq) AS score_sq
      FROM (${parts}) AS p GROUP BY p.name, 2
    )
    SELECT name, block, runs, score_sum, score_sq FROM cells WHERE name IN (
      SELECT name FROM cells GROUP BY name ORDER BY sum(runs) DESC, name LIMIT ${MOST_NAMES})
    ORDER BY name, block`
}

const readScores = columns({
  name: asText,
  block: asNumber,
  runs: asNumber,
  score_sum: asNumber,
  score_sq: asNumber,
})

function toScoreCell(row: Row): ScoreCell {
  const { name, block, runs: n, score_sum: sum, score_sq: sum_of_squares } = readScores(row)
  return { name, cluster: `${block}`, n, sum, sum_of_squares }
}

function allScores(blocks: Blocks): Statement {
  const { hours, minutes, rows } = addedRanges(blocks)
  return unionAll([
    ...hours.map(range => rolledUp('rollup_score_hours', HOUR_MS, range)),
    ...minutes.map(range => rolledUp('rollup_score_minutes', MINUTE_MS, range)),
    ...rows.map(rawScores),
  ])
}

function rolledUp(table: string, widthMs: number, { from, to }: Range): Statement {
  return sql`SELECT bucket * ${raw(String(widthMs))} AS at_ms, name, runs, score_sum, score_sq
    FROM ${raw(table)} WHERE ${IN_SCOPE} AND bucket >= ${from} AND bucket < ${to}`
}

const OF_ONE = raw(`1 AS runs, CAST(r.score AS DOUBLE PRECISION) AS score_sum,
    CAST(r.score AS DOUBLE PRECISION) * r.score AS score_sq`)

function rawScores({ from, to }: Range): Statement {
  return sql`SELECT r.ts AS at_ms, r.name, ${OF_ONE} FROM run_scores r
    WHERE r.${IN_SCOPE} AND r.ts >= ${from} AND r.ts < ${to}`
}

/** Most releases have no scores, and the events that match need not be looked up twice then. */
function filteredScores(dialect: Sql['dialect'], window: Window, filters: Filters): Statement {
  const { since, until } = window
  return sql`SELECT e.ts AS at_ms, r.name, ${OF_ONE}
    FROM ${matchingEvents(dialect, window, filters, sql`JOIN run_scores r ON r.event = e.seq`)}
      AND EXISTS (SELECT 1 FROM run_scores WHERE ${IN_SCOPE} AND ts >= ${since} AND ts < ${until})`
}
