import { useMemo } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import type { Rollout, RolloutDetail, RolloutRequest } from '../models.ts'
import { type Known, type QueryParams, get, useRead } from '../../../web/query.ts'
import { useReleases } from '../../../web/reads.ts'
import { isOpen } from '../rules_sentence.ts'

/** Rollouts that are read at once, but of those that are open. */
export const MOST = 100

export const useRollouts = (filters: QueryParams | null): Known<{ rollouts: Rollout[] }> =>
  useRead(filters === null ? null : get('v1/rollouts', { limit: MOST, ...filters }))

/** How often a rollout that is open is read again while it is on show, ms. */
const OPEN_MS = 5000

export function useRollout(id: string): Known<RolloutDetail> {
  const call = get(`v1/rollouts/${encodeURIComponent(id)}`)
  const known = useRead<RolloutDetail>(call)
  useRead(known.data !== undefined && isOpen(known.data) ? call : null, OPEN_MS)
  return known
}

export const useRolloutRequests = (status: RolloutRequest['status']): Known<{ requests: RolloutRequest[] }> =>
  useRead(get('v1/rollout-requests', { status, limit: 200 }))

/** How releases are called: by their versions, or their ids where these are not known. */
export function useNames(): (releaseId: string) => string {
  const releases = useReleases().data?.releases
  return id => releases?.find(({ release_id }) => release_id === id)?.version ?? id
}

/** The rollouts that the board shows: what is open, and what else is new. */
export function useRolloutOf(): (entry: BoardEntry) => Rollout | undefined {
  const running = useRollouts({ state: 'running', limit: 500 }).data?.rollouts
  const paused = useRollouts({ state: 'paused', limit: 500 }).data?.rollouts
  const newest = useRollouts({}).data?.rollouts
  return useMemo(() => {
    const places = Map.groupBy(
      [running, paused, newest].flatMap(found => found ?? []),
      placeOf,
    )
    return entry => places.get(placeOf(entry))?.find(rollout => concerns(rollout, entry))
  }, [running, paused, newest])
}

const placeOf = ({ agent_id, environment }: Pick<Rollout, 'agent_id' | 'environment'>): string =>
  JSON.stringify([agent_id, environment])

/** Whether a rollout is what there is to know of its place: it splits units, or was aborted and nothing followed yet. */
function concerns({ share, state, ...rollout }: Rollout, { promoted, newest_release }: BoardEntry): boolean {
  if (share !== null) return true
  return (
    state === 'aborted' &&
    rollout.baseline_release_id === promoted?.release_id &&
    rollout.candidate_release_id === newest_release?.release_id
  )
}
