import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { BlockList, type Socket, isIPv6 } from 'node:net'
import { badRequest } from '../../base/errors.ts'
import { isLoopback, networkOf } from '../../http/access/loopback.ts'
import { type Reply, json } from '../../http/wire/message.ts'
import { refuseUnreadable } from './refusals.ts'
import { parseWhile, unsent } from './sockets.ts'
import { takingTurns } from './turns.ts'

/** Answers a request, with `refusal` where there is one. */
type Answer = (request: IncomingMessage, response: ServerResponse, refusal: Reply | undefined) => void

interface Connection {
  readonly socket: Socket
  /** Whose share it and its requests count to; undefined where none is counted. */
  readonly client: string | undefined
  /** The answer that is made or sent. */
  atWork: ServerResponse | undefined
  /** Requests that were read with or behind the one at work. */
  readonly waiting: Parameters<RequestListener>[]
  /** Whether it came when all places were taken: monitoring alone is answered, and then it ends. */
  readonly isSpare: boolean
  /** Whether none of its requests is answered yet. */
  isNew: boolean
  /** What was unsent when it was last seen, and how often since then it was seen not to get on. */
  unsent: string
  stalls: number
  /** Bytes that had come when the last answer was out; more of them are the beginning of a request. */
  read: number
}

/** Connections at once, and further ones for monitoring. */
const [MOST_CONNECTIONS, SPARE] = [1000, 50] as const

/** Of the connections the part that one address may have before their first request has come. */
const SHARE = 1 / 4

/** So many requests may wait on each connection, and so many in all on those where more do. */
const [FEW, MOST_WAITING] = [4, 256] as const

/** Most requests that begin in one turn of the event loop; further ones wait for later turns. */
const MOST_BEGUN = 16

/** Requests of one address at work at once. */
const MOST_OF_ONE = 256

const FULL = json({ detail: 'The server has as many connections as it allows; try again.' }, 503, {
  'retry-after': '1',
  connection: 'close',
})

/** So often a connection is looked at within its time. By a clock, a server that was busy itself would count that. */
const CHECKS = 4

const TOO_MANY = json(
  { detail: `More than ${MOST_OF_ONE} requests from one address at once; try again.` },
  429,
  { 'retry-after': '1' },
)

interface ConnectionsOptions {
  /** Proxies, addresses and networks. They and this machine have no limit by address. */
  readonly trusted: readonly string[]
  /** Most at once, 1,000 by default. */
  readonly most?: number | undefined
  /** How long one may do nothing, neither ask nor read its answer, ms. Node has times for requests, none for answers. */
  readonly stallMs: number
}

