import { createServer } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { eventOf } from '../../support/services/builders.ts'
import {
  makeWorkspace,
  spawnSvc,
  startService,
  type Workspace,
  withDatabase,
} from '../../support/processes/cli.ts'

/** Where a process that doesn't end is what the test looks for. */
const ENDS = { timeout: 60_000 }

describe.concurrent('svc serve', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('names its URL first, answers, and stops on %s', async signal => {
    const service = await startService(makeWorkspace({}))
    expect(service.firstLine).toMatch(
      /^svc \S+ listening on http:\/\/127\.0\.0\.1:\d+ \(ledger \.service\/service\.db, new and empty; reads are open, writes from this machine only\)$/,
    )
    const answer = await fetch(`${service.url}/health`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ status: 'ok', mutation_auth: 'loopback', read_auth: 'open' })
    expect(await service.stop(signal)).toEqual({ code: 0, signal: null })
    expect(service.stderr()).toBe('')
  })

  test('asks for the token of its environment', async () => {
    const service = await startService(makeWorkspace({}), { env: { SERVICE_LOCAL_API_TOKEN: 's3cret' } })
    const health = await fetch(`${service.url}/health`)
    expect(await health.json()).toEqual({ status: 'ok', mutation_auth: 'bearer', read_auth: 'bearer' })
    expect((await fetch(`${service.url}/v1/releases`)).status).toBe(401)
    const headers = { authorization: 'Bearer s3cret' }
    expect((await fetch(`${service.url}/v1/releases`, { headers })).status).toBe(200)
    await service.stop()
  })

  test('warns of a host that is not loopback, and of none that is', async () => {
    const open = await startService(makeWorkspace({}), { args: ['--host', '0.0.0.0'] })
    await open.stop()
    expect(open.stderr()).toMatch(/^svc: warning: 0\.0\.0\.0 is not a loopback address.*\n$/)
    const local = await startService(makeWorkspace({}), { args: ['--host', 'localhost'] })
    await local.stop()
    expect(local.stderr()).toBe('')
  })

  test('says that a port is in use or a host is not its own', async () => {
    const workspace = makeWorkspace({})
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    expect(await workspace.process('serve', '--port', String(port))).toEqual({
      code: 1,
      stdout: '',
      stderr: `svc: Port ${port} on 127.0.0.1 is in use; choose another with --port.\n`,
    })
    taken.close()
    const foreign = await workspace.process('serve', '--port', '0', '--host', '192.0.2.1')
    expect(foreign.code).toBe(1)
    expect(foreign.stderr).toMatch(/^svc: 192\.0\.2\.1 is not an address of this machine;.*\n$/)
  })

  test('needs a service.yaml', async () => {
    const { code, stderr } = await makeWorkspace().process('serve', '--port', '0')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc: Workspace config not found: service\.yaml.*\n$/)
  })

  test.each([
    [
      'a follower of another kind',
      { read_database_url: 'postgresql://127.0.0.1/x' },
      /read_database_url names a copy/,
    ],
    [
      'checkpoints for an address that they must not reach',
      { webhooks: { deny_private: true }, audit: { checkpoints: 'http://127.0.0.1:9/' } },
      /audit\.checkpoints must not lead to 127\.0\.0\.1/,
    ],
  ])('ends after a mistake that is found once the ledger is open: %s', ENDS, async (_, config, problem) => {
    const { code, stderr } = await makeWorkspace(config).process('serve', '--port', '0')
    expect(code).toBe(1)
    expect(stderr).toMatch(problem)
  })

  test('stops on the first SIGTERM while it still waits for the lock of the ledger', ENDS, async () => {
    const workspace = makeWorkspace({})
    workspace.write('.service/service.db', '')
    await whileLocked(workspace, async () => {
      const env = { SERVICE_SQLITE_BUSY_TIMEOUT_MS: '30', SERVICE_SQLITE_LOCK_TIMEOUT_S: '600' }
      const child = spawnSvc(['serve', '--port', '0'], { cwd: workspace.folder, env })
      const [line] = (await once(child.stderr, 'data')) as [Buffer]
      expect(line.toString()).toMatch(/the ledger is locked by another process/)
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).toEqual([0, null])
    })
  })

  test.each([
    { args: ['--no-retry-sqlite-lock'], env: { SERVICE_SQLITE_RETRY_ON_LOCK: '1' } },
    { args: ['--sqlite-lock-timeout', '0'], env: { SERVICE_SQLITE_LOCK_TIMEOUT_S: '600' } },
    { args: ['--sqlite-lock-timeout', '0.05'], env: { SERVICE_SQLITE_LOCK_TIMEOUT_S: '600' } },
    { args: ['--retry-sqlite-lock'], env: { SERVICE_SQLITE_LOCK_TIMEOUT_S: '0' } },
    { args: [], env: { SERVICE_SQLITE_RETRY_ON_LOCK: '0' } },
  ])('gives up on a locked ledger as told by $args and $env', async ({ args, env }) => {
    const workspace = makeWorkspace({})
    const service = await startService(workspace, {
      args,
      env: { SERVICE_SQLITE_BUSY_TIMEOUT_MS: '30', ...env },
    })
    await whileLocked(workspace, async () => {
      // Without these settings the answer would take 30 s, which is longer than this test waits.
      const answer = await ingestOne(service.url, AbortSignal.timeout(15_000))
      expect(answer.status).toBe(503)
    })
    expect((await ingestOne(service.url)).status).toBe(200)
    await service.stop()
  })
})

test.concurrent('a command waits for a lock as long as SERVICE_SQLITE_BUSY_TIMEOUT_MS says', async () => {
  const workspace = makeWorkspace({})
  workspace.write('policy.yaml', { max_error_rate: 0.5 })
  await workspace.ok('doctor')
  const env = { SERVICE_SQLITE_BUSY_TIMEOUT_MS: '30', SERVICE_SQLITE_RETRY_ON_LOCK: 'off' }
  await whileLocked(workspace, async () => {
    const { code, stderr } = await workspace.svcWith({ env }, 'policy', 'set', 'policy.yaml')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc: the ledger \S+ is locked by another process\n$/)
  })
})

async function whileLocked(workspace: Workspace, run: () => Promise<void>): Promise<void> {
  await withDatabase(workspace, async client => {
    const lock = await client.transaction('write')
    await run().finally(() => lock.rollback())
  })
}

function ingestOne(url: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ events: [eventOf({ release_id: 'rel_1', run_id: 'run-1' })] }),
    ...(signal === undefined ? {} : { signal }),
  })
}
