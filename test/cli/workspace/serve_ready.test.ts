import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import {
  type RunningService,
  type Workspace,
  makeWorkspace,
  startService,
  twoReleases,
} from '../../support/processes/cli.ts'

const NOT_ROOT = 65_534

describe('svc serve', () => {
  test('says that its file was deleted, makes no new one, and goes on when it is back', async () => {
    const workspace = makeWorkspace({})
    const service = await startService(workspace)
    const [file, away] = [workspace.path('.service/service.db'), workspace.path('away.db')]
    renameSync(file, away)
    const moved = { detail: 'The ledger is not available: its file was moved, deleted or replaced.' }
    expect(await get(service, '/ready')).toEqual({ status: 503, body: moved })
    expect(await setPolicy(service)).toEqual({ status: 503, body: moved })
    expect(existsSync(file)).toBe(false)
    renameSync(away, file)
    expect(await get(service, '/ready')).toEqual({ status: 200, body: { status: 'ready' } })
    expect(await setPolicy(service)).toMatchObject({ status: 200 })
    await service.stop()
  })

  test.runIf(process.platform === 'linux')('is not ready on a file that it may only read', async () => {
    const workspace = makeWorkspace({})
    await workspace.ok('release', 'list')
    chmodSync(workspace.path('.service/service.db'), 0o444)
    const service = await startService(workspace, givenAway(workspace))
    const detail = expect.stringMatching(/: it can't be written: check the rights/)
    expect(await get(service, '/ready')).toEqual({ status: 503, body: { detail } })
    expect(await setPolicy(service)).toEqual({ status: 503, body: { detail } })
    expect(await get(service, '/v1/releases')).toEqual({ status: 200, body: { releases: [] } })
    await service.stop()
  })

  test.runIf(process.platform === 'linux')('does not start in a folder that it may only read', async () => {
    const workspace = makeWorkspace({})
    // Runs a process of its own, which leaves no log files next to the ledger.
    await workspace.process('release', 'list')
    const who = givenAway(workspace)
    chmodSync(workspace.path('.service'), 0o555)
    await expect(startService(workspace, who)).rejects.toThrow(
      /service\.db can't be written: check the rights of the file and its folder/,
    )
    chmodSync(workspace.path('.service'), 0o755)
  })

  const unshared = [
    'unshare',
    '-rm',
    'sh',
    '-c',
    'mount -t tmpfs -o size=3m none .service && exec "$@"',
    'sh',
  ]
  const canMount = spawnSync('sh', ['-c', 'unshare -rm mount -t tmpfs none /mnt']).status === 0
  test.runIf(canMount)('is not ready on a full disk, and is when there is room again', async () => {
    const workspace = makeWorkspace({})
    workspace.write('.service/mounted-over', '')
    const service = await startService(workspace, { through: unshared, args: ['--log', 'json'] })
    expect(await get(service, '/ready')).toMatchObject({ status: 200 })
    // Its file system is seen through its process alone.
    const fill = `/proc/${service.pid}/cwd/.service/fill`
    expect(() => writeFileSync(fill, new Uint8Array(4_000_000))).toThrow(/ENOSPC/)
    await expect
      .poll(() => get(service, '/ready'), { timeout: 20_000 })
      .toMatchObject({
        status: 503,
        body: { detail: expect.stringMatching(/the disk is full|the disk or file system failed/) },
      })
    expect(await get(service, '/v1/releases')).toMatchObject({ status: 200 })
    expect(await setPolicy(service)).toMatchObject({ status: 503 })
    expect(service.stderr()).toMatch(/the disk is full|the disk or file system failed/)
    rmSync(fill)
    expect(await get(service, '/ready')).toMatchObject({ status: 200 })
    expect(await setPolicy(service)).toMatchObject({ status: 200 })
    await service.stop()
  })
})

describe('svc serve --read-only', () => {
  const READ_ONLY = {
    detail: expect.stringMatching(/^This server only reads .* use the server that writes\.$/),
  }

  test('is ready, answers reads, refuses writes beside a server that takes them', async () => {
    const { workspace, baseline, candidate } = await twoReleases()
    const writing = await startService(workspace)
    const standby = await startService(workspace, { args: ['--read-only'] })
    expect(standby.firstLine).toContain('read-only')
    expect(await get(standby, '/ready')).toEqual({ status: 200, body: { status: 'ready' } })
    for (const [method, path, body] of [
      ['PUT', '/v1/policy', { policy_id: 'p' }],
      ['POST', '/v1/promote', { release_id: baseline, environment: 'local', window: '1h', reason: 'r' }],
      ['POST', '/v1/events', { events: [] }],
      ['POST', '/v1/rollups/rebuild', {}],
    ] as const) {
      expect(await send(standby, method, path, body)).toEqual({ status: 503, body: READ_ONLY })
    }
    const diff = { baseline_release_id: baseline, candidate_release_id: candidate, window: '1h' }
    expect(await send(standby, 'POST', '/v1/diff', diff)).toMatchObject({ status: 200 })
    expect(await setPolicy(writing)).toMatchObject({ status: 200 })
    expect(await get(standby, '/v1/policy')).toMatchObject({ body: { policy_id: 'new' } })
    await Promise.all([standby.stop(), writing.stop()])
  })

  test('asks for the token first', async () => {
    const env = { SERVICE_LOCAL_API_TOKEN: 'secret' }
    const workspace = makeWorkspace({})
    await workspace.ok('release', 'list')
    const standby = await startService(workspace, { env, args: ['--read-only'] })
    expect(await setPolicy(standby)).toMatchObject({ status: 401 })
    expect(await send(standby, 'PUT', '/v1/policy', {}, 'secret')).toEqual({ status: 503, body: READ_ONLY })
    await standby.stop()
  })

  test('makes no ledger where there is none, and migrates none', async () => {
    const workspace = makeWorkspace({})
    const none = await workspace.process('serve', '--read-only', '--port', '0')
    expect(none.stderr).toMatch(/^svc: The ledger \S+ can't be read: there is no such file or folder\.\n$/)
    workspace.write('.service/service.db', '')
    const empty = await workspace.process('serve', '--read-only', '--port', '0')
    expect(empty.stderr).toBe('svc: there is no ledger in the database\n')
    expect([none.code, empty.code, workspace.read('.service/service.db')]).toEqual([1, 1, ''])
  })

  test('serves a PostgreSQL that takes no writes', async () => {
    const url = `${await temporaryDatabase()}?default_transaction_read_only=on`
    const env = { SERVICE_DATABASE_URL: url }
    const writing = await startService(makeWorkspace({}), { env })
    expect(await get(writing, '/ready')).toMatchObject({ status: 503 })
    const standby = await startService(makeWorkspace({}), { env, args: ['--read-only'] })
    expect(await get(standby, '/ready')).toEqual({ status: 200, body: { status: 'ready' } })
    expect(await setPolicy(standby)).toEqual({ status: 503, body: READ_ONLY })
    await Promise.all([standby.stop(), writing.stop()])
  })

  test('refuses a ledger of an older program', async () => {
    const url = await temporaryDatabase()
    const db = openPostgres({ url })
    const [newest] = (await db.query(sql`SELECT max(version) AS version FROM schema_migrations`)).rows
    await db.batch([sql`UPDATE schema_migrations SET version = 0 WHERE version = ${newest!.version!}`])
    const options = { env: { SERVICE_DATABASE_URL: url } }
    const standby = await makeWorkspace({}).processWith(options, 'serve', '--read-only', '--port', '0')
    await db.batch([sql`UPDATE schema_migrations SET version = ${newest!.version!} WHERE version = 0`])
    await db.close()
    expect(standby).toMatchObject({ code: 1 })
    expect(standby.stderr).toMatch(/^svc: the ledger lacks migration \d+ of this program: start the server/)
  })
})

/** Whom rights don't bind has to be somebody else, to whom the workspace then belongs. */
function givenAway(workspace: Workspace): { readonly uid?: number } {
  if (process.getuid?.() !== 0) return {}
  const folder = workspace.path('.service')
  for (const path of [workspace.folder, folder]) chownSync(path, NOT_ROOT, NOT_ROOT)
  for (const name of readdirSync(folder)) chownSync(`${folder}/${name}`, NOT_ROOT, NOT_ROOT)
  return { uid: NOT_ROOT }
}

interface Answered {
  readonly status: number
  readonly body: unknown
}

function get(service: RunningService, path: string): Promise<Answered> {
  return send(service, 'GET', path)
}

function setPolicy(service: RunningService): Promise<Answered> {
  return send(service, 'PUT', '/v1/policy', { policy_id: 'new' })
}

async function send(
  { url }: RunningService,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<Answered> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}
