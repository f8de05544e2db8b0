import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { serverLog } from '../../../src/runtime/log.ts'
import { type RunningServer, startServer } from '../../../src/runtime/node/server.ts'
import { type ServiceOptions, testBase } from '../../support/services/service.ts'

const GET_RELEASES = 'GET /v1/releases HTTP/1.1\r\nHost: localhost\r\n\r\n'

interface SlowServer extends RunningServer {
  /** Resolves when a request for releases has come as far as the ledger, which answers when it is let. */
  readonly reached: Promise<void>
  release(): void
}

async function slowServer(options: ServiceOptions = {}, drainTimeoutMs = 10_000): Promise<SlowServer> {
  const base = await testBase(options)
  const { peer: _peer, ...services } = base.context
  const [released, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const query: typeof base.sql.query = async statement => {
    if (/FROM releases/.test(statement.text)) {
      reached.resolve()
      await released.promise
    }
    return base.sql.query(statement)
  }
  const log = serverLog('off', () => {}, Date.now)
  const server = await startServer(async () => ({ ...services, sql: { ...base.sql, query } }), {
    host: '127.0.0.1',
    port: 0,
    log,
    drainTimeoutMs,
  })
  return { ...server, reached: reached.promise, release: released.resolve }
}

async function dial({ url }: RunningServer): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

describe('a server that closes', () => {
  test('finishes what is under way and takes nothing new', async () => {
    const server = await slowServer()
    const answer = fetch(`${server.url}/v1/releases`)
    await server.reached
    const closed = server.close()
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed')
    server.release()
    expect((await answer).status).toBe(200)
    await closed
  })

  test('takes nothing more on a connection whose client asks on and on', async () => {
    const server = await slowServer()
    const [busy, idle, half] = [await dial(server), await dial(server), await dial(server)]
    half.write(GET_RELEASES.slice(0, 30))
    // Whoever is answered now came later than these bytes.
    await fetch(`${server.url}/health`)
    busy.write(GET_RELEASES)
    await server.reached
    const closed = server.close()
    expect(await readAll(idle)).toBe('')
    half.write(GET_RELEASES.slice(30))
    const answers = Promise.all([busy, half].map(socket => readAll(socket)))
    busy.once('data', () => busy.write(GET_RELEASES))
    server.release()
    for (const text of await answers) {
      expect(text.match(/HTTP\/1\.1 200|connection: close/gi)).toHaveLength(2)
    }
    await closed
  })

  test('sends all of an answer that its client reads slowly', async () => {
    const size = 20_000_000
    const server = await slowServer({
      assets: async () => ({ status: 200, headers: {}, body: new Uint8Array(size) }),
    })
    const socket = await dial(server)
    socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'readable')
    const closed = server.close()
    expect((await readAll(socket)).length).toBeGreaterThan(size)
    await closed
  })

  test('does not wait for ever', async () => {
    const server = await slowServer({}, 200)
    const answer = fetch(`${server.url}/v1/releases`).catch((error: Error) => error)
    await server.reached
    await server.close()
    expect(await answer).toBeInstanceOf(Error)
  })
})
