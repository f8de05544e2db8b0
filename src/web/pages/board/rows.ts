import type { BoardEntry } from '../../../models/answers/board.ts'
import { STATE_WORDS } from '../../../rules/place.ts'
import { type Concern, HARMS } from '../../components/panels.tsx'

/** An agent with its state in each of its environments. */
export interface AgentRow {
  readonly agent: string
  readonly places: ReadonlyMap<string, PlaceOnBoard>
  /** What is most harmful in any of its environments. */
  readonly urgency: number
}

export interface PlaceOnBoard {
  readonly entry: BoardEntry
  /** The most harmful first. */
  readonly concerns: readonly Concern[]
}

export type Sorting = 'attention' | 'name' | 'newest'

/** What the answer for a place says that somebody should look at, by its state. */
const STATE_HARMS: Readonly<Partial<Record<NonNullable<BoardEntry['place']['state']>, Concern['harm']>>> = {
  worse: 'regresses',
  blocked: 'blocked next',
  no_price: 'unpriced',
  awaiting_approval: 'waits',
}

/** What the board itself knows to be harmful. */
const CORE_CONCERNS: readonly Concern[] = [
  ...Object.entries(STATE_HARMS).map(([state, harm]) => ({
    harm,
    state: state as keyof typeof STATE_HARMS,
    words: STATE_WORDS[state as keyof typeof STATE_HARMS],
    has: ({ place }: BoardEntry) => place.state === state,
  })),
  {
    harm: 'unusable',
    words: "can't be decided on",
    has: ({ promoted, newest_release }) => (promoted?.unusable ?? newest_release?.unusable) !== undefined,
  },
  // Behind a state that comes before it.
  { harm: 'waits', words: 'request pending', has: isBehind },
]

function isBehind({ pending_requests, place: { state } }: BoardEntry): boolean {
  return pending_requests > 0 && state !== 'awaiting_approval'
}

/** All agents in order; `concerns` are those of features. */
export function rowsOf(
  board: readonly BoardEntry[],
  sorting: Sorting,
  concerns: readonly Concern[],
): AgentRow[] {
  const byHarm = [...CORE_CONCERNS, ...concerns].toSorted(
    (a, b) => HARMS.indexOf(a.harm) - HARMS.indexOf(b.harm),
  )
  const rows = Array.from(
    Map.groupBy(board, ({ agent_id }) => agent_id),
    ([agent, entries]): AgentRow => {
      const places = entries.map(entry => ({
        entry,
        concerns: byHarm.filter(({ has }) => has(entry)),
      }))
      const found = byHarm
        .filter(needsSomebody)
        .map(concern => places.some(place => place.concerns.includes(concern)))
      return {
        agent,
        places: new Map(places.map(place => [place.entry.environment, place])),
        // The first concern counts more than all behind it.
        urgency: found.reduce((sum, holds) => sum * 2 + (holds ? 1 : 0), 0),
      }
    },
  )
  return rows.sort((a, b) => ORDERS[sorting](a, b) || (a.agent < b.agent ? -1 : 1))
}

/** The rows that are shown, where they say the same as the new ones: what is the same is not drawn again. */
export function keptRows(shown: readonly AgentRow[], rows: readonly AgentRow[]): readonly AgentRow[] {
  const before = new Map(shown.map(row => [row.agent, row]))
  return rows.map(row => {
    const known = before.get(row.agent)
    return known !== undefined && isSame(known, row) ? known : row
  })
}

function isSame(a: AgentRow, b: AgentRow): boolean {
  if (a.urgency !== b.urgency || a.places.size !== b.places.size) return false
  return [...a.places].every(([environment, { entry, concerns }]) => {
    const other = b.places.get(environment)
    return (
      other !== undefined &&
      other.concerns.length === concerns.length &&
      other.concerns.every(({ words }, index) => words === concerns[index]!.words) &&
      (other.entry === entry || JSON.stringify(other.entry) === JSON.stringify(entry))
    )
  })
}

export const needsSomebody = ({ harm }: Concern): boolean => harm !== 'rolls out'

const ORDERS: Readonly<Record<Sorting, (a: AgentRow, b: AgentRow) => number>> = {
  attention: (a, b) => b.urgency - a.urgency,
  name: () => 0,
  newest: (a, b) => changedAt(b) - changedAt(a),
}

function changedAt({ places }: AgentRow): number {
  const times = [...places.values()].flatMap(({ entry: { last_action, newest_release } }) => [
    last_action?.created_at,
    newest_release?.created_at,
  ])
  return Math.max(0, ...times.filter(time => time !== undefined).map(time => Date.parse(time)))
}
