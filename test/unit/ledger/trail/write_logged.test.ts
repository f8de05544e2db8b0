import { describe, expect, test } from 'vitest'
import { factPages } from '../../../../src/ledger/trail/facts.ts'
import { listLog, withFacts } from '../../../../src/ledger/trail/read_log.ts'
import { logOnly, writeLogged } from '../../../../src/ledger/trail/write_logged.ts'
import { newMemo } from '../../../../src/ledger/world/memo.ts'
import { setPolicy } from '../../../../src/ledger/registry/set_policy.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { type Row, type Sql, SqlError, raw } from '../../../../src/sql/port.ts'
import { NOTHING } from '../../../../src/sql/query.ts'
import { losingAnswer } from '../../../support/databases/tampering/tamper.ts'
import {
  ANN,
  MORNING,
  type PlainLedger,
  plainLedger,
  priced,
  registered,
} from '../../../support/ledgers/plain_ledger.ts'

const HEX = /^[0-9a-f]{64}$/
const PRUNED = { kind: 'events.pruned', actor: ANN, reason: null, details: { events: 3 } } as const

describe('what the ledger has no row for', () => {
  const entry = {
    log_seq: 1,
    prev_hash: '',
    kind: 'events.pruned',
    subject: 'log_000000000001',
    actor: 'ann',
    actor_source: 'cli',
    reason: null,
    created_at: MORNING,
    fact: null,
    details: { events: 3 },
  }

  test('is an entry of its own, and moves nothing else of the head', async () => {
    const ledger = await plainLedger()
    const [before] = await ledger.rows('audit_head')
    await logOnly(ledger, PRUNED)
    const [logged] = await ledger.rows('audit_log')
    expect(recordOf(logged!)).toEqual(entry)
    expect(await ledger.rows('audit_head')).toEqual([
      {
        ...before,
        changed_by: 'log_000000000001',
        log_seq: 1,
        log_hash: logged!.hash,
        latest_at: entry.created_at,
      },
    ])
  })

  test('is one entry where the answer was lost, and none where it was not written', async () => {
    const ledger = await plainLedger()
    const lost = () => new SqlError('uncertain', 'the connection was lost')
    const other = () => logOnly({ ...ledger, memo: newMemo() }, PRUNED)
    await logOnly({ ...ledger, sql: losingAnswer(ledger.sql, 'INTO audit_log', other, lost) }, PRUNED)
    expect((await ledger.rows('audit_log')).map(row => recordOf(row).subject)).toEqual([
      'log_000000000001',
      'log_000000000002',
    ])
    const dropping = droppingOnce(ledger.sql, other)
    await logOnly({ ...ledger, sql: dropping }, PRUNED)
    expect((await ledger.rows('audit_log')).map(row => recordOf(row).subject)).toEqual([
      'log_000000000001',
      'log_000000000002',
      'log_000000000004',
      'log_000000000003',
    ])
  })

  /** Loses a batch before it is done, and lets something else happen first. */
  function droppingOnce(db: Sql, first: () => Promise<unknown>): Sql {
    let isDropped = false
    return {
      ...db,
      batch: async (statements, options) => {
        if (isDropped) return db.batch(statements, options)
        isDropped = true
        await first()
        throw new SqlError('uncertain', 'the connection was lost')
      },
    }
  }
})

describe('a change that others keep overtaking', () => {
  test('is given up after 200 tries', async () => {
    const ledger = await plainLedger()
    let tries = 0
    const change = writeLogged(ledger, NOTHING, () => {
      tries += 1
      return {
        id: `chg_${tries}`,
        revises: 'none',
        entries: [],
        write: () => [],
        // Another has the head whenever it is written.
        provided: { lock: raw('SELECT 1'), holds: raw('false') },
        done: true,
      }
    })
    await expect(change).rejects.toMatchObject({
      status: 503,
      message: 'Too many other changes are being written; try again.',
      headers: { 'Retry-After': '1' },
    })
    expect(tries).toBe(200)
  })
})

