import { type DigestAll, digestEach, sha256 } from '../../base/bytes.ts'
import { hex } from '../../base/text.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'
import type { ErasureKey } from '../world/memo.ts'

/** The key as it is stored, undefined where nothing was ever erased. */
export async function readErasureKey(db: Sql): Promise<ErasureKey | undefined> {
  const [row] = await rowsOf(db, sql`SELECT erasure_key FROM retention WHERE id = 1`)
  return toErasureKey(row)
}

function toErasureKey(row: Row | undefined): ErasureKey | undefined {
  const [id, secret] = String(row?.erasure_key ?? '').split('.')
  return secret === undefined ? undefined : { id: id!, secret }
}

/** The key, made where there is none yet. Of two that make one at once, one is kept. */
export async function makeErasureKey({ sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>): Promise<ErasureKey> {
  const secret = Array.from({ length: 5 }, () => newId('')).join('')
  const [, found] = await db.batch([
    sql`UPDATE retention SET erasure_key = ${`${newId('key_')}.${secret}`} WHERE id = 1 AND erasure_key = ''`,
    sql`SELECT erasure_key FROM retention WHERE id = 1`,
  ])
  return toErasureKey(found!.rows[0])!
}

const encoder = new TextEncoder()

/**
 * What the ledger keeps instead of a name: of each text the first 128 bits of SHA-256 over key and text, in hex. The key
 * has a fixed length, and half of the digest is left out, so no hash can be extended to another one.
 */
async function keyedHashes(
  { secret }: ErasureKey,
  texts: readonly string[],
  digestAll: DigestAll = digestEach,
): Promise<string[]> {
  const digests = await digestAll(texts.map(text => encoder.encode(`${secret} ${text}`)))
  return digests.map(digest => hex(digest, 0, 16))
}

/** What `erased_runs` would hold of these run_ids. */
export function runHashes(
  key: ErasureKey,
  runIds: readonly string[],
  digestAll?: DigestAll,
): Promise<string[]> {
  return keyedHashes(
    key,
    runIds.map(id => `run_id:${id}`),
    digestAll,
  )
}

/** By which an erasure that has not ended knows its tenant again. */
export async function tenantHash(key: ErasureKey, tenant: string): Promise<string> {
  return (await keyedHashes(key, [`tenant_id:${tenant}`]))[0]!
}

/** Hashes of run_ids, and the key that they were made with; no hash and an empty id where nothing was ever erased. */
export interface Hashed {
  readonly keyId: string
  readonly hashes: readonly string[]
}

export const NONE_HASHED: Hashed = { keyId: '', hashes: [] }

/** Hashes run_ids for a batch that must not store what was erased. */
export async function hashForIngest(
  { sql: db, memo, digestAll }: Pick<Ledger, 'sql' | 'memo' | 'digestAll'>,
  runIds: readonly string[],
): Promise<Hashed> {
  memo.ids.erasureKey ??= (await readErasureKey(db)) ?? 'none'
  const key = memo.ids.erasureKey
  if (key === 'none') return NONE_HASHED
  return { keyId: key.id, hashes: await runHashes(key, runIds, digestAll) }
}

/** Whether the ledger's key is still the one that hashes were made with. An id has 16 characters. */
export function keyIs({ keyId }: Hashed): Statement {
  return sql`(SELECT substr(erasure_key, 1, 16) FROM retention WHERE id = 1) = ${keyId}`
}

/** Of some hashes those whose events were erased. */
export async function erasedAmong(db: Sql, { hashes }: Hashed): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set()
  const rows = await rowsOf(
    db,
    sql`SELECT hash FROM erased_runs WHERE hash IN (${listed(db.dialect, hashes)})`,
  )
  return new Set(rows.map(row => String(row.hash)))
}

/** Adds hashes, in the order of their keys, which says nothing about the order of the events. */
export function addErased(dialect: Sql['dialect'], hashes: readonly string[], guard: Statement): Statement {
  return sql`INSERT INTO erased_runs (hash)
    SELECT hash FROM (${listed(dialect, hashes.toSorted())}) AS given WHERE ${guard} ON CONFLICT (hash) DO NOTHING`
}

function listed(dialect: Sql['dialect'], texts: readonly string[]): Statement {
  const json = JSON.stringify(texts)
  return dialect === 'postgres'
    ? sql`SELECT value AS hash FROM jsonb_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSONB)) AS texts (value)`
    : sql`SELECT value AS hash FROM json_each(${json})`
}

/** What an entry of the audit log says of all hashes, and of their key. */
export interface ErasedRuns {
  readonly erased_runs: number
  readonly erased_runs_sha256: string
  readonly erasure_key_sha256: string
}

/** Hashes that are read at a time. */
const PAGE = 5000

/** Reads all hashes: their number, and one digest over them in their order. */
export async function erasedRuns(db: Sql): Promise<ErasedRuns> {
  const [row] = await rowsOf(db, sql`SELECT erasure_key FROM retention WHERE id = 1`)
  let [count, digest, last] = [0, '', '']
  for (;;) {
    const rows = await rowsOf(
      db,
      sql`SELECT hash FROM erased_runs WHERE hash > ${last} ORDER BY hash LIMIT ${PAGE}`,
    )
    if (rows.length === 0) break
    const hashes = rows.map(({ hash }) => String(hash))
    digest = await sha256(digest + hashes.join('\n'))
    count += hashes.length
    last = hashes.at(-1)!
  }
  return {
    erased_runs: count,
    erased_runs_sha256: digest,
    erasure_key_sha256: await sha256(String(row?.erasure_key)),
  }
}
