import { ServiceError } from '../../base/errors.ts'
import { HOUR_MS, isoTime } from '../../base/time.ts'
import type { ReleaseSurface } from '../../models/answers/surface.ts'
import type { Release } from '../../models/documents/release.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { asJson, ask, columns, firstRow, together } from '../../sql/query.ts'
import { unknownRelease } from '../../ledger/registry/release_facts.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'
import { readPower } from './power.ts'
import { ranEver } from './ran.ts'

/** Most names that are listed. */
const MOST_LISTED = 100

/** What a release may do, and what its runs did beyond that. Throws 404 where there is no such release. */
export async function showSurface(db: Sql, releaseId: string, scope: Scope): Promise<ReleaseSurface> {
  const { release, ran } = await ask(
    db,
    together({
      release: firstRow(
        sql`SELECT artifact_json FROM releases WHERE release_id = ${releaseId}`,
        columns({ artifact_json: asJson<Release> }),
      ),
      ran: ranEver(releaseId, inScope(scope, { environment: sql`s.environment` })),
    }),
  )
  if (release === undefined) throw new ServiceError(404, unknownRelease(releaseId))
  const { power, sha256, warnings } = await readPower(release.artifact_json)
  return {
    release_id: releaseId,
    surface_sha256: sha256,
    surface: power,
    warnings: [...warnings],
    undeclared: ran.slice(0, MOST_LISTED).map(({ first_bucket, last_bucket, ...one }) => ({
      ...one,
      first_hour: isoTime(first_bucket * HOUR_MS),
      last_hour: isoTime(last_bucket * HOUR_MS),
    })),
    more_undeclared: Math.max(0, ran.length - MOST_LISTED),
  }
}
