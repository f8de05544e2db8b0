import type { Policy } from '../../models/documents/policy.ts'
import type { StatisticsQuestion } from '../../rules/diff_statistics.ts'
import { limitsTails, limitsTools } from '../../rules/limits.ts'
import type { Sql } from '../../sql/port.ts'
import { type AnswerOf, together } from '../../sql/query.ts'
import type { Ledger } from '../ledger.ts'
import { endsQuery } from '../retention/ends.ts'
import { scoresQuery } from '../scores/sides.ts'
import { type SideQuery, type Sides, sidesQuery } from './sides.ts'
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
export function comparisonQuery({ dialect }: Sql, query: SideQuery, { tails, tools }: Extras) {
  return together({
    ends: endsQuery(query, { tails }),
    sides: sidesQuery(dialect, query),
    extras: together({
      sketches: tails ? sketchesQuery(dialect, query) : undefined,
      tools: tools ? toolsQuery(dialect, query) : undefined,
      scores: scoresQuery(dialect, query),
    }),
  })
}

export type ReadExtras = AnswerOf<ReturnType<typeof comparisonQuery>>['extras']

/** What else was read, as the statistics take it. */
export async function readExtras(
  ledger: Pick<Ledger, 'sql'>,
  query: SideQuery,
  sides: Sides,
  { sketches, tools, scores }: ReadExtras,
): Promise<Pick<StatisticsQuestion, 'tails' | 'tools' | 'scores'>> {
  return {
    tails: sketches && (await readTails(ledger, query, sides, sketches)),
    tools: tools && { ...tools, most_runs: MOST_TOOL_RUNS },
    scores,
  }
}
