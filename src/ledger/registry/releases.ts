import { releaseQuery, unknownRelease } from './release_facts.ts'
import { ServiceError, badRequest } from '../../base/errors.ts'
import type { Registered, Release, ReleaseDetail, ReleaseRecord } from '../../models/documents/release.ts'
import { jsonFields, jsonRows } from '../../sql/dialect.ts'
import { type Row, type Sql, type Statement, join, sql } from '../../sql/port.ts'
import { modelWarnings } from '../../rules/cost.ts'
import type { PricingTable } from '../../models/documents/pricing.ts'
import type { BundleFiles, ReleaseFiles } from '../../models/documents/bundle_files.ts'
import {
  allRows,
  asFlag,
  asJson,
  asNumber,
  asText,
  asTime,
  ask,
  columns,
  field,
  firstRow,
  orNull,
  together,
  insertRow,
} from '../../sql/query.ts'
import { unabandoned } from '../../sql/deadline.ts'
import { addToCounter } from '../trail/counters.ts'
import { type Holds, holding, rowsHash } from '../trail/bound_rows.ts'
import { factHash } from '../trail/facts.ts'
import type { NewEntry } from '../trail/chain.ts'
import { type LoggedChange, writeLogged } from '../trail/write_logged.ts'
import { refuseUndeclared } from '../world/query.ts'
import type { Actor, Ledger } from '../world/ledger.ts'
import { type Scope, EVERYTHING, inScope, placeInScope } from '../world/scope.ts'
import { fitsBytes } from '../../base/text.ts'
import { sha256 } from '../../base/bytes.ts'
import { MOST_STORED_BYTES } from '../../rules/checksum.ts'

const RECORD = sql`release_id, agent_id, version, environment, checksum, created_at`

const RECORD_COLUMNS = {
  release_id: asText,
  agent_id: asText,
  version: asText,
  environment: asText,
  checksum: asText,
  created_at: asTime,
} as const

