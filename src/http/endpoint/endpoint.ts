import type { IdempotencyKey } from '../../ledger/chain/idempotency.ts'
import type { Actor } from '../../ledger/ledger.ts'
import type { ModelName } from '../../models/index.ts'
import type { Access } from '../access.ts'
import type { Body } from './bodies.ts'
import type { Context } from '../context.ts'
import { errorReply } from '../errors.ts'
import type { Fields, Values } from './fields.ts'
import { inputReader } from './input.ts'
import { type Reply, type RequestLike, toResponse } from '../message.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Route = `${Method} /${string}`

/** What an endpoint takes and says of itself; the OpenAPI description is generated from it. */
export interface EndpointSpec<P extends Fields = Fields, Q extends Fields = Fields, B = unknown> {
  readonly access: Access
  readonly summary: string
  readonly description?: string
  readonly path?: P
  readonly query?: Q
  readonly body?: Body<B>
  /** Whether an Idempotency-Key header is honoured. */
  readonly idempotent?: boolean
  /** What it answers, by status; the statuses that access and reading the request give go without saying. */
  readonly answers: Readonly<Record<number, ModelName | TextAnswer>>
}

/** An answer that is not JSON. */
export interface TextAnswer {
  readonly type: string
  readonly about: string
  /** Headers that come with it, and what they say. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request as its handler sees it: read, checked, and with its defaults applied. */
export interface Input<P extends Fields, Q extends Fields, B> {
  readonly path: Values<P>
  readonly query: Values<Q>
  readonly body: B
  readonly actor: Actor
  readonly idempotencyKey: IdempotencyKey | undefined
}

/**
 * One endpoint, usable alone as a serverless function: access, limits and error masking are inside.
 * `reply` is the same without the Fetch API's objects.
 */
export interface Endpoint<R extends Route = Route> {
  (request: Request, context: Context): Promise<Response>
  readonly route: R
  readonly spec: EndpointSpec
  /** Name of the operation, e.g. `promoteRelease`. */
  readonly operationId: string
  reply(request: RequestLike, context: Context): Promise<Reply>
}

// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-generated-empty-object-type -- an endpoint without such fields
type None = {}

export function endpoint<R extends Route, P extends Fields = None, Q extends Fields = None, B = undefined>(
  route: R,
  spec: EndpointSpec<P, Q, B>,
  handle: (input: Input<P, Q, B>, context: Context) => Promise<Reply>,
): Endpoint<R> {
  const readInput = inputReader(route, spec)
  async function reply(request: RequestLike, context: Context): Promise<Reply> {
    try {
      await context.access.admit(spec.access, request, context.peer)
      return await handle(await readInput(request, context), context)
    } catch (error) {
      return errorReply(error, context.log)
    }
  }
  async function respond(request: Request, context: Context): Promise<Response> {
    return toResponse(await reply(request, context))
  }
  return Object.assign(respond, { route, spec, operationId: handle.name, reply })
}
