import { type IncomingMessage, Agent } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Peer } from '../../../src/http/access/access.ts'
import { serverLog } from '../../../src/runtime/log.ts'
import { type ServerOptions, socketPeer, startServer } from '../../../src/runtime/node/server.ts'
import { described } from './described.ts'
import { sendRaw } from './raw_http.ts'
import { type ServiceOptions, type TestService, testBase } from './service.ts'

/** Says to a test's server from where the request is to seem to come. */
const PEER_HEADER = 'x-test-peer'

export interface SocketService extends TestService {
  readonly url: string
  readonly lines: string[]
  /** How many connections the server has. */
  readonly connections: () => number
}

/** The whole service behind a real HTTP server on a port of its own. */
export async function socketService(
  options: ServiceOptions = {},
  settings: Partial<ServerOptions> = {},
): Promise<SocketService> {
  const base = await testBase(options)
  const lines: string[] = []
  const { peer: _peer, ...services } = base.context
  const server = await startServer(async () => services, {
    host: '127.0.0.1',
    port: 0,
    log: serverLog('json', text => lines.push(text), Date.now),
    peerOf,
    ...settings,
  })
  const agent = new Agent({ keepAlive: true })
  onTestFinished(async () => {
    agent.destroy()
    await server.close()
  })
  return {
    ...base,
    url: server.url,
    lines,
    connections: () => Object.values(server.connections()).reduce((sum, count) => sum + count, 0),
    call: described((route, { peer, ...call } = {}) => {
      const seeming = peer === undefined ? {} : { [PEER_HEADER]: JSON.stringify(peer) }
      return sendRaw(server.url, agent, route, { ...call, headers: { ...seeming, ...call.headers } })
    }),
  }
}

function peerOf(request: IncomingMessage): Peer {
  const given = request.headers[PEER_HEADER]
  return typeof given === 'string' ? (JSON.parse(given) as Peer) : socketPeer(request)
}
