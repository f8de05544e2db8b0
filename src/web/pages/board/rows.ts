import type { BoardEntry } from '../../../models/answers/board.ts'
import type { RetiringRelease } from '../../../models/answers/retirement.ts'
import type { Watch } from '../../../models/answers/watch.ts'

/** An agent with where it stands in each of its environments. */
export interface AgentRow {
  readonly agent: string
  readonly entries: ReadonlyMap<string, BoardEntry>
  readonly concerns: readonly Concern[]
}

export type Concern = 'blocked' | 'pending' | 'regressed' | 'retiring' | 'unpriced' | 'rolled back'

export const CONCERNS: readonly (readonly [Concern, words: string])[] = [
  ['blocked', 'last decision blocked'],
  ['pending', 'request pending'],
  ['regressed', 'regressed in its watch'],
  ['retiring', 'a live model ends soon'],
  ['unpriced', 'newest release without prices'],
  ['rolled back', 'newest release rolled back'],
]

export type Sorting = 'attention' | 'name' | 'newest'

/** What is known of live releases besides the board. */
export interface LiveFacts {
  readonly regressed: readonly Watch[]
  readonly retiring: readonly RetiringRelease[]
}

export function rowsOf(board: readonly BoardEntry[], sorting: Sorting, facts: LiveFacts): AgentRow[] {
  const rows = Array.from(
    Map.groupBy(board, ({ agent_id }) => agent_id),
    ([agent, entries]): AgentRow => ({
      agent,
      entries: new Map(entries.map(entry => [entry.environment, entry])),
      concerns: CONCERNS.map(([concern]) => concern).filter(concern =>
        entries.some(entry => HAS[concern](entry, facts)),
      ),
    }),
  )
  return rows.sort((a, b) => ORDERS[sorting](a, b) || (a.agent < b.agent ? -1 : 1))
}

const HAS: Readonly<Record<Concern, (entry: BoardEntry, facts: LiveFacts) => boolean>> = {
  blocked: ({ last_action }) => isBlocked(last_action),
  pending: ({ pending_requests }) => pending_requests > 0,
  regressed: ({ promoted, environment }, { regressed }) =>
    regressed.some(watch => watch.release_id === promoted?.release_id && watch.environment === environment),
  retiring: (entry, { retiring }) => retiringIn(entry, retiring).length > 0,
  unpriced: ({ newest_release }) => newest_release?.unpriced === true,
  'rolled back': ({ newest_release }) => newest_release?.rolled_back_at !== undefined,
}

/** Models of the live release that a provider retires soon, the first to end first. */
export function retiringIn(
  { agent_id, environment, promoted }: BoardEntry,
  retiring: readonly RetiringRelease[],
): readonly RetiringRelease[] {
  return retiring.filter(
    one =>
      one.agent_id === agent_id && one.environment === environment && one.release_id === promoted?.release_id,
  )
}

const ORDERS: Readonly<Record<Sorting, (a: AgentRow, b: AgentRow) => number>> = {
  attention: (a, b) => urgency(b) - urgency(a),
  name: () => 0,
  newest: (a, b) => changedAt(b) - changedAt(a),
}

/** The first concern counts more than all behind it. */
function urgency({ concerns }: AgentRow): number {
  return CONCERNS.reduce((sum, [concern]) => sum * 2 + (concerns.includes(concern) ? 1 : 0), 0)
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
