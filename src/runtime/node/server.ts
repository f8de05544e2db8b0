import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, Server as Listener, type Socket } from 'node:net'
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { createServerAdapter } from '@whatwg-node/server'
import { badRequest } from '../../base/errors.ts'
import type { Peer } from '../../http/access/access.ts'
import { type Reply, type RequestLike, json, toResponse } from '../../http/wire/message.ts'
import { answerer } from '../answer.ts'
import type { Services } from '../services.ts'
import type { ServerLog } from '../log.ts'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamPlace, Streams } from '../../http/access/context.ts'

export interface RunningServer {
  readonly url: string
  /** Refuses new requests, finishes those under way, and closes. */
  close(): Promise<void>
}

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly log: ServerLog
  /** How long a client may take to send its headers, and a whole request, ms. */
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
  /** How long a client may leave an answer unread, ms. */
  readonly stallTimeoutMs?: number
  /** How long requests under way may take when the server closes, ms. */
  readonly drainTimeoutMs?: number
  /** Who is calling; the socket's remote address unless a test says otherwise. */
  readonly peerOf?: (request: IncomingMessage) => Peer
}

/** Connections at once; further ones are closed. Each may hold an answer that is on its way. */
const MAX_CONNECTIONS = 1000

/**
 * Serves the API under Node. `load` gives what the handlers need; it is called at each request until it has once
 * succeeded, so that a server can start before its workspace is there. Throws 400 where the port can't be had.
 */
