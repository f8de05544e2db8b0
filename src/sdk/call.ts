import { FACTS, type Routes } from './routes.ts'

/** What a sender has to know of a route. */
export interface RouteFacts {
  /** It changes nothing. */
  readonly readsOnly?: true
  /** It honours an Idempotency-Key. */
  readonly idempotent?: true
  /** Sent twice, it stores nothing twice. */
  readonly repeatable?: true
}

const ALL_FACTS: Readonly<Record<string, RouteFacts>> = FACTS

/** By the table of all routes, which an EventClient leaves out of bundles. */
export function factsOf(route: Route): RouteFacts {
  return ALL_FACTS[route] ?? (route.startsWith('GET ') ? { readsOnly: true } : {})
}

/** Every route of the service. */
export type Route = keyof Routes

/** The names in the path of a route: `action_id` of `GET /v1/actions/{action_id}`. */
type PathNames<R extends string> = R extends `${string}{${infer N}}${infer Rest}`
  ? N | PathNames<Rest>
  : never

/** What the path, query and body of a call are made from. Undefined values are left out. */
export interface Call {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: object | undefined
  /** A body that is JSON text already. */
  readonly bodyText?: string
}

/** What a call of one route takes. */
export type CallOf<R extends Route> = ([PathNames<R>] extends [never]
  ? { readonly path?: never }
  : { readonly path: Readonly<Record<PathNames<R>, string>> }) &
  ('query' extends keyof Routes[R] ? Pick<Routes[R], 'query'> : { readonly query?: never }) &
  ('body' extends keyof Routes[R]
    ? Pick<Routes[R], 'body'> | { readonly bodyText: string }
    : { readonly body?: never })

/** Those that answer JSON. */
export type JsonRoute = { [R in Route]: Routes[R]['answer'] extends string ? never : R }[Route]

/** The JSON of a good answer, or a text that is no JSON. */
export type AnswerOf<R extends Route> = Routes[R]['answer']

/** An answer of the service, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  readonly text: string
}

/** The method, path and JSON body of a call; the path begins behind the base URL. */
export function requestOf(
  route: Route,
  call: Call,
): { method: string; path: string; body: string | undefined } {
  const [method, template] = route.split(' ') as [string, string]
  const hasBody = method !== 'GET' && method !== 'DELETE'
  return {
    method,
    path: pathOf(template, call),
    body: hasBody ? (call.bodyText ?? JSON.stringify(call.body ?? {})) : undefined,
  }
}

function pathOf(template: string, { path = {}, query = {} }: Call): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, string | number | boolean | undefined][]) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size > 0 ? `${filled}?${parameters}` : filled
}
