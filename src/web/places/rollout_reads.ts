import type { RolloutDetail, RolloutRequest } from '../../features/rollouts/models.ts'
import { type Known, get, useRead } from '../query.ts'
import { isOpen } from '../../features/rollouts/rules_sentence.ts'

/** How often a rollout that is open is read again while it is on show, ms. */
const OPEN_MS = 5000

export function useRollout(id: string): Known<RolloutDetail> {
  const call = id === '' ? null : get(`v1/rollouts/${encodeURIComponent(id)}`)
  const known = useRead<RolloutDetail>(call)
  useRead(known.data !== undefined && isOpen(known.data) ? call : null, OPEN_MS)
  return known
}

/** A request for a rollout by its id, in a list of at most one. */
export const useRolloutRequests = (id: string): Known<{ requests: RolloutRequest[] }> =>
  useRead(id === '' ? null : get('v1/rollout-requests', { id }))
