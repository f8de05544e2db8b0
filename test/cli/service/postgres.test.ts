import { describe, expect, test } from 'vitest'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { type Ran, makeWorkspace, startService } from '../../support/processes/cli.ts'
import { emptyDatabase, temporaryDatabase } from '../../support/databases/postgres.ts'
import { shared } from '../../support/shared.ts'

const VERSION = 'svc-bundled-2026-11-21'

function on(url: string, ...args: string[]): Promise<Ran> {
  return makeWorkspace({}).svcWith({ env: { SERVICE_DATABASE_URL: url } }, ...args)
}

/** A DSN of the tests' server with parts of it changed. */
async function dsn(change: (url: URL) => void): Promise<string> {
  const url = new URL((await shared('postgres')).url)
  change(url)
  return url.toString()
}

describe('a ledger in PostgreSQL', () => {
  test('is made by init, kept by database_url, and leaves no file behind', async () => {
    const workspace = makeWorkspace()
    const url = await emptyDatabase()
    const initialised = await workspace.svcWith({ env: { SERVICE_DATABASE_URL: url } }, 'init')
    expect(initialised).toMatchObject({ code: 0 })
    workspace.write('service.yaml', { database_url: url })
    const shown = await workspace.svc('pricing', 'show', '--provider', 'openai', '--version', VERSION)
    expect(shown.stdout).toContain('gpt-4.1')
    expect((await workspace.svc('doctor', '--deep')).code).toBe(0)
    expect(workspace.has('.service/service.db')).toBe(false)
  })

  test('wins by the environment over service.yaml', async () => {
    const workspace = makeWorkspace({ database_url: 'postgres://nobody@127.0.0.1:1/none' })
    const env = { SERVICE_DATABASE_URL: await temporaryDatabase() }
    expect(await workspace.svcWith({ env }, 'release', 'list')).toMatchObject({ code: 0 })
  })

  test('is named by serve without its user and password', async () => {
    const url = await temporaryDatabase()
    const service = await startService(makeWorkspace({}), { env: { SERVICE_DATABASE_URL: url } })
    const { host, pathname } = new URL(url)
    expect(service.firstLine).toContain(`(ledger postgres://${host}${pathname};`)
    expect((await fetch(`${service.url}/ready`)).status).toBe(200)
    await service.stop()
  })

  test('is backed up by pg_dump, which doctor --backup names', async () => {
    const ran = await on(await temporaryDatabase(), 'doctor', '--backup', 'copy.db')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(
      /^svc: --backup copies a SQLite file.*pg_dump --format=custom --file=FILE .*\n$/,
    )
  })
})

describe('exits with 1 and one message that holds no password', () => {
  test.each<[string, () => string | Promise<string>, RegExp]>([
    ['a DSN of something else', () => 'mysql://ann:hidden@db/x', /SERVICE_DATABASE_URL must be a postgres/],
    [
      'a DSN that is no URL',
      () => 'postgres://ann:hidden@db:port/x',
      /the database URL has the host 'db:port'/,
    ],
    ['a wrong setting', () => dsn(url => (url.search = 'max=none')), /max=none, which is no whole number/],
    ['a refused connection', () => 'postgres://ann:hidden@127.0.0.1:1/x', /refuses the connection/],
    [
      'an unknown host',
      () => 'postgres://ann:hidden@host.invalid/x',
      /host of the database URL is not known/,
    ],
    ['a wrong password', () => dsn(url => (url.password = 'hidden')), /refuses the user or password/],
    ['no such database', () => dsn(url => (url.pathname = '/nowhere')), /no database of the name/],
  ])('%s', async (_what, url, message) => {
    const ran = await on(await url(), 'release', 'list')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    const lines = ran.stderr.trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(message)
    // A server that may come back is tried again, and each try is reported.
    expect(lines.slice(0, -1).filter(line => !line.startsWith('svc: retrying the ledger: '))).toEqual([])
    expect(ran.stderr).not.toContain('hidden')
    expect(ran.stderr).not.toContain(new URL((await shared('postgres')).url).password)
  })

  test('a user without rights', async () => {
    const url = await emptyDatabase()
    const owner = openPostgres({ url })
    const role = `weak_${new URL(url).pathname.slice(1)}`
    const say = (text: string) => owner.batch([{ text, params: [] }])
    await say(`CREATE ROLE ${role} LOGIN PASSWORD 'hidden'`)
    const weak = new URL(url)
    weak.username = role
    weak.password = 'hidden'
    const ran = await on(weak.toString(), 'release', 'list')
    await say(`DROP ROLE ${role}`)
    await owner.close()
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'svc: the user of the database URL lacks rights on the database or its tables; its owner runs `svc ledger migrate`\n',
    })
  })

  test('a database that is only to be read', async () => {
    const url = await emptyDatabase()
    const owner = openPostgres({ url })
    const name = new URL(url).pathname.slice(1)
    await owner.batch([{ text: `ALTER DATABASE ${name} SET default_transaction_read_only = on`, params: [] }])
    await owner.close()
    const ran = await on(url, 'release', 'list')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/^svc: the database is read-only/m) })
  })

  test('a ledger of a newer version', async () => {
    const url = await emptyDatabase()
    const db = openPostgres({ url })
    await migrate(db, loadMigrations({ dialect: 'postgres' }), Date.now)
    await db.batch([sql`INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'later', 0)`])
    await db.close()
    const ran = await on(url, 'release', 'list')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(
      /^svc: the ledger has schema version 999, and this program knows up to \d+: upgrade/,
    )
  })
})
