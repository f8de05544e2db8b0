import { IttyRouter } from 'itty-router'
import type { Context } from './access/context.ts'
import type { Endpoint } from './endpoint/endpoint.ts'
import { errorReply } from './wire/message.ts'
import type { Route } from './endpoint/spec.ts'
import { limitStranger } from './access/limits.ts'
import { type Reply, type RequestLike, json } from './wire/message.ts'

/** Every route with the module of its handler, loaded at first use. */
export type Routes = Readonly<Record<Route, () => Promise<{ default: Endpoint }>>>

export type Router = (request: RequestLike, context: Context) => Promise<Routed>

/** An answer and its endpoint, which is undefined for an unknown path or method. */
interface Routed extends Reply {
  readonly source: Route | 'assets' | undefined
  /** The requested path; a question mark where it can't be read. */
  readonly path: string
}

/** Longest path and query, characters. */
const MAX_TARGET_CHARS = 8192

/**
 * Sends a request to the handler of its route. HEAD is answered as GET without a body; an unknown path is 404,
 * a known one with another method 405, both in JSON. Paths that are no route are looked for among the assets.
 */
export function createRouter(routes: Routes): Router {
  const router = IttyRouter()
  const methodsByPath = new Map<string, string[]>()
  // itty-router tries the pattern of each route in turn, which for a path without parameters a look-up does as well.
  const outright = new Map<string, Dispatch>()
  for (const [route, load] of Object.entries(routes)) {
    const [method, template] = route.split(' ') as [string, string]
    const path = template.replaceAll(/\{(\w+)\}/g, ':$1')
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method])
    // Kept, because asking for a module that is loaded still costs a tenth of a small request.
    let endpoint: Endpoint | undefined
    const dispatch: Dispatch = async (request, context) => {
      // A path that a route names outright is nobody's parameter.
      if (path.includes(':') && methodsByPath.has(request.path)) return undefined
      request.source = route as Route
      endpoint ??= (await load()).default
      return endpoint.reply(request.original, context)
    }
    router[method.toLowerCase()]!(path, dispatch)
    if (!path.includes(':')) outright.set(`${method} ${path}`, dispatch)
  }
  // What no endpoint answers asks for no credential.
  router.all('*', ({ original }: Dispatched, context: Context) => limitStranger(original, context))
  for (const [path, methods] of methodsByPath) {
    const allow = (methods.includes('GET') ? [...methods, 'HEAD'] : methods).sort().join(', ')
    router.all(path, () => json({ detail: `This path supports ${allow}.` }, 405, { allow }))
  }
  router.get('*', async (request: Dispatched, { assets }: Context) => {
    const asset = unlessKnown(await assets(request.path), request.original)
    if (asset !== undefined) request.source = 'assets'
    return asset
  })
  // Clients of a later version tell by the type that they ask for what there isn't yet.
  router.all('*', () => json({ detail: 'Unknown path; GET /docs lists all paths.', type: 'no_route' }, 404))

  return async function route(request, context) {
    const isHead = request.method === 'HEAD'
    const target = URL.parse(request.url)
    const path = target?.pathname ?? '?'
    const problem = hostProblem(request.headers.get('host')) ?? targetProblem(target)
    const method = isHead ? 'GET' : request.method
    const dispatched: Dispatched = { method, url: request.url, path, original: request, source: undefined }
    const dispatch = outright.get(`${method} ${path}`) ?? router.fetch
    const answered =
      problem === undefined ? dispatch(dispatched, context) : refused(problem, request, context)
    const reply = await (answered as Promise<Reply>).catch((error: unknown) => errorReply(error, context.log))
    return { ...reply, ...(isHead ? { body: '' } : {}), source: dispatched.source, path }
  }
}

async function refused(problem: Reply, request: RequestLike, context: Context): Promise<Reply> {
  limitStranger(request, context)
  return problem
}

/** An asset that the caller has already is not sent again. */
function unlessKnown(asset: Reply | undefined, { headers }: RequestLike): Reply | undefined {
  const known = headers.get('if-none-match')
  if (asset === undefined || known === null || known !== asset.headers.etag) return asset
  return { ...asset, status: 304, body: '' }
}

/** A Host that holds more than a name and a port would be read as part of the path. */
function hostProblem(host: string | null): Reply | undefined {
  if (host === null || /^(?:\[[\da-f:.]+\]|[\w.-]*)(?::\d+)?$/i.test(host)) return undefined
  return json({ detail: 'The Host header is not a name or an address with a port.' }, 400)
}

function targetProblem(target: URL | null): Reply | undefined {
  if (target === null) return json({ detail: 'The Host header or the path is not valid.' }, 400)
  if (target.pathname.length + target.search.length <= MAX_TARGET_CHARS) return undefined
  return json({ detail: `Path and query are longer than ${MAX_TARGET_CHARS} characters.` }, 414)
}

type Dispatch = (request: Dispatched, context: Context) => Promise<Reply | undefined>

/** itty-router writes params onto what it routes; the request itself stays untouched. */
interface Dispatched {
  readonly method: string
  readonly url: string
  readonly path: string
  readonly original: RequestLike
  source: Routed['source']
}