describe('the audit log', () => {
  async function filled(): Promise<PlainLedger> {
    const ledger = await plainLedger()
    await priced(ledger)
    await registered(ledger, '1')
    await logOnly(ledger, PRUNED)
    await setPolicy(ledger, DEFAULT_POLICY, { actor: ANN, reason: 'calm' })
    await registered(ledger, '2')
    return ledger
  }

  const LISTED = [
    [{ limit: 2 }, [5, 4], 4],
    [{ limit: 2, after: 4 }, [3, 2], 2],
    [{ limit: 2, after: 2 }, [1], null],
    [{ limit: 5 }, [5, 4, 3, 2, 1], null],
    [{ limit: 1, kind: 'release.registered' as const }, [5], 5],
    [{ limit: 1, kind: 'release.registered' as const, after: 5 }, [2], null],
    [{ limit: 9, kind: 'decision' as const }, [], null],
    [{ limit: 2, actor: 'ann', after: 4 }, [3, 2], 2],
    [{ limit: 9, actor: 'Ann' }, [], null],
    [{ limit: 1, agent: 'bot' }, [5], 5],
    [{ limit: 9, agent: 'bot', env: 'local' }, [5, 2], null],
    [{ limit: 9, env: 'staging' }, [], null],
    [{ limit: 9, since: '2026-03-01T09:01:00+01:00' }, [], null],
    [{ limit: 9, until: '2026-03-01T08:00:00Z' }, [], null],
    [{ limit: 9, since: '2026-03-01T08:00:00Z', until: '2026-03-01T08:00:00.001Z' }, [5, 4, 3, 2, 1], null],
  ] as const

  test('is listed by what is asked for', async () => {
    const { sql: db } = await filled()
    for (const [listing, seqs, next] of LISTED) {
      const { entries, next_after } = await listLog(db, listing)
      expect([listing, entries.map(({ log_seq }) => log_seq), next_after]).toEqual([listing, seqs, next])
    }
  })

  test('is shown as it is stored, with the texts that its facts are the hashes of on demand', async () => {
    const ledger = await filled()
    const page = await listLog(ledger.sql, { limit: 2 })
    const [, row] = (await ledger.rows('audit_log')).toReversed()
    expect(page.entries[1]).toEqual({
      log_seq: 4,
      prev_hash: page.entries[1]!.prev_hash,
      kind: 'policy.set',
      subject: expect.stringMatching(/^pol_/),
      actor: 'ann',
      actor_source: 'cli',
      reason: 'calm',
      created_at: '2026-03-01T08:00:00.000Z',
      fact: expect.stringMatching(HEX),
      details: { policy_id: 'default', changes: [] },
      record_json: row!.record_json,
      hash: row!.hash,
    })
    const all = await listLog(ledger.sql, { limit: 9 })
    const { entries, next_after } = await withFacts(ledger.sql, { ...all, next_after: 3 })
    expect(next_after).toBe(3)
    expect(entries.map(({ fact_text: _text, ...entry }) => entry)).toEqual(all.entries)
    const { value: policies } = await factPages(ledger.sql, 'policies', 0, 9).next()
    const { seq: _seq, ...policy } = (policies as readonly Row[])[0]!
    expect(entries.map(({ kind, fact_text }) => [kind, fact_text?.slice(0, 8)])).toEqual([
      ['release.registered', '["rel_00'],
      ['policy.set', '["pol_00'],
      ['events.pruned', undefined],
      ['release.registered', '["rel_00'],
      ['prices.import', '["pim_00'],
    ])
    expect(entries[2]!.fact_text).toBeNull()
    expect(JSON.parse(entries[1]!.fact_text!)).toEqual(Object.values(policy))
  })
})

function recordOf(row: Row) {
  return JSON.parse(String(row.record_json)) as Record<string, unknown>
}
