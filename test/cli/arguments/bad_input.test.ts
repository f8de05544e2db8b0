import { chmodSync, closeSync, openSync, readdirSync, truncateSync, writeSync } from 'node:fs'
import type { Client } from '@libsql/client/sqlite3'
import { describe, expect, test } from 'vitest'
import { type Ran, type Workspace, makeWorkspace, withDatabase } from '../../support/processes/cli.ts'

/** One clear line on stderr, exit code 1, nothing on stdout, no stack trace. */
function expectRefusal(ran: Ran, message: string | RegExp): void {
  expect(ran.stderr).toMatch(/^svc: [^\n]+\n$/)
  expect(ran.stderr).not.toContain('internal error')
  expect(ran.stderr).toMatch(message)
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 1, stdout: '' })
}

const CONFIGS: readonly (readonly [config: string | Uint8Array, message: string])[] = [
  ['diff: [1', 'service.yaml, line '],
  ['a: 1\na: 2\n', 'service.yaml, line 2, column 1: Map keys must be unique'],
  ['a: {b: [{c: 1,\n c: 2}]}\n', 'service.yaml, line 2, column 2: Map keys must be unique'],
  ['\tdb_path: x\n', 'service.yaml, line 1, column 1: Tabs are not allowed'],
  ['a: 1\n---\nb: 2\n', 'service.yaml, line 2, column 1: there is more than one document in the file'],
  ['a: *nowhere\n', 'service.yaml: Unresolved alias'],
  [aliases(), 'service.yaml: its aliases make it too large'],
  ['a: !!binary aGk=\n', "service.yaml: a has a type that JSON can't express"],
  ['a: 99999999999999999999\n', 'service.yaml: a is a larger integer than can be stored exactly'],
  ['[['.repeat(10_000), 'service.yaml, line 1, column '],
  [bomb(), 'service.yaml: '],
  [Uint8Array.of(0x61, 0x3a, 0x20, 0xff, 0x0a), 'service.yaml is not a UTF-8 text.'],
  ['- db_path\n', 'service.yaml: the document must be an object (was an array)'],
  ['just text\n', 'service.yaml: the document must be an object (was a string)'],
  ['api_version: v2\n', 'service.yaml: api_version must be "v1"'],
  ['kind: Config\n', 'service.yaml: kind must be "WorkspaceConfig"'],
  ['db_path: 5\n', 'service.yaml: db_path must be a string'],
  ['db_path: ""\n', 'service.yaml: db_path must be non-empty'],
  ['db_path: "a\\0b"\n', 'service.yaml: db_path must not contain a NUL character'],
  ['default_environment: ""\n', 'service.yaml: default_environment must be non-empty'],
  ['diff: 500\n', 'service.yaml: diff must be an object'],
  ['diff: [1]\n', 'service.yaml: diff must be an object (was an array)'],
  ['diff: {min_low_runs: -1}\n', 'service.yaml: diff.min_low_runs must be '],
  ['diff: {min_low_runs: 1.5}\n', 'service.yaml: diff.min_low_runs must be '],
  ['diff: {min_low_runs: "50"}\n', 'service.yaml: diff.min_low_runs must be '],
  ['webhooks: {deny_private: 1}\n', 'service.yaml: webhooks.deny_private must be '],
  ['webhooks: []\n', 'service.yaml: webhooks must be '],
  ['promotion_requires_approval: "yes"\n', 'service.yaml: promotion_requires_approval must be '],
  ['pricing_catalog_path: 7\n', 'service.yaml: pricing_catalog_path must be '],
  ['database_url: mysql://ann:secret@db\n', 'service.yaml: database_url must be '],
]

/** A few lines that would be a gigabyte. */
function bomb(): string {
  const row = (from: string): string => `[${Array.from({ length: 10 }, () => `*${from}`).join(', ')}]`
  const levels = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((to, index) => {
    return `${to}: &${to} ${row('abcdefgh'[index]!)}\n`
  })
  return `a: &a [${'x, '.repeat(9)}x]\n${levels.join('')}`
}

