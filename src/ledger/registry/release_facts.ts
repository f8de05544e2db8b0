import { badRequest } from '../../base/errors.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'

/** What decisions and diffs need of a release. */
export interface ReleaseFacts {
  readonly release_id: string
  readonly agent_id: string
  readonly version: string
  readonly checksum: string
  readonly model: string
  readonly provider: string
  readonly pricing_version: string
}

export function releaseStatement(releaseId: string): Statement {
  return sql`SELECT release_id, agent_id, version, checksum, model, pricing_provider, pricing_version
    FROM releases WHERE release_id = ${releaseId}`
}

/** A release with the JSON of its price table, null where that is missing. */
export function pricedReleaseStatement(releaseId: string): Statement {
  return sql`SELECT r.release_id, r.agent_id, r.version, r.checksum, r.model, r.pricing_provider,
      r.pricing_version, p.pricing_json
    FROM releases r LEFT JOIN pricing_tables p
      ON p.provider = r.pricing_provider AND p.pricing_version = r.pricing_version
    WHERE r.release_id = ${releaseId}`
}

export function toReleaseFacts(row: Row): ReleaseFacts {
  return {
    release_id: String(row.release_id),
    agent_id: String(row.agent_id),
    version: String(row.version),
    checksum: String(row.checksum),
    model: String(row.model),
    provider: String(row.pricing_provider),
    pricing_version: String(row.pricing_version),
  }
}

/** The release, or 400 `Unknown release: <id>`. */
export function knownRelease(row: Row | undefined, releaseId: string): ReleaseFacts {
  if (row === undefined) throw badRequest(unknownRelease(releaseId))
  return toReleaseFacts(row)
}

export function unknownRelease(releaseId: string, label = ''): string {
  return `Unknown ${label === '' ? '' : `${label} `}release: ${releaseId}`
}