const readRecord = columns(RECORD_COLUMNS)

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
      AND artifact_json = ${row.artifact_json} AND ${hasFiles(files)}
      AND coalesce(pricing_checksum, '') = coalesce((SELECT p.new_checksum FROM (${prices}) p), '')
    ORDER BY seq DESC LIMIT 1`
  const query = together({
    others: allRows(same, field('release_id', asText)),
    priced: firstRow(prices, columns({ new_checksum: asText, new_pricing_json: asJson<PricingTable> })),
    known: reuse ? firstRow(equal, columns({ ...RECORD_COLUMNS, has_texts: asFlag })) : undefined,
  })
  return writeLogged(ledger, query, async ({ others, priced, known }) => {
    const warnings = modelWarnings({ provider, pricing_version, model: row.model }, priced?.new_pricing_json)
    const toRegistered = (record: ReleaseRecord): Registered => ({
      ...record,
      same_checksum_as: others.filter(id => id !== record.release_id).slice(0, 10),
      warnings,
    })
    if (known !== undefined) {
      const { has_texts, ...record } = known
      const lost = !has_texts && Object.values(files).some(({ text }) => text != null)
      return {
        already: {
          ...toRegistered(record),
          reused: true,
          warnings: lost ? [...warnings, TEXTS_NOT_KEPT] : warnings,
        },
      }
    }
    const pricing_checksum = priced?.new_checksum ?? null
    return registration({ ...row, pricing_checksum }, files, input.actor, toRegistered(readRecord(row)))
  })
}

const TEXTS_NOT_KEPT =
  'the texts of its files are not stored: this release was registered without them, and is reused'

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
  row: NewRelease,
  files: BundleFiles,
  actor: Actor,
  registered: Registered,
): Promise<LoggedChange<Registered>> {
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
  return {
    id: release_id,
    revises: { agent: agent_id },
    fact: 'releases',
    entries: [entry],
    write: guard => [
      insertRow('releases', row, guard),
      addToCounter('releases_total', sql`(CASE WHEN ${guard} THEN 1 ELSE 0 END)`),
      ...(isListed ? [storeFilesStatement(release_id, files, guard)] : []),
    ],
    done: registered,
  }
}

/** Releases in one read: about 100 kB of JSON, which takes a few ms. */
const PAGE = 500

/**
 * GET /v1/releases: those of the agents in scope, newest first, in pages. The environment of a release is a label. Releases
 * that are registered after the first page was read are left out. Throws 400 for an unknown `after`, and ends with `busy`
 * where a page takes longer than a request may.
 */
export async function* releasePages(
  ledger: Pick<Ledger, 'sql' | 'elapsed'>,
  { agent, env, after, limit = Number.POSITIVE_INFINITY, scope: { agents } }: ReleaseFilter,
): AsyncGenerator<ReleaseRecord[], undefined> {
  let before = after === undefined ? undefined : await seqOf(ledger.sql, after)
  for (let left = limit; left > 0;) {
    const amount = Math.min(left, PAGE)
    const conditions = [
      placeInScope({ agents, environments: null }),
      ...(agent === undefined ? [] : [sql`agent_id = ${agent}`]),
      ...(env === undefined ? [] : [sql`environment = ${env}`]),
      ...(before === undefined ? [] : [sql`seq < ${before}`]),
    ]
    // A client may take a long list slowly: each page has the time of a request.
    const { sql: db } = unabandoned(ledger)
    const rows = await ask(
      db,
      allRows(
        sql`SELECT seq, ${RECORD} FROM releases
          WHERE ${join(conditions, ' AND ')} ORDER BY seq DESC LIMIT ${amount}`,
        columns({ seq: asNumber, ...RECORD_COLUMNS }),
      ),
    )
    yield rows.map(({ seq: _seq, ...record }) => record)
    if (rows.length < amount) return
    before = rows.at(-1)!.seq
    left -= amount
  }
}

async function seqOf(db: Sql, releaseId: string): Promise<number> {
  const found = firstRow(
    sql`SELECT seq FROM releases WHERE release_id = ${releaseId}`,
    field('seq', asNumber),
  )
  const seq = await ask(db, found)
  if (seq === undefined) throw badRequest(unknownRelease(releaseId))
  return seq
}

/** Which releases a list has: those that a caller may see, or the newest of some of them. */
interface ReleaseFilter {
  readonly agent?: string | undefined
  /** The environment that they were registered for. */
  readonly env?: string | undefined
  /** The release_id behind which it begins. */
  readonly after?: string | undefined
  readonly limit?: number | undefined
  readonly scope: Scope
}

/** One release with its artifact and, if wanted, where it runs. Throws 404 when there is none. */
export async function showRelease(
  db: Sql,
  releaseId: string,
  { withEnvironments, scope }: { readonly withEnvironments: boolean; readonly scope: Scope },
): Promise<ReleaseDetail> {
  const environments = sql`SELECT environment FROM scopes WHERE release_id = ${releaseId}
    AND ${inScope(scope, { environment: sql`environment` })}
    AND EXISTS (SELECT 1 FROM rollup_hours WHERE scope = scopes.id) ORDER BY environment`
  const { release, run_environments } = await ask(
    db,
    together({
      release: firstRow(
        sql`SELECT ${RECORD}, artifact_json FROM releases WHERE release_id = ${releaseId}`,
        columns({ ...RECORD_COLUMNS, artifact_json: asJson<Release> }),
      ),
      run_environments: withEnvironments ? allRows(environments, field('environment', asText)) : undefined,
    }),
  )
  if (release === undefined) throw new ServiceError(404, unknownRelease(releaseId))
  return { ...release, ...(run_environments === undefined ? {} : { run_environments }) }
}

/** The files of a release by path. Throws 404 where there is no such release. */
export async function readFiles(db: Sql, releaseId: string): Promise<ReleaseFiles> {
  const { release, files } = await ask(
    db,
    together({
      release: releaseQuery(releaseId),
      files: allRows(
        sql`SELECT path, sha256, bytes, text FROM release_files WHERE release_id = ${releaseId} ORDER BY path`,
        columns({ path: asText, sha256: asText, bytes: asNumber, text: orNull(asText) }),
      ),
    }),
  )
  if (release === undefined) throw new ServiceError(404, unknownRelease(releaseId))
  return { release_id: releaseId, files }
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
      throw badRequest(`The text of ${path} does not match its sha256; text has LF line ends.`)
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

/** Keeps what was sent of a release's files, in the batch that registers it: nothing where its guard was lost. */
function storeFilesStatement(releaseId: string, files: BundleFiles, guard: Statement): Statement {
  return sql`INSERT INTO release_files (release_id, path, sha256, bytes, text)
    SELECT ${releaseId}, given.key, given.value ->> 'sha256', CAST(given.value ->> 'bytes' AS BIGINT),
      given.value ->> 'text'
    FROM ${jsonFields(files)} WHERE ${guard}`
}

/**
 * True for a row of `releases` that was registered with these files and no others. A checksum alone doesn't say so: it
 * has no lengths in it, so bundles with NUL bytes may share one (docs/project/checksum.md).
 */
function hasFiles(files: BundleFiles): Statement {
  const hashes = Object.entries(files).map(([path, file]) => [path, file.sha256] as const)
  const count = sql`CAST(${hashes.length} AS BIGINT)`
  return sql`(SELECT count(*) FROM release_files f WHERE f.release_id = releases.release_id) = ${count}
    AND (SELECT count(*) FROM release_files f JOIN ${jsonRows(hashes)} ON g.value ->> 0 = f.path AND g.value ->> 1 = f.sha256
      WHERE f.release_id = releases.release_id) = ${count}`
}
