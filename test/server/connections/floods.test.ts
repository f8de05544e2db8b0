import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../handlers/index.ts'
import { flood, peakMb, probe, probedDuring, requestBytes } from '../../support/processes/flood.ts'
import { type RunningService, makeWorkspace, startService } from '../../support/processes/cli.ts'
import { scaled } from '../../support/scale.ts'

/** What a container of 512 MB has room for, and how long a probe waits for its answer. */
const [MOST_MB, LONGEST_MS] = [400, scaled(5000, 10_000)] as const
const CONNECTIONS = scaled(2, 300)
const REQUESTS = 300

const READER = { authorization: 'Bearer of-a-reader-of-this-service' }
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
  const env = {
    SERVICE_LOCAL_API_TOKEN: 'of-an-admin-of-this-service',
    SERVICE_READ_TOKEN: READER.authorization.slice(7),
  }
  service = await startService(workspace, { env })
})
afterAll(async () => {
  await service.stop()
})

async function expectUnharmed(bytes: string, use: (sockets: Socket[]) => Promise<unknown>) {
  const sockets = await flood(service.url, CONNECTIONS, bytes)
  const { statuses, longestMs } = await probedDuring(service.url, use(sockets))
  for (const socket of sockets) socket.destroy()
  expect(statuses).toEqual([200])
  expect(longestMs).toBeLessThan(LONGEST_MS)
  expect(peakMb(service.pid)).toBeLessThan(MOST_MB)
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
