import type { AuditEntry } from '../../models/answers/audit.ts'
import { type Api, callJson } from '../../cli/service/api.ts'

/** As many as the service gives at once. */
const PAGE = 500

/**
 * The entries of the audit log in their order, behind `after` up to a number, or to the first page that lacks some;
 * `facts` asks for what their hashes cover.
 */
export async function* entriesUpTo(
  api: Api,
  last: number,
  { facts = false, after = 0 } = {},
): AsyncGenerator<readonly AuditEntry[]> {
  for (let seq = after; seq < last; seq += PAGE) {
    const limit = Math.min(PAGE, last - seq)
    const query = { limit, after: seq + limit + 1, ...(facts ? { facts } : {}) }
    const { entries } = await callJson(api, 'GET /v1/audit', { query })
    const next = entries.filter(({ log_seq }) => log_seq > seq).toReversed()
    yield next
    if (next.length < limit) return
  }
}

/** How many entries there are. */
export async function lengthOf(api: Api): Promise<number> {
  const { entries } = await callJson(api, 'GET /v1/audit', { query: { limit: 1 } })
  return entries[0]?.log_seq ?? 0
}