/**
 * The connections of a server. Of each one request is answered at a time: Node emits all that a client sends ahead at once.
 * While any waits nothing more is read of its connection. A new connection takes the place of the oldest without a request where
 * all are taken. To be made before the first one comes.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>()
  readonly #answer: Answer
  readonly #most: number
  readonly #nextTurn = takingTurns()
  readonly #isTrusted: (address: string) => boolean
  readonly #atWork = new Map<string, number>()
  #waiting = 0
  /** Requests that began in this turn. */
  #begun = 0
  #isEnding = false

  constructor(
    server: Server,
    { trusted, most = MOST_CONNECTIONS, stallMs }: ConnectionsOptions,
    answer: Answer,
  ) {
    this.#answer = answer
    this.#most = most
    this.#isTrusted = trustedBy(trusted)
    server.on('connection', socket => this.#enter(socket))
    server.on('request', (request, response) => this.#take(request, response))
    server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket))
    const timer = setInterval(() => this.#check(), stallMs / CHECKS).unref()
    server.once('close', () => clearInterval(timer))
  }

  states(): Record<ConnectionState, number> {
    const counts = { new: 0, idle: 0, receiving: 0, working: 0, sending: 0 }
    for (const connection of this.#open.values()) counts[stateOf(connection)] += 1
    return counts
  }

  /** Lets connections end with the answers under way, and those without one at once. */
  end(): void {
    this.#isEnding = true
    for (const [socket, { atWork }] of this.#open) {
      if (atWork !== undefined) announceEnd(atWork)
      this.#endIfIdle(socket)
    }
  }

  #enter(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const client = this.#isTrusted(address) ? undefined : networkOf(address)
    this.#makeRoom(client)
    if (this.#open.size >= this.#most + SPARE) return void socket.destroy()
    const connection: Connection = {
      socket,
      client,
      atWork: undefined,
      waiting: [],
      isSpare: this.#open.size >= this.#most,
      isNew: true,
      unsent: '',
      stalls: 0,
      read: 0,
    }
    this.#open.set(socket, connection)
    parseWhile(socket, () => this.#open.has(socket))
    socket.once('close', () => this.#leave(connection))
  }

  #leave({ socket, waiting }: Connection): void {
    this.#open.delete(socket)
    this.#waiting -= waiting.splice(0).length
  }

  /** Ends the oldest connection without a request of a client that has its share of those, or of all where no place is free. */
  #makeRoom(client: string | undefined): void {
    if (client === undefined && this.#open.size < this.#most) return
    const all = [...this.#open.values()]
    const own = client === undefined ? [] : all.filter(other => other.client === client && isSilent(other))
    const oldest = own.length >= this.#most * SHARE ? (own.find(isIdle) ?? own[0]) : this.#oldestIdle(all)
    if (oldest === undefined) return
    this.#leave(oldest)
    oldest.socket.destroy()
  }

  /** Keeps spare connections until all are taken; then those whose request is no probe end first. */
  #oldestIdle(all: readonly Connection[]): Connection | undefined {
    if (all.length < this.#most) return undefined
    const idle = all.filter(isIdle)
    const usual = idle.filter(({ isSpare }) => !isSpare)
    const found = usual.find(({ isNew }) => isNew) ?? usual[0]
    if (found !== undefined || all.length < this.#most + SPARE) return found
    return all.find(({ isSpare, atWork }) => isSpare && atWork && !isProbe(atWork.req)) ?? idle[0]
  }

  /** Where the client has an answer under way, a timeout is not its fault: nothing of it is read meanwhile. */
  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (!this.#open.has(socket)) return
    const atWork = this.#open.get(socket)?.atWork
    if (atWork?.req.complete === true && error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return
    if (atWork?.headersSent === true) socket.destroy()
    else refuseUnreadable(error, socket)
  }

  #check(): void {
    for (const connection of this.#open.values()) {
      const { socket, atWork } = connection
      const left = unsent(socket)
      const isStalled = atWork === undefined || (socket.writableLength > 0 && left === connection.unsent)
      connection.unsent = left
      connection.stalls = isStalled ? connection.stalls + 1 : 0
      if (connection.stalls > CHECKS) socket.destroy()
    }
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    const { waiting } = connection
    if (isIdle(connection)) return this.#begin(connection, request, response)
    waiting.push([request, response])
    this.#waiting += 1
    socket.pause()
    if (waiting.length > FEW && this.#waiting > MOST_WAITING) void this.#drop(connection)
  }

  /** Ends it in a turn of its own: Node makes an error for each request that it has read, which takes longer than reading it. */
  async #drop(connection: Connection): Promise<void> {
    this.#open.delete(connection.socket)
    await this.#nextTurn()
    connection.socket.destroy()
  }

  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    connection.atWork = response
    connection.stalls = 0
    if (this.#isEnding || connection.isSpare) announceEnd(response)
    const isOver = this.#count(connection.client, 1) > MOST_OF_ONE
    response.once('close', () => {
      this.#count(connection.client, -1)
      connection.atWork = undefined
      connection.isNew = false
      connection.read = socket.bytesRead
      if (this.#open.has(socket)) void this.#next(socket, connection)
    })
    const refusal = connection.isSpare ? FULL : isOver ? TOO_MANY : undefined
    if (isProbe(request)) this.#answer(request, response, undefined)
    else if (this.#mayBegin()) this.#answer(request, response, refusal)
    else void this.#answerLater(request, response, refusal)
  }

  #mayBegin(): boolean {
    if (this.#begun === 0) setImmediate(() => (this.#begun = 0))
    this.#begun += 1
    return this.#begun <= MOST_BEGUN
  }

  async #answerLater(...[request, response, refusal]: Parameters<Answer>): Promise<void> {
    await this.#nextTurn()
    if (!response.destroyed) this.#answer(request, response, refusal)
  }

  /** Others have their turn first: without a wait, answers to all that was sent ahead would be one piece of work. */
  async #next(socket: Socket, connection: Connection): Promise<void> {
    if (connection.waiting.length > 0) await this.#nextTurn()
    if (this.#isEnding) return this.#endIfIdle(socket)
    const next = connection.waiting.shift()
    if (next === undefined) return void (socket.isPaused() && socket.resume())
    this.#waiting -= 1
    this.#begin(connection, ...next)
  }

  /** Counts a request of a client that begins or ends; returns how many are at work. */
  #count(client: string | undefined, change: 1 | -1): number {
    if (client === undefined) return 0
    const count = (this.#atWork.get(client) ?? 0) + change
    if (count === 0) this.#atWork.delete(client)
    else this.#atWork.set(client, count)
    return count
  }

  #endIfIdle(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.atWork !== undefined) return
    if (socket.bytesRead === connection.read) socket.destroySoon()
  }
}

/** Before its first request, between two, and while one arrives, is carried out and answered. */
export type ConnectionState = 'new' | 'idle' | 'receiving' | 'working' | 'sending'

function stateOf(connection: Connection): ConnectionState {
  const { atWork, isNew } = connection
  if (isIdle(connection)) return isNew ? 'new' : 'idle'
  // Its next request waits for its turn.
  if (atWork === undefined) return 'working'
  if (atWork.headersSent) return 'sending'
  return atWork.req.complete ? 'working' : 'receiving'
}

function isIdle({ atWork, waiting }: Connection): boolean {
  return atWork === undefined && waiting.length === 0
}

/** Whether its first request has not come whole yet. */
function isSilent({ isNew, atWork }: Connection): boolean {
  return isNew && atWork?.req.complete !== true
}

/** Tells the client, and Node, that this is the last answer of its connection. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/** Monitoring asks all the time. */
function isProbe({ url = '' }: IncomingMessage): boolean {
  return url === '/health' || url === '/ready'
}

/** Whether an address is this machine's own or of one of `networks`. Throws 400 for one that is no network. */
function trustedBy(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    try {
      if (bits === undefined) list.addAddress(address, family)
      else list.addSubnet(address, Number(bits), family)
    } catch (error) {
      throw badRequest(
        `service.yaml: limits.trusted_proxies: ${network} is not an address or a network.`,
        error,
      )
    }
  }
  return address => isLoopback(address) || list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
