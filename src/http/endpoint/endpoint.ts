import { type FieldProblem, ServiceError, badRequest, unprocessable } from '../../base/errors.ts'
import { bounded } from '../../sql/deadline.ts'
import { isGone } from '../../sql/port.ts'
import type { Called, Context } from '../access/context.ts'
import { limitConcurrency } from './limit_concurrency.ts'
import { type Body, type JsonBody, bodyOf, readBytes, readJson } from './bodies.ts'
import { mostBytes, withRoom } from './body_room.ts'
import {
  namesIn,
  namesOf,
  queryOf,
  readPart,
  shapesOf,
  unknownParameters,
  warningHeadersOf,
  withWarnings,
} from './read_input.ts'
import { type Access, type Caller, changes, isNamed } from '../access/caller.ts'
import { isInScope, refuseLimited, requireScope } from './scope.ts'
import type { Answered, Answers, EndpointSpec, Handled, PathOf, Route, Taken } from './spec.ts'
import { type Reply, type RequestLike, toResponse, errorReply, jsonText } from '../wire/message.ts'
import type { IdempotencyKey } from '../../ledger/trail/idempotency.ts'
import { sha256 } from '../../base/bytes.ts'
import { fitsBytes, isDisguised } from '../../base/text.ts'
import type { Actor } from '../../ledger/world/ledger.ts'

/**
 * One endpoint, usable alone as a serverless function: access, limits and error masking are inside.
 * `reply` is the same without the Fetch API's objects.
 */
export interface Endpoint<R extends Route = Route, A extends Answers = Answers> {
  (request: Request, context: Context): Promise<Response>
  readonly route: R
  readonly spec: EndpointSpec & { readonly answers: A }
  /** Name of the operation, e.g. `promoteRelease`. */
  readonly operationId: string
  reply(request: RequestLike, context: Context): Promise<Reply>
}

/** What an endpoint does: `answer` gives a value, which is answered with 200 as JSON, `handle` all of an answer. Its name is that of the operation. */
type Deed<N extends Taken, B, A extends Answers, W extends boolean, I extends boolean> =
  | { readonly answer: (input: Handled<N, B, W, I>, context: Called) => Answered<A> | Promise<Answered<A>> }
  | { readonly handle: (input: Handled<N, B, W, I>, context: Called) => Promise<Reply<Answered<A>>> }

/**
 * It answers what `answers` says, and gets what it declares: the compiler holds it to both, and the fields in the path of
 * what it `takes` to the names in the route.
 */
export function endpoint<
  R extends Route,
  const A extends Answers,
  N extends Taken = undefined,
  B = undefined,
  const W extends boolean = false,
  const I extends boolean = false,
>(
  given: { readonly route: R } & EndpointSpec<N, B, A, W, I> & PathOf<R, N> & Deed<N, B, A, W, I>,
): Endpoint<R, A> {
  const { route } = given
  const spec: EndpointSpec<N, B, A, W, I> = given
  const handle = handlerOf<N, B, A, W, I>(given)
  const readInput = inputReader(route, spec)
  const body = bodyOf(spec)
  async function reply(request: RequestLike, context: Context): Promise<Reply> {
    try {
      const { signal } = request
      const timed = bounded(context, { signal })
      const required = { ...spec, raised: raisedBy(request, spec) }
      const caller = await context.access.admit(required, request, timed)
      refuseLimited(spec.scope, { ...timed, caller })
      // How long a body takes to arrive, also those that it waits for, is up to the clients.
      const ms = timed.sql.options.deadline!.leftMs()
      const reader = spec.namesReader === true ? await context.access.readerOf(request, timed) : caller
      const known = spec.namesCaller === true ? await callerKnown(request, context, timed) : undefined
      const admitted: Called = { ...context, caller, isReader: reader !== undefined, ...known }
      const room = withRoom(request, body, admitted)
      try {
        const input = await readInput(room.request, admitted)
        const within = bounded(admitted, { ms, signal })
        await requireScope(spec.scope, input, within)
        // Of other agents, a reader with a scope sees what strangers see.
        const isReader =
          reader !== undefined &&
          (reader === caller || (await isInScope(spec.scope, input, { ...within, caller: reader })))
        const called = { ...within, isReader }
        const answer = await limitConcurrency(spec.concurrency, route, input, called, shared =>
          spec.mayBeLate === true ? answerLate(input, shared) : handle(input, shared),
        )
        return { ...answer, headers: withWarnings(answer.headers, input.warningHeaders) }
      } finally {
        room.giveBack()
      }
    } catch (error) {
      const said = errorReply(error, context.log)
      return spec.refusal?.(said, request) ?? said
    }
  }
  /** From the follower where it can answer: it may be gone, or not have what is requested yet. */
  async function answerLate(input: Handled<N, B, W, I>, context: Called): Promise<Reply<Answered<A>>> {
    const { follower } = context
    if (follower === undefined) return handle(input, context)
    const late = bounded({ ...context, sql: follower }, { signal: context.sql.options.deadline?.signal })
    return handle(input, late).catch((error: unknown) => {
      if (isGone(error)) throw error
      if (!(error instanceof ServiceError)) context.log('warn', 'the follower of the ledger fails', { error })
      return handle(input, context)
    })
  }
  async function respond(request: Request, context: Context): Promise<Response> {
    return toResponse(await reply(request, context))
  }
  const { name: operationId } = 'handle' in given ? given.handle : given.answer
  return Object.assign(respond, { route, spec, operationId, reply })
}

