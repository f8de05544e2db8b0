import type { RouteAnswer } from '../../../handlers/index.ts'
import { badRequest } from '../../base/errors.ts'
import type { JsonRoute } from '../../sdk/call.ts'
import { type Api, goodJson } from './api.ts'

/** As many as the service gives at once. */
const PAGE = 500

/** A page of a list, and where the next one starts. */
interface Page {
  readonly next_after: number | null
}

/** The routes that answer in pages and take where one begins in their query. */
export type PagedRoute = {
  [R in JsonRoute & `GET ${string}`]: RouteAnswer<R> extends Page ? R : never
}[JsonRoute & `GET ${string}`]

/** The pages of a list, newest first, until `limit` entries are read. */
export async function* pagesOf<R extends PagedRoute>(
  api: Api,
  route: R,
  query: Readonly<Record<string, unknown>>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<RouteAnswer<R>> {
  let after: number | undefined
  for (let left = limit; left > 0; left -= PAGE) {
    const pageQuery = { ...query, limit: Math.min(PAGE, left), after }
    const page: RouteAnswer<R> & Page = goodJson(await api.send<PagedRoute>(route, { query: pageQuery }))
    yield page
    after = nextAfter(
      page,
      after,
      Object.values(page).some(value => Array.isArray(value) && value.length > 0),
    )
    if (after === undefined) return
  }
}

/**
 * Where the page behind this one starts; undefined behind the last. Throws 400 where a service says that there is more
 * and gets no further, which would go on for ever: pages hold something, and start ever lower.
 */
export function nextAfter(
  { next_after }: Page,
  after: number | undefined,
  hasRows: boolean,
): number | undefined {
  if (next_after === null) return undefined
  if (hasRows && next_after < (after ?? Number.POSITIVE_INFINITY)) return next_after
  throw badRequest(
    `The service returned the same page again, or an empty one, and says that there is more (next_after ${next_after}); is the URL right?`,
  )
}
