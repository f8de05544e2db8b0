import { releaseStatement, unknownRelease } from './release_facts.ts'
import { ServiceError, badRequest } from '../../base/errors.ts'
import type { Registered, Release, ReleaseDetail, ReleaseRecord } from '../../models/documents/release.ts'
import { isoTime } from '../../base/time.ts'
import { type Row, type Sql, type Statement, join, raw, rowsOf, sql } from '../../sql/port.ts'
import { modelWarnings } from '../../rules/odd_prices.ts'
import type { PricingTable } from '../../models/documents/pricing.ts'
import type { BundleFiles, ReleaseFiles } from '../../models/documents/bundle_files.ts'
import { nullable } from '../../sql/query.ts'
import { addToCounter } from '../trail/counters.ts'
import { type Holds, holding, rowsHash } from '../trail/bound_rows.ts'
import { factHash } from '../trail/facts.ts'
import type { NewEntry } from '../trail/log.ts'
import { type Change, writeLogged } from '../trail/write_logged.ts'
import { refuseUndeclared } from '../world/query.ts'
import type { Actor, Ledger } from '../world/ledger.ts'
import { type Scope, EVERYTHING, inScope, placeInScope } from '../world/scope.ts'
import { fitsBytes } from '../../base/text.ts'
import { sha256 } from '../../base/bytes.ts'
import { MOST_STORED_BYTES } from '../../rules/checksum.ts'

/** What `toRecord` reads. */
const RECORD = sql`release_id, agent_id, version, environment, checksum, created_at`

export interface Registration {
  readonly artifact: Release
  /** SHA-256 of the canonical bundle, 64 lowercase hex characters. */
  readonly checksum: string
  readonly environment?: string | null | undefined
  readonly files?: BundleFiles | undefined
  /** Whether a release that was registered from the same is given instead of a new one. */
  readonly reuse?: boolean | undefined
  readonly actor: Actor
}

/**
 * Registers a release. Every registration makes a new, immutable release, unless it reuses one: the newest with the same
 * checksum, files, artifact and environment that was registered when the price table was what it is now. Of its equals those in
 * scope are named.
 */
export async function registerRelease(
  ledger: Ledger,
  input: Registration,
  { agents }: Scope = EVERYTHING,
): Promise<Registered> {
  const { checksum, files = {}, reuse = false } = input
  await checkFiles(files)
  const row = rowOf(ledger, input)
  const { pricing_provider: provider, pricing_version, environment } = row
  refuseUndeclared(ledger, environment)
  const same = sql`SELECT release_id FROM releases WHERE checksum = ${checksum}
    AND ${placeInScope({ agents, environments: null })} ORDER BY seq DESC LIMIT 11`
  const prices = sql`SELECT new_checksum, new_pricing_json FROM pricing_imports
    WHERE provider = ${provider} AND pricing_version = ${pricing_version} ORDER BY seq DESC LIMIT 1`
  const equal = sql`SELECT ${RECORD}, CASE WHEN EXISTS (
        SELECT 1 FROM release_files f WHERE f.release_id = releases.release_id AND f.text IS NOT NULL
      ) THEN 1 ELSE 0 END AS has_texts
    FROM releases WHERE checksum = ${checksum} AND agent_id = ${row.agent_id} AND environment = ${environment}
      AND artifact_json = ${row.artifact_json} AND ${hasFiles(ledger.sql.dialect, files)}
      AND coalesce(pricing_checksum, '') = coalesce((SELECT p.new_checksum FROM (${prices}) p), '')
    ORDER BY seq DESC LIMIT 1`
  return writeLogged<Registered>(
    ledger,
    [same, prices, ...(reuse ? [equal] : [])],
    async ([others, priced, found]) => {
      const pricing_checksum = nullable(priced!.rows[0]?.new_checksum, String)
      const table = nullable(
        priced!.rows[0]?.new_pricing_json,
        json => JSON.parse(String(json)) as PricingTable,
      )
      const warnings = modelWarnings({ provider, pricing_version, model: row.model }, table ?? undefined)
      const toRegistered = (record: Row): Registered => ({
        ...toRecord(record),
        same_checksum_as: others!.rows
          .map(other => String(other.release_id))
          .filter(id => id !== record.release_id)
          .slice(0, 10),
        warnings,
      })
      const known = found?.rows[0]
      if (known !== undefined) {
        const lost = known.has_texts === 0 && Object.values(files).some(({ text }) => text != null)
        return {
          already: {
            ...toRegistered(known),
            reused: true,
            warnings: lost ? [...warnings, TEXTS_NOT_KEPT] : warnings,
          },
        }
      }
      return registration(ledger, { ...row, pricing_checksum }, files, input.actor, toRegistered(row))
    },
  )
}

