import { badRequest, ServiceError } from '../../base/errors.ts'
import type { Registered, Release, ReleaseDetail, ReleaseRecord } from '../../models/documents/release.ts'
import { isoTime } from '../../base/time.ts'
import { modelWarnings } from '../../rules/prices/odd_prices.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import type { PricingTable } from '../../models/documents/pricing.ts'
import type { BundleFiles, ReleaseFiles } from '../../models/documents/bundle_files.ts'
import { nullable } from '../../sql/row.ts'
import { addToCounter } from '../chain/counters.ts'
import { type Holds, holding, rowsHash } from '../chain/bound_rows.ts'
import { factHash } from '../chain/facts.ts'
import type { NewEntry } from '../chain/log.ts'
import { writeLogged } from '../chain/write_logged.ts'
import { refuseUndeclared } from '../environments.ts'
import type { Actor, Ledger } from '../ledger.ts'
import { EVERYTHING, type Scope, inScope, placeInScope } from '../scope.ts'
import { checkFiles, fileRows, storeFilesStatement } from './release_files.ts'

export interface Registration {
  readonly artifact: Release
  /** SHA-256 of the canonical bundle, 64 lowercase hex characters. */
  readonly checksum: string
  readonly environment?: string | null | undefined
  readonly files?: BundleFiles | undefined
  readonly actor: Actor
}

/** Registers a release. Every registration makes a new, immutable release; of its equals those in scope are told. */
export async function registerRelease(
  ledger: Ledger,
  input: Registration,
  { agents }: Scope = EVERYTHING,
): Promise<Registered> {
  const { artifact, checksum, files = {} } = input
  await checkFiles(files)
  const { spec, metadata } = artifact
  const release_id = ledger.newId('rel_')
  const environment = input.environment ?? ledger.workspace.default_environment
  refuseUndeclared(ledger, environment)
  const created = ledger.now()
  const { provider, pricing_version } = spec.pricing_reference
  const [same, priced] = await ledger.sql.snapshot([
    sql`SELECT release_id FROM releases WHERE checksum = ${checksum}
      AND ${placeInScope({ agents, environments: null })} ORDER BY seq DESC LIMIT 10`,
    sql`SELECT pricing_json FROM pricing_tables WHERE provider = ${provider} AND pricing_version = ${pricing_version}`,
  ])
  const row = {
    release_id,
    agent_id: spec.agent.agent_id,
    version: metadata.version,
    environment,
    checksum,
    created_at: created,
    model: spec.runtime.model,
    pricing_provider: provider,
    pricing_version,
    artifact_json: JSON.stringify(artifact),
  }
  const holds: Holds =
    Object.keys(files).length === 0
      ? {}
      : { release_files: { [release_id]: await rowsHash('release_files', fileRows(files)) } }
  const entry: NewEntry = {
    kind: 'release.registered',
    subject: release_id,
    actor: input.actor,
    reason: null,
    created_at: created,
    fact: await factHash('releases', row),
    details: { agent_id: row.agent_id, version: row.version, environment, checksum, ...holding(holds) },
  }
  await writeLogged(ledger, [], () => ({
    id: release_id,
    revises: false,
    fact: 'releases',
    entries: [entry],
    statements: guard => [
      sql`INSERT INTO releases (
          release_id, agent_id, version, environment, checksum, created_at, model, pricing_provider,
          pricing_version, artifact_json
        )
        SELECT ${release_id}, ${row.agent_id}, ${row.version}, ${environment}, ${checksum},
          CAST(${created} AS BIGINT), ${row.model}, ${provider}, ${pricing_version}, ${row.artifact_json}
        WHERE ${guard} RETURNING release_id`,
      addToCounter('releases_total', sql`(CASE WHEN ${guard} THEN 1 ELSE 0 END)`),
      ...(Object.keys(files).length === 0
        ? []
        : [storeFilesStatement(ledger.sql.dialect, release_id, files, guard)]),
    ],
    read: ([inserted]) => inserted!.rows[0],
    recorded: async () => (await ledger.sql.query(releaseStatement(release_id))).rows[0],
  }))
  return {
    release_id,
    agent_id: spec.agent.agent_id,
    version: metadata.version,
    environment,
    checksum,
    created_at: isoTime(created),
    same_checksum_as: same!.rows.map(other => String(other.release_id)),
    warnings: modelWarnings(
      { provider, pricing_version, model: row.model },
      nullable(priced!.rows[0]?.pricing_json, json => JSON.parse(String(json)) as PricingTable) ?? undefined,
    ),
  }
}

/** GET /v1/releases: those of the agents in scope, newest first. The environment of a release is but a label. */
export async function listReleases(db: Sql, { agents }: Scope): Promise<ReleaseRecord[]> {
  const rows = await rowsOf(
    db,
    sql`SELECT release_id, agent_id, version, environment, checksum, created_at FROM releases
      WHERE ${placeInScope({ agents, environments: null })} ORDER BY seq DESC`,
  )
  return rows.map(toRecord)
}

/** One release with its artifact and, if asked, where it runs. Throws 404 when there is none. */
export async function showRelease(
  db: Sql,
  releaseId: string,
  { withEnvironments, scope }: { readonly withEnvironments: boolean; readonly scope: Scope },
): Promise<ReleaseDetail> {
  const environments = sql`SELECT environment FROM scopes WHERE release_id = ${releaseId}
    AND ${inScope(scope, { environment: sql`environment` })}
    AND EXISTS (SELECT 1 FROM rollup_hours WHERE scope = scopes.id) ORDER BY environment`
  const [found, places] = await db.snapshot([
    sql`SELECT * FROM releases WHERE release_id = ${releaseId}`,
    ...(withEnvironments ? [environments] : []),
  ])
  const row = found!.rows[0]
  if (row === undefined) throw new ServiceError(404, unknownRelease(releaseId))
  return {
    ...toRecord(row),
    artifact_json: JSON.parse(String(row.artifact_json)) as Release,
    ...(places === undefined
      ? {}
      : { run_environments: places.rows.map(({ environment }) => String(environment)) }),
  }
}

/** The files of a release by path. Throws 404 where there is no such release. */
export async function readFiles(db: Sql, releaseId: string): Promise<ReleaseFiles> {
  const [found, files] = await db.snapshot([
    releaseStatement(releaseId),
    sql`SELECT path, sha256, bytes, text FROM release_files WHERE release_id = ${releaseId} ORDER BY path`,
  ])
  if (found!.rows.length === 0) throw new ServiceError(404, unknownRelease(releaseId))
  return {
    release_id: releaseId,
    files: files!.rows.map(({ path, sha256, bytes, text }) => ({
      path: String(path),
      sha256: String(sha256),
      bytes: Number(bytes),
      text: nullable(text, String),
    })),
  }
}

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

function toRecord(row: Row): ReleaseRecord {
  return {
    release_id: String(row.release_id),
    agent_id: String(row.agent_id),
    version: String(row.version),
    environment: String(row.environment),
    checksum: String(row.checksum),
    created_at: isoTime(Number(row.created_at)),
  }
}
