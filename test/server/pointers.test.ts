import { OFREPProvider } from '@openfeature/ofrep-provider'
import { OpenFeature } from '@openfeature/server-sdk'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import {
  PointerCache,
  type PointerCacheOptions,
  type PointerProblem,
  ServiceClient,
} from '../../src/sdk/index.ts'
import { MINUTE_MS } from '../../src/base/time.ts'
import { eventOf, releaseOf } from '../support/services/builders.ts'
import { NOON } from '../support/services/service.ts'
import { socketService } from '../support/services/socket.ts'

const DECISION = { environment: 'prod', window: '1h', reason: 'r' }

async function promoting() {
  const service = await socketService()
  const client = new ServiceClient(service.url)
  await client.setPolicy({ require_high_diff_confidence: false })
  await client.importPrices({
    table: {
      provider: 'acme',
      pricing_version: 'v1',
      entries: [{ model: 'm1', input_usd_per_1k_tokens: 1, output_usd_per_1k_tokens: 1 }],
    },
  })
  const register = async (version: string): Promise<string> => {
    const artifact = releaseOf({ version })
    return (await client.registerRelease({ artifact, checksum: 'a'.repeat(64) })).release_id
  }
  /** Registers a release and promotes it. */
  const ship = async (version: string): Promise<string> => {
    const release_id = await register(version)
    await client.promote({ release_id, ...DECISION })
    return release_id
  }
  return { service, client, register, ship }
}

/** A cache whose problems are collected, until the test is over. */
function cacheOf(client: ServiceClient, options: PointerCacheOptions = {}) {
  const problems: PointerProblem[] = []
  const cache = new PointerCache(client, { onError: problem => problems.push(problem), ...options })
  onTestFinished(() => cache.close())
  const live = async (): Promise<string | undefined> => (await cache.get('bot', 'prod'))?.release_id
  return { cache, problems, live }
}

/** A client whose network a test cuts, and which notes what it was answered. */
function cutting(url: string) {
  const net = { isUp: true, statuses: [] as number[] }
  const client = new ServiceClient(url, {
    fetch: async (target, init) => {
      if (!net.isUp) throw new TypeError('cut')
      const response = await fetch(target, init)
      net.statuses.push(response.status)
      return response
    },
  })
  return { net, client }
}

describe('a cache of pointers', () => {
  test('answers what is promoted, follows it, and asks for what it knows by its ETag', async () => {
    const { service, ship } = await promoting()
    const first = await ship('1')
    const { net, client } = cutting(service.url)
    const { live, problems } = cacheOf(client, { pollMs: 20 })
    expect(await Promise.all([live(), live()])).toEqual([first, first])
    await expect.poll(() => net.statuses.slice(0, 2)).toEqual([200, 304])
    const second = await ship('2')
    await expect.poll(live).toBe(second)
    expect(problems).toEqual([])
  })

  test('keeps the last known while the service is away, tells of it once, and goes on when it is back', async () => {
    const { service, ship } = await promoting()
    const first = await ship('1')
    const { net, client } = cutting(service.url)
    const { live, problems } = cacheOf(client, { pollMs: 10 })
    expect(await live()).toBe(first)
    net.isUp = false
    await expect.poll(() => problems.length).toBe(1)
    expect(problems[0]).toMatchObject({ agent_id: 'bot', environment: 'prod' })
    const second = await ship('2')
    expect(await live()).toBe(first)
    net.isUp = true
    await expect.poll(live, { timeout: 10_000 }).toBe(second)
    expect(problems).toHaveLength(1)
  })

  test('begins with what an earlier program kept, where the service does not answer', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'svc-pointers-')), 'kept')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { service, ship } = await promoting()
    const first = await ship('1')
    const before = cacheOf(cutting(service.url).client, { folder })
    expect(await before.live()).toBe(first)
    await expect.poll(() => readdirSync(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)])
    const { net, client } = cutting(service.url)
    net.isUp = false
    expect(await cacheOf(client, { folder }).live()).toBe(first)
    // Of another service it knows nothing, and of a file that holds something else neither.
    const other = new ServiceClient('http://127.0.0.1:1')
    expect(await cacheOf(other, { folder }).live()).toBeUndefined()
    const file = join(folder, readdirSync(folder)[0]!)
    for (const odd of [
      '{',
      'null',
      '{"release_id": 7}',
      readFileSync(file, 'utf8').replace('prod', 'test'),
    ]) {
      writeFileSync(file, odd)
      expect(await cacheOf(client, { folder }).live()).toBeUndefined()
    }
  })

  test('never throws: not for a folder that is a file, a listener that throws, or what is not promoted', async () => {
    const { service, ship } = await promoting()
    const first = await ship('1')
    const { cache, live, problems } = cacheOf(new ServiceClient(service.url), { folder: '/dev/null/x' })
    expect(await live()).toBe(first)
    await expect.poll(() => problems.map(({ message }) => message).join()).toContain("can't be cached")
    expect(await cache.get('nobody', 'prod')).toBeUndefined()
    const silent = new PointerCache(new ServiceClient('http://127.0.0.1:1'), {
      onError: () => {
        throw new Error('mine')
      },
    })
    onTestFinished(() => silent.close())
    expect(await silent.get('bot', 'prod')).toBeUndefined()
  })

  test('waits no longer than it may for a service that says nothing', async () => {
    const client = new ServiceClient('http://service.test', { fetch: () => new Promise(() => {}) })
    const { live } = cacheOf(client, { firstWaitMs: 20 })
    expect(await live()).toBeUndefined()
  })

  test('that is closed reads nothing more, and keeps what it knows', async () => {
    const { service, ship } = await promoting()
    const first = await ship('1')
    const { net, client } = cutting(service.url)
    const { cache, live } = cacheOf(client, { pollMs: 5 })
    expect(await live()).toBe(first)
    cache.close()
    const requests = net.statuses.length
    expect([await live(), await cache.get('bot', 'test')]).toEqual([first, undefined])
    expect(net.statuses.length).toBe(requests)
  })

  test.each([{ pollMs: 0 }, { firstWaitMs: -1 }, { pollMs: Number.NaN }])('refuses %j', options => {
    expect(() => new PointerCache(new ServiceClient('http://service.test'), options)).toThrow('must be')
  })
})

