import { type ScoreSides, scoreStatistics } from './rules_statistics.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, ofSides, allRows, together } from '../../sql/query.ts'
import type { SideQuery } from '../../ledger/assess/sides.ts'
import type { Measure } from '../../ledger/assess/measure.ts'
import { newestImportsStatement, toSuite } from './imports.ts'
import { runScoresStatement, toScoreCell } from './sums.ts'

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
  { environment, window, filters, ...query }: SideQuery,
): Query<ScoreSides> {
  return ofSides(side => {
    const releaseId = query[`${side}Id`]
    return together({
      runs: allRows(runScoresStatement(dialect, releaseId, environment, window, filters), toScoreCell),
      suites: allRows(newestImportsStatement(releaseId), toSuite),
    })
  })
}
