import { type FieldProblem, type ServiceError, unprocessable } from '../../base/errors.ts'
import type { IdempotencyKey } from '../../ledger/trail/idempotency.ts'
import { sha256 } from '../../base/bytes.ts'
import type { Called } from '../access/context.ts'
import { type Caller, changes, isNamed } from '../access/caller.ts'
import { actorOf } from './actor.ts'
import type { Answers, EndpointSpec, Handled, Input, Route, WithActor, WithKey } from './spec.ts'
import { type Fields, readFields } from './fields.ts'
import { namesOf, queryOf, strayHeaders, strayParameters } from './stray.ts'
import { mostBytes } from './body_room.ts'
import { type JsonBody, readBytes, readJson } from './json_body.ts'
import type { RequestLike } from '../wire/message.ts'

/**
 * Reads requests by an endpoint's spec. Throws 422 with all that is wrong at once, 413 for a large body. Parameters that
 * the endpoint does not have are wrong where it changes something, is exact, or the workspace strict.
 */
export function inputReader<P extends Fields, Q extends Fields, B, W extends boolean, I extends boolean>(
  route: Route,
  spec: EndpointSpec<P, Q, B, Answers, W, I>,
): (request: RequestLike, context: Called) => Promise<Handled<P, Q, B, W, I>> {
  const matchPath = pathMatcher(route)
  const isWrite = changes(spec.access) && !route.startsWith('GET ')
  return async function readInput(request, context) {
    const url = new URL(request.url)
    const given = queryOf(spec, url)
    const [path, query] = await Promise.all([
      readFields(spec.path ?? ({} as P), 'path', matchPath(url.pathname)),
      readFields(spec.query ?? ({} as Q), 'query', given),
    ])
    const strays = spec.access === 'open' ? [] : strayParameters(spec, given)
    const { json, body } = await readBody(request, spec, context)
    // A decision that was meant to be tried, by a `dry_run` that belongs into the body, can't be taken back.
    const isExact = spec.exact === true || isWrite || context.workspace.strict
    const refusedStrays = isExact ? strays : []
    const repeated = repeatedOf(spec.query, url.searchParams)
    const problems = [
      ...path.problems,
      ...query.problems,
      ...repeated,
      ...refusedStrays,
      ...(body?.problems ?? []),
    ]
    if (problems.length > 0) throw unprocessable(problems)
    const actor = spec.recordsActor === true ? actorOf(request, context, body?.value) : undefined
    const input: Input<P, Q, B> & Partial<WithActor & WithKey> = {
      path: path.values,
      query: query.values,
      body: body?.value as B,
      headers: request.headers,
      accept: request.headers.get('accept') ?? '',
      ifNoneMatch: request.headers.get('if-none-match') ?? '',
      warningHeaders: strayHeaders(strays),
      ...(actor === undefined ? {} : { actor }),
      ...(spec.idempotent === true
        ? { idempotencyKey: await keyOf(route, request, context.caller, [actor?.name, json?.value]) }
        : {}),
    }
    return input as Handled<P, Q, B, W, I>
  }
}

interface ReadBody<B> {
  readonly json?: JsonBody
  readonly body?: { readonly value: B; readonly problems: readonly FieldProblem[] }
}

async function readBody<B>(
  request: RequestLike,
  spec: Pick<EndpointSpec<Fields, Fields, B>, 'body'>,
  context: Called,
): Promise<ReadBody<B>> {
  if (spec.body === undefined) return {}
  const most = mostBytes(spec.body, context)
  if (spec.body.kind === 'bytes') {
    const value = spec.body.read(await readBytes(request, most), request.headers)
    return { body: { value, problems: [] } }
  }
  const { kind } = spec.body
  const json = await readJson(request, most, context.nextTurn, { once: kind !== 'any' })
  return { json, body: await spec.body.read(json) }
}

/** Of two values for one parameter, by whatever name, none is what was meant for sure. */
function repeatedOf(fields: Fields = {}, params: URLSearchParams): FieldProblem[] {
  return Object.keys(fields).flatMap(name => {
    const names = namesOf(name).filter(other => other === name || !Object.hasOwn(fields, other))
    const given = names.flatMap(known => params.getAll(known).map(() => known))
    const [, second] = given
    return second === undefined
      ? []
      : [{ loc: ['query', second], msg: 'must be given once', type: 'repeated' }]
  })
}

const MAX_KEY_CHARS = 255

/** Each named credential has keys of its own: nobody can use up those that another one is about to send. */
async function keyOf(
  route: Route,
  { headers }: RequestLike,
  caller: Caller,
  asked: readonly unknown[],
): Promise<IdempotencyKey | undefined> {
  const key = headers.get('idempotency-key')?.trim() ?? ''
  if (key === '') return undefined
  if (key.length > MAX_KEY_CHARS) {
    throw badHeader('Idempotency-Key', `must be at most ${MAX_KEY_CHARS} characters long`)
  }
  return {
    key: isNamed(caller) ? JSON.stringify([caller.kind, ...ownerOf(caller), key]) : key,
    fingerprint: await sha256(`${route}\n${JSON.stringify(asked)}`),
  }
}

/** Names of people are theirs for a time, subjects for ever. */
function ownerOf({ name, identity }: Caller): readonly string[] {
  return identity === undefined ? [name] : [identity.issuer, identity.subject]
}

function badHeader(name: string, msg: string): ServiceError {
  return unprocessable([{ loc: ['header', name], msg, type: 'string_too_long' }])
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