describe.concurrent('service.yaml', () => {
  test('that is not right is refused with what is wrong, and no ledger is made', async () => {
    await Promise.all(
      CONFIGS.map(async ([config, message]) => {
        const workspace = makeWorkspace(config)
        const ran = await workspace.svc('release', 'list')
        expectRefusal(ran, '')
        expect(ran.stderr).toContain(`svc: ${message}`)
        expect(ran.stderr).not.toContain('secret')
        expect(readdirSync(workspace.folder)).toEqual(['service.yaml'])
      }),
    )
  })

  test('that is missing is named by every command that reads it', async () => {
    const { svc, write, folder } = makeWorkspace()
    write('file.yaml', {})
    const message = /^svc: Workspace config not found: service\.yaml in .*; make one with `svc init`\n$/
    const window = ['--window', '1h']
    const decision = [...window, '--env', 'e', '--reason', 'r']
    const commands = [
      ['doctor'], ['serve'], ['release', 'list'], ['release', 'show', 'x'], ['release', 'diff', 'a', 'b', ...window],
      ['release', 'promote', 'x', ...decision], ['release', 'rollback', 'x', ...decision],
      ['release', 'promote-request', 'x', ...decision], ['release', 'promote-confirm', 'x', '--approval-reason', 'r'],
      ['release', 'cancel', 'prq_x', '--reason', 'r'], ['release', 'cancel', 'wch_x', '--reason', 'r'],
      ['release', 'history'], ['pricing', 'check'],
      ['pricing', 'show', '--provider', 'p', '--version', 'v'], ['policy', 'show'], ['policy', 'set', 'file.yaml'],
      ['runs', 'list', 'x', ...window], ['runs', 'export', 'x', ...window], ['runs', 'ingest', 'file.yaml'],
      ['rollups', 'rebuild'],
    ] // prettier-ignore
    await Promise.all(commands.map(async args => expectRefusal(await svc(...args), message)))
    expect(readdirSync(folder)).toEqual(['file.yaml'])
  })

  test('that is a folder is told', async () => {
    const { write, svc } = makeWorkspace()
    write('service.yaml/x', '')
    const { code, stderr } = await svc('release', 'list')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "svc: service.yaml can't be read: it is a folder.\n",
    })
  })

  test('may be empty, and a setting that is none is only warned of', async () => {
    expect((await makeWorkspace('').svc('policy', 'show')).stderr).toBe('')
    expect((await makeWorkspace('# nothing\n').svc('policy', 'show')).stderr).toBe('')
    const misspelt = makeWorkspace(
      'promotion_needs_approval: true\nfreezes: []\ndiff: {min_low_run: 1}\nwebhooks: {deny_privat: true}\nxyz: 1\n',
    )
    const { code, stderr } = await misspelt.svc('policy', 'show')
    expect(code).toBe(0)
    const ignored = 'is not a known setting and is ignored'
    expect(stderr.trimEnd().split('\n')).toEqual([
      `svc: service.yaml: promotion_needs_approval ${ignored}; did you mean promotion_requires_approval?`,
      `svc: service.yaml: freezes ${ignored}; did you mean freeze?`,
      `svc: service.yaml: diff.min_low_run ${ignored}; did you mean diff.min_low_runs?`,
      `svc: service.yaml: webhooks.deny_privat ${ignored}; did you mean webhooks.deny_private?`,
      `svc: service.yaml: xyz ${ignored}`,
    ])
  })

  test('warns of a role of an identity provider for *, which is no name', async () => {
    const roles = [{ role: 'read', claims: {}, agents: ['*'] }]
    const oidc = [{ issuer: 'https://issuer.example.com', audience: 'a', roles }]
    const { code, stderr } = await makeWorkspace({ auth: { oidc } }).svc('policy', 'show')
    expect([code, stderr]).toEqual([
      0,
      'svc: service.yaml: auth.oidc[0].roles[0].agents are whole names, without *; leave agents out for all\n',
    ])
  })
})

