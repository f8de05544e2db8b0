import type { BoardEntry } from '../../../models/answers/board.ts'
import { hasMoved } from '../../../rules/evidence.ts'
import { overallVerdict } from '../../components/change.ts'
import { judged } from '../../../rules/verdict_words.ts'
import { type Concern, HARMS } from '../../components/panels.tsx'
import type { Outlook } from './outlook.ts'

/** An agent with its state in each of its environments. */
export interface AgentRow {
  readonly agent: string
  readonly places: ReadonlyMap<string, PlaceOnBoard>
  /** What is most harmful in any of its environments. */
  readonly urgency: number
}

export interface PlaceOnBoard {
  readonly entry: BoardEntry
  /** What could be next here, as far as it has been read. */
  readonly outlook: Outlook | undefined
  /** The most harmful first. */
  readonly concerns: readonly Concern[]
}

export type Sorting = 'attention' | 'name' | 'newest'
type Outlooks = (entry: BoardEntry) => Outlook | undefined

/** What the board itself knows to be harmful. */
const coreConcerns = (outlookOf: Outlooks): readonly Concern[] => [
  {
    harm: 'segment regression',
    words: 'next is worse for some',
    has: entry => (outlookOf(entry)?.statistics?.segment_regressions?.found_in_all ?? 0) > 0,
  },
  {
    harm: 'blocked next',
    words: 'next would be blocked',
    has: entry => {
      const policy = outlookOf(entry)?.policy
      return policy?.passed === false && !judged(policy, undefined).isUnsure
    },
  },
  {
    harm: 'blocked next',
    words: 'next passes, but is worse',
    has: entry => {
      const { policy, statistics } = outlookOf(entry) ?? {}
      return policy?.passed === true && statistics !== undefined && overallVerdict(statistics) === 'worse'
    },
  },
  {
    harm: 'unusable',
    words: "can't be decided on",
    has: ({ promoted, newest_release }) => (promoted?.unusable ?? newest_release?.unusable) !== undefined,
  },
  {
    harm: 'unpriced',
    words: 'newest release without prices',
    has: ({ newest_release }) => newest_release?.unpriced === true,
  },
  { harm: 'waits', words: 'request pending', has: ({ pending_requests }) => pending_requests > 0 },
  { harm: 'was blocked', words: 'last decision blocked', has: ({ last_action }) => isBlocked(last_action) },
  {
    harm: 'was blocked',
    words: 'newest release rolled back',
    has: ({ newest_release }) => newest_release?.rolled_back_at !== undefined,
  },
]

/** All agents in order; `concerns` are those of features. */
export function rowsOf(
  board: readonly BoardEntry[],
  sorting: Sorting,
  concerns: readonly Concern[],
  outlookOf: Outlooks,
): AgentRow[] {
  const byHarm = [...coreConcerns(outlookOf), ...concerns].toSorted(
    (a, b) => HARMS.indexOf(a.harm) - HARMS.indexOf(b.harm),
  )
  const rows = Array.from(
    Map.groupBy(board, ({ agent_id }) => agent_id),
    ([agent, entries]): AgentRow => {
      const places = entries.map(entry => ({
        entry,
        outlook: outlookOf(entry),
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
  return [...a.places].every(([environment, { entry, outlook, concerns }]) => {
    const other = b.places.get(environment)
    return (
      other !== undefined &&
      other.outlook === outlook &&
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

export const isBlocked = (action: BoardEntry['last_action']): boolean => action !== null && !hasMoved(action)
