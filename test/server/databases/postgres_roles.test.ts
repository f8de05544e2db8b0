import { readFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../../../src/runtime/root.ts'
import { type Sql, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { expectSound } from '../../crash/verify.ts'
import { emptyDatabase } from '../../support/databases/postgres.ts'
import { fillLedger } from '../../support/databases/whole_ledger.ts'
import { makeWorkspace } from '../../support/processes/cli.ts'
import { ok } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'
import { shared } from '../../support/shared.ts'

/** As docs/production.md has them. */
const [, GRANTS] = /```sql\n(GRANT USAGE ON SCHEMA[\s\S]*?)```/.exec(
  readFileSync(new URL('docs/production.md', ROOT), 'utf8'),
)!

describe('a server whose user does not own the tables', () => {
  test('does all that a server does, and can not touch the trail', async () => {
    const { owner, serving, svc } = await twoRoles()
    expect((await svc(owner, 'ledger', 'migrate')).stdout).toMatch(/^schema version \d+\tpostgres:\/\//)
    await grant(owner, serving)
    expect(await svc(serving, 'doctor', '--deep')).toMatchObject({ code: 0 })
    const db = open(serving)
    const service = await testService({ sql: db })
    await fillLedger(service, 5, 400, { mayErase: false })
    await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
    await expectSound(db)
    for (const statement of FORBIDDEN) {
      const forbidden = db.batch([{ text: statement, params: [] }])
      await expect(forbidden, statement).rejects.toThrow(/lacks rights/)
    }
    expect(await svc(serving, 'doctor', '--deep')).toMatchObject({ code: 0 })
  })

  test('says who has to migrate', async () => {
    const { owner, serving, svc } = await twoRoles()
    await svc(owner, 'ledger', 'migrate')
    await grant(owner, serving)
    await open(owner).batch([
      sql`DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)`,
    ])
    const ran = await svc(serving, 'release', 'list')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain(
      'lacks rights on the database or its tables; its owner runs `svc ledger migrate`',
    )
  })
})

const FORBIDDEN = [
  `UPDATE actions SET reason = 'other'`,
  'DELETE FROM actions',
  'TRUNCATE actions CASCADE',
  'DELETE FROM releases',
  'DELETE FROM promoted_pointers',
  'DELETE FROM run_events',
  `UPDATE acknowledgements SET reason = 'other'`,
  'DELETE FROM rollouts',
  'DELETE FROM sessions',
  `UPDATE policy_history SET actor = 'other'`,
  'ALTER TABLE actions DISABLE TRIGGER ALL',
  'DROP TRIGGER actions_no_change ON actions',
  'DROP TABLE actions',
  `INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'later', 0)`,
  'CREATE TABLE mine (id BIGINT)',
]

interface Roles {
  readonly owner: string
  readonly serving: string
  readonly svc: (url: string, ...args: string[]) => ReturnType<ReturnType<typeof makeWorkspace>['svcWith']>
}

/** DSNs of an empty database's owner and of a user without a right to it. */
async function twoRoles(): Promise<Roles> {
  const role = `serving_${randomBytes(6).toString('hex')}`
  const admin = openPostgres({ url: (await shared('postgres')).url })
  await admin.batch([{ text: `CREATE ROLE ${role} LOGIN PASSWORD 'serving'`, params: [] }])
  onTestFinished(async () => {
    await admin.batch([{ text: `DROP ROLE ${role}`, params: [] }])
    await admin.close()
  })
  const owner = await emptyDatabase()
  const serving = new URL(owner)
  serving.username = role
  serving.password = 'serving'
  const svc: Roles['svc'] = (url, ...args) =>
    makeWorkspace({}).svcWith({ env: { SERVICE_DATABASE_URL: url } }, ...args)
  return { owner, serving: serving.toString(), svc }
}

async function grant(owner: string, serving: string): Promise<void> {
  const statements = GRANTS!.replaceAll('svc_server', new URL(serving).username).split(';\n')
  await open(owner).batch(statements.filter(text => text.trim() !== '').map(text => ({ text, params: [] })))
}

function open(url: string): Sql {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return db
}
