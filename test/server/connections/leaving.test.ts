import { expect, onTestFinished, test } from 'vitest'
import { routes } from '../../../handlers/index.ts'
import { createRouter } from '../../../src/http/router.ts'
import type { Turns } from '../../../src/sql/deadline.ts'
import { serverLog } from '../../../src/runtime/log.ts'
import { startServer } from '../../../src/runtime/node/server.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { testService } from '../../support/services/service.ts'

test('a client that leaves while its promotion waits for its turn has nothing promoted', async () => {
  const service = await testService()
  await importPrices(service)
  const release_id = await register(service)
  const { peer: _peer, ...services } = service.context
  const { decisions } = services.memo
  const before = Promise.withResolvers<void>()
  const holding = decisions.run(() => before.promise)
  const [waiting, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const act: Turns['act'] = (...given) => {
    waiting.resolve()
    return decisions.act(...given)
  }
  const memo = { ...services.memo, decisions: { ...decisions, act } }
  const log = serverLog('text', answered.resolve, Date.now)
  const server = await startServer(async () => ({ ...services, memo }), { host: '127.0.0.1', port: 0, log })
  onTestFinished(() => server.close())

  const client = new AbortController()
  const body = { release_id, environment: 'local', window: '1h', reason: 'ready' }
  const promotion = fetch(`${server.url}/v1/promote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: client.signal,
  })
  const [left] = [promotion.catch((error: Error) => error.name), await waiting.promise]
  client.abort()
  expect(await left).toBe('AbortError')
  expect(await answered.promise).toMatch(/ POST "?\/v1\/promote"? 499 /)
  before.resolve()
  await holding
  await decisions.run(async () => {})
  expect((await service.call('GET /v1/actions')).body.actions).toEqual([])
})

/** A signal of a client that leaves after it was looked at so often. */
function leavingAfter(checks: number): AbortSignal {
  let left = checks
  return {
    get aborted() {
      return --left < 0
    },
    addEventListener: () => {},
    removeEventListener: () => {},
  } as unknown as AbortSignal
}

const READS = Object.keys(routes).filter(route => /^GET [^{]+$/.test(route) && route !== 'GET /v1/stream')

test.each(READS)('a client that leaves while %s is read is no fault of the ledger', async route => {
  const { context, sql, logged } = await testService()
  const router = createRouter(routes)
  for (const checks of [0, 1, 2, 3, 5, 8]) {
    const request = {
      method: 'GET',
      url: `http://localhost:8765${route.slice('GET '.length)}`,
      headers: new Headers(),
      body: null,
      signal: leavingAfter(checks),
    }
    const { status } = await router(request, { ...context, follower: sql })
    expect(status).toBeLessThan(500)
  }
  expect(logged.filter(({ level }) => level !== 'info')).toEqual([])
})
