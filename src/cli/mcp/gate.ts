import type { DiffReport } from '../../models/answers/diff.ts'
import { verdictOf } from '../../rules/policy.ts'
import type { ReleaseDetail } from '../../sdk/types.ts'
import { type Api, callJson } from '../service/api.ts'

export interface Asked {
  readonly release_id: string
  readonly environment: string
  readonly window: string
}

/** What a promotion would be told now: the diff with what is live there, or that nothing is. */
export async function gate(api: Api, { release_id, environment, window }: Asked): Promise<object> {
  const path = { release_id }
  const { agent_id } = await callJson<ReleaseDetail>(api, 'GET /v1/releases/{release_id}', { path })
  const { promoted } = await callJson<{ promoted: readonly Pointer[] }>(api, 'GET /v1/promoted')
  const live = promoted.find(each => each.agent_id === agent_id && each.environment === environment)
  const asked = { release_id, agent_id, environment, window }
  const baseline_release_id = live?.release_id ?? null
  if (baseline_release_id === null) {
    const reason = 'first promotion: no promoted baseline for agent/environment'
    return { verdict: 'pass', reasons: [reason], ...asked, baseline_release_id }
  }
  const body = { baseline_release_id, candidate_release_id: release_id, window, environment }
  const { policy, samples, metrics } = await callJson<DiffReport>(api, 'POST /v1/diff', { body })
  const verdict = verdictOf(policy)
  const { reasons, warnings = [] } = policy
  return { verdict, reasons, warnings, ...asked, baseline_release_id, samples, metrics }
}

interface Pointer {
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
}
