import { type IncomingMessage, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServerAdapter } from '@whatwg-node/server'
import { badRequest } from '../../base/errors.ts'
import type { Peer } from '../../http/access/access.ts'
import { type Reply, type RequestLike, json, toResponse } from '../../http/wire/message.ts'
import { type Family, gauge, gauges } from '../../ledger/world/tally.ts'
import { answerer } from '../answer.ts'
import type { ServerLog } from '../log.ts'
import type { Services } from '../services.ts'
import { closerOf } from './closing.ts'
import { compressor } from './compressed.ts'
import { type ConnectionState, Connections } from './connections.ts'
import { NodeStreams } from './streams.ts'

export interface RunningServer {
  readonly url: string
  connections(): Readonly<Record<ConnectionState, number>>
  /** Refuses new requests, finishes those under way, and closes. */
  close(): Promise<void>
}

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly log: ServerLog
  /** Addresses and networks of proxies; limits by address don't count what comes from them. */
  readonly trustedProxies?: readonly string[]
  /** How long a client may take to send its headers, and a whole request, ms. */
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
  /** How long a client may leave an answer unread, or a connection unused, ms. */
  readonly stallTimeoutMs?: number
  /** Connections at once, 1,000 by default; further ones are for monitoring. */
  readonly maxConnections?: number
  /** How long requests under way may take when the server closes, ms. */
  readonly drainTimeoutMs?: number
  /** Who is calling; the socket's remote address unless a test says otherwise. */
  readonly peerOf?: (request: IncomingMessage) => Peer
}

/**
 * Serves the API under Node. `load` gives what the handlers need; it is called at each request until it has once
 * succeeded, so that a server can start before its workspace is there. Throws 400 where the port can't be had.
 */
export async function startServer(
  load: () => Promise<Services>,
  options: ServerOptions,
): Promise<RunningServer> {
  const { host, port, trustedProxies = [], drainTimeoutMs = 10_000 } = options
  const streams = new NodeStreams()
  const measures = (): Family[] => [
    gauges(
      'service_connections',
      'Connections of clients: idle ones, and those with a request.',
      Object.entries(connections.states()).map(([state, count]) => [{ state }, count]),
    ),
    gauge('service_streams', 'Streams of GET /v1/stream that are open.', streams.count),
  ]
  const loadAll = async () => ({ ...(await load()), streams, measures })
  const adapter = createServerAdapter<IncomingRequest>(handler(loadAll, options))
  const server = createServer({ connectionsCheckingInterval: 500, keepAliveTimeout: 5000 })
  server.headersTimeout = options.headersTimeoutMs ?? 10_000
  server.requestTimeout = options.requestTimeoutMs ?? 30_000
  const limits = {
    trusted: trustedProxies,
    most: options.maxConnections,
    stallMs: options.stallTimeoutMs ?? 30_000,
  }
  const connections = new Connections(server, limits, (request, response, refusal) => {
    takeAbsoluteForm(request)
    if (refusal === undefined) void adapter(request, response)
    else void adapter(request, response, { refusal })
  })
  const close = closerOf(server, connections, drainTimeoutMs)
  await listen(server, host, port)
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${name}:${address.port}`,
    connections: () => connections.states(),
    close: async () => {
      streams.end()
      await close()
      await adapter.dispose()
    },
  }
}

/** What a handler gets with the request. */
interface IncomingRequest {
  readonly req: IncomingMessage
  /** Answered without a look at the request. */
  readonly refusal?: Reply
}

type Handler = (
  request: RequestLike,
  context: IncomingRequest,
  fetchApi: { Response: typeof Response },
) => Promise<Response>

function handler(load: () => Promise<Services>, { log, peerOf = socketPeer }: ServerOptions): Handler {
  const answer = answerer(log)
  const compress = compressor()
  return async function handle(request, { req, refusal }, fetchApi) {
    const refused = hostsOf(req) > 1 ? TWO_HOSTS : refusal
    const reply = await answer(request, peerOf(req), load, refused)
    const isGone = request.signal?.aborted === true
    const sent = isGone ? reply : await compress(reply, request.headers.get('accept-encoding') ?? '')
    const headers = { ...lengthOf(sent, request.method), ...sent.headers }
    return toResponse({ ...sent, headers }, fetchApi.Response)
  }
}

/** Takes the host of a target that is a whole URL, as from a proxy, in place of the Host header (RFC 9112, 3.2.2). */
function takeAbsoluteForm(request: IncomingMessage): void {
  const [, host, rest = ''] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(request.url ?? '') ?? []
  if (host === undefined) return
  request.headers.host = host
  request.url = rest.startsWith('/') ? rest : `/${rest}`
}

/** Node takes the first of several; a proxy in front of it may take the last (RFC 9112, 3.2). */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
}

const TWO_HOSTS = json({ detail: 'The request has more than one Host header.' }, 400, { connection: 'close' })

/** Stated, so that an answer goes out whole rather than in chunks. */
function lengthOf({ body }: Reply, method: string): Record<string, string> {
  if (method === 'HEAD' || !(typeof body === 'string' || body instanceof Uint8Array)) return {}
  return { 'content-length': String(Buffer.byteLength(body)) }
}

/** Who is connected, and to which port. */
export function socketPeer({ socket }: IncomingMessage): Peer {
  return { kind: 'socket', address: socket.remoteAddress, port: socket.localPort }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenProblem(error, host, port)))
    server.listen(port, host, resolve)
  })
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const problem = {
    EADDRINUSE: `Port ${port} on ${host} is in use; choose another with --port.`,
    EACCES: `Port ${port} on ${host} needs more rights; choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; choose another with --host.`,
    ENOTFOUND: `The host name ${host} is unknown; choose another with --host.`,
    EAI_AGAIN: `The host name ${host} is unknown; choose another with --host.`,
  }[error.code ?? '']
  return problem === undefined ? error : badRequest(problem, error)
}
