import type { ActionRecord } from '../../models/answers/action.ts'
import { ago } from '../format.ts'
import { useActions, useReleases } from '../reads.ts'
import type { Deciding } from './open.ts'
import type { Live } from './reviewed.tsx'

export interface Target {
  readonly release_id: string
  readonly version: string
  readonly label: string
  /** Whether it may be preselected: it is meant for this environment, or was live there. */
  readonly isLikely: boolean
}

/** Releases to choose from, the likeliest first: to roll back, those that were live here and did well, newest first. */
export function useTargets(
  what: Deciding,
  {
    agent_id,
    environment,
    promoted,
  }: { readonly agent_id: string; readonly environment: string; readonly promoted: Live },
): Target[] {
  const releases = useReleases().data?.releases.filter(release => release.agent_id === agent_id) ?? []
  const actions = useActions(what === 'rollback' ? { agent: agent_id, env: environment, limit: 500 } : null)
    .data?.actions
  const others = releases.filter(release => release.release_id !== promoted?.release_id)
  const toTarget = (
    { release_id, version, created_at }: (typeof releases)[number],
    note: string,
    isLikely: boolean,
  ): Target => ({
    release_id,
    version,
    isLikely,
    label: `${version} · ${release_id} · ${note || `registered ${ago(Date.parse(created_at), Date.now())}`}`,
  })
  if (what === 'promote') {
    const meant = others.filter(release => release.environment === environment)
    return [
      ...meant.map(release => toTarget(release, '', true)),
      ...others
        .filter(release => !meant.includes(release))
        .map(release => toTarget(release, `registered for ${release.environment}`, false)),
    ]
  }
  // Until the history is there, nothing may be preselected that was never live.
  if (actions === undefined) return []
  const before = fatesOf(actions)
  const known = [...before.keys()]
    .map(id => others.find(release => release.release_id === id))
    .filter(release => release !== undefined)
  const isBad = ({ release_id }: { release_id: string }): boolean => before.get(release_id) === 'rolled back'
  return [
    ...known.filter(release => !isBad(release)).map(release => toTarget(release, 'live here before', true)),
    ...known.filter(isBad).map(release => toTarget(release, 'rolled back here', false)),
    ...others
      .filter(release => !known.includes(release))
      .map(release => toTarget(release, 'never live here', false)),
  ]
}

/** What became last of each release that was live, newest first. */
function fatesOf(actions: readonly ActionRecord[]): ReadonlyMap<string, 'rolled back' | 'live'> {
  const fates = new Map<string, 'rolled back' | 'live'>()
  for (const { action, policy_passed, forced, release_id, baseline_release_id } of actions) {
    if (!policy_passed && forced !== true) continue
    if (!fates.has(release_id)) fates.set(release_id, 'live')
    if (baseline_release_id !== null && !fates.has(baseline_release_id)) {
      fates.set(baseline_release_id, action === 'rollback' ? 'rolled back' : 'live')
    }
  }
  return fates
}
