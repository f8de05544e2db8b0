import { EventEmitter, once } from 'node:events'
import { type Server, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, Socket, connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { setImmediate as nextRound } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import openapi from '../../../handlers/operation/openapi.ts'
import docs from '../../../handlers/operation/docs.ts'
import { Connections } from '../../../src/runtime/node/connections.ts'
import { compressor } from '../../../src/runtime/node/compressed.ts'
import { flood, requestBytes } from '../../support/processes/flood.ts'
import { testService } from '../../support/services/service.ts'
import { type SocketService, socketService } from '../../support/services/socket.ts'

/** A server that answers /slow/… when it is let, and says what it has begun. */
async function slowService(settings: Parameters<typeof socketService>[1] = {}) {
  const begun: string[] = []
  const [first, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const state = { atWork: 0, most: 0 }
  const assets = async (path: string) => {
    if (!path.startsWith('/slow/')) return undefined
    begun.push(path)
    state.most = Math.max(state.most, ++state.atWork)
    first.resolve()
    await gate.promise
    state.atWork--
    return { status: 200, headers: {}, body: path }
  }
  const service = await socketService({ assets }, settings)
  return { service, begun, state, begins: first.promise, release: gate.resolve }
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `/slow/${index};`)

async function dial({ url }: SocketService) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  return socket
}

describe('requests that a client sends ahead', () => {
  test('are answered one at a time, all of them, in their order', async () => {
    const { service, state, begins, release } = await slowService()
    const socket = await dial(service)
    const paths = numbered(200)
    socket.write(paths.map(path => requestBytes(`GET ${path}`)).join(''))
    socket.write(requestBytes('GET /health', { connection: 'close' }))
    await begins
    release()
    const text = await readAll(socket)
    expect(text.match(/\/slow\/\d+;/g)).toEqual(paths)
    expect(text).toContain('"status":"ok"')
    expect(state.most).toBe(1)
  })

  test('are not begun for a client that has left', async () => {
    const { service, begun, begins, release } = await slowService()
    const socket = await dial(service)
    socket.write(
      numbered(20)
        .map(path => requestBytes(`GET ${path}`))
        .join(''),
    )
    await begins
    socket.destroy()
    // Whoever is answered now came later than that.
    expect((await service.call('GET /health')).status).toBe(200)
    release()
    expect((await service.call('GET /slow/other;')).status).toBe(200)
    expect(begun.filter(path => path !== '/slow/other;')).toEqual(['/slow/0;'])
  })
})

/** On Linux all of 127/8 is this machine's, but no loopback address to the server. */
describe.runIf(process.platform === 'linux')('requests at once of one address', () => {
  test('are 256, and probes; others are 429', async () => {
    const { service, begun, release } = await slowService()
    const from = '127.0.0.2'
    const blocked = await flood(service.url, 256, requestBytes('GET /slow/0'), from)
    await expect.poll(() => begun.length).toBe(256)
    const ask = async (route: string, address = from) => {
      const [socket] = await flood(service.url, 1, requestBytes(route, { connection: 'close' }), address)
      return readAll(socket!)
    }
    expect(await ask('GET /v1/policy')).toMatch(
      /^HTTP\/1\.1 429 [^]*retry-after: 1[^]*More than 256 requests/,
    )
    expect(await ask('GET /health')).toMatch(/^HTTP\/1\.1 200 /)
    expect(await ask('GET /v1/policy', '127.0.0.3')).toMatch(/^HTTP\/1\.1 200 /)
    release()
    await Promise.all(blocked.map(socket => once(socket, 'data')))
    expect(await ask('GET /v1/policy')).toMatch(/^HTTP\/1\.1 200 /)
    for (const socket of blocked) socket.destroy()
  })

  test.each(['127.0.0.1', '127.0.0.2'])(
    'have no limit for this machine and trusted proxies: %s',
    async from => {
      const { service, begun, release } = await slowService({ trustedProxies: ['127.0.0.2/31'] })
      const blocked = await flood(
        service.url,
        260,
        requestBytes('GET /slow/0', { connection: 'close' }),
        from,
      )
      await expect.poll(() => begun.length).toBe(260)
      release()
      for (const socket of blocked) expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 /)
    },
  )
})

