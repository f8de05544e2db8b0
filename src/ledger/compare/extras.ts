import type { Policy } from '../../models/documents/policy.ts'
import type { StatisticsQuestion } from '../../rules/diff_statistics.ts'
import { limitsTails, limitsTools } from '../../rules/limits.ts'
import type { Result, Sql, Statement } from '../../sql/port.ts'
import type { Ledger } from '../ledger.ts'
import { SCORE_RESULTS, scoreSideStatements, toScoreSides } from '../scores/sides.ts'
import type { SideQuery, Sides } from './sides.ts'
import { readTails, tailStatements } from './tails.ts'
import { MOST_TOOL_RUNS, toToolCells, toolStatements } from './tools.ts'

/** What a diff has only where it is asked for, or where the policy decides by it. */
export interface Extras {
  readonly tails: boolean
  readonly tools: boolean
}

export function extrasOf(policy: Policy): Extras {
  return { tails: limitsTails(policy), tools: limitsTools(policy) }
}

/** Statements for the snapshot that the sides are read in: two each, and those of scores, which few have to read. */
export function extraStatements({ dialect }: Sql, query: SideQuery, { tails, tools }: Extras): Statement[] {
  return [
    ...(tails ? tailStatements(dialect, query) : []),
    ...(tools ? toolStatements(dialect, query) : []),
    ...scoreSideStatements(dialect, query),
  ]
}

/** What those read. */
export async function readExtras(
  ledger: Pick<Ledger, 'sql'>,
  query: SideQuery,
  sides: Sides,
  { tails, tools }: Extras,
  results: readonly Result[],
): Promise<Pick<StatisticsQuestion, 'tails' | 'tools' | 'scores'>> {
  const [baseline, candidate] = results.slice(tails ? 2 : 0)
  return {
    tails: tails ? await readTails(ledger, query, sides, results.slice(0, 2)) : undefined,
    tools: tools
      ? {
          baseline: toToolCells(baseline!),
          candidate: toToolCells(candidate!),
          most_runs: MOST_TOOL_RUNS,
        }
      : undefined,
    scores: toScoreSides(results.slice(-SCORE_RESULTS)),
  }
}
