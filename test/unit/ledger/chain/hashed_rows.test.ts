import { describe, expect, test, vi } from 'vitest'
import { sha256 } from '../../../../src/base/bytes.ts'
import { boundPages, holding, holdsOf, rowsHash } from '../../../../src/ledger/trail/bound_rows.ts'
import { factHash, factPages, factTexts, newestBytes } from '../../../../src/ledger/trail/facts.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { type Row, raw, sql } from '../../../../src/sql/port.ts'
import { ask } from '../../../../src/sql/query.ts'
import {
  ANN,
  MORNING,
  type PlainLedger,
  plainLedger,
  priced,
  registered,
} from '../../../support/ledgers/plain_ledger.ts'

const ERASURE = { erasure_id: 'era_1', actor: 'ann', events: 3, archived_events: 0, created_at: 7 }

describe('the hash of rows that may change', () => {
  test('is that of their values in the order of the columns, null for what is not there', async () => {
    expect(await rowsHash('erasures', [ERASURE])).toBe(await sha256('[["era_1","ann",3,0,7]]'))
    const { actor: _, ...rest } = ERASURE
    expect(await rowsHash('erasures', [{ ...rest, more: 'x' }])).toBe(await sha256('[["era_1",null,3,0,7]]'))
  })

  test('of a release is that of its files by their paths', async () => {
    const file = (path: string): Row => ({ release_id: 'rel_1', path, sha256: 'f', bytes: 1, text: null })
    const sorted = await sha256('[["a","f",1,null],["b","f",1,null],["c","f",1,null]]')
    for (const order of ['abc', 'cba', 'bca', 'acb']) {
      expect(await rowsHash('release_files', [...order].map(file))).toBe(sorted)
    }
  })

  test('is by what an entry names the rows by', async () => {
    const other = { ...ERASURE, erasure_id: 'era_2' }
    const holds = await holdsOf('erasures', [ERASURE, other])
    expect(holds).toEqual({
      erasures: { era_1: await rowsHash('erasures', [ERASURE]), era_2: await rowsHash('erasures', [other]) },
    })
    expect(holding(holds)).toEqual({ holds })
    expect(await holdsOf('erasures', [])).toEqual({})
    expect(holding({})).toEqual({})
  })
})

describe('tables whose rows may change', () => {
  test('are read in pages of 200 ids, each with the number of its row', async () => {
    const { sql: db } = await plainLedger()
    await db.batch([
      raw(`WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 400)
        INSERT INTO erasures (erasure_id, actor, events, archived_events, created_at)
        SELECT format('era_%03d', n * 7 % 401), 'ann', n, 0, 7 FROM n`),
    ])
    const pages = await all(boundPages(db, 'erasures'))
    expect(pages.map(page => page.length)).toEqual([200, 200, 1])
    const rows = pages.flat()
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, index) => `era_${String(index).padStart(3, '0')}`))
    expect(rows[7]).toEqual({
      rows: [expect.objectContaining({ actor: 'ann' })],
      id: 'era_007',
      seq: 2,
      hash: await sha256('[["era_007","ann",1,0,7]]'),
    })
  })

  test('have no number where they have none, or several rows of an id', async () => {
    const { sql: db } = await plainLedger()
    const file = (release: string, path: string) =>
      sql`INSERT INTO release_files (release_id, path, sha256, bytes, text)
        VALUES (${release}, ${path}, 'f', 1, NULL)`
    await db.batch([
      file('rel_2', 'b'),
      file('rel_1', 'x'),
      file('rel_2', 'a'),
      sql`INSERT INTO tokens (token_id, name, role, salt, hash, created_at, created_by)
        VALUES ('tok_1', 'ci', 'read', 's', 'h', 7, 'ann')`,
    ])
    expect(await all(boundPages(db, 'release_files'))).toMatchObject([
      [
        { id: 'rel_1', rows: [{ path: 'x' }], seq: 0, hash: await sha256('[["x","f",1,null]]') },
        { id: 'rel_2', rows: [{}, {}], seq: 0, hash: await sha256('[["a","f",1,null],["b","f",1,null]]') },
      ],
    ])
    const token = '[["tok_1","ci","read",null,null,"s","h",7,"ann",null,null,null]]'
    expect(await all(boundPages(db, 'tokens'))).toMatchObject([
      [{ id: 'tok_1', seq: 0, hash: await sha256(token) }],
    ])
  })
})

