import { sha256 } from '../../base/bytes.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { allRows, among, ask, asText, field, write } from '../../sql/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { ErasureKey } from '../../ledger/world/memo.ts'
import { STORED_KEY, erasureKey, keyedHashes, listedHashes } from '../../ledger/events/erased.ts'

/** The key, made where there is none yet. Of two that make one at once, one is kept. */
export async function makeErasureKey({ sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>): Promise<ErasureKey> {
  const secret = Array.from({ length: 5 }, () => newId('')).join('')
  const made = sql`UPDATE retention SET erasure_key = ${`${newId('key_')}.${secret}`} WHERE id = 1 AND erasure_key = ''`
  return erasureKey(await write(db, among([made], STORED_KEY)))!
}

/** By which an erasure that has not ended knows its tenant again. */
export async function tenantHash(key: ErasureKey, tenant: string): Promise<string> {
  return (await keyedHashes(key, [`tenant_id:${tenant}`]))[0]!
}

/** Adds hashes, in the order of their keys, which says nothing about the order of the events. */
export function addErased(hashes: readonly string[], guard: Statement): Statement {
  return sql`INSERT INTO erased_runs (hash)
    SELECT hash FROM (${listedHashes(hashes.toSorted())}) AS given WHERE ${guard} ON CONFLICT (hash) DO NOTHING`
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
  const key = await ask(db, STORED_KEY)
  let [count, digest, last] = [0, '', '']
  for (;;) {
    const page = sql`SELECT hash FROM erased_runs WHERE hash > ${last} ORDER BY hash LIMIT ${PAGE}`
    const hashes = await ask(db, allRows(page, field('hash', asText)))
    if (hashes.length === 0) break
    digest = await sha256(digest + hashes.join('\n'))
    count += hashes.length
    last = hashes.at(-1)!
  }
  return {
    erased_runs: count,
    erased_runs_sha256: digest,
    erasure_key_sha256: await sha256(key),
  }
}
