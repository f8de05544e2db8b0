import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../../src/base/bytes.ts'
import {
  type AuditRecord,
  HEAD,
  type StoredAction,
  chainProblem,
} from '../../../../src/ledger/trail/chain.ts'
import { COUNTED, countersSnapshot, droppedRunEnds } from '../../../../src/ledger/trail/counters.ts'
import { newMutex } from '../../../../src/sql/deadline.ts'
import { verifiedPointer } from '../../../../src/ledger/trail/pointers.ts'
import { loadMigrations } from '../../../../src/runtime/node/migrations.ts'
import { type Row, raw, rowsOf, sql } from '../../../../src/sql/port.ts'
import { decided } from '../../../support/ledgers/decided_ledger.ts'
import { plainLedger } from '../../../support/ledgers/plain_ledger.ts'

const RECORD: AuditRecord = {
  audit_seq: 2,
  prev_hash: 'before',
  action_id: 'act_2',
  action: 'rollback',
  release_id: 'rel_2',
  agent_id: 'bot',
  environment: 'local',
  baseline_release_id: 'rel_1',
  reason: 'why',
  actor: 'ann',
  actor_source: 'cli',
  policy_passed: false,
  policy_reasons: ['dear'],
  created_at: 7,
  decided_at: 6,
  evidence: {},
}

describe('a row of the trail', () => {
  test('holds as it was written, passed or blocked or forced', async () => {
    for (const more of [{}, { policy_passed: true }, { forced: true as const }]) {
      expect(await chainProblem(await rowOf({ ...RECORD, ...more }), 'before')).toBeUndefined()
    }
  })

  test('of a version that did not note the time of the database holds without it', async () => {
    const { decided_at: _, ...before } = RECORD
    expect(await chainProblem({ ...(await rowOf(before)), decided_at: null }, 'before')).toBeUndefined()
    expect(await chainProblem({ ...(await rowOf(before)), decided_at: 6 }, 'before')).toMatch(/decided_at/)
  })

  test.each<[column: string, value: Row[string]]>([
    ['audit_seq', 3],
    ['action_id', 'act_3'],
    ['action', 'promote'],
    ['release_id', 'rel_3'],
    ['agent_id', 'bat'],
    ['environment', 'prod'],
    ['baseline_release_id', null],
    ['reason', ''],
    ['actor', 'bob'],
    ['actor_source', 'header'],
    ['policy_passed', 1],
    ['policy_reasons', '[]'],
    ['forced', 1],
    ['created_at', 8],
    ['decided_at', null],
  ])('whose %s was changed is told from its record', async (column, value) => {
    const row = { ...(await rowOf(RECORD)), [column]: value } as StoredAction
    expect(await chainProblem(row, 'before')).toBe(`its ${column} differs from its record`)
    const two = { ...row, reason: 'x', actor: 'y' }
    expect(await chainProblem(two, 'before')).toMatch(/^its (\w+, ){1,2}\w+ differs from its record$/)
  })

  test('that follows another row does not hold', async () => {
    const problem = 'it does not follow the row before it'
    expect(await chainProblem(await rowOf(RECORD), 'another')).toBe(problem)
    expect(await chainProblem({ ...(await rowOf(RECORD)), prev_hash: 'another' }, 'before')).toBe(problem)
    expect(await chainProblem({ ...(await rowOf(RECORD)), prev_hash: 'another' }, 'another')).toBe(problem)
  })

  test('whose record was changed does not match its hash', async () => {
    const row = { ...(await rowOf(RECORD)), record_json: JSON.stringify({ ...RECORD, reason: 'x' }) }
    expect(await chainProblem(row, 'before')).toBe('its record does not match its hash')
  })

  async function rowOf(record: AuditRecord): Promise<StoredAction> {
    const {
      evidence: _,
      actor_identity: _identity,
      policy_passed,
      policy_reasons,
      forced,
      ...columns
    } = record
    const record_json = JSON.stringify(record)
    return {
      decided_at: null,
      ...columns,
      policy_passed: policy_passed ? 1 : 0,
      policy_reasons: JSON.stringify(policy_reasons),
      forced: forced === true ? 1 : 0,
      record_json,
      hash: await sha256(record_json),
    }
  }
})

describe('the end of the chain', () => {
  const row = {
    seq: 1,
    hash: 'h',
    revision: 2,
    created_at: 3,
    latest_at: 5,
    log_seq: 4,
    log_hash: 'l',
    logged_actions: 5,
    logged_policies: 6,
    logged_prices: 7,
    logged_releases: 8,
    now: 0,
    agent_id: null,
    agent_revision: 0,
  }

  const headOf = (read: Row) => HEAD.read([{ rows: [read], changes: 0 }])

  test('is read with the clock', () => {
    const head = {
      seq: 1,
      hash: 'h',
      revision: 2,
      agent: undefined,
      created_at: 3,
      latest_at: 5,
      log: { seq: 4, hash: 'l' },
      covered: { actions: 5, policies: 6, prices: 7, releases: 8 },
      now: 0,
    }
    expect(headOf(row)).toEqual(head)
    expect(headOf({ ...row, now: 9 })).toEqual({ ...head, now: 9 })
    expect(headOf({ ...row, agent_id: 'bot', agent_revision: 4 })).toEqual({
      ...head,
      agent: { agent_id: 'bot', revision: 4 },
    })
  })

  test('is missing where nothing was migrated', () => {
    expect(() => HEAD.read([{ rows: [], changes: 0 }])).toThrow(
      'audit_head has no row: the ledger was not migrated',
    )
  })
})