describe('what is the same for all', () => {
  test.each([
    ['/openapi.json', openapi],
    ['/docs', docs],
  ])('is made and compressed once: %s', async (path, endpoint) => {
    const { context } = await testService()
    const compress = compressor()
    const request = {
      method: 'GET',
      url: `http://localhost${path}`,
      headers: new Headers(),
      body: null,
    }
    const answer = async () => compress(await endpoint.reply(request, context), 'br')
    const [first, second] = [await answer(), await answer()]
    expect(first.headers['content-encoding']).toBe('br')
    expect(second.body).toBe(first.body)
  })

  test('is compressed eight at a time; what comes meanwhile goes out as it is', async () => {
    const compress = compressor()
    const reply = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(5000) }
    const replies = await Promise.all(Array.from({ length: 9 }, () => compress(reply, 'gzip')))
    expect(replies.map(({ headers }) => headers['content-encoding'])).toEqual([
      ...Array(8).fill('gzip'),
      undefined,
    ])
    expect((await compress(reply, 'gzip')).headers['content-encoding']).toBe('gzip')
  })
})

/** Connections of a server that answers nothing, and what a client sends on one of them. */
function silentServer(most?: number) {
  const server = new EventEmitter()
  const begun: string[] = []
  const answers: ServerResponse[] = []
  const limits = { trusted: ['127.0.0.0/8'], most, stallMs: 30_000 }
  const connections = new Connections(server as Server, limits, ({ url }, response) => {
    begun.push(url!)
    answers.push(response)
  })
  onTestFinished(() => void server.emit('close'))
  const open = () => {
    const onIncoming = (request: unknown): number => {
      server.emit(
        'request',
        request,
        Object.assign(new EventEmitter(), { req: request, setHeader: () => {} }),
      )
      return 0
    }
    const socket = Object.assign(new Socket(), { parser: { onIncoming } })
    Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' })
    server.emit('connection', socket)
    /** Sends as many as are read; returns how many. */
    const send = (count: number, url = '/'): number => {
      let read = 0
      while (read < count && socket.parser.onIncoming({ socket, url, complete: true }) === 0) read++
      return read
    }
    return { socket, send }
  }
  return { connections, begun, answers, open }
}

async function expectOneEachRound(count: () => number, last: number): Promise<void> {
  for (let before = count(); before < last; before = count()) {
    await nextRound()
    expect(count() - before).toBeLessThanOrEqual(1)
  }
}

describe('what comes on many connections in one round of the event loop', () => {
  test('begins 16 at once and then at most one in each round; probes do not wait', async () => {
    const { begun, open } = silentServer()
    for (const { send } of Array.from({ length: 50 }, open)) send(1)
    open().send(1, '/health')
    expect(begun).toEqual([...Array(16).fill('/'), '/health'])
    await expectOneEachRound(() => begun.length, 51)
  })

  test('is read to 256 requests that wait; connections with more than a few then end, at most one in each round', async () => {
    const { connections, open } = silentServer()
    const clients = Array.from({ length: 100 }, open)
    const read = clients.map(({ send }) => send(120))
    expect(read.slice(0, 3)).toEqual([120, 120, 20])
    // One at work, four that wait, and the one too many.
    expect(read.slice(3)).toEqual(Array(97).fill(6))
    const ended = () => clients.filter(({ socket }) => socket.destroyed).length
    expect(ended()).toBe(0)
    await expectOneEachRound(ended, 98)
    expect(connections.states()).toMatchObject({ working: 2 })
  })

  test('is read no further by Node either', async () => {
    const server = createServer()
    let read = 0
    const connections = new Connections(server, { trusted: [], stallMs: 30_000 }, () => {})
    server.on('request', () => (read += 1))
    server.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(requestBytes('GET /').repeat(1800))
    socket.on('error', () => {})
    await once(socket, 'close')
    expect(read).toBe(258)
    expect(connections.states().working).toBe(0)
  })
})

test('where all places are taken, a probe takes that of a connection which is none', async () => {
  const { begun, open } = silentServer(10)
  for (let count = 0; count < 60; count++) open().send(1)
  const idle = open()
  expect(open().send(1, '/health')).toBe(1)
  expect(begun).toContain('/health')
  expect(idle.socket.destroyed).toBe(false)
})

test('a connection whose next request waits for its turn is at work', async () => {
  const { connections, answers, open } = silentServer()
  open().send(2)
  answers[0]!.emit('close')
  expect(connections.states()).toMatchObject({ idle: 0, working: 1 })
})
