import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { badRequest } from '../../src/base/errors.ts'
import { serverLog } from '../../src/runtime/log.ts'
import { startServer } from '../../src/runtime/node/server.ts'
import { eventOf, register } from '../support/services/builders.ts'
import { testBase } from '../support/services/service.ts'
import { type SocketService, socketService } from '../support/services/socket.ts'

/** What only the HTTP server under Node does; the contract of the routes is in `suite`. */

async function dial(service: { url: string }): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Sends these bytes and returns all that comes back until the server closes. */
async function exchange(service: SocketService, bytes: string): Promise<string> {
  const socket = await dial(service)
  socket.write(bytes)
  return readAll(socket)
}

describe('a request', () => {
  test('gets an id, or keeps its own, and is logged under it without its query', async () => {
    const service = await socketService()
    const own = await service.call('GET /v1/releases?secret=1', { headers: { 'x-request-id': 'deploy-7' } })
    const given = await service.call('GET /nothing')
    const odd = await service.call('GET /health', { headers: { 'x-request-id': 'a b' } })
    expect(own.headers.get('x-request-id')).toBe('deploy-7')
    expect(given.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const logged = service.lines.map(line => JSON.parse(line) as Record<string, unknown>)
    expect(logged.map(({ request_id, method, path, status }) => [request_id, method, path, status])).toEqual([
      ['deploy-7', 'GET', '/v1/releases', 200],
      [given.headers.get('x-request-id'), 'GET', '/nothing', 404],
      [odd.headers.get('x-request-id'), 'GET', '/health', 200],
    ])
    expect(
      logged.every(({ duration_ms, time }) => Number(duration_ms) >= 0 && typeof time === 'string'),
    ).toBe(true)
  })

  test('that fails inside is 500 without a word of why, and logged with all of it', async () => {
    const service = await socketService()
    await service.sql.batch([{ text: 'DROP TABLE releases', params: [] }])
    const { status, text, headers } = await service.call('GET /v1/releases')
    expect(status).toBe(500)
    expect(text).not.toMatch(/SQL|releases|at /)
    expect(service.logged).toMatchObject([
      { level: 'error', fields: { request_id: headers.get('x-request-id') } },
    ])
    expect((service.logged[0]!.fields as { error: Error }).error.message).toMatch(/releases/)
  })

  test.each([
    ['http://localhost/health', 'localhost', 200],
    ['HTTP://localhost:8765/health?x=1', 'other.example', 200],
    ['http://localhost?/health', 'localhost', 404],
    ['http://user:word@localhost/health', 'localhost', 400],
  ])('for the target %s with the Host %s is answered with %i', async (target, host, status) => {
    const service = await socketService()
    const bytes = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    expect(await exchange(service, bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  test('for a URL is one for the host in it, whatever its Host header says', async () => {
    const service = await socketService()
    const change = (target: string, host: string): Promise<string> =>
      exchange(
        service,
        `PUT ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
          'Content-Length: 17\r\nConnection: close\r\n\r\n{"policy_id":"a"}',
      )
    expect(await change('http://evil.example/v1/policy', 'localhost')).toMatch(
      /^HTTP\/1.1 403 [^]*not allowed with the host name evil.example/,
    )
    expect(await change('http://localhost/v1/policy', 'evil.example')).toMatch(/^HTTP\/1.1 200 /)
  })

  test('whose connection breaks off leaves the server well, and is no error of its', async () => {
    const service = await socketService()
    const socket = await dial(service)
    socket.write(
      'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"ev',
    )
    socket.end()
    await once(socket, 'finish')
    socket.destroy()
    expect((await service.call('GET /health')).status).toBe(200)
    const statuses = (): unknown[] =>
      service.lines.flatMap(line => (line.includes('/v1/events') ? [JSON.parse(line).status] : []))
    await expect.poll(statuses).toEqual([400])
    expect(service.logged).toEqual([])
  })
})

test('the port that was connected to tells a proxy from a page that plays one', async () => {
  const service = await socketService({ workspace: { strict: true } })
  const { port } = new URL(service.url)
  const read = (host: string) =>
    service.call('GET /v1/releases', { headers: { host, 'x-forwarded-for': '203.0.113.9' } })
  expect((await read('gate.example.com')).status).toBe(200)
  expect((await read(`evil.example:${port}`)).status).toBe(403)
})

describe('what Node itself refuses is answered in JSON too', () => {
  test.each([
    ['bytes that are no HTTP', 'hello\r\n\r\n', 400],
    ['an invalid header', 'GET /health HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n', 400],
    [
      'a second length',
      'POST /v1/diff HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'headers without end',
      `GET /health HTTP/1.1\r\nHost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
  ])('%s', async (_what, bytes, status) => {
    const service = await socketService()
    const answer = await exchange(service, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({ detail: expect.any(String) })
    expect((await service.call('GET /health')).status).toBe(200)
  })

  test('a second Host, which a proxy may have gone by', async () => {
    const service = await socketService()
    const bytes = 'GET /v1/releases HTTP/1.1\r\nHost: localhost\r\nHost: other.example\r\n\r\n'
    expect(await exchange(service, bytes)).toMatch(/^HTTP\/1.1 400 [^]*more than one Host/)
  })

  test('a Host that is no host name', async () => {
    const service = await socketService()
    const { status, body } = await service.call('GET /health', { headers: { host: 'evil host' } })
    expect([status, body]).toEqual([
      400,
      { detail: 'The Host header is not a name or an address with a port.' },
    ])
  })

  test.each(['localhost/v1/events', 'localhost:80@evil.example', '[::1]@evil.example', 'a b', 'localhost:x'])(
    'the Host %s, which would be read as part of the path',
    async host => {
      const service = await socketService()
      expect((await service.call('GET /health', { headers: { host } })).status).toBe(400)
    },
  )

  test('a path and query longer than is read', async () => {
    const service = await socketService()
    expect((await service.call(`GET /v1/runs?x=${'y'.repeat(9000)}`)).status).toBe(414)
  })
})

describe('a slow client', () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600 }

  test.each([
    ['with its headers', 'GET /health HTTP/1.1\r\nHost: localhost\r\n'],
    [
      'with its body',
      'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    ],
  ])('%s is told 408', async (_what, bytes) => {
    const service = await socketService({}, limits)
    expect(await exchange(service, bytes)).toMatch(/^HTTP\/1.1 408 /)
    expect((await service.call('GET /health')).status).toBe(200)
  })
})

describe('a client that does not read', () => {
  test('loses its connection, and others do not', async () => {
    const service = await socketService(
      { assets: async () => ({ status: 200, headers: {}, body: new Uint8Array(20_000_000) }) },
      { stallTimeoutMs: 2000 },
    )
    const socket = await dial(service)
    socket.pause()
    socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    socket.on('error', () => {})
    const closed = new Promise(resolve => socket.once('close', resolve))
    // Who reads nothing learns of the end by what it writes.
    const writing = setInterval(() => socket.write('\r\n'), 50)
    await closed
    clearInterval(writing)
    expect(socket.bytesRead).toBeLessThan(20_000_000)
    const { status } = await service.call('GET /large')
    expect(status).toBe(200)
  })
})

test('a client that reads slowly gets all of a large answer', async () => {
  const size = 20_000_000
  const service = await socketService(
    { assets: async () => ({ status: 200, headers: {}, body: new Uint8Array(size) }) },
    { stallTimeoutMs: 2000 },
  )
  const socket = await dial(service)
  socket.on('data', () => {
    socket.pause()
    setTimeout(() => socket.resume(), 5)
  })
  socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  await once(socket, 'end')
  expect(socket.bytesRead).toBeGreaterThan(size)
})

describe('a body that is too large', () => {
  test('is 413 on a connection that goes on working, with and without a declared length', async () => {
    const service = await socketService({ maxBodyBytes: 1000 })
    const socket = await dial(service)
    const head = 'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    const body = 'x'.repeat(5000)
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
    socket.write(
      `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    )
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    const answers = (await readAll(socket)).match(/HTTP\/1\.1 \d+/g)
    expect(answers).toEqual(['HTTP/1.1 413', 'HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  test('is not read before the token is', async () => {
    const service = await socketService({ maxBodyBytes: 1000, tokens: { main: 'secret' } })
    const { status } = await service.call('POST /v1/events', { body: 'x'.repeat(5000) })
    expect(status).toBe(401)
  })
})

test('a workspace that is not there yet is 503, and found once it is', async () => {
  const base = await testBase()
  const { peer: _peer, ...services } = base.context
  let ready = false
  const load = async (): Promise<typeof services> => {
    if (!ready) throw badRequest('Workspace config not found: service.yaml')
    return services
  }
  const log = serverLog('off', () => {}, Date.now)
  const server = await startServer(load, { host: '127.0.0.1', port: 0, log })
  const before = await fetch(`${server.url}/v1/releases`)
  expect([before.status, before.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await before.json()).toEqual({ detail: 'Workspace config not found: service.yaml' })
  ready = true
  expect((await fetch(`${server.url}/v1/releases`)).status).toBe(200)
  await server.close()
})

test('a client that goes away while events are ingested loses no chunk and leaves no half one', async () => {
  const service = await socketService()
  const release_id = await register(service)
  const events = Array.from({ length: 2000 }, (_, index) => eventOf({ release_id, run_id: `r${index}` }))
  const body = JSON.stringify({ events })
  const socket = await dial(service)
  socket.write(
    `POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy(),
  )
  await once(socket, 'close')
  const again = await service.call('POST /v1/events', { body })
  expect(again.body.inserted + (again.body.skipped ?? 0)).toBe(2000)
  const stored = await service.call('GET /v1/runs', { query: { release_id, window: '1h', limit: 1 } })
  expect(stored.body.matched_total).toBe(2000)
})