describe('the promoted release of a place', () => {
  const chose = (release_id: string) => ({
    release_id,
    action_id: 'act_1',
    action: 'promote' as const,
    actor: 'ann',
    created_at: '2026-01-31T12:00:00.000Z',
  })
  const pointsTo = (release_id: string, version: string | null = '1.0.0') => ({ release_id, version })
  type Place = Parameters<typeof verifiedPointer>[0]

  test('is what its pointer and the trail say', () => {
    expect(verifiedPointer({ pointer: pointsTo('rel_1'), chosen: chose('rel_1') })).toEqual({
      ...chose('rel_1'),
      version: '1.0.0',
    })
    expect(verifiedPointer({ pointer: undefined, chosen: undefined })).toBeNull()
  })

  test.each<[Place['pointer'], Place['chosen'], string]>([
    [pointsTo('rel_1', null), chose('rel_1'), 'Promoted baseline release is missing: rel_1'],
    [
      pointsTo('rel_1'),
      chose('rel_2'),
      'The promoted pointer is rel_1, but the last passed decision chose rel_2',
    ],
    [undefined, chose('rel_2'), 'The promoted pointer is missing, but the last passed decision chose rel_2'],
    [pointsTo('rel_1'), undefined, 'The promoted pointer is rel_1, but the last passed decision chose none'],
  ])('is not known where they differ: %j, %j', (pointer, chosen, text) => {
    expect(() => verifiedPointer({ pointer, chosen })).toThrow(text)
  })
})

describe('counters', () => {
  test('are added up over their slots, and by action', async () => {
    const { sql: db, clock } = await plainLedger()
    const counted = {
      releases_total: 3,
      pricing_tables_total: 4,
      run_events_total: 5,
      promoted_pointers_total: 6,
      'actions_by_action:promote': 7,
      'actions_by_action:rollback': 8,
      run_ends_dropped: 9,
    }
    await db.batch([
      sql`DELETE FROM counters`,
      ...Object.entries(counted).map(
        ([name, value]) => sql`INSERT INTO counters (name, slot, value) VALUES (${name}, 0, ${value})`,
      ),
      sql`INSERT INTO counters (name, slot, value) VALUES ('run_events_total', 1, 100), ('run_ends_dropped', 1, 50)`,
    ])
    const snapshot = await countersSnapshot({ sql: db, now: () => clock.now })
    expect(snapshot).toEqual({
      counters: {
        releases_total: 3,
        pricing_tables_total: 4,
        run_events_total: 105,
        promoted_pointers_total: 6,
        actions_total: 15,
        actions_by_action: { promote: 7, rollback: 8 },
        webhook_deliveries_pending: 0,
        webhook_deliveries_failed: 0,
      },
      schema_version: loadMigrations({ dialect: 'sqlite' }).at(-1)!.version,
      generated_at: '2026-03-01T08:00:00.000Z',
    })
    expect(await droppedRunEnds(db)).toBe(59)
    await db.batch([sql`DELETE FROM counters`, sql`DELETE FROM schema_migrations`])
    const { counters, schema_version } = await countersSnapshot({ sql: db, now: () => 0 })
    expect(Object.values(counters)).toEqual([0, 0, 0, 0, 0, {}, 0, 0])
    expect([schema_version, await droppedRunEnds(db)]).toEqual([0, 0])
  })

  test('are what the rows that they count come to', async () => {
    const { ledger } = await decided()
    const counted = Object.entries(COUNTED).map(async ([name, query]) => {
      const [row] = await rowsOf(ledger.sql, raw(`SELECT (${query}) AS value`))
      return { name, slot: 0, value: row!.value }
    })
    const rows = await Promise.all(counted)
    expect(rows.map(({ value }) => value)).toEqual([2, 1, 10, 1, 3, 1])
    expect(await ledger.rows('counters')).toEqual(expect.arrayContaining(rows))
  })
})

test('a mutex lets one at a time do its work, in order, and counts those that are through', async () => {
  const mutex = newMutex()
  const did: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = mutex.run(async () => {
    did.push('first begins')
    await promise
    did.push('first ends')
    return 1
  })
  const second = mutex.run(async () => {
    did.push('second')
    throw new Error('no')
  })
  const third = mutex.run(async () => mutex.released)
  expect(mutex.released).toBe(0)
  resolve()
  expect(await first).toBe(1)
  await expect(second).rejects.toThrow('no')
  expect(await third).toBe(2)
  expect(did).toEqual(['first begins', 'first ends', 'second'])
})
