import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { flood, requestBytes } from '../../support/processes/flood.ts'
import { type SocketService, socketService } from '../../support/services/socket.ts'

const POST = 'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const AWAITING_A_BODY = `${POST}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`
const HALF_A_BODY = `${POST}Content-Length: 99\r\n\r\n{`

async function dial({ url }: SocketService, bytes: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

/** Waits until the server has let go of all connections, whose clients do nothing. */
async function expectLetGo(service: SocketService): Promise<void> {
  await expect.poll(service.connections).toBe(0)
}

/** Resolves also where it is reset. */
function closing(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve()
  return new Promise(resolve => socket.resume().once('close', () => resolve()))
}

const ask = async (service: SocketService, route: string, address?: string): Promise<string> => {
  const [socket] = await flood(service.url, 1, requestBytes(route, { connection: 'close' }), address)
  return readAll(socket!)
}

describe('a connection is let go', () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600 }

  test.each([
    ['that sends nothing', ''],
    ['with half a request', 'GET /health HTTP/1.1\r\nHo'],
    ['with half a body', HALF_A_BODY],
    ['with a body that was not waited for', HALF_A_BODY.replace('/v1/events', '/nothing')],
    ['with a chunked body without an end', `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`],
    ['that waits for 100 Continue, and sends no body', AWAITING_A_BODY],
    ['with a body that is too large', `${POST}Content-Length: 99999999999\r\n\r\n{`],
    [
      'with headers that are too large',
      `GET /health HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    ],
    ['with bytes that are no HTTP', 'hello\r\n\r\n'],
    ['that was to end', requestBytes('GET /health', { connection: 'close' })],
  ])('%s', async (_what, bytes) => {
    const service = await socketService({}, limits)
    await once(await dial(service, bytes), 'data')
    await expectLetGo(service)
  })

  test('whose client can not have been heard is waited for', async () => {
    const gate = Promise.withResolvers<void>()
    const assets = async () => {
      await gate.promise
      return { status: 200, headers: {}, body: 'first' }
    }
    const service = await socketService({ assets }, limits)
    const second = requestBytes('GET /health', { connection: 'close' })
    const socket = await dial(service, requestBytes('GET /slow').repeat(2) + second.slice(0, 20))
    // It began later, and is over when the times of both were looked at.
    expect(await readAll(await dial(service, second.slice(0, 20)))).toMatch(/^HTTP\/1\.1 408 /)
    gate.resolve()
    socket.write(second.slice(20))
    expect((await readAll(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 200'))
  })

  test.each([
    ['that is not used', ''],
    ['that was answered, and is not used again', requestBytes('GET /health')],
  ])('%s for as long as an answer may be unread', async (_what, bytes) => {
    const service = await socketService({}, { stallTimeoutMs: 200 })
    const socket = await dial(service, bytes)
    if (bytes === '') await expect.poll(service.connections).toBe(1)
    else await once(socket, 'data')
    await expectLetGo(service)
  })
})

describe('where all connections are taken', () => {
  test('the oldest without a request makes room', async () => {
    const service = await socketService({}, { maxConnections: 4 })
    const idle = await flood(service.url, 4, '')
    expect(await ask(service, 'GET /v1/policy')).toMatch(/^HTTP\/1\.1 200 /)
    await closing(idle[0]!)
    expect(idle.map(({ closed }) => closed)).toEqual([true, false, false, false])
    for (const socket of idle) socket.destroy()
  })

  test('by requests at work, monitoring is answered and others are told', async () => {
    const service = await socketService({}, { maxConnections: 4 })
    const busy = await flood(service.url, 4, AWAITING_A_BODY)
    await Promise.all(busy.map(socket => once(socket, 'data')))
    const more = await flood(service.url, 60, '')
    expect(await ask(service, 'GET /health')).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i)
    expect(await ask(service, 'GET /v1/policy')).toMatch(
      /^HTTP\/1\.1 503 [^]*as many connections as it allows/,
    )
    for (const socket of [...busy, ...more]) socket.destroy()
    await expect.poll(() => ask(service, 'GET /v1/policy')).toMatch(/^HTTP\/1\.1 200 /)
  })

  /** On Linux all of 127/8 is this machine's, but no loopback address to the server. */
  test.runIf(process.platform === 'linux')(
    'one address has a quarter of them for what it never asks',
    async () => {
      const service = await socketService({}, { maxConnections: 40 })
      const idle = await flood(service.url, 11, '', '127.0.0.2')
      expect(await ask(service, 'GET /v1/policy', '127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /)
      await Promise.all(idle.slice(0, 2).map(closing))
      expect(idle.filter(({ closed }) => !closed)).toHaveLength(9)
      for (const socket of idle) socket.destroy()
    },
  )
})
