import { beforeEach, describe, expect, test } from 'vitest'
import { ClientError, ServiceClient, isApiError } from '../../src/sdk/index.ts'
import { eventOf, releaseOf } from '../support/services/builders.ts'
import { type SocketService, socketService } from '../support/services/socket.ts'

let service: SocketService
let client: ServiceClient

beforeEach(async () => {
  service = await socketService()
  client = new ServiceClient(service.url)
})

const DECISION = { environment: 'local', window: '1h', reason: 'because' } as const

function register(version: string) {
  return client.registerRelease({ artifact: releaseOf({ version }), checksum: 'a'.repeat(64) })
}

interface Failure extends Error {
  readonly status?: number
  readonly kind?: string
  readonly detail?: unknown
}

describe('what goes wrong says what to change', () => {
  const failure = (promise: Promise<unknown>): Promise<Failure> =>
    promise.then(
      () => Promise.reject(new Error('it succeeded')),
      (error: unknown) => error as Failure,
    )

  test.each([
    ['nonsense', "The base URL must be an http or https URL (it is 'nonsense')."],
    ['ftp://host', 'must be an http or https URL'],
    ['http://user:secret@host', 'no user, query or fragment; the token goes in `token`'],
    ['http://host/?a=1', 'no user, query or fragment'],
    ['ftp://user:secret@host', /^The base URL must be an http or https URL\.$/],
  ])('the base URL %s', (url, message) => {
    expect(() => new ServiceClient(url)).toThrow(message)
    expect(() => new ServiceClient(url)).toThrow(ClientError)
  })

  test('options', () => {
    expect(() => new ServiceClient(service.url, { timeoutMs: 0 })).toThrow(
      '`timeoutMs` must be a number of at least 1',
    )
    expect(() => new ServiceClient(service.url, { maxRetries: -1 })).toThrow('`maxRetries`')
    expect(() => new ServiceClient(service.url, { token: 'a b' })).toThrow(
      '`token` must be of ASCII characters',
    )
  })

  test('nobody there', async () => {
    const error = await failure(new ServiceClient('http://127.0.0.1:9').health())
    expect(error).toBeInstanceOf(ClientError)
    expect(error.kind).toBe('network')
    expect(error.message).toMatch(
      /can't reach http:\/\/127\.0\.0\.1:9 \(.+\)\. Is the service running there\?$/,
    )
  })

  test('another server: HTML, a redirect, an unknown path, an older service', async () => {
    const answering = (response: () => Response): ServiceClient =>
      new ServiceClient('http://other.test', { fetch: async () => response() })
    const html = answering(() => new Response('<html>', { headers: { 'content-type': 'text/html' } }))
    const moved = answering(
      () => new Response('', { status: 301, headers: { location: 'https://other.test/' } }),
    )
    const missing = answering(() => new Response('Not Found', { status: 404 }))
    const gateway = answering(() => new Response('<html>', { status: 502 }))
    expect((await failure(html.health())).message).toBe(
      'http://other.test answered with text/html, not JSON; check the base URL.',
    )
    expect((await failure(moved.health())).message).toContain(
      'redirects to https://other.test/; use the address',
    )
    expect(await failure(missing.health())).toMatchObject({ name: 'ClientError', kind: 'unexpected' })
    expect(await failure(gateway.health())).toMatchObject({ name: 'ApiError', status: 502 })
    const older = await failure(new ServiceClient(`${service.url}/prefix`).health())
    expect(older.message).toContain(
      'has no such route; upgrade it to the version of this client, or check the base URL',
    )
  })

  test('a page of the trail that gets no further', async () => {
    const endless = (actions: readonly object[]): ServiceClient =>
      new ServiceClient('http://other.test', { fetch: async () => Response.json({ actions, next_after: 7 }) })
    for (const actions of [[{}], []]) {
      const listed = (async () => {
        for await (const action of endless(actions).actions()) expect(action).toEqual({})
      })()
      expect(await failure(listed)).toMatchObject({
        kind: 'unexpected',
        message: 'GET /v1/actions gets no further than 7.',
      })
    }
  })

  test('no token, another token, one that is not good for it', async () => {
    const guarded = await socketService({ tokens: { main: 'secret', read: 'reader' } })
    const none = await failure(new ServiceClient(guarded.url).releases())
    expect(none).toMatchObject({ name: 'ApiError', status: 401 })
    expect(none.message).toBe(
      'GET /v1/releases: A Bearer token is required. Pass the SERVICE_LOCAL_API_TOKEN of the service as `token`.',
    )
    expect((await failure(new ServiceClient(guarded.url, { token: 'x' }).releases())).status).toBe(401)
    const reader = new ServiceClient(guarded.url, { token: 'reader' })
    expect(await reader.releases()).toEqual([])
    expect((await failure(reader.call('POST /v1/rollups/rebuild'))).message).toContain(
      'This token may not manage policies, prices, webhooks and tokens, or maintain the ledger.',
    )
  })

  test('a body of the wrong shape, and one that is not valid', async () => {
    const error: unknown = await failure(client.promote({ release_id: 'r' } as never))
    if (!isApiError(error, 422)) throw error
    expect(error.detail.map(({ loc }) => loc)).toEqual([
      ['body', 'environment'],
      ['body', 'reason'],
      ['body', 'window'],
    ])
    expect(error.message).toContain('Invalid input: environment is required; reason is required')
    const invalid = await failure(client.ingest([eventOf({ release_id: 'r', run_id: '' })] as never[]))
    expect(invalid).toMatchObject({
      status: 400,
      detail: expect.stringContaining('Invalid RunEvent') as string,
    })
    expect(await failure(client.release('rel_none'))).toMatchObject({
      status: 404,
      detail: 'Unknown release: rel_none',
    })
  })
})

