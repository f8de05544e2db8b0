import { useMemo } from 'preact/hooks'
import type { Rollout } from '../../features/rollouts/models.ts'
import type { BoardEntry } from '../../models/answers/board.ts'
import { STATE_WORDS } from '../../rules/place.ts'
import type { Tone } from '../ui/badge.tsx'
import type { IconName } from '../ui/icon.tsx'
import { reasonOf } from '../../features/rollouts/rules_sentence.ts'
import { counted } from '../format.ts'
import { href } from '../route.ts'
import { placeLink } from './comparison.ts'
import { useRolloutRequests, useRollouts } from './rollout_reads.ts'
import { useWatches } from './watch_reads.tsx'
import { endsText, useRetirements } from './retiring.tsx'
import { NEEDED, STATE_ICONS, STATE_TONES } from './state.ts'

/** Why somebody has to see to a place, and what to do first. */
export interface Concern {
  readonly entry: BoardEntry
  readonly icon: IconName
  readonly tone: Tone
  readonly word: string
  readonly reason: string
  readonly verb: string
  readonly link: string
}

export type Concerns = (entries: readonly BoardEntry[]) => readonly Concern[]

/** Days before its end at which a model is named on the board. */
const SOON_DAYS = 30

/** Whether only runs are missing. */
export const isWaitingForRuns = ({ place }: BoardEntry): boolean => place.state === 'needs_runs'

/** Finds what needs somebody; undefined until all that it takes is read, so that no row comes late. */
export function useConcerns(): Concerns | undefined {
  const retirements = useRetirements()
  const requests = useRolloutRequests('pending')
  const rollouts = useRollouts({})
  const watches = useWatches({ state: 'regressed' })
  const isRead = [retirements, requests, rollouts, watches].every(
    ({ data, error }) => data !== undefined || error !== undefined,
  )
  const [live, proposed] = [retirements.data?.live, requests.data?.requests]
  const [stopped, regressed] = [rollouts.data?.rollouts, watches.data?.watches]
  return useMemo(() => {
    if (!isRead) return undefined
    return entries => [
      ...NEEDED.flatMap(([state, verb]) =>
        entries
          .filter(({ place }) => place.state === state)
          .map((entry): Concern => ({
            entry,
            icon: STATE_ICONS[state],
            tone: STATE_TONES[state],
            word: STATE_WORDS[state],
            reason: entry.place.headline,
            verb,
            link: linkOf(entry),
          })),
      ),
      ...(regressed ?? []).flatMap(watch =>
        entries.filter(isLiveIn(watch)).map(entry => ({
          ...about(entry, 'eye', 'regressed', watch.ended_because ?? 'it regressed in its watch'),
          tone: 'bad' as const,
          link: placeLink(entry, { watch: watch.watch_id }),
        })),
      ),
      ...(stopped ?? []).flatMap(rollout =>
        entries
          .filter(entry => isStopped(rollout, entry))
          .map(entry => ({
            ...about(entry, 'steps', `rollout ${rollout.state}`, reasonOf(rollout)),
            tone: rollout.state === 'aborted' ? ('bad' as const) : ('warn' as const),
            link: placeLink(entry, { rollout: rollout.rollout_id }),
          })),
      ),
      ...entries.flatMap(entry => {
        const { promoted, newest_release: newest, place } = entry
        const unusable = promoted?.unusable ?? newest?.unusable
        return unusable === undefined || place.state === 'no_price'
          ? []
          : [
              {
                ...about(entry, 'warn', "can't be decided on", unusable.because),
                verb: 'Add the price',
                link: href('settings', {
                  part: 'prices',
                  price_of: promoted?.unusable ? promoted.release_id : newest?.release_id,
                }),
              },
            ]
      }),
      ...entries
        .filter(({ pending_requests: n, place }) => n > 0 && place.state !== 'awaiting_approval')
        .map(entry =>
          about(entry, 'approvals', 'request', counted(entry.pending_requests, 'request') + ' pending'),
        ),
      ...(proposed ?? []).flatMap(request =>
        entries.filter(isAt(request)).map(entry => ({
          ...about(
            entry,
            'approvals',
            'rollout request',
            `${request.actor} asks for a rollout: ${request.reason}`,
          ),
          verb: 'Review',
          link: placeLink(entry, { request: request.request_id }),
        })),
      ),
      ...(live ?? [])
        .filter(({ days_left }) => days_left <= SOON_DAYS)
        .flatMap(one =>
          entries
            .filter(isLiveIn(one))
            .map(entry => about(entry, 'warn', 'model retires', `${one.model} ${endsText(one)}`)),
        ),
    ]
  }, [isRead, live, proposed, stopped, regressed])
}

/** One that is opened where it is. */
export function about(entry: BoardEntry, icon: IconName, word: string, reason: string): Concern {
  return { entry, icon, tone: 'warn', word, reason, verb: 'Open', link: placeLink(entry) }
}

interface Placed {
  readonly agent_id: string
  readonly environment: string
}

const isAt =
  (one: Placed) =>
  ({ agent_id, environment }: BoardEntry): boolean =>
    agent_id === one.agent_id && environment === one.environment

const isLiveIn =
  (one: Placed & { readonly release_id: string }) =>
  (entry: BoardEntry): boolean =>
    isAt(one)(entry) && entry.promoted?.release_id === one.release_id

/** Whether a rollout is paused, or was aborted and nothing has followed yet. */
function isStopped(rollout: Rollout, entry: BoardEntry): boolean {
  if (!isAt(rollout)(entry)) return false
  return (
    rollout.state === 'paused' ||
    (rollout.state === 'aborted' &&
      rollout.baseline_release_id === entry.promoted?.release_id &&
      rollout.candidate_release_id === entry.newest_release?.release_id)
  )
}

/** Where a state is seen to. */
function linkOf(entry: BoardEntry): string {
  const { newest_release: newest, place } = entry
  if (place.state === 'no_price') return href('settings', { part: 'prices', price_of: newest?.release_id })
  if (place.state === 'worse') {
    const { agent_id: decide_agent, environment: decide_env } = entry
    return placeLink(entry, { decide: 'rollback', decide_agent, decide_env })
  }
  return placeLink(entry, place.allowed.confirm === null ? {} : { request: place.allowed.confirm })
}

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
