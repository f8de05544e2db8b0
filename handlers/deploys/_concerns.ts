import { counted } from '../../src/base/text.ts'
import { type NamedModel, endingOf } from '../../src/features/retirements/known.ts'
import type { Retirement } from '../../src/features/retirements/models.ts'
import { liveModels } from '../../src/features/retirements/retirements.ts'
import { ROLE_TEXTS, endText } from '../../src/features/retirements/rules.ts'
import { ROLLOUT } from '../../src/features/rollouts/requests.ts'
import { lastRollouts } from '../../src/features/rollouts/rows.ts'
import { reasonOf } from '../../src/features/rollouts/rules_sentence.ts'
import { watchesOfLive } from '../../src/features/watch/rows.ts'
import type { ReadOpen } from '../../src/ledger/decide/board.ts'
import { type Place, placeOf } from '../../src/ledger/decide/place_answers.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'
import type { Ledger } from '../../src/ledger/world/ledger.ts'
import type { BoardEntry, Concern } from '../../src/models/answers/board.ts'
import type { PlaceAnswer } from '../../src/models/deploys/place.ts'
import { CONCERN_KINDS } from '../../src/models/names.ts'
import { mapped, together } from '../../src/sql/query.ts'

/** Days before its end from which on a model is named. */
const SOON_DAYS = 30

/** A watch, rollout or request by its id, and why somebody may have to see to it. */
interface Found {
  readonly id: string
  readonly reason: string
}

/** What is open in a place, and what somebody may have to see to there, as it is kept until the place changes. */
export interface Open extends Pick<PlaceAnswer, 'rollout' | 'watch'> {
  /** Watches in which the live release regressed. */
  readonly regressed: readonly Found[]
  /** The last rollout, where it is paused or was aborted, with its baseline and its candidate. */
  readonly stopped?: Found & {
    readonly kind: 'rollout_paused' | 'rollout_aborted'
    readonly pair: readonly [baseline: string, candidate: string]
  }
  /** Requests for rollouts that wait. */
  readonly requests: readonly (Found & { readonly expires_at?: string | undefined })[]
  /** Models of the live release. */
  readonly models: readonly NamedModel[]
}

export function readOpen({ sql }: Ledger): ReadOpen<Open> {
  return scope =>
    mapped(
      together({
        rollouts: lastRollouts(sql, scope),
        watches: watchesOfLive(scope),
        requests: listRequests(sql, ROLLOUT, { status: 'pending', scope }),
        live: liveModels(scope),
      }),
      found => {
        const [rollouts, watches] = [byPlace(found.rollouts), byPlace(found.watches)]
        const [requests, live] = [byPlace(found.requests), byPlace(found.live)]
        const places = new Set([rollouts, watches, requests, live].flatMap(each => [...each.keys()]))
        return new Map(
          Array.from(places, place => {
            const own = watches.get(place) ?? []
            const open: Open = {
              rollout: null,
              ...rolloutIn(rollouts.get(place)?.at(-1)),
              watch: watchOf(own.findLast(({ state }) => state === 'watching')),
              regressed: own
                .filter(({ state }) => state === 'regressed')
                .map(({ watch_id: id, ended_because }) => {
                  return { id, reason: ended_because ?? 'it regressed in its watch' }
                }),
              requests: (requests.get(place) ?? []).map(({ request_id: id, actor, reason, expires_at }) => {
                return { id, reason: `${actor} asks for a rollout: ${reason}`, expires_at }
              }),
              models: live.get(place)?.[0]?.models ?? [],
            }
            return [place, open]
          }),
        )
      },
    )
}

function byPlace<T extends Place>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(all, placeOf)
}

type Rollout = ReturnType<ReturnType<typeof lastRollouts>['read']>[number]
type Watch = ReturnType<ReturnType<typeof watchesOfLive>['read']>[number]

function rolloutIn(found: Rollout | undefined): Partial<Open> {
  if (found === undefined) return {}
  const { rollout_id: id, baseline_release_id, candidate_release_id, state, share } = found
  return {
    ...((state === 'running' || state === 'paused') && {
      rollout: { rollout_id: id, candidate_release_id, state, share },
    }),
    ...((state === 'paused' || state === 'aborted') && {
      stopped: {
        kind: `rollout_${state}`,
        reason: reasonOf(found),
        id,
        pair: [baseline_release_id, candidate_release_id],
      },
    }),
  }
}

function watchOf(found: Watch | undefined): PlaceAnswer['watch'] {
  return found === undefined
    ? null
    : { watch_id: found.watch_id, release_id: found.release_id, ends_at: found.ends_at }
}

/** Why somebody has to see to a place at `now`, epoch ms, by the ends of models that are known. */
export function concernsOf(
  entry: Omit<BoardEntry, 'concerns'>,
  { regressed = [], stopped, requests = [], models = [] }: Partial<Open> = {},
  { now, ends }: { readonly now: number; readonly ends: ReadonlyMap<string, Retirement> },
): Concern[] {
  const { promoted, newest_release: newest, pending_requests: pending, place } = entry
  const refused = promoted?.unusable === undefined ? newest : promoted
  // What was aborted is over once something has followed.
  const [baseline, candidate] = stopped?.pair ?? []
  const isStopped =
    stopped?.kind === 'rollout_paused' ||
    (baseline === promoted?.release_id && candidate === newest?.release_id)
  const found: (Concern | undefined)[] = [
    stateConcern(entry),
    ...regressed.map(one => ({ kind: 'regressed', ...one }) as const),
    stopped && isStopped ? { kind: stopped.kind, reason: stopped.reason, id: stopped.id } : undefined,
    refused?.unusable && place.state !== 'no_price'
      ? { kind: 'unusable', reason: refused.unusable.because, id: refused.release_id }
      : undefined,
    pending > 0 && place.state !== 'awaiting_approval'
      ? { kind: 'request', reason: `${counted(pending, 'request')} pending` }
      : undefined,
    ...requests
      .filter(({ expires_at }) => expires_at === undefined || Date.parse(expires_at) > now)
      .map(({ reason, id }) => ({ kind: 'rollout_request', reason, id }) as const),
    ...endingOf(models, ends)
      .filter(({ days_left }) => days_left <= SOON_DAYS)
      .map(end => {
        return {
          kind: 'model_retires',
          reason: `${end.model}${ROLE_TEXTS[end.role]} ${endText(end)}`,
        } as const
      }),
  ]
  return found.filter(one => one !== undefined)
}

/** What the state of a place says, where somebody has to see to it for that. */
function stateConcern({ newest_release: newest, place }: Omit<BoardEntry, 'concerns'>): Concern | undefined {
  const kind = CONCERN_KINDS.find(one => one === place.state)
  if (kind === undefined) return undefined
  const id = kind === 'no_price' ? newest?.release_id : place.allowed.confirm
  return { kind, reason: place.headline, ...(id == null ? {} : { id }) }
}
