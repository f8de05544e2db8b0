import { IttyRouter } from 'itty-router'
import type { Context } from './context.ts'
import type { Endpoint, Route } from './endpoint.ts'
import { errorReply } from './errors.ts'
import { type Reply, type RequestLike, json, toResponse } from './message.ts'

/** Every route with the module of its handler, loaded at first use. */
export type Routes = Readonly<Record<Route, () => Promise<{ default: Endpoint }>>>

export type Router = (request: Request, context: Context) => Promise<Response>

/**
 * Sends a request to the handler of its route. HEAD is answered as GET without a body; an unknown path is 404,
 * a known one with another method 405, both in JSON.
 */
export function createRouter(routes: Routes): Router {
  const router = IttyRouter()
  const methodsByPath = new Map<string, string[]>()
  for (const [route, load] of Object.entries(routes)) {
    const [method, template] = route.split(' ') as [string, string]
    const path = template.replaceAll(/\{(\w+)\}/g, ':$1')
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method])
    router[method.toLowerCase()](path, async (request: Dispatched, context: Context) => {
      const { default: endpoint } = await load()
      return endpoint.reply(request.original, context)
    })
  }
  for (const [path, methods] of methodsByPath) {
    const allow = (methods.includes('GET') ? [...methods, 'HEAD'] : methods).sort().join(', ')
    router.all(path, () => json({ detail: `This path takes ${allow}.` }, 405, { allow }))
  }
  router.all('*', () =>
    json({ detail: 'There is nothing at this path; GET /docs lists what there is.' }, 404),
  )

  return async function route(request, context) {
    const isHead = request.method === 'HEAD'
    const method = isHead ? 'GET' : request.method
    const dispatched: Dispatched = { method, url: request.url, original: request }
    const reply = await (router.fetch(dispatched, context) as Promise<Reply>).catch((error: unknown) =>
      errorReply(error, context.log),
    )
    const response = toResponse(reply)
    return isHead ? new Response(null, response) : response
  }
}

/** itty-router writes params onto what it routes; the request itself stays untouched. */
interface Dispatched {
  readonly method: string
  readonly url: string
  readonly original: RequestLike
}