describe('time-outs, retries and signals', () => {
  const hanging = (signal: AbortSignal): Promise<Response> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

  test('a request ends at its time-out', async () => {
    const slow = new ServiceClient('http://slow.test', {
      timeoutMs: 20,
      fetch: (_url, { signal }) => hanging(signal!),
    })
    await expect(slow.health()).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('within 20 ms'),
    })
  })

  test('a signal ends it with its own reason, also during a pause', async () => {
    const reason = new Error('enough')
    const slow = new ServiceClient('http://slow.test', { fetch: (_url, { signal }) => hanging(signal!) })
    const control = new AbortController()
    const request = slow.health({ signal: control.signal })
    control.abort(reason)
    await expect(request).rejects.toBe(reason)
    const failing = new ServiceClient('http://down.test', {
      maxRetries: 1,
      retryBackoffMs: 3_600_000,
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    })
    const pausing = new AbortController()
    const retried = failing.health({ signal: pausing.signal })
    setTimeout(() => pausing.abort(reason), 10)
    await expect(retried).rejects.toBe(reason)
  })

  test.each([
    ['by default', {}, 'network', 1],
    ['with retries', { maxRetries: 3 }, 'network', 4],
    ['but not what was answered', { maxRetries: 3 }, 'answer', 1],
  ] as const)('%s', async (_name, options, kind, calls) => {
    let count = 0
    const flaky = new ServiceClient('http://flaky.test', {
      ...options,
      retryBackoffMs: 1,
      fetch: async () => {
        count += 1
        if (kind === 'network') throw new TypeError('fetch failed')
        return Response.json({ detail: 'down' }, { status: 503 })
      },
    })
    await expect(flaky.health()).rejects.toThrow(kind === 'network' ? "can't reach" : 'down')
    expect(count).toBe(calls)
  })

  test('pauses double', async () => {
    const times: number[] = []
    const flaky = new ServiceClient('http://flaky.test', {
      maxRetries: 3,
      retryBackoffMs: 40,
      fetch: async () => {
        times.push(performance.now())
        throw new TypeError('fetch failed')
      },
    })
    await expect(flaky.health()).rejects.toThrow("can't reach")
    const pauses = times.slice(1).map((time, index) => time - times[index]!)
    expect(pauses.map(pause => pause >= 39)).toEqual([true, true, true])
    expect(pauses[1]).toBeGreaterThan(78)
    expect(pauses[2]).toBeGreaterThan(158)
  })

  test('a decision whose answer was lost is not made twice; what has no such guard is not retried', async () => {
    const { release_id } = await register('1')
    let lost = 0
    const flaky = new ServiceClient(service.url, {
      maxRetries: 2,
      retryBackoffMs: 1,
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        await response.arrayBuffer()
        lost += 1
        throw new TypeError('fetch failed', { cause: response.status })
      },
    })
    await expect(flaky.promote({ release_id, ...DECISION })).rejects.toThrow("can't reach")
    expect(lost).toBe(3)
    expect((await client.listActions()).actions).toHaveLength(1)
    await expect(flaky.registerRelease({ artifact: releaseOf(), checksum: 'a'.repeat(64) })).rejects.toThrow(
      "can't reach",
    )
    expect((await client.releases()).length).toBe(2)
  })
})
