import { digestAll } from '../../base/bytes.ts'
import { hex } from '../../base/text.ts'
import { jsonTexts } from '../../sql/dialect.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { allRows, ask, asText, field, onlyRow } from '../../sql/query.ts'
import type { Ledger } from '../world/ledger.ts'
import type { ErasureKey } from '../world/memo.ts'

/** The text of the key; empty where nothing was ever erased. */
export const STORED_KEY = onlyRow(
  sql`SELECT erasure_key FROM retention WHERE id = 1`,
  field('erasure_key', asText),
)

/** The key as it is stored, undefined where nothing was ever erased. */
export async function readErasureKey(db: Sql): Promise<ErasureKey | undefined> {
  return erasureKey(await ask(db, STORED_KEY))
}

export function erasureKey(stored: string): ErasureKey | undefined {
  const [id, secret] = stored.split('.')
  return secret === undefined ? undefined : { id: id!, secret }
}

const encoder = new TextEncoder()

/**
 * What the ledger keeps instead of a name: of each text the first 128 bits of SHA-256 over key and text, in hex. The key
 * has a fixed length, and half of the digest is left out, so no hash can be extended to another one.
 */
export async function keyedHashes(
  { secret }: Pick<ErasureKey, 'secret'>,
  texts: readonly string[],
): Promise<string[]> {
  const digests = await digestAll(texts.map(text => encoder.encode(`${secret} ${text}`)))
  return digests.map(digest => hex(digest, 0, 16))
}

/** What `erased_runs` would hold of these run_ids. */
export function runHashes(key: ErasureKey, runIds: readonly string[]): Promise<string[]> {
  return keyedHashes(
    key,
    runIds.map(id => `run_id:${id}`),
  )
}

/** Hashes of run_ids, and the key that they were made with; no hash and an empty id where nothing was ever erased. */
export interface Hashed {
  readonly keyId: string
  readonly hashes: readonly string[]
}

export const NONE_HASHED: Hashed = { keyId: '', hashes: [] }

/** Hashes run_ids for a batch that must not store what was erased. */
export async function hashForIngest(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  runIds: readonly string[],
): Promise<Hashed> {
  memo.ids.erasureKey ??= (await readErasureKey(db)) ?? 'none'
  const key = memo.ids.erasureKey
  if (key === 'none') return NONE_HASHED
  return { keyId: key.id, hashes: await runHashes(key, runIds) }
}

/** Whether the ledger's key is still the one that hashes were made with. An id has 16 characters. */
export function keyIs({ keyId }: Hashed): Statement {
  return sql`(SELECT substr(erasure_key, 1, 16) FROM retention WHERE id = 1) = ${keyId}`
}

/** Of some hashes those whose events were erased. */
export async function erasedAmong(db: Sql, { hashes }: Hashed): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set()
  const erased = sql`SELECT hash FROM erased_runs WHERE hash IN (${listedHashes(hashes)})`
  return new Set(await ask(db, allRows(erased, field('hash', asText))))
}

/** Some hashes as rows `hash`. */
export function listedHashes(texts: readonly string[]): Statement {
  return sql`SELECT given.value AS hash FROM ${jsonTexts(texts)}`
}
