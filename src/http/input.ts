import { unprocessable } from '../errors.ts'
import type { IdempotencyKey } from '../ledger/idempotency.ts'
import { type Actor, sha256 } from '../ledger/ledger.ts'
import type { Context } from './context.ts'
import type { EndpointSpec, Input, Route } from './endpoint.ts'
import { type Fields, readFields } from './fields.ts'
import { readJson } from './json_body.ts'
import type { RequestLike } from './message.ts'

/** Reads requests by an endpoint's spec. Throws 422 with all that is wrong at once, 413 for a large body. */
export function inputReader<P extends Fields, Q extends Fields, B>(
  route: Route,
  spec: EndpointSpec<P, Q, B>,
): (request: RequestLike, context: Context) => Promise<Input<P, Q, B>> {
  const matchPath = pathMatcher(route)
  return async function readInput(request, context) {
    const url = new URL(request.url)
    const [path, query] = await Promise.all([
      readFields(spec.path ?? ({} as P), 'path', matchPath(url.pathname)),
      readFields(spec.query ?? ({} as Q), 'query', Object.fromEntries(url.searchParams)),
    ])
    const json = spec.body === undefined ? undefined : await readJson(request, context.maxBodyBytes)
    const body = json && (await spec.body?.read(json))
    const problems = [...path.problems, ...query.problems, ...(body?.problems ?? [])]
    if (problems.length > 0) throw unprocessable(problems)
    return {
      path: path.values,
      query: query.values,
      body: body?.value as B,
      actor: actorOf(request, context, body?.value),
      idempotencyKey: spec.idempotent === true ? await keyOf(route, request, json?.value) : undefined,
    }
  }
}

/** Who asks (specification, Authentication): headers before the body; the command line says it itself. */
function actorOf({ headers }: RequestLike, { peer }: Context, body: unknown): Actor {
  if (peer.kind === 'cli') return { name: peer.actor, source: 'cli' }
  const explicit = headers.get('x-service-actor')?.trim()
  if (explicit) return { name: explicit, source: 'header' }
  const forwarded = headers.get('x-forwarded-user')?.trim()
  if (forwarded) return { name: forwarded, source: 'forwarded' }
  const named = (body as { actor?: unknown } | undefined)?.actor
  return { name: typeof named === 'string' && named.trim() !== '' ? named.trim() : 'http', source: 'body' }
}

const MAX_KEY_CHARS = 255

async function keyOf(
  route: Route,
  { headers }: RequestLike,
  json: unknown,
): Promise<IdempotencyKey | undefined> {
  const key = headers.get('idempotency-key')?.trim() ?? ''
  if (key === '') return undefined
  if (key.length <= MAX_KEY_CHARS) {
    return { key, fingerprint: await sha256(`${route}\n${JSON.stringify(json)}`) }
  }
  throw unprocessable([
    {
      loc: ['header', 'Idempotency-Key'],
      msg: `must be at most ${MAX_KEY_CHARS} characters long`,
      type: 'string_too_long',
    },
  ])
}

/** Path parameters of a route such as `GET /v1/actions/{action_id}`, percent-decoded. */
function pathMatcher(route: Route): (pathname: string) => Record<string, string> {
  const template = route.slice(route.indexOf(' ') + 1)
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(match => match[1]!)
  const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]+)')}/*$`)
  return function matchPath(pathname) {
    const values = pattern.exec(pathname)?.slice(1) ?? []
    return Object.fromEntries(names.map((name, index) => [name, decodePart(values[index] ?? '')]))
  }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
