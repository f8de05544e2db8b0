import { base64 } from '../../base/bytes.ts'
import { ServiceError } from '../../base/errors.ts'
import type { AuditEntry } from '../../models/answers/audit.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { GrowingLog } from './cli_growing_log.ts'
import type { AuditCheckpoint } from './models.ts'
import type { Hash } from './rules_merkle.ts'

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

/**
 * The entries of a checkpoint with their leaves of the tree, in pages. Throws 409 where they are not those of the checkpoint, behind
 * the last page at the latest: until then nothing of them is to be believed.
 */
export async function* verifiedEntries(
  api: Api,
  { size, head, root_hash }: AuditCheckpoint,
  { facts = false } = {},
): AsyncGenerator<{ readonly page: readonly AuditEntry[]; readonly leaves: readonly Hash[] }> {
  const log = new GrowingLog()
  for await (const page of entriesUpTo(api, size, { facts })) {
    const leaves = page.map(entry => log.add(entry)).filter(leaf => leaf !== undefined)
    if (log.problem !== undefined) throw broken(log.problem)
    yield { page, leaves }
  }
  if (log.size !== size) throw broken(`log_seq ${log.size + 1} is missing`)
  if (log.head !== head || base64(log.root()) !== root_hash) throw broken('it is not that of the checkpoint')
}

function broken(problem: string): ServiceError {
  return new ServiceError(
    409,
    `The audit log does not hold: ${problem}; \`svc audit verify\` says more. Nothing was written.`,
  )
}

export async function lengthOf(api: Api): Promise<number> {
  const { entries } = await callJson(api, 'GET /v1/audit', { query: { limit: 1 } })
  return entries[0]?.log_seq ?? 0
}
