import type { BoardEntry } from '../../models/answers/board.ts'
import { ago } from '../format.ts'
import { useActions, useReleases } from '../reads.ts'
import type { Deciding } from './open.ts'

export interface Target {
  readonly release_id: string
  readonly version: string
  readonly label: string
}

/** Releases to choose from, the likeliest first: to roll back, those that were promoted here before, newest first. */
export function useTargets(what: Deciding, { agent_id, environment, promoted }: BoardEntry): Target[] {
  const releases = useReleases().data?.releases.filter(release => release.agent_id === agent_id) ?? []
  const actions = useActions(what === 'rollback' ? { agent: agent_id, env: environment, limit: 500 } : null)
    .data?.actions
  const others = releases.filter(release => release.release_id !== promoted?.release_id)
  const toTarget = (
    { release_id, version, created_at }: (typeof releases)[number],
    note: string,
  ): Target => ({
    release_id,
    version,
    label: `${version} · ${release_id} · ${note || `registered ${ago(Date.parse(created_at), Date.now())}`}`,
  })
  if (what === 'promote') return others.map(release => toTarget(release, ''))
  const before = [
    ...new Set(
      (actions ?? []).flatMap(action =>
        action.policy_passed || action.forced === true ? [action.release_id, action.baseline_release_id] : [],
      ),
    ),
  ]
  const known = before
    .map(id => others.find(release => release.release_id === id))
    .filter(release => release !== undefined)
  // Until the history is there, nothing may be preselected that was never live.
  if (actions === undefined) return []
  return [
    ...known.map(release => toTarget(release, 'promoted here before')),
    ...others
      .filter(release => !known.includes(release))
      .map(release => toTarget(release, 'never promoted here')),
  ]
}