describe.concurrent('a ledger', () => {
  test('whose path is a folder, a text or below a file is refused and left as it is', async () => {
    const workspace = makeWorkspace()
    workspace.write('text.db', 'not a database, and long enough to look like one')
    workspace.write('folder/x', '')
    const open = (db_path: string): Promise<Ran> => {
      workspace.write('service.yaml', { db_path })
      return workspace.svc('policy', 'show')
    }
    expectRefusal(await open('text.db'), /text\.db is not a SQLite database; move it away/)
    expect(workspace.read('text.db')).toMatch(/^not a database/)
    expectRefusal(await open('folder'), /folder can't be opened: check the path and its rights/)
    expectRefusal(await open('text.db/ledger.db'), /ledger/)
    expect(readdirSync(workspace.path('folder'))).toEqual(['x'])
  })

  test.each([
    ['a table', 'CREATE TABLE urls (url TEXT)', 'urls'],
    ['a table that a ledger has', 'CREATE TABLE releases (x)', 'releases'],
    [
      'the migrations of another tool',
      'CREATE TABLE schema_migrations (version, dirty)',
      'schema_migrations',
    ],
    [
      'many tables',
      'CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x); CREATE TABLE d (x)',
      'a, b, c and 1 more',
    ],
  ])('that is a database with %s of something else is refused and left as it is', async (_, made, named) => {
    const workspace = makeWorkspace({ db_path: 'else.db' })
    const tables = (client: Client) => client.execute('SELECT sql FROM sqlite_master')
    await withDatabase(workspace, client => client.executeMultiple(made), 'else.db')
    const before = await withDatabase(workspace, tables, 'else.db')
    expectRefusal(
      await workspace.svc('policy', 'show'),
      `svc: the database is no ledger: it holds tables of something else (${named}); ` +
        'give the ledger a file of its own',
    )
    expect((await withDatabase(workspace, tables, 'else.db')).rows).toEqual(before.rows)
  })

  test('that is cut short or damaged is told by every way in', async () => {
    const { workspace, damage } = await damagedLedger()
    damage(path => truncateSync(path, 5000))
    for (const args of [
      ['policy', 'show'],
      ['doctor'],
      ['serve', '--port', '0'],
      ['doctor', '--backup', 'b.db'],
    ]) {
      expectRefusal(await workspace.process(...args), /service\.db is damaged; restore a backup/)
    }
    expect(workspace.has('b.db')).toBe(false)
    const overwritten = await damagedLedger()
    overwritten.damage(path => {
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(60_000, 0xff), 0, 60_000, 4096)
      closeSync(file)
    })
    expectRefusal(await overwritten.workspace.svc('release', 'list'), /service\.db is damaged/)
  })

  test.runIf(process.platform === 'linux')('in a place where nothing can be made is refused', async () => {
    const { svc, has } = makeWorkspace({ db_path: '/proc/nowhere/deep/ledger.db' })
    expectRefusal(await svc('policy', 'show'), /the ledger \/proc\/nowhere\/deep\/ledger\.db/)
    expectRefusal(await svc('init', '--path', '/proc/nowhere/service.yaml'), /can't be made/)
    expect(has('.service')).toBe(false)
  })

  test.skipIf(process.getuid?.() === 0)('in a folder without write permission is refused', async () => {
    const { svc, write, path } = makeWorkspace({ db_path: 'closed/ledger.db' })
    write('closed/x', '')
    chmodSync(path('closed'), 0o555)
    expectRefusal(await svc('policy', 'show'), /closed\/ledger\.db/)
    chmodSync(path('closed'), 0o755)
    expect(readdirSync(path('closed'))).toEqual(['x'])
  })
})

test.concurrent.each([
  ['SERVICE_SQLITE_BUSY_TIMEOUT_MS', 'abc', 'must be a number of at least 0'],
  ['SERVICE_SQLITE_BUSY_TIMEOUT_MS', '-1', 'must be a number of at least 0'],
  ['SERVICE_SQLITE_LOCK_TIMEOUT_S', '1e999', 'must be a number of at least 0'],
  ['SERVICE_SQLITE_RETRY_ON_LOCK', 'maybe', 'must be 1 or 0'],
  ['SERVICE_SQLITE_SYNCHRONOUS', 'extra', 'must be normal or full'],
])('the environment variable %s=%s is named', async (name, value, message) => {
  const { svcWith, has } = makeWorkspace({})
  for (const args of [
    ['release', 'list'],
    ['init', '--path', 'other.yaml'],
  ]) {
    expectRefusal(
      await svcWith({ env: { [name]: value } }, ...args),
      `svc: ${name} ${message} (it is '${value}').`,
    )
  }
  expect(has('.service')).toBe(false)
  const blank = await svcWith({ env: { [name]: ' ' } }, 'release', 'list')
  expect(blank.code).toBe(0)
})

test.concurrent('files that can not be read or written are named, and nothing is left half-written', async () => {
  const workspace = makeWorkspace({})
  const { svc, write, folder } = workspace
  write('text', 'x')
  write('a-folder/x', '')
  write('latin1.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xe9, 0x0a))
  for (const command of [
    ['policy', 'set'],
    ['pricing', 'import'],
    ['release', 'register'],
  ]) {
    expectRefusal(
      await svc(...command, 'gone.yaml'),
      "gone.yaml can't be read: there is no such file or folder.",
    )
    expectRefusal(
      await svc(...command, 'text/x'),
      "text/x can't be read: a part of the path is not a folder.",
    )
    expectRefusal(await svc(...command, 'latin1.yaml'), 'latin1.yaml is not a UTF-8 text.')
  }
  expectRefusal(await svc('policy', 'set', 'a-folder'), "a-folder can't be read: it is a folder.")
  expectRefusal(await svc('init', '--path', 'text/service.yaml'), 'text')
  expect(readdirSync(folder).filter(name => name.includes('.part'))).toEqual([])
})

test.concurrent('a document over 1 MB is refused before it is parsed, one of many keys is parsed soon', async () => {
  const { svc, write } = makeWorkspace({})
  const keys = (count: number): string =>
    Array.from({ length: count }, (_, index) => `key${index}: 1\n`).join('')
  write('large.yaml', keys(100_000))
  write('exact.yaml', `policy_id: exact\n#${'x'.repeat(1_000_000 - 18)}`)
  write('bundle/release.yaml', keys(100_000))
  write('many.yaml', `${keys(50_000)}key7: 2\n`)
  const refusal = 'is larger than 1 MB; a document may have 1,000,000 bytes at most.'
  expectRefusal(await svc('policy', 'set', 'large.yaml'), `svc: large.yaml ${refusal}`)
  expectRefusal(await svc('pricing', 'import', 'large.yaml'), `svc: large.yaml ${refusal}`)
  expectRefusal(await svc('release', 'register', 'bundle'), `release.yaml ${refusal}`)
  expect((await svc('policy', 'set', 'exact.yaml')).stdout).toBe('policy exact is in force\n')
  write('exact.yaml', `policy_id: exact\n#${'x'.repeat(1_000_000 - 17)}`)
  expectRefusal(await svc('policy', 'set', 'exact.yaml'), `svc: exact.yaml ${refusal}`)
  // Each key against all before it would take a hundred times as long for ten times as many.
  write('fewer.yaml', `${keys(5000)}key7: 2\n`)
  const timed = async (name: string, line: number): Promise<number> => {
    const startedAt = performance.now()
    const repeated = `svc: ${name}, line ${line}, column 1: Map keys must be unique\n`
    expectRefusal(await svc('policy', 'set', name), repeated)
    return performance.now() - startedAt
  }
  expect((await timed('many.yaml', 50_001)) / (await timed('fewer.yaml', 5001))).toBeLessThan(30)
  write('service.yaml', keys(100_000))
  expectRefusal(await svc('policy', 'show'), `svc: service.yaml ${refusal}`)
})

/** A ledger that was in use and is closed now, and a way to damage its file. */
async function damagedLedger(): Promise<{
  workspace: Workspace
  damage: (how: (path: string) => void) => void
}> {
  const workspace = makeWorkspace({})
  // A process of its own: it closes the file for good when it ends.
  await workspace.process('doctor')
  return { workspace, damage: how => how(workspace.path('.service/service.db')) }
}

/** A text whose aliases expand to a hundred times its size. */
function aliases(): string {
  return `a: &a "${'x'.repeat(90_000)}"\nb: [${Array.from({ length: 60 }, () => '*a').join(', ')}]\n`
}
