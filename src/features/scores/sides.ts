import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { NamedCase } from '../../models/answers/suites.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { CaseDetails } from './rules_cases.ts'
import {
  type ScoreSide,
  type ScoreSides,
  firstTokenStatistics,
  scoreStatistics,
  suitePairs,
} from './rules_statistics.ts'
import { type ScoreAggregate, suiteWarnings, suitesOf, unknownWarnings } from './rules_suites.ts'
import { detailsOf, importsOf, namesOf, readTables } from './cases.ts'
import { type Row, sql } from '../../sql/port.ts'
import {
  type Query,
  ask,
  asNumber,
  asText,
  columns,
  field,
  mapped,
  onlyRow,
  rowsOfSides,
  together,
} from '../../sql/query.ts'
import type { SideQuery } from '../../ledger/assess/sides.ts'
import type { Measure } from '../../ledger/assess/parts.ts'
import type { Naming } from '../../ledger/assess/naming.ts'
import { FIRST_TOKEN } from '../../rules/rollup.ts'
import { scoreSumsStatement } from '../../ledger/events/score_rows.ts'
import { newestImports, toSuite } from './imports.ts'

export const measure: Measure<ScoreSides> = {
  name: 'scores',
  // Few runs have any, so they are always read.
  isLimited: () => true,
  query: scoresQuery,
  measured: async (ledger, _query, { candidate }, read) => {
    const sides = await withCases(ledger, read)
    const pairs = suitePairs(sides)
    const of = { now: await databaseTime(ledger, pairs.size), checksum: candidate.release.checksum }
    return ({ policy, options, planned, isRollback }) => {
      const compared = scoreStatistics(sides, options, policy.max_score_drop)
      // Missing cases hold up no rollback.
      const scores = isRollback ? compared.map(({ missing: _missing, ...score }) => score) : compared
      const imported = suitesOf(pairs, policy.suites ?? {}, of)
      const isShown = imported.length > 0 || policy.suites != null
      const ttft_ms = firstTokenStatistics(sides, options, planned(policy.max_ttft_increase_pct))
      return {
        statistics: {
          ...(ttft_ms === undefined ? {} : { ttft_ms }),
          ...(scores.length === 0 ? {} : { scores }),
          ...(isShown ? { suites: { of_rollback: isRollback, imported } } : {}),
        },
        warnings: [
          ...imported.flatMap(suite => suiteWarnings(suite, pairs.get(suite.suite)!, policy)),
          ...unknownWarnings(Object.keys(policy.suites ?? {}), [...pairs.keys()]),
        ],
      }
    }
  },
}

export const naming: Naming = { casesIn }

/** Imports never change, so their cases need not be read in the snapshot. */
export async function withCases(
  ledger: Pick<Ledger, 'sql' | 'memo'>,
  { baseline, candidate }: ScoreSides,
): Promise<ScoreSides> {
  // Without a candidate there is nothing to compare.
  const compared = baseline.suites.filter(({ suite }) => candidate.suites.some(one => one.suite === suite))
  const tables = await readTables(ledger, [...compared, ...candidate.suites])
  const of = (side: ScoreSide): ScoreSide => ({
    ...side,
    suites: side.suites.map(suite => ({ ...suite, table: tables.get(suite.import_id) })),
  })
  return { baseline: of(baseline), candidate: of(candidate) }
}

/** What imports are old by. */
export async function databaseTime({ sql: db }: Pick<Ledger, 'sql'>, suites: number): Promise<number> {
  return suites === 0 ? 0 : ask(db, onlyRow(sql`SELECT ${db.clock} AS now`, field('now', asNumber)))
}

/** Most cases that are listed for a reader, of all suites. */
const MOST_LISTED = 60

/** The cases that statistics list, by their names and traces. */
async function casesIn(
  ledger: Pick<Ledger, 'sql' | 'memo'>,
  { suites }: Pick<DiffStatistics, 'suites'>,
): Promise<NamedCase[]> {
  const listed = (suites?.imported ?? [])
    .flatMap(({ suite, candidate_import_id: of, listed: cases }) =>
      cases.map(each => ({ ...each, suite, import_id: of! })),
    )
    .slice(0, MOST_LISTED)
  const keys = listed.map(({ case: key }) => key)
  const names = await namesOf(ledger.sql, keys)
  const details = new Map<string, Map<string, CaseDetails[]>>()
  for (const [import_id, table] of await readTables(ledger, await importsOf(ledger.sql, listed))) {
    details.set(import_id, await detailsOf(ledger.sql, import_id, table, keys))
  }
  return listed.map(({ suite, case: key, state, import_id }) => {
    const traces = (details.get(import_id)?.get(key) ?? []).flatMap(({ trace_id }) => trace_id ?? [])
    return {
      suite,
      case: key,
      name: names.get(key) ?? null,
      state,
      ...(traces.length === 0 ? {} : { trace_ids: traces }),
    }
  })
}

function scoresQuery({ environment, window, cut, filters, ...query }: SideQuery): Query<ScoreSides> {
  const { baselineId, candidateId } = query
  const both = together({
    sums: rowsOfSides(
      side => scoreSumsStatement(query[`${side}Id`], environment, { window, cut }, filters),
      'name, block',
      toScoreAggregate,
    ),
    imports: newestImports([baselineId, candidateId]),
  })
  return mapped(both, ({ sums, imports }) => {
    const sideOf = (own: readonly ScoreAggregate[], id: string): ScoreSide => ({
      runs: own.filter(({ name }) => name !== FIRST_TOKEN),
      first_tokens: own.filter(({ name }) => name === FIRST_TOKEN),
      suites: imports.filter(({ release_id }) => release_id === id).map(toSuite),
    })
    return {
      baseline: sideOf(sums.baseline, baselineId),
      candidate: sideOf(sums.candidate, candidateId),
    }
  })
}

const readScores = columns({
  name: asText,
  block: asNumber,
  runs: asNumber,
  score_sum: asNumber,
  score_sq: asNumber,
})

function toScoreAggregate(row: Row): ScoreAggregate {
  const { name, block, runs: n, score_sum: sum, score_sq: sum_of_squares } = readScores(row)
  return { name, cluster: `${block}`, n, sum, sum_of_squares }
}
