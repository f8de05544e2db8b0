import { type Sql, rowsOf, sql } from '../../sql/port.ts'
import { type DoctorCheck, fail, pass } from './report.ts'

/** A watch has looked as often as its last look says, and each look is of a watch. */
export async function checkLooks(db: Sql): Promise<DoctorCheck> {
  const name = 'watch_looks'
  const [wrong] = await rowsOf(
    db,
    sql`SELECT w.watch_id, w.looks, l.last FROM watches w
      JOIN (SELECT watch_id, max(look) AS last FROM watch_looks GROUP BY watch_id) l ON l.watch_id = w.watch_id
      WHERE l.last <> w.looks ORDER BY w.seq LIMIT 1`,
  )
  if (wrong !== undefined) {
    return fail(name, `${wrong.watch_id} has looked ${wrong.looks} times, but its last look is ${wrong.last}`)
  }
  const [odd] = await rowsOf(
    db,
    sql`SELECT l.watch_id FROM watch_looks l WHERE NOT EXISTS (SELECT 1 FROM watches w WHERE w.watch_id = l.watch_id) LIMIT 1`,
  )
  return odd === undefined
    ? pass(name, 'each is of a watch')
    : fail(name, `there are looks of ${odd.watch_id}, which is not there`)
}
