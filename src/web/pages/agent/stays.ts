import type { ActionRecord } from '../../../models/answers/action.ts'
import { hasMoved } from '../../../rules/evidence.ts'
import { HUES, type Hue } from '../../components/charts/series.ts'

/** A release while it was live in an environment; `until` is null while it is. */
export interface Stay {
  readonly environment: string
  readonly release_id: string
  readonly since: number
  readonly until: number | null
}

type Known = Pick<
  ActionRecord,
  'action' | 'environment' | 'release_id' | 'policy_passed' | 'forced' | 'created_at'
>

/** What was live where, oldest first, from the decisions of an agent in any order. */
export function staysOf(actions: readonly Known[]): Stay[] {
  const moves = actions
    .filter(hasMoved)
    .toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  return Array.from(Map.groupBy(moves, ({ environment }) => environment)).flatMap(([environment, own]) => {
    const changes = own.filter(({ release_id }, index) => own[index - 1]?.release_id !== release_id)
    return changes.map(({ release_id, created_at }, index) => {
      const next = changes[index + 1]
      const until = next === undefined ? null : Date.parse(next.created_at)
      return { environment, release_id, since: Date.parse(created_at), until }
    })
  })
}

/** A colour for each release, the same wherever it is shown: the first ones for those that come first. */
export function huesOf(releaseIds: Iterable<string>): ReadonlyMap<string, Hue> {
  const ids = [...new Set(releaseIds)]
  return new Map(ids.map((id, index) => [id, HUES[Math.min(index, HUES.length - 1)]!]))
}
