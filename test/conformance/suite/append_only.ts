import { expect, test } from 'vitest'
import { type Sql, type Statement, rowsOf, sql } from '../../../src/sql/port.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { ok, promote, setPolicy } from '../../support/services/requests.ts'
import type { TestService } from '../../support/services/service.ts'

/**
 * That the database itself keeps the audit trail, releases and histories as they are, whatever program asks.
 * `makeService` gives a service on a migrated ledger, whose database is written to directly here.
 */
export function appendOnlyContract(makeService: () => Promise<TestService>): void {
  test('the database refuses each change', async () => {
    const service = await ledger(makeService)
    const changes: [string, Statement][] = [
      ['an action', sql`UPDATE actions SET reason = 'forged' WHERE audit_seq = 1`],
      ['all actions', sql`UPDATE actions SET policy_passed = 1`],
      ['an action to what it is', sql`UPDATE actions SET reason = reason`],
      ['the key of an action', sql`UPDATE actions SET action_id = 'act_x' WHERE audit_seq = 2`],
      ['the number of an action', sql`UPDATE actions SET audit_seq = audit_seq + 10`],
      ['a release', sql`UPDATE releases SET checksum = ${'b'.repeat(64)}`],
      ['an import record', sql`UPDATE pricing_imports SET actor = 'nobody'`],
      ['the policy history', sql`UPDATE policy_history SET policy_json = '{}'`],
      ['the audit log', sql`UPDATE audit_log SET kind = kind`],
      ['the length of the audit log', sql`DELETE FROM audit_log WHERE log_seq > 3`],
    ]
    for (const [what, statement] of changes) expect(await attempt(service, statement), what).toEqual(REFUSED)
  })

  test('the database refuses to delete', async () => {
    const service = await ledger(makeService)
    for (const table of ['actions', 'releases', 'pricing_imports', 'policy_history']) {
      const name: Statement = { text: table, params: [] }
      expect(await attempt(service, sql`DELETE FROM ${name}`), table).toEqual(REFUSED)
      expect(await attempt(service, sql`DELETE FROM ${name} WHERE created_at > ${0}`), table).toEqual(REFUSED)
    }
  })

  test('the database refuses to put another action in the place of one', async () => {
    const service = await ledger(makeService)
    const columns = sql`action_id, action, release_id, agent_id, environment, baseline_release_id, reason, actor,
      policy_passed, policy_reasons, created_at, audit_seq, actor_source, record_json, prev_hash, hash`

    for (const [what, id, seq] of [
      ['of the same key', sql`action_id`, sql`audit_seq + 100`],
      ['of the same number', sql`'act_forged'`, sql`audit_seq`],
      ['of the same key and number', sql`action_id`, sql`audit_seq`],
    ] as const) {
      const forged = sql`SELECT ${id}, action, release_id, agent_id, environment, baseline_release_id,
        'forged', actor, policy_passed, policy_reasons, created_at, ${seq}, actor_source, record_json,
        prev_hash, hash FROM actions WHERE audit_seq = 1`
      for (const verb of inserts(service.sql)) {
        expect(await attempt(service, sql`${verb} INTO actions (${columns}) ${forged}`), what).toEqual(
          REFUSED,
        )
      }
      const upsert = sql`INSERT INTO actions (${columns}) ${forged}
        ON CONFLICT (action_id) DO UPDATE SET reason = excluded.reason`
      expect(await attempt(service, upsert), what).toEqual(REFUSED)
    }
  })

  test('the doctor finds the trail untouched after all such attempts', async () => {
    const service = await ledger(makeService)
    await attempt(service, sql`UPDATE actions SET reason = 'forged'`)
    await attempt(service, sql`DELETE FROM actions`)
    expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
  })
}

/** SQLite's REPLACE would delete what is in the way without asking the delete triggers. */
function inserts({ dialect }: Sql): Statement[] {
  const verbs =
    dialect === 'sqlite' ? ['INSERT', 'INSERT OR REPLACE', 'REPLACE', 'INSERT OR ABORT'] : ['INSERT']
  return verbs.map(text => ({ text, params: [] }))
}

/** A ledger with two actions, two releases, a price table and a policy. */
async function ledger(makeService: () => Promise<TestService>): Promise<TestService> {
  const service = await makeService()
  await importPrices(service)
  await setPolicy(service, {})
  for (const environment of ['local', 'prod']) {
    await ok(promote(service, await register(service), { environment }))
  }
  return service
}

const REFUSED = { query: 'refused', batch: 'refused', changed: false }

/** Tries a statement alone and as a batch. */
async function attempt({ sql: db }: TestService, statement: Statement): Promise<Record<string, unknown>> {
  const before = JSON.stringify(await contents(db))
  const outcome = (done: Promise<unknown>) =>
    done.then(
      () => 'done',
      () => 'refused',
    )
  return {
    query: await outcome(db.query(statement)),
    batch: await outcome(db.batch([statement])),
    changed: JSON.stringify(await contents(db)) !== before,
  }
}

async function contents(db: Sql): Promise<unknown[]> {
  return Promise.all([
    rowsOf(db, sql`SELECT * FROM actions ORDER BY audit_seq`),
    rowsOf(db, sql`SELECT * FROM releases ORDER BY seq`),
    rowsOf(db, sql`SELECT * FROM pricing_imports ORDER BY seq`),
    rowsOf(db, sql`SELECT * FROM policy_history ORDER BY seq`),
  ])
}