const TEXTS_NOT_KEPT =
  'the texts of its files are not kept: this release was registered without them, and is reused'

function rowOf({ newId, now, workspace }: Ledger, { artifact, checksum, environment }: Registration) {
  const { spec, metadata } = artifact
  return {
    release_id: newId('rel_'),
    agent_id: spec.agent.agent_id,
    version: metadata.version,
    environment: environment ?? workspace.default_environment,
    checksum,
    created_at: now(),
    model: spec.runtime.model,
    pricing_provider: spec.pricing_reference.provider,
    pricing_version: spec.pricing_reference.pricing_version,
    artifact_json: JSON.stringify(artifact),
  }
}

type NewRelease = ReturnType<typeof rowOf> & { readonly pricing_checksum: string | null }

async function registration(
  { sql: db }: Ledger,
  row: NewRelease,
  files: BundleFiles,
  actor: Actor,
  registered: Registered,
): Promise<Change<Registered>> {
  const { release_id, agent_id, version, environment, checksum, created_at, pricing_checksum } = row
  const isListed = Object.keys(files).length > 0
  const holds: Holds = isListed
    ? { release_files: { [release_id]: await rowsHash('release_files', fileRows(files)) } }
    : {}
  const entry: NewEntry = {
    kind: 'release.registered',
    subject: release_id,
    actor,
    reason: null,
    created_at,
    fact: await factHash('releases', row),
    details: { agent_id, version, environment, checksum, pricing_checksum, ...holding(holds) },
  }
  const done = (found: Row | undefined): Registered | undefined => found && registered
  return {
    id: release_id,
    revises: false,
    fact: 'releases',
    entries: [entry],
    statements: guard => [
      sql`INSERT INTO releases (
          release_id, agent_id, version, environment, checksum, created_at, model, pricing_provider,
          pricing_version, artifact_json, pricing_checksum
        )
        SELECT ${release_id}, ${agent_id}, ${version}, ${environment}, ${checksum},
          CAST(${created_at} AS BIGINT), ${row.model}, ${row.pricing_provider}, ${row.pricing_version},
          ${row.artifact_json}, CAST(${pricing_checksum} AS TEXT)
        WHERE ${guard} RETURNING release_id`,
      addToCounter('releases_total', sql`(CASE WHEN ${guard} THEN 1 ELSE 0 END)`),
      ...(isListed ? [storeFilesStatement(db.dialect, release_id, files, guard)] : []),
    ],
    read: ([inserted]) => done(inserted!.rows[0]),
    recorded: async () => done((await db.query(releaseStatement(release_id))).rows[0]),
  }
}

/** GET /v1/releases: those of the agents in scope, newest first. The environment of a release is but a label. */
export async function listReleases(
  db: Sql,
  { agent, env, limit, scope: { agents } }: ReleaseFilter,
): Promise<ReleaseRecord[]> {
  const conditions = [
    placeInScope({ agents, environments: null }),
    ...(agent === undefined ? [] : [sql`agent_id = ${agent}`]),
    ...(env === undefined ? [] : [sql`environment = ${env}`]),
  ]
  const rows = await rowsOf(
    db,
    sql`SELECT ${RECORD} FROM releases
      WHERE ${join(conditions, ' AND ')} ORDER BY seq DESC
      ${limit === undefined ? raw('') : sql`LIMIT ${limit}`}`,
  )
  return rows.map(toRecord)
}

