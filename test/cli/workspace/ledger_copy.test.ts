import { readdirSync, statSync, symlinkSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  copyOf,
  makeWorkspace,
  runSvc,
  twoReleases,
  type Workspace,
  withDatabase,
} from '../../support/processes/cli.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'

const LEDGER = '.service/service.db'
const DECISION = ['--env', 'prod', '--window', '1h', '--reason', 'r'] as const

/** A ledger with events, two decisions and one pointer. */
const decided = await twoReleases()
await decided.workspace.ok('release', 'promote', decided.baseline, ...DECISION)
await decided.workspace.svc('release', 'promote', decided.candidate, ...DECISION)

const VERIFIED = [
  /^ok {4}rows: \d+ in \d+ tables, equal to the source's$/,
  /^ok {4}rollups: they sum up every event$/,
  /^ok {4}audit_seq: contiguous from 1 to 2$/,
  /^ok {4}audit_chain: 2 rows verified$/,
  /^ok {4}audit_log: \d+ entries verified$/,
]

describe('svc ledger copy', () => {
  test('makes a ledger that works, and says what it verified', async () => {
    const workspace = copyOf(decided.workspace)
    const { code, stdout, stderr } = await copy(workspace, LEDGER, 'copy.db')
    expect({ code, stderr }).toEqual({ code: 0, stderr: `svc: copied ${LEDGER} in copy.db\n` })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(VERIFIED.length)
    for (const [index, line] of lines.entries()) expect(line).toMatch(VERIFIED[index]!)

    const moved = makeWorkspace({ db_path: workspace.path('copy.db') })
    expect((await moved.svc('doctor', '--deep')).code).toBe(0)
    for (const args of [
      ['release', 'list'],
      ['release', 'history'],
      ['policy', 'show'],
    ]) {
      expect(await moved.ok(...args)).toBe(await workspace.ok(...args))
    }
  })

  test.each(['copy.db', 'link.db'])('is for its owner alone, whatever the umask: %s', async to => {
    const workspace = copyOf(decided.workspace)
    symlinkSync('behind.db', workspace.path('link.db'))
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    expect((await copy(workspace, LEDGER, to)).code).toBe(0)
    process.umask(before)
    for (const name of readdirSync(workspace.folder).filter(file => /^(?:copy|behind)\.db/.test(file))) {
      expect([name, statSync(workspace.path(name)).mode & 0o777]).toEqual([name, 0o600])
    }
  })

  test('goes to PostgreSQL and back, and never shows a password', async () => {
    const workspace = copyOf(decided.workspace)
    const url = await temporaryDatabase()
    const place = url.replace(/^.*@/, 'postgres://')
    const there = await copy(workspace, LEDGER, `${url}?max=2&connect_timeout=5`)
    expect(there).toMatchObject({ code: 0, stderr: `svc: copied ${LEDGER} in ${place}\n` })
    const back = await copy(workspace, url.replace('postgres:', 'postgresql:'), 'back.db')
    expect(back).toMatchObject({ code: 0, stderr: `svc: copied ${place} in back.db\n` })
    expect(await dump(workspace, 'back.db')).toEqual(await dump(workspace, LEDGER))
  })

  test.each<[address: string, complaint: RegExp]>([
    [
      'postgres://bob:s3cr3t@127.0.0.1:1/ledger',
      /^svc: --to postgres:\/\/127\.0\.0\.1:1\/ledger: .*refuses the connection/m,
    ],
    [
      'postgres://bob:s3cr3t@127.0.0.1:x/ledger',
      /^svc: --to postgres:\/\/127\.0\.0\.1:x\/ledger: the database URL has the host/,
    ],
    [
      'postgres://bob:s3cr3t@127.0.0.1/ledger?max=0',
      /^svc: --to postgres:\/\/127\.0\.0\.1\/ledger: .* max=0, which is no whole/,
    ],
    [
      'mysql://bob:s3cr3t@127.0.0.1/ledger',
      /^svc: --to must be a postgresql:\/\/ .* URL, or the path of a SQLite file\./,
    ],
  ])('says what is wrong with %s, but not the password', async (address, complaint) => {
    const { code, stdout, stderr } = await copy(decided.workspace, LEDGER, address)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(complaint)
    expect(stderr).not.toContain('s3cr3t')
  })

  test('a wrong password or database of a real server is named by its side', async () => {
    const url = new URL(await temporaryDatabase())
    const { password } = url
    url.password = 's3cr3t'
    const wrong = await copy(decided.workspace, LEDGER, url.href)
    expect(wrong.stderr).toMatch(
      /^svc: --to .*: the database refuses the user or password of the database URL\n$/,
    )
    url.password = password
    url.pathname = '/no_such_database'
    const lost = await copy(decided.workspace, url.href, 'new.db')
    expect(lost.stderr).toMatch(/^svc: --from .*\/no_such_database: there is no database of the name/)
  })

  test.each([
    ['no.db', 'copy.db', 'svc: --from no.db: there is no such file.\n'],
    ['.service', 'copy.db', 'svc: --from .service: there is no such file.\n'],
    ['empty.db', 'copy.db', 'svc: --from empty.db has no ledger.\n'],
    ['text.db', 'copy.db', 'svc: --from text.db: the ledger .* is not a SQLite database'],
    [LEDGER, 'no/folder/copy.db', 'svc: --to no/folder/copy.db: there is no folder '],
    [LEDGER, 'text.db', 'svc: --to text.db: the ledger .* is not a SQLite database'],
    [LEDGER, `./${LEDGER}`, 'svc: --from and --to are the same file.\n'],
    [
      'odd\u001B[31m\n.db',
      'copy.db',
      String.raw`svc: --from odd\\u001b\[31m\\u000a\.db: there is no such file\.`,
    ],
  ])('from %j to %j is refused', async (from, to, complaint) => {
    const workspace = copyOf(decided.workspace)
    workspace.write('empty.db', '')
    workspace.write('text.db', 'not a database, but longer than a header of one would be '.repeat(20))
    const { code, stdout, stderr } = await copy(workspace, from, to)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^${complaint}`))
    expect(workspace.has('copy.db')).toBe(false)
    expect(workspace.read('text.db')).toMatch(/^not a database/)
  })

  test('a ledger that is there already is left as it is', async () => {
    const workspace = copyOf(decided.workspace)
    const other = makeWorkspace({})
    await other.svc('init', '--path', 'made.yaml')
    const before = await dump(other, LEDGER)
    const { code, stderr } = await copy(workspace, LEDGER, other.path(LEDGER))
    expect(code).toBe(1)
    expect(stderr).toBe('svc: The target has rows already; give an empty database.\n')
    expect(await dump(other, LEDGER)).toEqual(before)
  })

  test('an unfinished copy is no ledger for any command, and is not copied into again', async () => {
    const workspace = copyOf(decided.workspace)
    await copy(workspace, LEDGER, 'copy.db')
    await alter(workspace, MARK, 'copy.db')
    const opened = makeWorkspace({ db_path: workspace.path('copy.db') })
    for (const args of [['release', 'list'], ['doctor'], ['serve', '--port', '0']]) {
      const { code, stderr } = await opened.process(...args)
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('unfinished copy') })
    }
    const asSource = await copy(workspace, 'copy.db', 'third.db')
    expect(asSource.stderr).toBe('svc: --from copy.db is an unfinished copy.\n')
    const { code, stderr } = await copy(workspace, LEDGER, 'copy.db')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: the ledger is an unfinished copy: delete it, and copy again into an empty database\n',
    })
  })

  test.each([
    [
      "INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'later', 0)",
      /has schema version 99, .* upgrade it\.\n$/,
    ],
    [
      'DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)',
      /has schema version \d+, this program has \d+: run `svc doctor` on that ledger first, which migrates it\.\n$/,
    ],
    [
      'UPDATE rollup_hours SET runs = runs + 1',
      /^svc: The source fails its checks: run_events has 20 rows, .*`svc rollups rebuild`\. Nothing was copied\.\n$/,
    ],
    [
      "DROP TRIGGER actions_no_update; UPDATE actions SET reason = 'x'",
      /audit_chain: audit_seq 1: .*Nothing was/,
    ],
  ])('a source after %s is refused, and nothing is copied', async (statement, complaint) => {
    const workspace = copyOf(decided.workspace)
    for (const part of statement.split('; ')) await alter(workspace, part, LEDGER)
    const { code, stdout, stderr } = await copy(workspace, LEDGER, 'copy.db')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(complaint)
    if (workspace.has('copy.db')) expect((await dump(workspace, 'copy.db')).releases).toEqual([])
  })

  test('a target of a newer schema is refused', async () => {
    const workspace = copyOf(decided.workspace)
    await copy(workspace, LEDGER, 'copy.db')
    await alter(
      workspace,
      "INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'later', 0)",
      'copy.db',
    )
    expect((await copy(workspace, LEDGER, 'copy.db')).stderr).toMatch(
      /^svc: --to copy\.db: the ledger has schema version 99, and this program knows up to \d+: upgrade it\n$/,
    )
  })
})

const MARK =
  "INSERT INTO schema_migrations (version, name, applied_at) VALUES (1000000, 'unfinished_copy', 0)"

function copy({ folder }: Workspace, from: string, to: string) {
  return runSvc(['ledger', 'copy', '--from', from, '--to', to], folder)
}

async function alter(workspace: Workspace, statement: string, file: string): Promise<void> {
  await withDatabase(workspace, client => client.execute(statement), file)
}

/** All rows of a SQLite ledger, by table. */
async function dump(workspace: Workspace, file: string): Promise<Record<string, unknown[]>> {
  return withDatabase(
    workspace,
    async client => {
      const tables = await client.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_migrations'",
      )
      const contents: Record<string, unknown[]> = {}
      for (const name of tables.rows.map(row => row.name as string)) {
        const { rows } = await client.execute(`SELECT * FROM ${name}`)
        contents[name] = rows.map(row => JSON.stringify(row)).sort()
      }
      return contents
    },
    file,
  )
}
