import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, Pace } from '../ledger/world/ledger.ts'
import { requestsOf } from '../ledger/world/tally.ts'
import { sql } from '../sql/port.ts'
import { asNumber, ask, columns, onlyRow } from '../sql/query.ts'

/** Share of its time that the database may spend on background work while others use it. */
const DUTY = 0.1
const SHORTEST_MS = 10
/** How long others count as being there after they were, ms. */
const QUIET_MS = 1000

const NEWEST = onlyRow(
  sql`SELECT coalesce((SELECT max(seq) FROM run_events), 0) AS event, coalesce((SELECT max(audit_seq) FROM actions), 0) AS decision`,
  columns({ event: asNumber, decision: asNumber }),
)

/**
 * Waits after each batch for nine times as long as it took, so that others hardly notice, and not at all where there are
 * none: for a second nobody has stored events or decided, from wherever, and nobody has sent this server a request.
 * Throws once aborted.
 */
export function gently(
  { sql: db, tally }: Pick<Ledger, 'sql' | 'tally'>,
  signal?: AbortSignal,
  wait: (ms: number, signal?: AbortSignal) => Promise<unknown> = waitFor,
): Pace {
  let [seen, quietFrom] = ['', 0]
  return async function pace(batch) {
    const startedAt = performance.now()
    const result = await batch()
    const endedAt = performance.now()
    const { event, decision } = await ask(db, NEWEST)
    const found = `${event} ${decision} ${requestsOf(tally)}`
    if (found !== seen) quietFrom = endedAt + QUIET_MS
    seen = found
    const rest = Math.max(SHORTEST_MS, (endedAt - startedAt) * (1 / DUTY - 1))
    await wait(endedAt < quietFrom ? rest : 0, signal)
    return result
  }
}

const waitFor = (ms: number, signal?: AbortSignal): Promise<unknown> => sleep(ms, undefined, { signal })
