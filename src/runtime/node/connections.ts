import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { BlockList, type Socket, isIPv6 } from 'node:net'
import { badRequest } from '../../base/errors.ts'
import { isLoopback, networkOf } from '../../http/access/loopback.ts'
import { type Reply, json } from '../../http/wire/message.ts'
import { takingTurns } from './turns.ts'

/** Answers a request, with `refusal` where there is one. */
type Answer = (request: IncomingMessage, response: ServerResponse, refusal: Reply | undefined) => void

interface Connection {
  /** Whose share its requests count to; undefined where none is counted. */
  readonly client: string | undefined
  /** The answer that is made or sent. */
  atWork: ServerResponse | undefined
  /** Requests that were read with or behind the one at work. */
  readonly waiting: Parameters<RequestListener>[]
  /** Bytes that had come when the last answer was out; more of them are the beginning of a request. */
  read: number
}

/** So many requests may wait on each connection, and so many in all on those where more do. */
const [FEW, MOST_WAITING] = [16, 5000] as const

/** Requests of one address at work at once. */
const MOST_OF_ONE = 256

const TOO_MANY = json(
  { detail: `More than ${MOST_OF_ONE} requests from one address at once; try again.` },
  429,
  { 'retry-after': '1' },
)

/**
 * The connections of a server. Of each one request is answered at a time: Node emits all that a client sends ahead at once.
 * While any waits nothing more is read of its connection. To be made before the first connection comes.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>()
  readonly #answer: Answer
  readonly #nextTurn = takingTurns()
  readonly #isTrusted: (address: string) => boolean
  /** Requests at work by client. */
  readonly #atWork = new Map<string, number>()
  #waiting = 0
  #isEnding = false

  /** Requests of this machine and of `trusted` proxies, addresses and networks, have no limit by address. */
  constructor(server: Server, trusted: readonly string[], answer: Answer) {
    this.#answer = answer
    this.#isTrusted = trustedBy(trusted)
    server.on('connection', socket => this.#enter(socket))
    server.on('request', (request, response) => this.#take(request, response))
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
    const connection: Connection = { client, atWork: undefined, waiting: [], read: 0 }
    this.#open.set(socket, connection)
    parseWhileOpen(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#waiting -= connection.waiting.splice(0).length
    })
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    const { atWork, waiting } = connection
    if (atWork === undefined && waiting.length === 0) return this.#begin(connection, request, response)
    waiting.push([request, response])
    this.#waiting += 1
    socket.pause()
    if (waiting.length > FEW && this.#waiting > MOST_WAITING) socket.destroy()
  }

  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    connection.atWork = response
    if (this.#isEnding) announceEnd(response)
    const isOver = this.#count(connection.client, 1) > MOST_OF_ONE
    response.once('close', () => {
      this.#count(connection.client, -1)
      connection.atWork = undefined
      connection.read = socket.bytesRead
      if (this.#open.has(socket)) void this.#next(socket, connection)
    })
    this.#answer(request, response, isOver && !isProbe(request) ? TOO_MANY : undefined)
  }

  /** Others have their turn first: without a wait, answers to all that was sent ahead would be one piece of work. */
  async #next(socket: Socket, connection: Connection): Promise<void> {
    if (connection.waiting.length > 0) await this.#nextTurn()
    if (this.#isEnding) return this.#endIfIdle(socket)
    const asked = connection.waiting.shift()
    if (asked === undefined) return void (socket.isPaused() && socket.resume())
    this.#waiting -= 1
    this.#begin(connection, ...asked)
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

/** Ends the parsing of what was read at once with the socket: Node goes on to its end, thousands of requests. */
function parseWhileOpen(socket: Socket & { readonly parser?: Parser }): void {
  const { parser } = socket
  const take = parser?.onIncoming
  if (parser === undefined || take === undefined) return
  parser.onIncoming = (...given) => (socket.destroyed ? PARSE_NO_MORE : take(...given))
}

/** Node's own, of a connection. */
interface Parser {
  onIncoming?: (...given: unknown[]) => number
}

const PARSE_NO_MORE = -1

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
