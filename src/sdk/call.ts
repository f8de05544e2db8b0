import { ROUTES, type Route } from './routes.ts'

export type { Route } from './routes.ts'

/** What a client has to know of a route. */
interface RouteFacts {
  /** It changes nothing. */
  readonly readsOnly?: true
  /** It records who asks. */
  readonly recordsActor?: true
  /** It honours an Idempotency-Key. */
  readonly idempotent?: true
  /** Sent twice, it stores nothing twice. */
  readonly repeatable?: true
}

const FACTS: Readonly<Record<string, RouteFacts>> = ROUTES

export function factsOf(route: Route): RouteFacts {
  return FACTS[route] ?? { readsOnly: true }
}

/** What the path, query and body of a call are made from. Undefined values are left out. */
export interface Call {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: object | undefined
  /** A body that is JSON text already. */
  readonly bodyText?: string
}

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
