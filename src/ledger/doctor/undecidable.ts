import type { Sql } from '../../sql/port.ts'
import type { Undecidable } from '../../rules/strays.ts'
import type { AnyFeature } from '../world/feature.ts'
import { undecidableReleases } from '../registry/undecidable.ts'
import type { DoctorCheck } from './report.ts'

/** Most releases that are named. */
const MOST_NAMED = 5

/** Whether what is live, and what may be next, can be decided on at all: a stray event bars promotion and rollback alike. */
export async function checkUndecidable(db: Sql, features: readonly AnyFeature[]): Promise<DoctorCheck[]> {
  const found = await undecidableReleases(db, features)
  if (found.length === 0) return []
  const more = found.length > MOST_NAMED ? [`and ${found.length - MOST_NAMED} more`] : []
  const detail = [...found.slice(0, MOST_NAMED).map(textOf), ...more].join('; ')
  return [{ name: 'undecidable_releases', ok: true, detail, warning: true }]
}

function textOf({ release_id, agent_id, environment, since, last, because }: Undecidable): string {
  const way =
    last === null
      ? 'import it with `svc pricing import PATH`'
      : `a window that begins at ${last} or later has none, and a rollback can leave few out (--exclude-undecidable)`
  return `${release_id} (${agent_id} in ${environment}) can't be decided on since ${since}: ${because}; ${way}`
}
