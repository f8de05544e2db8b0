import { DAY_MS } from '../../base/time.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { type Query, allRows, among, asFlag, ask, field, mapped, onlyRow, write } from '../../sql/query.ts'
import { addToCounter } from '../../ledger/trail/counters.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { countEvents } from '../../ledger/world/tally.ts'

/** Most spans that are remembered, and for how long, ms of the database's clock. */
export const MOST_SPANS = 100_000
const KEPT_MS = DAY_MS

/** Longer than between two rounds: the clock was set forward, or no server ran. */
const GAP_MS = 600_000

const OVERFLOW = sql`seq <= coalesce(
  (SELECT n.seq FROM kept_spans n ORDER BY n.seq DESC LIMIT 1 OFFSET ${MOST_SPANS}), 0)`

/** How many of the spans that go were never reported to their sender. */
function unreportedIn(gone: Statement): Statement {
  return sql`(SELECT count(*) FROM kept_spans WHERE untold = 1 AND ${gone})`
}

/** Forgets the oldest of too many spans. Says how many of them were never reported. */
export const FORGET_OVERFLOW: Query<number> = among(
  [
    sql`UPDATE retention SET spans_before = (SELECT max(arrived_at) FROM kept_spans WHERE ${OVERFLOW})
      WHERE id = 1 AND spans_before < (SELECT max(arrived_at) FROM kept_spans WHERE ${OVERFLOW})`,
    addToCounter('run_spans_forgotten', unreportedIn(OVERFLOW)),
  ],
  removedUnreported(OVERFLOW),
)

function removedUnreported(gone: Statement): Query<number> {
  const removed = sql`DELETE FROM kept_spans WHERE ${gone} RETURNING untold`
  return mapped(allRows(removed, field('untold', asFlag)), flags => flags.filter(Boolean).length)
}

/** Counts spans as refused that were forgotten before they were reported. */
export function countForgotten({ tally, log }: Pick<Ledger, 'tally' | 'log'>, spans: number): void {
  if (spans === 0) return
  countEvents(tally, 'refused', spans)
  log('warn', 'spans expired whose run never ended', { spans })
}

/**
 * Forgets spans that are older than a day, or more than are remembered. A run that began before the last of them came may
 * have lost some: `spans_before` says so. Where the clock may have been set forward since the last round, that holds for
 * all that is under way.
 */
export async function forgetSpans(ledger: Ledger): Promise<void> {
  const { sql: db } = ledger
  const isDue = onlyRow(
    sql`SELECT CASE WHEN spans_before + ${KEPT_MS} > ${db.clock} OR EXISTS (SELECT 1 FROM kept_spans)
      THEN 1 ELSE 0 END AS is_due FROM retention WHERE id = 1`,
    field('is_due', asFlag),
  )
  if (!(await ask(db, isDue))) return
  const gone = sql`(${OVERFLOW} OR arrived_at < ${db.clock} - ${KEPT_MS})`
  const last = sql`(SELECT max(arrived_at) FROM kept_spans WHERE ${gone})`
  const noting = [
    sql`UPDATE retention SET spans_swept_at = ${db.clock}, spans_before = CASE
        WHEN ${last} IS NULL AND (spans_before = 0 OR spans_before < spans_swept_at - ${KEPT_MS}) THEN spans_before
        WHEN spans_swept_at < ${db.clock} - ${GAP_MS} THEN ${db.clock}
        WHEN ${last} > spans_before THEN ${last}
        ELSE spans_before END
      WHERE id = 1`,
    addToCounter('run_spans_forgotten', unreportedIn(gone)),
  ]
  countForgotten(ledger, await write(db, among(noting, removedUnreported(gone))))
}
