import type { RouteName } from '../../../handlers/index.ts'
import { badRequest } from '../../base/errors.ts'
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
    `The service gave the same page again, or an empty one, and says that there is more (next_after ${next_after}); ` +
      'is the URL right?',
  )
}