function handlerOf<N extends Taken, B, A extends Answers, W extends boolean, I extends boolean>(
  deed: Deed<N, B, A, W, I>,
) {
  if ('handle' in deed) return deed.handle
  return async function handle(input: Handled<N, B, W, I>, context: Called): Promise<Reply<Answered<A>>> {
    return jsonText(JSON.stringify(await deed.answer(input, context)))
  }
}

/** Who calls an open endpoint, or why the credential does not count. Throws what says nothing of that. */
async function callerKnown(
  request: RequestLike,
  { access }: Context,
  facts: Context,
): Promise<Pick<Called, 'refusal'> & { readonly caller?: Caller }> {
  try {
    const caller = await access.whoIs(request, facts)
    return caller === undefined ? {} : { caller }
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return { refusal: error.message }
    throw error
  }
}

/** What a request takes beyond its endpoint, by a flag of its query. */
function raisedBy({ url }: RequestLike, { raised }: Pick<EndpointSpec, 'raised'>): Access | undefined {
  if (raised === undefined) return undefined
  const isRaised = new URL(url).searchParams
    .getAll(raised.query)
    .some(value => value === 'true' || value === '1')
  return isRaised ? raised.access : undefined
}

/**
 * Reads requests by an endpoint's spec. Throws 422 with all that is wrong at once, 413 for a large body. Parameters that
 * the endpoint does not have are wrong where it changes something, is exact, or the workspace strict.
 */
function inputReader<N extends Taken, B, W extends boolean, I extends boolean>(
  route: Route,
  spec: EndpointSpec<N, B, Answers, W, I>,
): (request: RequestLike, context: Called) => Promise<Handled<N, B, W, I>> {
  const matchPath = pathMatcher(route)
  const shapes = shapesOf(spec)
  const declared = bodyOf(spec)
  const isWrite = changes(spec.access) && !route.startsWith('GET ')
  // Without a query its URL need not be read a second time.
  const isFixed = !route.includes('{')
  return async function readInput(request, context) {
    const url = isFixed && !request.url.includes('?') ? undefined : new URL(request.url)
    const hasQuery = url !== undefined && url.search !== ''
    const given = hasQuery ? queryOf(shapes, url) : {}
    const path =
      shapes.path === undefined ? NO_PART : await readPart(shapes, 'path', matchPath(url!.pathname))
    const query = shapes.query === undefined ? NO_PART : await readPart(shapes, 'query', given)
    const unknown = spec.access === 'open' || !hasQuery ? [] : unknownParameters(shapes, given)
    const { json, body } = await readBody(request, declared, context)
    // A decision that was meant to be tried, by a `dry_run` that belongs into the body, can't be taken back.
    const isExact = spec.exact === true || isWrite || context.workspace.strict
    const refused = isExact ? unknown : []
    const repeated = hasQuery ? repeatedOf(namesIn(shapes.query), url.searchParams) : []
    const problems = [...path.problems, ...query.problems, ...repeated, ...refused, ...(body?.problems ?? [])]
    if (problems.length > 0) throw unprocessable(problems)
    const actor = spec.recordsActor === true ? actorOf(request, context, body?.value) : undefined
    const input = {
      path: path.values,
      query: query.values,
      body: body?.value,
      headers: request.headers,
      accept: request.headers.get('accept') ?? '',
      ifNoneMatch: request.headers.get('if-none-match') ?? '',
      warningHeaders: warningHeadersOf(unknown),
      ...(actor === undefined ? {} : { actor }),
      ...(spec.idempotent === true
        ? { idempotencyKey: await keyOf(route, request, context.caller, [actor?.name, json?.value]) }
        : {}),
    }
    return input as unknown as Handled<N, B, W, I>
  }
}

const NO_PART = { values: {}, problems: [] } as const