describe('rows that never change', () => {
  const policyText = (change: number, reason: string | null): string =>
    JSON.stringify([
      `pol_${String(change).padStart(12, '0')}`,
      'p',
      JSON.stringify(policyOf(change)),
      'ann',
      'cli',
      MORNING,
      reason,
    ])
  // The same policy again would write nothing.
  const policyOf = (change: number) => ({ ...DEFAULT_POLICY, policy_id: 'p', max_latency_ms: change })

  async function withPolicies(count: number): Promise<PlainLedger> {
    const ledger = await plainLedger()
    for (let n = 1; n <= count; n++) {
      await setPolicy(ledger, policyOf(n), { actor: ANN, reason: `${n}` })
    }
    return ledger
  }

  test('are read in pages behind one number up to another', async () => {
    const { sql: db } = await withPolicies(6)
    const pages = await all(factPages(db, 'policies', 1, 5, 2))
    expect(pages.map(page => page.map(({ seq }) => seq))).toEqual([
      [2, 3],
      [4, 5],
    ])
    expect(pages[0]![0]).toMatchObject({ seq: 2, change_id: 'pol_000000000002', reason: '2' })
    expect(await all(factPages(db, 'policies', 6, 6))).toEqual([])
  })

  test('have a hash each: of its values, and of a decision that of its record', async () => {
    const row = { change_id: 'pol_1', policy_id: 'p', policy_json: '{}', hash: 'of no meaning' }
    expect(await factHash('policies', row)).toBe(await sha256('["pol_1","p","{}",null,null,null,null]'))
    expect(await factHash('actions', { hash: 'h' })).toBe('h')
  })

  test('have the text that their hash is made of, unless a row is gone or is another one', async () => {
    const { sql: db } = await withPolicies(2)
    const text = policyText(2, '2')
    const said = { log_seq: 2, subject: 'pol_000000000002', fact: await sha256(text), details: {} }
    expect(await factTexts(db, 'policies', [said])).toEqual(new Map([[said.subject, text]]))
    const texts = (entry: typeof said) => factTexts(db, 'policies', [said, entry])
    await expect(texts({ ...said, subject: 'pol_none' })).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/^pol_none was changed .*: the row is missing/),
    })
    await expect(texts({ ...said, fact: 'f' })).rejects.toThrow('log_seq 2 has another hash')
  })

  test('have texts, of which the newest are measured', async () => {
    const ledger = await withPolicies(2)
    await priced(ledger)
    const release = await registered(ledger, 'ü')
    const [table] = await ledger.rows('pricing_imports')
    const [{ artifact_json } = { artifact_json: '' }] = await ledger.rows('releases')
    const bytes = (text: unknown): number => Buffer.byteLength(String(text))
    expect(await newestBytes(ledger.sql, 1)).toEqual(
      new Map([
        ['policies pol_000000000002', bytes(JSON.stringify(policyOf(2)))],
        [`prices ${String(table!.import_id)}`, bytes(table!.new_pricing_json)],
        [`releases ${release}`, bytes(artifact_json)],
      ]),
    )
  })

  test('are asked for the last one of each table at once', async () => {
    const ledger = await withPolicies(2)
    await priced(ledger)
    // As a process that starts, so that the proof by mutants can change it while this runs.
    vi.resetModules()
    const { LAST_FACTS } = await import('../../../../src/ledger/trail/facts.ts')
    expect(await ask(ledger.sql, LAST_FACTS)).toEqual({ actions: 0, policies: 2, prices: 1, releases: 0 })
  })
})

/** A row of the trail. */

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const page of pages) found.push(page)
  return found
}
