import type { ScoreSide, ScoreSides } from '../../rules/scores/statistics.ts'
import type { Result, Sql, Statement } from '../../sql/port.ts'
import type { SideQuery } from '../compare/sides.ts'
import { newestImportsStatement, toSuite } from './imports.ts'
import { runScoresStatement, toScoreCell } from './sums.ts'

/** The scores of both sides, for the snapshot that these are read in. */
export function scoreSideStatements(dialect: Sql['dialect'], query: SideQuery): Statement[] {
  const { baselineId, candidateId, environment, window, filters } = query
  return [baselineId, candidateId].flatMap(releaseId => [
    runScoresStatement(dialect, releaseId, environment, window, filters),
    newestImportsStatement(releaseId),
  ])
}

/** How many results `toScoreSides` reads. */
export const SCORE_RESULTS = 4

export function toScoreSides(results: readonly Result[]): ScoreSides {
  const side = (runs: Result | undefined, suites: Result | undefined): ScoreSide => ({
    runs: runs!.rows.map(toScoreCell),
    suites: suites!.rows.map(toSuite),
  })
  return { baseline: side(results[0], results[1]), candidate: side(results[2], results[3]) }
}
