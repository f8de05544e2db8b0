import { ServiceError } from '../../base/errors.ts'
import { bounded } from '../../ledger/world/bounded.ts'
import type { Called, Context } from '../access/context.ts'
import { errorReply } from '../wire/errors.ts'
import { roomFor } from './body_room.ts'
import { sparingly } from './dear.ts'
import type { Fields } from './fields.ts'
import type { Access, Caller } from '../access/caller.ts'
import { inputReader } from './input.ts'
import { refuseLimited, requireScope } from './scope.ts'
import type { Answered, Answers, EndpointSpec, Handled, PathFields, PathOf, Route } from './spec.ts'
import { type Reply, type RequestLike, toResponse } from '../wire/message.ts'

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

// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-generated-empty-object-type -- an endpoint without such fields
type None = {}

/**
 * `handle` answers what `spec.answers` says, and gets what `spec` declares: the compiler holds it to both, and the fields
 * of `spec.path` to the names in the route.
 */
export function endpoint<
  R extends Route,
  const A extends Answers,
  P extends PathFields<R> = PathFields<R>,
  Q extends Fields = None,
  B = undefined,
  const W extends boolean = false,
  const I extends boolean = false,
>(
  route: R,
  spec: EndpointSpec<P, Q, B, A, W, I> & PathOf<R, P>,
  handle: (input: Handled<P, Q, B, W, I>, context: Called) => Promise<Reply<Answered<A>>>,
): Endpoint<R, A> {
  const readInput = inputReader(route, spec)
  async function reply(request: RequestLike, context: Context): Promise<Reply> {
    try {
      const { signal } = request
      const asked = bounded(context, { signal })
      const required = { ...spec, raised: raisedBy(request, spec) }
      const caller = await context.access.admit(required, request, asked)
      refuseLimited(spec.scope, { ...asked, caller })
      // How long a body takes to arrive, also those that it waits for, is up to the clients.
      const ms = asked.sql.deadline!.leftMs()
      const isReader = spec.tellsReaders !== true || (await context.access.mayRead(request, asked))
      const told = spec.tellsCaller === true ? await callerTold(request, context, asked) : undefined
      const admitted: Called = { ...context, caller, isReader, ...told }
      const giveBack = await roomFor(request, spec.body, admitted)
      try {
        const input = await readInput(request, admitted)
        const called = bounded(admitted, { ms, signal })
        await requireScope(spec.scope, input, called)
        const answer = await sparingly(spec.dear, route, input, called, shared =>
          spec.mayBeLate === true ? answerLate(input, shared) : handle(input, shared),
        )
        return { ...answer, headers: { ...answer.headers, ...input.warningHeaders } }
      } finally {
        giveBack()
      }
    } catch (error) {
      const said = errorReply(error, context.log)
      return spec.refusal?.(said, request) ?? said
    }
  }
  /** From the follower where it can answer: it may be gone, or not know yet of what was asked for. */
  async function answerLate(input: Handled<P, Q, B, W, I>, context: Called): Promise<Reply<Answered<A>>> {
    const { follower } = context
    if (follower === undefined) return handle(input, context)
    const late = bounded({ ...context, sql: follower }, { signal: context.sql.deadline?.signal })
    return handle(input, late).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) context.log('warn', 'the follower of the ledger fails', { error })
      return handle(input, context)
    })
  }
  async function respond(request: Request, context: Context): Promise<Response> {
    return toResponse(await reply(request, context))
  }
  return Object.assign(respond, { route, spec, operationId: handle.name, reply })
}

/** Who calls an open endpoint, or why the credential does not count. Throws what says nothing of that. */
async function callerTold(
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
  const isAsked = new URL(url).searchParams
    .getAll(raised.query)
    .some(value => value === 'true' || value === '1')
  return isAsked ? raised.access : undefined
}
