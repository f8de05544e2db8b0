import type { IdempotencyKey } from '../../ledger/trail/idempotency.ts'
import type { Actor } from '../../ledger/world/ledger.ts'
import type { InputName, InputPart, Nothing } from '../../models/all/input.ts'
import type { ModelName, ModelValue } from '../../models/all/models.ts'
import type { Access } from '../access/caller.ts'
import type { Reply, RequestLike } from '../wire/message.ts'
import type { Body } from './bodies.ts'
import type { ConcurrencyLimit } from './limit_concurrency.ts'
import type { ScopeRule } from './scope.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = `${Method} /${string}`

/** The names in the path of a route: `action_id` of `GET /v1/actions/{action_id}`. */
type PathNames<R extends string> = R extends `${string}{${infer N}}${infer Rest}`
  ? N | PathNames<Rest>
  : never

/** The name of an input, or none. */
export type Taken = InputName | undefined

type PartOf<N extends Taken, P extends 'path' | 'query' | 'body'> = N extends InputName
  ? InputPart<N, P>
  : Nothing

/** Part of the specification of a route: the path of its input has each name of the route, and no other. */
export type PathOf<R extends Route, N extends Taken> = [PathNames<R>] extends [keyof PartOf<N, 'path'>]
  ? [keyof PartOf<N, 'path'>] extends [PathNames<R>]
    ? unknown
    : { readonly takes: never }
  : { readonly takes: never }

/** What an endpoint takes and says of itself; the OpenAPI description and the table of the clients come from it. */
export interface EndpointSpec<
  N extends Taken = Taken,
  B = unknown,
  A extends Answers = Answers,
  W extends boolean = boolean,
  I extends boolean = boolean,
> {
  readonly access: Access
  /** What it is about, for credentials with a scope; without a word it is for those that have none. */
  readonly scope?: ScopeRule
  /** Open by the specification, but a read where the workspace takes named credentials only. */
  readonly closable?: boolean
  /** Whether it changes something, though it is open or takes what reading does: of the caller's own. */
  readonly writes?: boolean
  /** A parameter that asks for more, and what that takes. */
  readonly raised?: { readonly query: string; readonly access: Access }
  /** Not limited: monitoring asks all the time. */
  readonly unlimited?: boolean
  /** How much of it is done at once, where it is costly. */
  readonly concurrency?: ConcurrencyLimit<Input<N, B>>
  /** Whether the follower of a ledger may answer, which is behind by a little. Nothing that decides. */
  readonly mayBeLate?: boolean
  readonly summary: string
  readonly description?: string
  /**
   * Whether parameters that it does not have are wrong in every workspace: a slip would ask another question. They always are
   * where it changes something.
   */
  readonly exact?: boolean
  /** Names in its path, its query and a flat body, by the name of an input (src/models/all/inputs.ts, `models.ts` of features). */
  readonly takes?: N
  readonly body?: Body<B>
  /** Most bytes of a flat body, where they are fewer than of others. */
  readonly maxBytes?: number
  /** Whether it records who asks. Only then does the handler get `actor`. */
  readonly recordsActor?: W
  readonly namesReader?: boolean
  /** Open, but for whoever calls: the handler's caller is then the one that a credential proves. */
  readonly namesCaller?: boolean
  /** Whether it honours an Idempotency-Key header. Only then does the handler get `idempotencyKey`. */
  readonly idempotent?: I
  /** Whether a request that is sent twice stores nothing twice, so that clients may send it again. Reads always may be. */
  readonly repeatable?: boolean
  /** What it answers, by status; the statuses that access and reading the request give go without saying. */
  readonly answers: A
  /** How an error is said where its protocol has a form of its own. */
  readonly refusal?: (error: Reply, request: RequestLike) => Reply
}

/** Answers by status: the model of a JSON body, or a text. */
export type Answers = Readonly<Record<number, ModelName | TextAnswer>>

/** What a handler of these answers has to answer with. */
export type Answered<A extends Answers> = {
  [S in keyof A]: A[S] extends ModelName ? Unchanged<ModelValue<A[S]>> : string
}[keyof A]

/** The good ones of these answers, as whoever called reads them. */
export type GoodAnswer<A extends Answers> = {
  [S in keyof A & (200 | 201 | 202)]: A[S] extends ModelName ? ModelValue<A[S]> : string
}[keyof A & (200 | 201 | 202)]

/** The same value, in which nothing may be changed. */
type Unchanged<T> = T extends readonly (infer I)[]
  ? readonly Unchanged<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Unchanged<T[K]> }
    : T

/** An answer that is not JSON. */
export interface TextAnswer {
  /** Left out where there is no body. */
  readonly type?: string
  /** Another type of the same, for who asks for it. */
  readonly or?: string
  readonly about: string
  /** Headers that come with it, and what they say. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request as it is read and checked, with its defaults applied. */
interface Input<N extends Taken, B> {
  readonly path: PartOf<N, 'path'>
  readonly query: PartOf<N, 'query'>
  readonly body: B extends undefined ? PartOf<N, 'body'> : B
  readonly headers: RequestLike['headers']
  /** The Accept header, empty where there is none. */
  readonly accept: string
  /** The If-None-Match header, empty where there is none. */
  readonly ifNoneMatch: string
  /** The answer's warnings of unknown parameters. */
  readonly warningHeaders: Readonly<Record<string, string>>
}

/** Who asks, as the handler of an endpoint that records it gets it. */
interface WithActor {
  readonly actor: Actor
}

interface WithKey {
  readonly idempotencyKey: IdempotencyKey | undefined
}

/** A request as its handler sees it. What the endpoint doesn't declare is not there. */
export type Handled<N extends Taken, B, W extends boolean, I extends boolean> = Input<N, B> &
  (W extends true ? WithActor : unknown) &
  (I extends true ? WithKey : unknown)

/** Whether an endpoint changes nothing. */
export function readsOnly(
  route: Route,
  { access, writes }: Pick<EndpointSpec, 'access' | 'writes'>,
): boolean {
  return route.startsWith('GET ') || (writes !== true && (access === 'open' || access === 'read'))
}