interface ReadBody {
  readonly json?: JsonBody
  readonly body?: { readonly value: unknown; readonly problems: readonly FieldProblem[] }
}

async function readBody(
  request: RequestLike,
  body: Body<unknown> | undefined,
  context: Called,
): Promise<ReadBody> {
  if (body === undefined) return {}
  const most = mostBytes(body, context)
  if (body.kind === 'bytes') {
    const value = body.read(await readBytes(request, most), request.headers)
    return { body: { value, problems: [] } }
  }
  const json = await readJson(request, most, context.nextTurn, { once: body.kind !== 'any' })
  return { json, body: await body.read(json) }
}

/** Of two values for one parameter, by whatever name, none is what was meant for sure. */
function repeatedOf(declared: readonly string[], params: URLSearchParams): FieldProblem[] {
  return declared.flatMap(name => {
    const names = namesOf(name).filter(other => other === name || !declared.includes(other))
    const given = names.flatMap(known => params.getAll(known).map(() => known))
    const [, second] = given
    return second === undefined
      ? []
      : [{ loc: ['query', second], msg: 'must be given once', type: 'repeated' }]
  })
}

const MAX_KEY_CHARS = 255

/** Longest name of who asks. */
const ID_BYTES = 512

/** Each named credential has keys of its own: nobody can use up those that another one is about to send. */
async function keyOf(
  route: Route,
  { headers }: RequestLike,
  caller: Caller,
  content: readonly unknown[],
): Promise<IdempotencyKey | undefined> {
  const key = headers.get('idempotency-key')?.trim() ?? ''
  if (key === '') return undefined
  if (key.length > MAX_KEY_CHARS) {
    throw badHeader('Idempotency-Key', `must be at most ${MAX_KEY_CHARS} characters long`)
  }
  return {
    key: isNamed(caller) ? JSON.stringify([caller.kind, ...ownerOf(caller), key]) : key,
    fingerprint: await sha256(`${route}\n${JSON.stringify(content)}`),
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

/**
 * Who asks (specification, Authentication): headers before the body; the command line says it itself. A caller with a
 * credential of its own is who that says, and what it calls itself besides is kept as a claim.
 */
function actorOf(
  request: RequestLike,
  { peer, caller }: Pick<Called, 'peer' | 'caller'>,
  body: unknown,
): Actor {
  if (peer.kind === 'cli') return { name: soundName(peer.actor), source: 'cli' }
  const claim = claimOf(request, body)
  if (!isNamed(caller)) return claim ?? { name: 'http', source: 'body' }
  const { identity, session } = caller
  return {
    name: caller.name,
    source: caller.kind === 'oidc' ? 'oidc' : 'token',
    ...(claim === undefined ? {} : { claimed: claim.name }),
    ...(identity === undefined ? {} : { identity }),
    ...(session === undefined ? {} : { isSignedIn: true }),
  }
}

function claimOf({ headers }: RequestLike, body: unknown): Actor | undefined {
  const explicit = headers.get('x-service-actor')?.trim()
  if (explicit)
    return { name: checkedName(['header', 'X-Service-Actor'], utf8Of(explicit)), source: 'header' }
  const forwarded = headers.get('x-forwarded-user')?.trim()
  if (forwarded) {
    return { name: checkedName(['header', 'X-Forwarded-User'], utf8Of(forwarded)), source: 'forwarded' }
  }
  const named = (body as { actor?: unknown } | undefined)?.actor
  if (typeof named !== 'string' || named.trim() === '') return undefined
  return { name: checkedName(['body', 'actor'], named.trim()), source: 'body' }
}

/** A name that may be put on record: not too long, and none that may pass for another. */
function checkedName(loc: readonly string[], name: string): string {
  if (!fitsBytes(name, ID_BYTES)) {
    throw unprocessable([{ loc, msg: `must be at most ${ID_BYTES} bytes long`, type: 'string_too_long' }])
  }
  if (!isDisguised(name)) return name
  throw unprocessable([{ loc, msg: 'must not contain control or invisible characters', type: 'text' }])
}

function soundName(name: string): string {
  if (!isDisguised(name)) return name
  throw badRequest('The actor, from USER or USERNAME, contains control or invisible characters.')
}

/** Headers come as bytes that are read as Latin-1; proxies write the names of people in UTF-8. */
function utf8Of(value: string): string {
  const bytes = Uint8Array.from(value, char => char.charCodeAt(0))
  const isLatin = [...value].every(char => char.charCodeAt(0) < 256)
  try {
    return isLatin ? new TextDecoder('utf-8', { fatal: true }).decode(bytes) : value
  } catch {
    return value
  }
}
