import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { overdueCheck } from '../../ledger/doctor/overdue.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { asNumber, ask, asText, columns, field, firstRow } from '../../sql/query.ts'
import { DUE } from './claim.ts'
import { KEPT_LOOKS } from './rows.ts'

export const CHECKS: readonly Check[] = [
  { name: 'watches', run: db => overdueCheck(db, DUE, 'under way') },
  { name: 'watch_looks', deep: true, run: checkLooks },
]

/**
 * A watch has looked as often as its last look says, of which the newest are there one by one, and each look is of a
 * watch. Those of a watch that is over are forgotten together.
 */
async function checkLooks(db: Sql): Promise<DoctorCheck> {
  const name = 'watch_looks'
  const first = firstRow(
    sql`SELECT w.watch_id, w.looks, coalesce(l.last, 0) AS last, l.n FROM watches w
      LEFT JOIN (SELECT watch_id, min(look) AS first, max(look) AS last, count(*) AS n FROM watch_looks GROUP BY watch_id) l
        ON l.watch_id = w.watch_id
      WHERE l.last <> w.looks OR l.last - l.first + 1 <> l.n OR (l.first > 1 AND l.n < ${KEPT_LOOKS})
        OR (l.last IS NULL AND w.looks > 0 AND w.state = 'watching')
      ORDER BY w.seq LIMIT 1`,
    columns({ watch_id: asText, looks: asNumber, last: asNumber }),
  )
  const wrong = await ask(db, first)
  if (wrong !== undefined) {
    const { watch_id, looks, last } = wrong
    return fail(
      name,
      last === looks
        ? `of the looks of ${watch_id} some are gone`
        : `${watch_id} has looked ${looks} times, but its last look is ${last}`,
    )
  }
  const unknown = firstRow(
    sql`SELECT l.watch_id FROM watch_looks l WHERE NOT EXISTS (SELECT 1 FROM watches w WHERE w.watch_id = l.watch_id) LIMIT 1`,
    field('watch_id', asText),
  )
  const watchId = await ask(db, unknown)
  return watchId === undefined
    ? pass(name, 'each is of a watch')
    : fail(name, `there are looks of ${watchId}, which is not there`)
}
