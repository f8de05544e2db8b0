import { counted } from '../../src/base/text.ts'
import { listRetirements } from '../../src/features/retirements/retirements.ts'
import { ROLE_TEXTS, endText } from '../../src/features/retirements/rules.ts'
import { ROLLOUT } from '../../src/features/rollouts/requests.ts'
import { stoppedRollouts } from '../../src/features/rollouts/rows.ts'
import { reasonOf } from '../../src/features/rollouts/rules_sentence.ts'
import { listWatches } from '../../src/features/watch/rows.ts'
import type { Called } from '../../src/http/access/context.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'
import { type Place, placeOf } from '../../src/ledger/decide/place_answers.ts'
import type { BoardEntry, Concern } from '../../src/models/answers/board.ts'
import { CONCERN_KINDS } from '../../src/models/names.ts'
import { ask } from '../../src/sql/query.ts'

/** Days before its end from which on a model is named. */
const SOON_DAYS = 30
/** Most watches, rollouts and requests that are read, the newest. */
const MOST = 500

/** Finds why somebody has to see to places in the caller's scope, each with what only the board knows of it. */
export async function readConcerns({
  sql,
  caller: { scope },
}: Called): Promise<(entry: Omit<BoardEntry, 'concerns'>) => Concern[]> {
  const [watches, rollouts, requests, retiring] = await Promise.all([
    listWatches(sql, { state: 'regressed', limit: MOST, scope }).then(byPlace),
    ask(sql, stoppedRollouts(sql, scope, MOST)).then(byPlace),
    listRequests(sql, ROLLOUT, { status: 'pending', limit: MOST, scope }).then(byPlace),
    listRetirements(sql, { days: SOON_DAYS, scope }).then(({ live }) => byPlace(live)),
  ])
  return function concernsOf(entry) {
    const at = placeOf(entry)
    const { promoted, newest_release: newest, pending_requests: pending, place } = entry
    const refused = promoted?.unusable === undefined ? newest : promoted
    const found: (Concern | undefined)[] = [
      stateConcern(entry),
      ...(watches.get(at) ?? [])
        .filter(({ release_id }) => release_id === promoted?.release_id)
        .map(({ watch_id: id, ended_because }) => {
          return { kind: 'regressed', reason: ended_because ?? 'it regressed in its watch', id } as const
        }),
      ...(rollouts.get(at) ?? []).flatMap(rollout => {
        const { state, rollout_id: id, baseline_release_id, candidate_release_id } = rollout
        // What was aborted is over once something has followed.
        const isLast =
          baseline_release_id === promoted?.release_id && candidate_release_id === newest?.release_id
        if (state !== 'paused' && !isLast) return []
        const kind = state === 'paused' ? 'rollout_paused' : 'rollout_aborted'
        return [{ kind, reason: reasonOf(rollout), id } as const]
      }),
      refused?.unusable && place.state !== 'no_price'
        ? { kind: 'unusable', reason: refused.unusable.because, id: refused.release_id }
        : undefined,
      pending > 0 && place.state !== 'awaiting_approval'
        ? { kind: 'request', reason: `${counted(pending, 'request')} pending` }
        : undefined,
      ...(requests.get(at) ?? []).map(({ request_id: id, actor, reason }) => {
        return { kind: 'rollout_request', reason: `${actor} asks for a rollout: ${reason}`, id } as const
      }),
      ...(retiring.get(at) ?? [])
        .filter(({ release_id }) => release_id === promoted?.release_id)
        .map(one => {
          return {
            kind: 'model_retires',
            reason: `${one.model}${ROLE_TEXTS[one.role]} ${endText(one)}`,
          } as const
        }),
    ]
    return found.filter(one => one !== undefined)
  }
}

function byPlace<T extends Place>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(all, placeOf)
}

/** What the state of a place says, where somebody has to see to it for that. */
function stateConcern({ newest_release: newest, place }: Omit<BoardEntry, 'concerns'>): Concern | undefined {
  const kind = CONCERN_KINDS.find(one => one === place.state)
  if (kind === undefined) return undefined
  const id = kind === 'no_price' ? newest?.release_id : place.allowed.confirm
  return { kind, reason: place.headline, ...(id == null ? {} : { id }) }
}
