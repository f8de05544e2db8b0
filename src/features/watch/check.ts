import type { Check } from '../../ledger/doctor/check.ts'
import { checkLooks } from './check_looks.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { DoctorReport } from '../../models/answers/health.ts'
import { type Sql, rowsOf, sql } from '../../sql/port.ts'
import { OPEN } from './claim.ts'

export const CHECKS: readonly Check[] = [
  { name: 'watches', run: watchesCheck },
  { name: 'watch_looks', deep: true, run: checkLooks },
]

/** Watches look every minute; past this nobody does. */
const OVERDUE_MS = 10 * MINUTE_MS

/** Whether somebody looks at the watches that run: a release that only seems guarded is worse than one that is not. */
async function watchesCheck(db: Sql): Promise<DoctorReport['checks']> {
  const [row] = await rowsOf(
    db,
    sql`SELECT count(*) AS n, min(due_at) AS due, ${db.clock} AS now FROM watches WHERE ${OPEN}`,
  )
  const n = Number(row!.n)
  if (n === 0) return []
  const lateMs = Number(row!.now) - Number(row!.due)
  if (lateMs <= OVERDUE_MS) return [{ name: 'watches', ok: true, detail: `${n} are under way` }]
  const minutes = Math.floor(lateMs / MINUTE_MS)
  const detail =
    `nobody has looked at one for ${minutes} minutes; a running \`svc serve\` on this ledger does, or the ` +
    "Worker's cron trigger"
  return [{ name: 'watches', ok: true, detail, warning: true }]
}
