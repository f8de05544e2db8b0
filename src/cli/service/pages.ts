import type { RouteName } from '../../../handlers/index.ts'
import { type Api, callJson } from './api.ts'

/** As many as the service gives at once. */
const PAGE = 500

/** A page of a list, and where the next one starts. */
interface Page {
  readonly next_after: number | null
}

/** The pages of a list, newest first, until `limit` entries were asked for. */
export async function* pagesOf<P extends Page>(
  api: Api,
  route: RouteName,
  query: Readonly<Record<string, string | undefined>>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<P> {
  let after: number | undefined
  for (let left = limit; left > 0; left -= PAGE) {
    const page = await callJson<P>(api, route, { query: { ...query, limit: Math.min(PAGE, left), after } })
    yield page
    if (page.next_after === null) return
    after = page.next_after
  }
}