export async function startServer(
  load: () => Promise<Services>,
  options: ServerOptions,
): Promise<RunningServer> {
  const { host, port, drainTimeoutMs = 10_000 } = options
  const streams = new NodeStreams()
  const loadAll = async () => ({ ...(await load()), streams })
  const adapter = createServerAdapter<{ req: IncomingMessage }>(handler(loadAll, options))
  const server = createServer({ connectionsCheckingInterval: 500, keepAliveTimeout: 5000 }, adapter)
  server.headersTimeout = options.headersTimeoutMs ?? 10_000
  server.requestTimeout = options.requestTimeoutMs ?? 30_000
  server.maxConnections = MAX_CONNECTIONS
  dropStalled(server, options.stallTimeoutMs ?? 30_000)
  const close = closerOf(server, drainTimeoutMs)
  server.on('clientError', refuseUnreadable)
  await listen(server, host, port)
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${name}:${address.port}`,
    close: async () => {
      streams.end()
      await close()
      await adapter.dispose()
    },
  }
}

type Handler = (
  request: RequestLike,
  context: { req: IncomingMessage },
  fetchApi: { Response: typeof Response },
) => Promise<Response>

function handler(load: () => Promise<Services>, { log, peerOf = socketPeer }: ServerOptions): Handler {
  const answer = answerer(log)
  return async function handle(request, { req }, fetchApi) {
    if (hostsOf(req) > 1) return toResponse(TWO_HOSTS, fetchApi.Response)
    const reply = await answer(request, peerOf(req), load)
    const sent = await compressed(reply, request.headers.get('accept-encoding') ?? '')
    const headers = { ...lengthOf(sent, request.method), ...sent.headers }
    return toResponse({ ...sent, headers }, fetchApi.Response)
  }
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

/** What Node itself refuses is answered like the rest: JSON, and no word of its own. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, detail] = UNREADABLE[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP.',
  ]
  const body = JSON.stringify({ detail })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  )
}

const UNREADABLE: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
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
    EACCES: `Port ${port} on ${host} may not be listened on; choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; choose another with --host.`,
    ENOTFOUND: `The host name ${host} is not known; choose another with --host.`,
    EAI_AGAIN: `The host name ${host} is not known; choose another with --host.`,
  }[error.code ?? '']
  return problem === undefined ? error : badRequest(problem, error)
}

/** What a connection has in hand. */
interface Connection {
  readonly answers: Set<ServerResponse>
  /** Bytes that had come when the last answer was out; more of them are the beginning of a request. */
  read: number
}

/**
 * Returns what closes the server: idle connections end at once, others with the answers under way, and what is left
 * after `limitMs` is cut. Node's own close goes on answering a client that asks again and again on one connection. Call
 * it before the server takes its first connection.
 */
function closerOf(server: Server, limitMs: number): () => Promise<void> {
  const open = new Map<Socket, Connection>()
  let ending = false

  function endIfIdle(socket: Socket): void {
    const { answers, read } = open.get(socket)!
    if (answers.size === 0 && socket.bytesRead === read) socket.destroySoon()
  }

  server.on('connection', socket => {
    open.set(socket, { answers: new Set(), read: 0 })
    socket.once('close', () => open.delete(socket))
  })
  server.prependListener('request', ({ socket }, response) => {
    const connection = open.get(socket)!
    connection.answers.add(response)
    if (ending) announceEnd(response)
    response.once('close', () => {
      connection.answers.delete(response)
      connection.read = socket.bytesRead
      if (ending && open.has(socket)) endIfIdle(socket)
    })
  })
  return async function close(): Promise<void> {
    ending = true
    const closed = new Promise(resolve => Listener.prototype.close.call(server, resolve))
    for (const [socket, { answers }] of open) {
      for (const response of answers) announceEnd(response)
      endIfIdle(socket)
    }
    const deadline = setTimeout(() => server.closeAllConnections(), limitMs)
    await closed
    clearTimeout(deadline)
    // Ends Node's own timer of the server.
    server.close()
  }
}

/** Tells the client, and Node, that this is the last answer of its connection. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/** How far a connection had got, and how often since it was seen not to get on. */
interface Progress {
  readonly left: string
  readonly stalls: number
}

/** So often a connection is looked at within the time. By a clock, a server that was busy itself would count that. */
const LOOKS = 4

/**
 * Ends connections whose client does not read its answer: for so long that nothing went out, what waits for it is only
 * a cost. Node has time-outs for requests, none for answers.
 */
function dropStalled(server: Server, stallMs: number): void {
  const open = new Map<Socket, Progress>()
  server.on('connection', socket => {
    open.set(socket, { left: '', stalls: 0 })
    socket.once('close', () => open.delete(socket))
  })
  const timer = setInterval(() => {
    for (const [socket, progress] of open) {
      const left = unsent(socket)
      const isStalled = socket.writableLength > 0 && left === progress.left
      open.set(socket, { left, stalls: isStalled ? progress.stalls + 1 : 0 })
      if (isStalled && progress.stalls >= LOOKS) socket.destroy()
    }
  }, stallMs / LOOKS)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/**
 * What the system has not taken yet. A write counts as such until its last byte is gone, so of one that is under way
 * its handle is checked, as Node's own time-outs do.
 */
function unsent(socket: Socket): string {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null }
  return `${socket.bytesWritten} ${socket.writableLength} ${handle?.writeQueueSize}`
}

/** What fits into one packet is not smaller on its way. */
const LEAST_BYTES = 1400
/** What has not been compressed already. */
const TYPES = /^(?:text\/|application\/(?:json|javascript|xml|x-ndjson|vnd\.[\w.]+\+json)|image\/svg)/
/** Higher ones take far longer for a little less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)]

/** The same answer in an encoding that the client takes. One that is small, or is produced as it is read, stays as it is. */
async function compressed(reply: Reply, accepted: string): Promise<Reply> {
  const { body, headers } = reply
  const encoding = /\bbr\b(?!;\s*q=0)/.test(accepted)
    ? 'br'
    : /\bgzip\b(?!;\s*q=0)/.test(accepted)
      ? 'gzip'
      : undefined
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  if (!isWhole || body.length < LEAST_BYTES || !TYPES.test(headers['content-type'] ?? '')) return reply
  if ('content-encoding' in headers || encoding === undefined) return reply
  const vary = [headers.vary, 'accept-encoding'].filter(Boolean).join(', ')
  const bytes = encoding === 'br' ? await toBrotli(body, BROTLI) : await toGzip(body)
  return {
    ...reply,
    body: new Uint8Array(bytes),
    headers: { ...headers, vary, 'content-encoding': encoding },
  }
}

/** Most open answers of one credential, and of a process. */
const [MOST_OF_ONE, MOST_OF_ALL] = [6, 200] as const

/** When a place is left whatever becomes of the answer, ms. */
const LAPSE_MS = 330_000

/** The open answers of a server. Ended, it takes no more, and those there are end. */
class NodeStreams implements Streams {
  readonly #ending = new AbortController()
  readonly #open = new Map<string, number>()
  #all = 0

  enter(caller: string, gone?: AbortSignal): StreamPlace | undefined {
    const own = this.#open.get(caller) ?? 0
    const left = new AbortController()
    const signal = AbortSignal.any([this.#ending.signal, left.signal, ...(gone === undefined ? [] : [gone])])
    if (own >= MOST_OF_ONE || this.#all >= MOST_OF_ALL || signal.aborted) return undefined
    this.#open.set(caller, own + 1)
    this.#all += 1
    const timer = setTimeout(() => left.abort(), LAPSE_MS).unref()
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      this.#all -= 1
      const others = this.#open.get(caller)! - 1
      if (others === 0) this.#open.delete(caller)
      else this.#open.set(caller, others)
    })
    return {
      signal,
      pause: ms => sleep(ms, undefined, { signal }).catch(() => {}),
      leave: () => left.abort(),
    }
  }

  end(): void {
    this.#ending.abort()
  }
}

/** Bytes of new objects that hold what some requests of ingest make: less, and much is copied before it is garbage. */
const ENOUGH_NEW = 24 * 2 ** 20

/**
 * Has V8 collect garbage before it has made much: an ingest request is megabytes of short life, and by default a
 * server on a large machine grows to 450 MB with it. To be called at the start.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100')
  // The bound itself can't be set any more, but what a collection reads can.
  const observer = new PerformanceObserver(() => {
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!
    if (space_size < ENOUGH_NEW) return
    setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}