describe('the provider of OpenFeature', () => {
  test('reads the promoted release as a flag, and a default where there is none', async () => {
    const { service, ship } = await promoting()
    const first = await ship('1')
    await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: service.url }))
    onTestFinished(() => OpenFeature.close())
    const flags = OpenFeature.getClient()
    const context = { environment: 'prod', targetingKey: 'user-1' }
    expect(await flags.getStringDetails('bot', 'none', context)).toMatchObject({
      value: first,
      variant: '1',
      reason: 'STATIC',
    })
    const second = await ship('2')
    expect(await flags.getStringValue('bot', 'none', context)).toBe(second)
    expect(await flags.getStringDetails('nobody', 'none', context)).toMatchObject({
      value: 'none',
      errorCode: 'FLAG_NOT_FOUND',
    })
    expect(await flags.getStringDetails('bot', 'none', { environment: 7 })).toMatchObject({
      value: 'none',
      errorCode: 'INVALID_CONTEXT',
    })
  })

  test('of web pages follows promotions, rollbacks and aborts by the stream that the answer names', async () => {
    const { service, client, register, ship } = await promoting()
    const first = await ship('1')
    const program = join(ROOT_PATH, 'test/support/processes/flag_follower.ts')
    const page = spawn(
      process.execPath,
      ['--no-warnings', '--experimental-eventsource', program, service.url, 'prod'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    onTestFinished(() => {
      page.kill()
    })
    const values = createInterface({ input: page.stdout })[Symbol.asyncIterator]()
    const value = async () => (await values.next()).value as unknown
    expect(await value()).toBe(first)
    const second = await ship('2')
    expect(await value()).toBe(second)
    await client.rollback({ release_id: first, ...DECISION })
    expect(await value()).toBe(first)
    const third = await register('3')
    const events = [first, third].flatMap(release_id =>
      Array.from({ length: 120 }, (_, index) => {
        const at = NOON - (index + 1) * 10 * MINUTE_MS
        return eventOf({ release_id, run_id: `${release_id}-${index}`, at, environment: 'prod' })
      }),
    )
    await service.call('POST /v1/events', { body: { events } })
    await client.setPolicy({ max_error_rate_increase: 0.5, on_inconclusive: 'pass' })
    const body = { release_id: third, environment: 'prod', by: 'user', steps: '50%:1h', reason: 'r' } as const
    const context = { targetingKey: 'user-1', environment: 'prod' }
    const ofUser = async (): Promise<unknown> => {
      const path = '/ofrep/v1/evaluate/flags/bot'
      const answer = await fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ context }),
      })
      return ((await answer.json()) as { value: unknown }).value
    }
    const start = async (): Promise<string> => (await client.call('POST /v1/rollouts', { body })).rollout_id!
    const abort = (rollout_id: string) =>
      client.call('POST /v1/rollouts/{rollout_id}/abort', { path: { rollout_id }, body: { reason: 'r' } })
    // Each rollout gives it to another half of the users.
    let rollout = await start()
    while ((await ofUser()) !== third) {
      await abort(rollout)
      rollout = await start()
    }
    const heard = async (wanted: string): Promise<void> => {
      while ((await value()) !== wanted);
    }
    await heard(third)
    await abort(rollout)
    await heard(first)
  })
})
