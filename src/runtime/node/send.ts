import { lookup as systemLookup } from 'node:dns'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import {
  MAX_ANSWER_BYTES,
  SEND_TIMEOUT_MS,
  type Outgoing,
  type Send,
  type Sent,
} from '../../ledger/world/send.ts'
import { addressProblem, hostProblem, urlProblem } from '../../rules/webhook_target.ts'

export interface NodeSenderOptions {
  /** Whether private and loopback addresses are refused as well. */
  readonly denyPrivate: boolean
  readonly timeoutMs?: number
  /** How names are looked up. */
  readonly lookup?: typeof systemLookup
}

/**
 * Sends with Node's own client. The addresses that a name resolves to are checked, and those are the ones that are
 * connected to: there is no second look-up that could say something else.
 */
export function nodeSender(options: NodeSenderOptions): Send {
  const { denyPrivate, timeoutMs = SEND_TIMEOUT_MS } = options
  const lookup = checkedLookup(options)
  return async function send({ url, headers, body }) {
    const target = new URL(url)
    // An address in the URL is never looked up.
    const problem = hostProblem(target.hostname, denyPrivate)
    if (problem !== undefined) return { problem: `refused to connect to ${problem}` }
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest
    const length = String(Buffer.byteLength(body))
    const request = open(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': length },
      agent: false,
      lookup,
    })
    return answerOf(request, body, timeoutMs)
  }
}

/**
 * A fetch that connects where {@link nodeSender} may and follows no redirect. Reading more than `mostBytes` of an answer
 * fails.
 */
export function checkedFetch({ mostBytes, ...options }: NodeSenderOptions & { mostBytes: number }): Fetch {
  const lookup = checkedLookup(options)
  return function fetchChecked(input, { method = 'GET', headers, body, signal } = {}) {
    const target = new URL(input)
    const problem = urlProblem(target.href, options.denyPrivate)
    if (problem !== undefined) return Promise.reject(new Error(`the URL ${problem}`))
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((resolve, reject) => {
      const request = open(target, {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        agent: false,
        lookup,
        ...(signal == null ? {} : { signal }),
      })
      request.on('error', error => reject(new Error(problemText(error), { cause: error })))
      request.on('response', response => resolve(fetched(response, mostBytes)))
      request.end(body)
    })
  }
}

/** What clients that take a fetch call it with. */
type Fetch = (
  url: string | URL,
  init?: {
    readonly method?: string
    readonly headers?: HeadersInit
    readonly body?: string
    readonly signal?: AbortSignal | null
  },
) => Promise<Response>

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number | undefined> = new Set([204, 205, 304])

function fetched(response: IncomingMessage, mostBytes: number): Response {
  const { statusCode: status, rawHeaders } = response
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  if (BODILESS.has(status)) {
    response.resume()
    return new Response(null, { status: status!, headers })
  }
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostBytes) response.destroy(new Error(`the answer has more than ${mostBytes} bytes`))
  })
  return new Response(Readable.toWeb(response) as ReadableStream<Uint8Array>, { status: status!, headers })
}

function answerOf(request: ClientRequest, body: Outgoing['body'], timeoutMs: number): Promise<Sent> {
  return new Promise(resolve => {
    const timer = setTimeout(
      () => settle({ problem: `no whole answer within ${timeoutMs / 1000} s` }),
      timeoutMs,
    )
    function settle(sent: Sent): void {
      clearTimeout(timer)
      resolve(sent)
      request.destroy()
    }
    let answering = false
    request.on('response', response => {
      answering = true
      void startOfBody(response).then(
        text => settle({ status: response.statusCode!, text }),
        () => settle({ problem: 'the receiver broke off in the middle of its answer' }),
      )
    })
    request.on('error', error => settle({ problem: problemText(error) }))
    // Comes last, also where the connection was to speak another protocol; an answer may still be read then.
    request.on('close', () => {
      if (!answering) settle({ problem: 'the receiver closed the connection without an answer' })
    })
    request.end(body)
  })
}

async function startOfBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8')
}

/** A name with one forbidden address is refused whole: which one would be tried first can't be relied on. */
function checkedLookup({ denyPrivate, lookup = systemLookup }: NodeSenderOptions): LookupFunction {
  return function checked(hostname, options, callback) {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const problem = addresses
        .map(({ address }) => addressProblem(address, denyPrivate))
        .find(found => found !== undefined)
      if (problem !== undefined) return callback(new Error(`refused to connect to ${problem}`), [])
      if (options.all === true) return callback(null, addresses)
      const [first] = addresses
      if (first === undefined) return callback(new Error(`${hostname} has no address`), [])
      return callback(null, first.address, first.family)
    })
  }
}

function problemText(error: NodeJS.ErrnoException): string {
  // Several addresses were tried; the first error is as good as any.
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error
  return PROBLEMS[first.code ?? ''] ?? first.message
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: the connection was refused',
  ECONNRESET: 'the receiver broke off the connection',
  EPIPE: 'the receiver broke off the connection',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: "the host name can't be looked up now",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  ETIMEDOUT: 'the host did not answer',
}
