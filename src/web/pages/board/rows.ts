import type { BoardEntry } from '../../../models/answers/board.ts'
import type { Concern } from '../../components/panels.tsx'

/** An agent with its state in each of its environments. */
export interface AgentRow {
  readonly agent: string
  readonly entries: ReadonlyMap<string, BoardEntry>
  /** In words, the most urgent first. */
  readonly concerns: readonly string[]
  readonly urgency: number
}

export type Sorting = 'attention' | 'name' | 'newest'

/** What the board itself knows to be urgent, and what is less so. What features know comes between the two. */
const URGENT: readonly Concern[] = [
  { words: 'last decision blocked', has: ({ last_action }) => isBlocked(last_action) },
  { words: 'request pending', has: ({ pending_requests }) => pending_requests > 0 },
]
const LESS_URGENT: readonly Concern[] = [
  { words: 'newest release without prices', has: ({ newest_release }) => newest_release?.unpriced === true },
  {
    words: 'newest release rolled back',
    has: ({ newest_release }) => newest_release?.rolled_back_at !== undefined,
  },
]

/** `concerns` are those of features. */
export function rowsOf(
  board: readonly BoardEntry[],
  sorting: Sorting,
  concerns: readonly Concern[],
): AgentRow[] {
  const known = [...URGENT, ...concerns, ...LESS_URGENT]
  const rows = Array.from(
    Map.groupBy(board, ({ agent_id }) => agent_id),
    ([agent, entries]): AgentRow => {
      const found = known.map(({ has }) => entries.some(has))
      return {
        agent,
        entries: new Map(entries.map(entry => [entry.environment, entry])),
        concerns: known.filter((_, index) => found[index]).map(({ words }) => words),
        // The first concern counts more than all behind it.
        urgency: found.reduce((sum, holds) => sum * 2 + (holds ? 1 : 0), 0),
      }
    },
  )
  return rows.sort((a, b) => ORDERS[sorting](a, b) || (a.agent < b.agent ? -1 : 1))
}

const ORDERS: Readonly<Record<Sorting, (a: AgentRow, b: AgentRow) => number>> = {
  attention: (a, b) => b.urgency - a.urgency,
  name: () => 0,
  newest: (a, b) => changedAt(b) - changedAt(a),
}

function changedAt({ entries }: AgentRow): number {
  const times = [...entries.values()].flatMap(({ last_action, newest_release }) => [
    last_action?.created_at,
    newest_release?.created_at,
  ])
  return Math.max(0, ...times.filter(time => time !== undefined).map(time => Date.parse(time)))
}

/** Whether a decision moved nothing: a forced rollback moves the pointer although no policy passed it. */
export const isBlocked = (action: BoardEntry['last_action']): boolean =>
  action !== null && !action.policy_passed && action.forced !== true

/** The release that could be promoted next: newer than the live one, and not one that was rolled back. */
export function candidateOf({ promoted, newest_release }: BoardEntry): BoardEntry['newest_release'] {
  if (newest_release === null || newest_release.release_id === promoted?.release_id) return null
  return newest_release.rolled_back_at === undefined ? newest_release : null
}
