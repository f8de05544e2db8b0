import type { Client } from '@libsql/client/sqlite3'
import { describe, expect, test } from 'vitest'
import type { AuditPage } from '../../../src/models/answers/audit.ts'
import {
  copyOf,
  makeWorkspace,
  runSvc,
  startService,
  twoReleases,
  type Workspace,
  withDatabase,
} from '../../support/processes/cli.ts'

const DECISION = ['--env', 'prod', '--window', '1h', '--reason', 'r'] as const

/** A ledger with events, two decisions and one pointer. */
const decided = await twoReleases()
await decided.workspace.svc('release', 'promote', decided.baseline, ...DECISION)
await decided.workspace.svc('release', 'promote', decided.candidate, ...DECISION)
const { baseline } = decided

describe.concurrent('svc doctor', () => {
  test('prints a line per check on stdout', async () => {
    const workspace = copyOf(decided.workspace)
    const { code, stdout, stderr } = await workspace.svc('doctor')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ok {4}schema_migrations: /m)
    expect(stdout).toContain(`ok    promoted_pointer:bot:prod: ${baseline} is registered\n`)
    expect(stdout).toMatch(/^ok {4}audit_seq: contiguous from 1 to 2$/m)
    expect(stdout).toMatch(/^(?:ok {4}\S+: .*\n)+$/)
    const deep = await workspace.svc('doctor', '--deep')
    expect(deep.code).toBe(0)
    expect(deep.stdout).toMatch(/^ok {4}rollups: /m)
  })

  test.each([
    {
      damage: 'a pointer to a release that is not registered',
      statements: ['PRAGMA foreign_keys = OFF', "UPDATE promoted_pointers SET release_id = 'rel_gone'"],
      complaint: 'FAIL  promoted_pointer:bot:prod: points to rel_gone, which is not registered\n',
    },
    {
      damage: 'a decision that was removed',
      statements: ['DROP TRIGGER actions_no_delete', 'DELETE FROM actions WHERE audit_seq = 1'],
      complaint: 'FAIL  audit_seq: there is no 1 before 2\n',
    },
    {
      damage: 'a reason that was rewritten',
      statements: ['DROP TRIGGER actions_no_update', "UPDATE actions SET reason = 'x' WHERE audit_seq = 2"],
      complaint: 'FAIL  audit_chain: audit_seq 2: its reason differs from its record\n',
    },
  ])('finds $damage, and says so on stderr', async ({ statements, complaint }) => {
    const workspace = copyOf(decided.workspace)
    await alter(workspace, statements)
    const { code, stdout, stderr } = await workspace.svc('doctor')
    expect(code).toBe(1)
    expect(stderr).toContain(complaint)
    expect(stderr).toMatch(/^(?:FAIL {2}.*\n)+$/)
    expect(stdout).toMatch(/^(?:ok {4}.*\n)+$/)
  })

  test('--deep says at a terminal how far it is, also where nobody is named', async () => {
    const { path } = copyOf(decided.workspace)
    for (const USER of ['ann', '']) {
      const { code, stderr } = await runSvc(['doctor', '--deep'], path(''), {
        env: { USER },
        errIsTty: true,
      })
      expect({ USER, code }).toEqual({ USER, code: 0 })
      expect(stderr).toMatch(/\rdecisions 100 %/)
    }
  })

  test('--deep finds rollups that are not the events, and svc rollups rebuild repairs them', async () => {
    const workspace = copyOf(decided.workspace)
    await alter(workspace, ['UPDATE rollup_minutes SET runs = runs + 1'])
    expect((await workspace.svc('doctor')).code).toBe(0)
    const deep = await workspace.svc('doctor', '--deep')
    expect(deep.code).toBe(1)
    expect(deep.stderr).toMatch(/^FAIL {2}rollups: .*repair with `svc rollups rebuild`\n$/)
    const rebuilt = await workspace.svc('rollups', 'rebuild')
    expect(rebuilt.code).toBe(0)
    expect(rebuilt.stdout).toMatch(
      /^rebuilt \d+ days of rollups\n(?:differed before: rollup_minutes, scope \d+, .+\n)+$/,
    )
    const { stdout } = await workspace.svc('audit', 'log', '--kind', 'rollups', '--output', 'json')
    const [entry] = (JSON.parse(stdout) as AuditPage).entries
    expect(entry).toMatchObject({
      kind: 'rollups.rebuilding',
      actor_source: 'cli',
      details: { differences: expect.arrayContaining([expect.stringMatching(/^rollup_minutes/)]) },
    })
    expect((await workspace.svc('doctor', '--deep')).code).toBe(0)
  })

  test('a ledger of a newer version is left alone', async () => {
    const workspace = copyOf(decided.workspace)
    await alter(workspace, [
      "INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'later', 0)",
    ])
    const { code, stdout, stderr } = await workspace.svc('doctor')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^svc: the ledger has schema version 99, .*\n$/)
    expect(await workspace.process('serve', '--port', '0')).toEqual({ code, stdout, stderr })
  })

  test('--backup writes a copy that works, next to a running server', async () => {
    const workspace = copyOf(decided.workspace)
    const service = await startService(workspace)
    const { code, stderr } = await workspace.svc('doctor', '--backup', 'copy.db')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'svc: backup written to copy.db\n' })
    await service.stop()
    workspace.write('service.yaml', { db_path: 'copy.db' })
    expect((await workspace.svc('doctor', '--deep')).code).toBe(0)
    expect((await workspace.ok('release', 'history')).split('\n')).toHaveLength(2)
    expect(await workspace.ok('release', 'list')).toContain(baseline)
  })

  test('--backup overwrites nothing, and not the ledger itself', async () => {
    const workspace = copyOf(decided.workspace)
    workspace.write('other.txt', 'keep me')
    for (const target of ['other.txt', '.service/service.db', '.service/service.db-wal']) {
      const { code, stdout, stderr } = await workspace.svc('doctor', '--backup', target)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(
        `svc: --backup ${target}: the file exists already; a backup never overwrites one.\n`,
      )
    }
    expect(workspace.read('other.txt')).toBe('keep me')
    const lost = await workspace.svc('doctor', '--backup', 'other.txt/deep/copy.db')
    expect(lost).toEqual({
      code: 1,
      stdout: '',
      stderr: "svc: The folder of the backup can't be made: a part of the path is not a folder.\n",
    })
    expect((await workspace.svc('doctor')).code).toBe(0)
  })

  test('--backup makes the folder that it names', async () => {
    const workspace = copyOf(decided.workspace)
    const { code, stderr } = await workspace.svc('doctor', '--backup', 'new/dir/x.db')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'svc: backup written to new/dir/x.db\n' })
    workspace.write('service.yaml', { db_path: 'new/dir/x.db' })
    expect(await workspace.ok('release', 'list')).toContain(baseline)
  })
})

test.concurrent('--backup refuses the place of a ledger that is only being made', async () => {
  const workspace = makeWorkspace({ db_path: 'new.db' })
  const { code, stderr } = await workspace.svc('doctor', '--backup', 'new.db')
  expect(code).toBe(1)
  expect(stderr).toBe('svc: --backup new.db: the file exists already; a backup never overwrites one.\n')
  expect((await workspace.svc('doctor')).code).toBe(0)
})

test.concurrent('doctor migrates a ledger that is not there yet', async () => {
  const workspace = makeWorkspace({})
  const { code, stdout } = await workspace.svc('doctor')
  expect(code).toBe(0)
  expect(stdout).toContain('ok    audit_seq: no actions yet\n')
  expect(workspace.has('.service/service.db')).toBe(true)
})

/** What no command would do to a ledger. */
async function alter(workspace: Workspace, statements: readonly string[]): Promise<void> {
  await withDatabase(workspace, async (client: Client) => {
    for (const statement of statements) await client.execute(statement)
  })
}
