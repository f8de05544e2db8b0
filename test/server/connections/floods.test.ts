import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../handlers/index.ts'
import { flood, p99, peakMb, probe, probedDuring, requestBytes } from '../../support/processes/flood.ts'
import {
  type RunningService,
  makeWorkspace,
  startService,
  withDatabase,
} from '../../support/processes/cli.ts'
import { scaled } from '../../support/scale.ts'

/** What a container of 512 MB has room for, and how long 99 of 100 probes wait at most where a bare server is fast. */
const [MOST_MB, MOST_MS] = [400, scaled(5000, 250)] as const
const CONNECTIONS = scaled(2, 300)
const REQUESTS = 300

const READER = { authorization: 'Bearer of-a-reader-of-this-service' }
const ENV = {
  SERVICE_LOCAL_API_TOKEN: 'of-an-admin-of-this-service',
  SERVICE_READ_TOKEN: READER.authorization.slice(7),
}
const READ = ['GET /v1/releases', 'GET /v1/board', 'GET /metrics']

/** Routes that nobody needs a credential for, and whose paths have no parameters. */
const endpoints = await Promise.all(Object.values(routes).map(async load => (await load()).default))
const open = endpoints
  .filter(({ route, spec }) => spec.access === 'open' && /^GET [^{]+$/.test(route))
  .map(({ route }) => route)

const floods = ['br', ''].flatMap(encoding => [
  ...open.map(route => [route, encoding, {}] as const),
  ...READ.map(route => [route, encoding, READER] as const),
])

let service: RunningService
beforeAll(async () => {
  const workspace = makeWorkspace({})
  service = await startService(workspace, { env: ENV })
  // What a first request loads and makes takes up to 110 ms, once.
  for (const [route, , headers] of floods) {
    const response = await fetch(service.url + route.slice('GET '.length), { headers })
    await response.arrayBuffer()
  }
})
afterAll(async () => {
  await service.stop()
})

async function expectUnharmed(bytes: string, use: (sockets: Socket[]) => Promise<unknown>) {
  await expectFast(service, async () => {
    const sockets = await flood(service.url, CONNECTIONS, bytes)
    await use(sockets)
    for (const socket of sockets) socket.destroy()
  })
}

/** That others' probes are answered soon, and memory stays small, during some work. */
async function expectFast({ url, pid }: RunningService, work: () => Promise<unknown>): Promise<void> {
  const { statuses, health, bare } = await probedDuring(url, work)
  const [own, other, memory] = [p99(health), p99(bare), peakMb(pid)]
  if (process.env.PROVE === '1')
    process.stdout.write(
      `/health p99 ${own.toFixed(0)} ms of ${health.length}, a bare server's ${other.toFixed(0)} ms; memory ${memory.toFixed(0)} MB\n`,
    )
  expect(statuses).toEqual([200])
  expect(own).toBeLessThan(Math.max(MOST_MS, 3 * other))
  expect(memory).toBeLessThan(MOST_MB)
}

describe('many requests that are sent ahead on many connections', () => {
  test.each(scaled([['GET /openapi.json', 'br', {}] as const], floods))(
    '%s, accepting "%s", cost others no answer and little memory',
    async (route, encoding, headers) => {
      const one = requestBytes(route, { 'accept-encoding': encoding, ...headers })
      const last = requestBytes('GET /health', { connection: 'close' })
      await expectUnharmed(one.repeat(REQUESTS) + last, async sockets =>
        Promise.all(
          sockets.map(async socket => {
            socket.resume()
            if (!socket.closed) await once(socket, 'close')
          }),
        ),
      )
    },
  )

  test('cost no more where their clients never read', async () => {
    const bytes = requestBytes('GET /openapi.json', { 'accept-encoding': 'br' }).repeat(REQUESTS)
    await expectUnharmed(bytes, async sockets => {
      for (const socket of sockets) socket.pause()
      const startedAt = performance.now()
      for (let probes = 0; probes < 20 || performance.now() - startedAt < scaled(0, 40_000); probes++)
        await probe(service.url)
    })
  })
})

describe('a ledger of many agents and releases', () => {
  const [AGENTS, RELEASES] = scaled([50, 1000], [5000, 100_000])
  const release = `'rel_' || i, 'agent-' || (i % ${AGENTS}), '1.' || i, 'local', 'c', i, 'm1', 'acme', 'v1', '{}'`
  const STATEMENTS = [
    `INSERT INTO releases (release_id, agent_id, version, environment, checksum, created_at, model, pricing_provider,
       pricing_version, artifact_json)
     WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${RELEASES} - 1) SELECT ${release} FROM n`,
    `INSERT INTO actions (action_id, action, release_id, agent_id, environment, reason, actor, policy_passed,
       policy_reasons, created_at, actor_source, record_json, prev_hash, hash, audit_seq)
     SELECT 'act_' || seq, 'promote', release_id, agent_id, environment, 'better', 'ann', 1, '[]', seq, 'cli', '{}', '',
       '', seq FROM releases WHERE seq <= ${AGENTS}`,
    `INSERT INTO promoted_pointers SELECT agent_id, environment, release_id, action_id FROM actions`,
  ]

  test('costs others no answer while four read its board and its list', async () => {
    const workspace = makeWorkspace({})
    await workspace.ok('ledger', 'migrate')
    await withDatabase(workspace, async client => {
      for (const statement of STATEMENTS) await client.execute(statement)
    })
    const large = await startService(workspace, { env: ENV })
    const read = async (path: string): Promise<Record<string, unknown[]>> =>
      (await fetch(large.url + path, { headers: READER })).json() as Promise<Record<string, unknown[]>>
    await expectFast(large, () =>
      Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let reads = 0; reads < scaled(1, 5); reads++) {
            expect((await read('/v1/board')).board).toHaveLength(AGENTS)
            expect((await read('/v1/releases')).releases).toHaveLength(RELEASES)
          }
        }),
      ),
    )
    await large.stop()
  })
})

const POST = 'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

/** On Linux the descriptors of a process are a folder. */
describe.runIf(process.platform === 'linux')('many connections', () => {
  test.each([
    ['that send nothing', ''],
    ['with half a request', 'GET /health HTTP/1.1\r\nHo'],
    ['with half a body', `${POST}Content-Length: 99\r\n\r\n{`],
    [
      'that wait for 100 Continue, and send no body',
      `${POST}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
    ],
    ['with a body that is too large', `${POST}Content-Length: 99999999\r\n\r\n{`],
    ['that read no answer', requestBytes('GET /openapi.json').repeat(50)],
  ])('%s keep nobody else out, and leave nothing behind', async (_what, bytes) => {
    const descriptors = (): number => readdirSync(`/proc/${service.pid}/fd`).length
    const before = descriptors()
    const sockets = await flood(service.url, scaled(20, 1500), bytes)
    for (const socket of sockets) socket.pause()
    const startedAt = performance.now()
    for (let probes = 0; probes < 5 || performance.now() - startedAt < scaled(0, 60_000); probes++)
      expect((await probe(service.url)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await expect.poll(descriptors, { timeout: 20_000 }).toBeLessThanOrEqual(before + 2)
  })
})
