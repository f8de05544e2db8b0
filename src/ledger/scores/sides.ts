import type { ScoreSides } from '../../rules/scores/statistics.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, ofSides, allRows, together } from '../../sql/query.ts'
import type { SideQuery } from '../compare/sides.ts'
import { newestImportsStatement, toSuite } from './imports.ts'
import { runScoresStatement, toScoreCell } from './sums.ts'

/** The scores of both sides, for the snapshot that reads these. */
export function scoresQuery(
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
