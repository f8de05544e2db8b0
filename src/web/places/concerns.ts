import type { BoardEntry, Concern } from '../../models/answers/board.ts'
import { CONCERN_KINDS } from '../../models/names.ts'
import { STATE_WORDS } from '../../rules/place.ts'
import type { Tone } from '../ui/badge.tsx'
import type { IconName } from '../ui/icon.tsx'
import { useBoard } from '../reads.ts'
import { type Params, href } from '../route.ts'
import { placeLink } from './comparison.ts'
import { STATE_ICONS, STATE_TONES } from './state.ts'

type Kind = Concern['kind']

/** How a concern is called and drawn, and where it is seen to: on the page of its place, with these parameters. */
interface Drawn {
  readonly icon: IconName
  readonly tone: Tone
  readonly word: string
  readonly verb: string
  readonly on?: (id: string | undefined, entry: BoardEntry) => Params
}

const ofState = (state: keyof typeof STATE_WORDS, verb: string, on?: Drawn['on']): Drawn => ({
  icon: STATE_ICONS[state],
  tone: STATE_TONES[state],
  word: STATE_WORDS[state],
  verb,
  ...(on === undefined ? {} : { on }),
})

const DRAWN: Readonly<Record<Kind, Drawn>> = {
  worse: ofState('worse', 'Roll back…', (_, { agent_id: decide_agent, environment: decide_env }) => ({
    decide: 'rollback',
    decide_agent,
    decide_env,
  })),
  blocked: ofState('blocked', 'Open'),
  no_price: ofState('no_price', 'Add the price'),
  awaiting_approval: ofState('awaiting_approval', 'Review', request => ({ request })),
  regressed: { icon: 'eye', tone: 'bad', word: 'regressed', verb: 'Open', on: watch => ({ watch }) },
  rollout_aborted: stopped('aborted', 'bad'),
  rollout_paused: stopped('paused', 'warn'),
  unusable: { icon: 'warn', tone: 'warn', word: "can't be decided on", verb: 'Add the price' },
  request: { icon: 'approvals', tone: 'warn', word: 'request', verb: 'Open' },
  rollout_request: {
    icon: 'approvals',
    tone: 'warn',
    word: 'rollout request',
    verb: 'Review',
    on: request => ({ request }),
  },
  model_retires: { icon: 'warn', tone: 'warn', word: 'model retires', verb: 'Open' },
  needs_runs: ofState('needs_runs', 'Open'),
}

function stopped(state: string, tone: Tone): Drawn {
  return { icon: 'steps', tone, word: `rollout ${state}`, verb: 'Open', on: rollout => ({ rollout }) }
}

/** What lacks a price is seen to where prices are. */
const UNPRICED: readonly Kind[] = ['no_price', 'unusable']

/** Why somebody has to see to a place, and what to do first. */
export interface Needed extends Drawn {
  readonly entry: BoardEntry
  readonly reason: string
  readonly link: string
}

/** What needs somebody, the most harmful first, and what only waits for runs. */
export function neededOf(entries: readonly BoardEntry[]): { needed: Needed[]; waiting: Needed[] } {
  const all = entries
    .flatMap(entry => entry.concerns.map(concern => ({ entry, ...concern })))
    .toSorted((a, b) => CONCERN_KINDS.indexOf(a.kind) - CONCERN_KINDS.indexOf(b.kind))
  const of = (isWaiting: boolean): Needed[] =>
    all
      .filter(({ kind }) => (kind === 'needs_runs') === isWaiting)
      .map(({ entry, kind, reason, id }) => ({
        ...DRAWN[kind],
        entry,
        reason,
        link: UNPRICED.includes(kind)
          ? href('settings', { part: 'prices', price_of: id })
          : placeLink(entry, DRAWN[kind].on?.(id, entry)),
      }))
  return { needed: of(false), waiting: of(true) }
}

/** How many things need somebody. */
export const useNeeded = (): number => neededOf(useBoard().data?.board ?? []).needed.length

/** Agents in the order of the board: rollouts and watches, then those with a candidate, each by name. */
export function orderOf(entries: readonly BoardEntry[], environment: string): readonly string[] {
  const rank = ({ place }: BoardEntry): number =>
    place.state === 'rolling_out' || place.state === 'watched' ? 0 : place.candidate !== null ? 1 : 2
  const agents = Map.groupBy(entries, ({ agent_id }) => agent_id)
  const rankOf = (agent: string): number =>
    Math.min(
      3,
      ...agents
        .get(agent)!
        .filter(entry => entry.environment === environment)
        .map(rank),
    )
  return [...agents.keys()].toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
}