/** Which releases a list has: those that a caller may see, or the newest of some of them. */
interface ReleaseFilter {
  readonly agent?: string | undefined
  /** The environment that they were registered for. */
  readonly env?: string | undefined
  readonly limit?: number | undefined
  readonly scope: Scope
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
    files: files!.rows.map(file => ({
      path: String(file.path),
      sha256: String(file.sha256),
      bytes: Number(file.bytes),
      text: nullable(file.text, String),
    })),
  }
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

/** Most bytes of a path. */
const PATH_BYTES = 512

/** Throws 400 where a text is not what its hash says, or there is too much to keep. */
async function checkFiles(files: BundleFiles): Promise<void> {
  const texts = Object.entries(files).flatMap(([path, { sha256: hash, text }]) =>
    text == null ? [] : [{ path, hash, text }],
  )
  const long = Object.keys(files).find(path => path === '' || !fitsBytes(path, PATH_BYTES))
  if (long !== undefined) throw badRequest(`A path of a file must have 1 to ${PATH_BYTES} bytes.`)
  const bytes = texts.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0)
  if (bytes > MOST_STORED_BYTES) {
    throw badRequest(
      `The texts of the files have ${bytes} bytes; at most ${MOST_STORED_BYTES} are kept. Send the hashes alone.`,
    )
  }
  for (const { path, hash, text } of texts) {
    if ((await sha256(text)) !== hash) {
      throw badRequest(`The text of ${path} is not what its sha256 says; text has LF line ends.`)
    }
  }
}

/** The rows that are kept of them. */
function fileRows(files: BundleFiles): Row[] {
  return Object.entries(files).map(([path, { sha256: hash, bytes, text = null }]) => ({
    path,
    sha256: hash,
    bytes,
    text,
  }))
}

/** Keeps what was told of a release's files, in the batch that registers it: nothing where its guard was lost. */
function storeFilesStatement(
  dialect: Sql['dialect'],
  releaseId: string,
  files: BundleFiles,
  guard: Statement,
): Statement {
  const json = JSON.stringify(files)
  const given =
    dialect === 'postgres'
      ? sql`jsonb_each(CAST(CAST(${json} AS TEXT) AS JSONB)) AS given`
      : sql`json_each(${json}) AS given`
  return sql`INSERT INTO release_files (release_id, path, sha256, bytes, text)
    SELECT ${releaseId}, given.key, given.value ->> 'sha256', CAST(given.value ->> 'bytes' AS BIGINT),
      given.value ->> 'text'
    FROM ${given} WHERE ${guard}`
}

/**
 * True for a row of `releases` that was registered with these files and no others. A checksum alone doesn't say so: it
 * has no lengths in it, so bundles with NUL bytes may share one (docs/checksum.md).
 */
function hasFiles(dialect: Sql['dialect'], files: BundleFiles): Statement {
  const hashes = Object.entries(files).map(([path, file]) => [path, file.sha256] as const)
  const json = JSON.stringify(Object.fromEntries(hashes))
  const given =
    dialect === 'postgres'
      ? sql`jsonb_each_text(CAST(CAST(${json} AS TEXT) AS JSONB)) AS given`
      : sql`json_each(${json}) AS given`
  const count = sql`CAST(${hashes.length} AS BIGINT)`
  return sql`(SELECT count(*) FROM release_files f WHERE f.release_id = releases.release_id) = ${count}
    AND (SELECT count(*) FROM release_files f JOIN ${given} ON given.key = f.path AND given.value = f.sha256
      WHERE f.release_id = releases.release_id) = ${count}`
}
