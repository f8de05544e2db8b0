import { counted } from '../../src/base/text.ts'
import { listRetirements } from '../../src/features/retirements/retirements.ts'
import { ROLE_TEXTS, endText } from '../../src/features/retirements/rules.ts'
import { ROLLOUT } from '../../src/features/rollouts/requests.ts'
import { listRollouts } from '../../src/features/rollouts/rows.ts'
import { reasonOf } from '../../src/features/rollouts/rules_sentence.ts'
import { listWatches } from '../../src/features/watch/rows.ts'
import type { Called } from '../../src/http/access/context.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'
import { type Place, placeOf } from '../../src/ledger/decide/place_answers.ts'
import type { BoardEntry, Concern } from '../../src/models/answers/board.ts'
import { CONCERN_KINDS } from '../../src/models/names.ts'

/** Days before its end from which on a model is named. */
const SOON_DAYS = 30
/** Most watches, rollouts and requests that are read. */
const MOST = 100

/** Finds why somebody has to see to places in the caller's scope, each with what only the board knows of it. */
export async function readConcerns({
  sql,
  caller: { scope },
}: Called): Promise<(entry: Omit<BoardEntry, 'concerns'>) => Concern[]> {
  const [watches, rollouts, requests, { live: retiring }] = await Promise.all([
    listWatches(sql, { state: 'regressed', limit: MOST, scope }),
    listRollouts(sql, { limit: MOST, scope }),
    listRequests(sql, ROLLOUT, { status: 'pending', limit: MOST, scope }),
    listRetirements(sql, { days: SOON_DAYS, scope }),
  ])
  const at = <T extends Place>(all: readonly T[], place: Place): T[] =>
    all.filter(one => placeOf(one) === placeOf(place))
  return function concernsOf(entry) {
    const { promoted, newest_release: newest, pending_requests: pending, place } = entry
    const refused = promoted?.unusable === undefined ? newest : promoted
    const found: (Concern | undefined)[] = [
      stateConcern(entry),
      ...at(watches, entry)
        .filter(({ release_id }) => release_id === promoted?.release_id)
        .map(({ watch_id: id, ended_because }) => {
          return { kind: 'regressed', reason: ended_because ?? 'it regressed in its watch', id } as const
        }),
      ...at(rollouts, entry).flatMap(rollout => {
        const { state, rollout_id: id, baseline_release_id, candidate_release_id } = rollout
        // What was aborted is over once something has followed.
        const isLast =
          baseline_release_id === promoted?.release_id && candidate_release_id === newest?.release_id
        if (state !== 'paused' && !(state === 'aborted' && isLast)) return []
        return { kind: `rollout_${state}` as const, reason: reasonOf(rollout), id }
      }),
      refused?.unusable && place.state !== 'no_price'
        ? { kind: 'unusable', reason: refused.unusable.because, id: refused.release_id }
        : undefined,
      pending > 0 && place.state !== 'awaiting_approval'
        ? { kind: 'request', reason: `${counted(pending, 'request')} pending` }
        : undefined,
      ...at(requests, entry).map(({ request_id: id, actor, reason }) => {
        return { kind: 'rollout_request', reason: `${actor} asks for a rollout: ${reason}`, id } as const
      }),
      ...at(retiring, entry)
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

/** What the state of a place says, where somebody has to see to it for that. */
function stateConcern({ newest_release: newest, place }: Omit<BoardEntry, 'concerns'>): Concern | undefined {
  const kind = CONCERN_KINDS.find(one => one === place.state)
  if (kind === undefined) return undefined
  const id = kind === 'no_price' ? newest?.release_id : place.allowed.confirm
  return { kind, reason: place.headline, ...(id == null ? {} : { id }) }
}
