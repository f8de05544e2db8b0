import { type RouteName, routes } from '../../../handlers/index.ts'
import { ServiceError, type ErrorDetail, refused } from '../../base/errors.ts'
import type { Services } from '../../runtime/services.ts'
import type { Context } from '../../http/context.ts'
import type { Log } from '../../ledger/ledger.ts'
import { type Reply, bodyText } from '../../http/message.ts'

/** What the path, query and body of a call are made from. Undefined values are left out. */
export interface Call {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: Readonly<Record<string, unknown>>
  /** A body that is JSON text already. */
  readonly bodyText?: string
}

export interface Answer {
  readonly status: number
  header(name: string): string | null
  text(): Promise<string>
}

/** The endpoints of one service, called by their route. */
export interface Api {
  /** Where it is, for people. */
  readonly target: string
  send(route: RouteName, call?: Call): Promise<Answer>
  /** Writes a consistent copy of the ledger to a new file. Throws where the ledger is no file of this machine. */
  backup(path: string): Promise<void>
  close(): Promise<void>
}

/** The JSON of an answer that must be good. Throws what the service said otherwise. */
export async function callJson<T>(api: Api, route: RouteName, call?: Call): Promise<T> {
  const answer = await api.send(route, call)
  const value = await readJson(answer)
  if (answer.status >= 400) throw toError(answer.status, value)
  return value as T
}

/** The JSON of an answer whose status the caller looks at itself. */
export async function readJson(answer: Answer): Promise<unknown> {
  const text = await answer.text()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refused(`The service answered ${answer.status} without JSON; is the URL right?`, error)
  }
}

/** The error that an answer of 400 and above stands for. */
export function toError(status: number, body: unknown): ServiceError {
  const detail = (body as { detail?: ErrorDetail }).detail
  if (Array.isArray(detail)) {
    const texts = detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || loc[0]} ${msg}`)
    return new ServiceError(status, `Invalid input: ${texts.join('; ')}`)
  }
  if (typeof detail === 'string') {
    return new ServiceError(status, status === 401 ? `${detail} Set SERVICE_LOCAL_API_TOKEN.` : detail)
  }
  return new ServiceError(status, `The service answered ${status}.`)
}

/** Calls the handlers in this process, as a trusted local caller. */
export function localApi(services: Services, actor: string): Api {
  let outboxFilled = false
  return {
    target: 'local ledger',
    send: async (route, call = {}) => {
      const { default: endpoint } = await routes[route]()
      const { method, url, body } = toRequest(route, 'http://localhost', call)
      const headers = { get: (name: string) => (name === 'content-type' ? 'application/json' : null) }
      // Handlers log what they mask; here is nobody to hide it from.
      let masked: unknown
      const log: Log = (level, message, fields) => {
        if (level === 'error') masked = fields?.error
        // What a server notes of its work, a command prints itself.
        else if (level !== 'info') services.log(level, message, fields)
      }
      const context: Context = {
        ...services,
        log,
        peer: { kind: 'cli', actor },
        outboxFilled: () => (outboxFilled = true),
      }
      const reply = await endpoint.reply({ method, url, headers, body }, context)
      if (reply.status >= 500 && masked !== undefined) throw masked
      return localAnswer(reply)
    },
    backup: async path => {
      if (services.sql.backup === undefined) {
        throw refused(
          '--backup copies a SQLite file, and this ledger is in PostgreSQL; use ' +
            'pg_dump --format=custom --file=FILE "$SERVICE_DATABASE_URL"',
        )
      }
      await services.sql.backup(path)
    },
    close: async () => {
      if (outboxFilled) await sendOutbox(services)
      await services.sql.close()
    },
  }
}

/** Tells receivers what this command decided; what is left by then stays in the outbox. */
async function sendOutbox(services: Services): Promise<void> {
  try {
    const { flushOutbox } = await import('../../runtime/outbox.ts')
    const left = await flushOutbox(services)
    if (left === 0) return
    services.log(
      'warn',
      `${left} webhook ${left === 1 ? 'delivery is' : 'deliveries are'} left to the outbox; a running ` +
        '`svc serve` or the next decision here sends them',
    )
  } catch (error) {
    services.log('warn', `webhooks are left to the outbox: ${(error as Error).message}`)
  }
}

function localAnswer(reply: Reply): Answer {
  return {
    status: reply.status,
    header: name => reply.headers[name.toLowerCase()] ?? null,
    text: () => bodyText(reply),
  }
}

const READ_ONLY = new Set<RouteName>(['POST /v1/diff', 'POST /v1/diff/groups'])

/** Sends the same requests over HTTP. Names the target before the first one that writes. */
export function remoteApi(base: string, token: string | undefined, actor: string, log: Log): Api {
  const target = serviceUrl(base)
  let named = false
  return {
    target,
    send: async (route, call = {}) => {
      const { method, url, body } = toRequest(route, target, call)
      if (!named && method !== 'GET' && !READ_ONLY.has(route)) {
        log('info', `sending to ${target}`)
        named = true
      }
      const response = await fetch(url, {
        method,
        // Followed, a redirected POST would become a GET, and its answer would be taken for that of the write.
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          // A header holds ASCII only; what isn't is percent-encoded.
          'x-service-actor': actor.replaceAll(/[^\u0020-\u007E]+/g, encodeURIComponent),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === null ? {} : { body }),
      }).catch((error: Error) => {
        const cause = error.cause instanceof Error ? error.cause.message : error.message
        throw new ServiceError(503, `Can't reach ${target}: ${cause || 'no connection'}.`, { cause: error })
      })
      if (response.status >= 300 && response.status < 400) {
        const place = response.headers.get('location') ?? 'another address'
        throw refused(`${target} redirects to ${place}; use the address of the service itself.`)
      }
      return {
        status: response.status,
        header: name => response.headers.get(name),
        text: () =>
          response.text().catch((error: unknown) => {
            throw new ServiceError(
              503,
              `${target} broke off in the middle of its answer; look what is there before you try again.`,
              { cause: error },
            )
          }),
      }
    },
    backup: async () => {
      throw refused('--backup works on the machine of the ledger only, without --url.')
    },
    close: async () => {},
  }
}

function serviceUrl(given: string): string {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // Not repeated where it may hold a password.
    const shown = given.includes('@') ? '' : ` (it is '${given}')`
    throw refused(`--url or SERVICE_URL must be an http or https URL${shown}.`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refused(
      '--url or SERVICE_URL must be a base address only: no user, no query, no fragment. The token goes in ' +
        'SERVICE_LOCAL_API_TOKEN.',
    )
  }
  return url.href.replace(/\/+$/, '')
}

function toRequest(
  route: RouteName,
  base: string,
  call: Call,
): { method: string; url: string; body: string | null } {
  const [method, template] = route.split(' ') as [string, string]
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path?.[name] ?? ''),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) query.set(name, String(value))
  }
  const body = call.bodyText ?? (call.body === undefined ? null : JSON.stringify(call.body))
  return {
    method,
    url: `${base}${path}${query.size > 0 ? `?${query}` : ''}`,
    body: method === 'GET' ? null : (body ?? '{}'),
  }
}
