import { bodyText } from '../../src/http/wire/message.ts'
import type { Agenda, Owner } from './agenda.ts'
import type { Chance } from './chance.ts'
import type { Faults } from './faults.ts'
import type { Server } from './server.ts'

export interface Request {
  readonly route: string
  readonly path?: string
  readonly body?: unknown
  /** Sent again where no answer came, as the SDK does: by an Idempotency-Key where the endpoint takes one. */
  readonly repeats?: 'by key' | 'as it is'
  readonly actor?: string
  readonly approving?: boolean
}

export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- invariants look into answers freely
  readonly body: any
}

/** How callers reach servers. */
export interface Network {
  readonly agenda: Agenda
  readonly faults: Faults
  readonly chance: Chance
  readonly server: () => Server
}

const MOST_TRIES = 6

/** Sends a request to any server until it is answered by something else than 503. Undefined where the caller gave up. */
export async function ask(
  network: Network,
  caller: Owner,
  key: string,
  request: Request,
): Promise<Answer | undefined> {
  const tries = request.repeats === undefined ? 1 : MOST_TRIES
  for (let attempt = 0; attempt < tries; attempt++) {
    const answer = await askOnce(network, caller, key, request)
    if (answer !== undefined && (answer.status !== 503 || tries === 1)) return answer
  }
  return undefined
}

async function askOnce(
  { agenda, faults, server: anyServer }: Network,
  caller: Owner,
  key: string,
  { route, path, body, repeats, actor = 'ann', approving = false }: Request,
): Promise<Answer | undefined> {
  const fault = await agenda.wait(caller, `sends ${route}`, () => faults.at('request'))
  if (fault === 'request lost') return undefined
  const [method, template] = route.split(' ') as [string, string]
  const headers: Readonly<Record<string, string>> = {
    host: 'localhost',
    'x-service-actor': actor,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(repeats === 'by key' ? { 'idempotency-key': key } : {}),
  }
  const server = anyServer()
  const reply = await Promise.race([
    server.handle(
      {
        method,
        url: `http://localhost${path ?? template}`,
        headers: { get: name => headers[name] ?? null, keys: () => Object.keys(headers) },
        body: body === undefined ? null : JSON.stringify(body),
      },
      approving,
    ),
    server.ended,
    ...(fault === undefined ? [] : [agenda.wait(caller, 'gives up waiting', () => undefined)]),
  ])
  if (reply === undefined) return undefined
  const text = await bodyText(reply)
  const lost = await agenda.wait(caller, `gets ${reply.status}`, () => faults.at('answer'))
  return lost === undefined ? { status: reply.status, body: parsed(text) } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
