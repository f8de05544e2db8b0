import { routes } from '../../handlers/index.ts'
import { ServiceError } from '../base/errors.ts'
import type { Peer } from '../http/access/access.ts'
import { type Reply, type RequestLike, errorReply, revalidated } from '../http/wire/message.ts'
import { createRouter } from '../http/router.ts'
import { NO_TALLY, countRequest } from '../ledger/world/tally.ts'
import { nextTurn } from '../sql/libsql/wait.ts'
import type { Services } from './services.ts'
import type { ServerLog } from './log.ts'

/** Answers a request of `peer`, by `refusal` where there is one; `load` gives what the handlers need. Never throws. */
type Answerer = (
  request: RequestLike,
  peer: Peer,
  load: () => Promise<Services>,
  refusal?: Reply,
) => Promise<Reply>

/** What a server of any runtime does around the router: request ids, the log, headers that every answer has. */
export function answerer(log: ServerLog): Answerer {
  const route = createRouter(routes)
  return async function answer(request, peer, load, refusal) {
    const startedAt = performance.now()
    const request_id = requestIdOf(request)
    let reply: Reply
    let tally = NO_TALLY
    let source: string | undefined
    let path: string | undefined
    try {
      const services = await load()
      tally = services.tally
      const tagged = (level: Parameters<ServerLog['log']>[0], message: string, fields = {}): void =>
        services.log(level, message, { ...fields, request_id })
      if (refusal === undefined) {
        const routed = await route(request, { ...services, log: tagged, peer })
        reply = await revalidated(routed, request)
        source = routed.source
        path = routed.path
      } else {
        reply = refusal
      }
    } catch (error) {
      reply = errorReply(asUnavailable(error), log.log)
    }
    const duration_ms = performance.now() - startedAt
    const { method } = request
    countRequest(tally, { route: labelOf(source), method, status: reply.status, seconds: duration_ms / 1000 })
    log.request({
      request_id,
      method,
      path: path ?? pathOf(request.url),
      status: reply.status,
      duration_ms: Math.round(duration_ms * 10) / 10,
      peer: peer.kind === 'socket' ? (peer.address ?? null) : null,
    })
    return { ...reply, headers: { ...COMMON_HEADERS, 'x-request-id': request_id, ...reply.headers } }
  }
}

/**
 * Loads the handlers of all routes, so that no request waits for its own to be read. What else there is to do has its turn
 * between any two of them.
 */
export async function loadHandlers(): Promise<void> {
  for (const load of Object.values(routes)) {
    await load()
    await nextTurn()
  }
}

/** The path of a route; one name for all unknown paths. */
function labelOf(source: string | undefined): string {
  return source?.split(' ')[1] ?? source ?? 'none'
}

const COMMON_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

/** The caller's own request id, if it is one, so that both logs name it alike. */
function requestIdOf({ headers }: RequestLike): string {
  const given = headers.get('x-request-id') ?? ''
  return /^[\w.:-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}

function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? '?'
}

/** A workspace that can't be loaded is no fault of the request. */
function asUnavailable(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error
  return new ServiceError(503, error.detail, { cause: error, headers: { 'Retry-After': '5' } })
}
