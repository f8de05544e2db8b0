import type { Policy } from '../../models/documents/policy.ts'
import type { StatisticsQuestion } from '../../rules/diff_statistics.ts'
import { limitsTails, limitsTools } from '../../rules/limits.ts'
import type { Sql } from '../../sql/port.ts'
import { type AnswerOf, type Query, together } from '../../sql/query.ts'
import type { Ledger } from '../ledger.ts'
import { endsQuery } from '../retention/ends.ts'
import { scoresQuery } from '../scores/sides.ts'
import type { SideQuery, Sides } from './sides.ts'
import { readTails, sketchesQuery } from './tails.ts'
import { MOST_TOOL_RUNS, toolsQuery } from './tools.ts'

/** What a diff has only where it is asked for, or where the policy decides by it. */
export interface Extras {
  readonly tails: boolean
  readonly tools: boolean
}

export function extrasOf(policy: Policy): Extras {
  return { tails: limitsTails(policy), tools: limitsTools(policy) }
}

/** All that one snapshot reads to compare two releases in a window, for {@link readWindow}. */
export function comparisonQuery<S>(
  { dialect }: Sql,
  query: SideQuery,
  { tails, tools }: Extras,
  sides: Query<S>,
) {
  return together({
    ends: endsQuery(query, { tails }),
    sides,
    extras: together({
      sketches: tails ? sketchesQuery(dialect, query) : undefined,
      tools: tools ? toolsQuery(dialect, query) : undefined,
      scores: scoresQuery(dialect, query),
    }),
  })
}

/** What that reads. */
export type Compared<S> = AnswerOf<ReturnType<typeof comparisonQuery<S>>>

/** What else was read, as the statistics take it. */
export async function readExtras(
  ledger: Pick<Ledger, 'sql'>,
  query: SideQuery,
  sides: Sides,
  { sketches, tools, scores }: Compared<unknown>['extras'],
): Promise<Pick<StatisticsQuestion, 'tails' | 'tools' | 'scores'>> {
  return {
    tails: sketches && (await readTails(ledger, query, sides, sketches)),
    tools: tools && { ...tools, most_runs: MOST_TOOL_RUNS },
    scores,
  }
}
