import { type IncomingMessage, Agent, request as httpRequest } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Peer } from '../../src/http/context.ts'
import { serverLog } from '../../src/runtime/log.ts'
import { type ServerOptions, startServer } from '../../src/runtime/node.ts'
import {
  type Answer,
  type CallOptions,
  type ServiceOptions,
  type TestService,
  parseOrText,
  testBase,
  toBody,
  urlOf,
} from './service.ts'

/** Says to a test's server from where the request is to seem to come. */
const PEER_HEADER = 'x-test-peer'

export interface SocketService extends TestService {
  readonly url: string
  readonly lines: string[]
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
    call: (route, callOptions) => send(server.url, agent, route, callOptions),
  }
}

function peerOf({ headers, socket }: IncomingMessage): Peer {
  const given = headers[PEER_HEADER]
  return typeof given === 'string'
    ? (JSON.parse(given) as Peer)
    : { kind: 'socket', address: socket.remoteAddress }
}

/** Sends a request with exactly these headers: fetch would refuse or change some of them. */
function send(base: string, agent: Agent, route: string, options: CallOptions = {}): Promise<Answer> {
  const { body, query, headers = {}, peer } = options
  const [method, path] = route.split(' ') as [string, string]
  // The path goes out as it is given, not as a URL would have it.
  const { search } = urlOf(base, '/', query)
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      base,
      {
        agent,
        method,
        path: path + (path.includes('?') ? search.replace('?', '&') : search),
        headers: {
          host: 'localhost:8765',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          // Node states no length for the body of a DELETE, which then would pass for another request.
          ...(body === undefined || method !== 'DELETE'
            ? {}
            : { 'content-length': Buffer.byteLength(toBody(body)) }),
          ...(peer === undefined ? {} : { [PEER_HEADER]: JSON.stringify(peer) }),
          ...headers,
        },
      },
      incoming => resolve(toAnswer(incoming)),
    )
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : toBody(body))
  })
}

async function toAnswer(incoming: IncomingMessage): Promise<Answer> {
  const text = await readAll(incoming)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, [value].flat().join(', '))
  return { status: incoming.statusCode!, headers, text, body: parseOrText(text) }
}
