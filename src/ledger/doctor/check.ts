import { MINUTE_MS } from '../../base/time.ts'
import { type Sql, raw, sql } from '../../sql/port.ts'
import { asNumber, ask, columns, onlyRow, orNull } from '../../sql/query.ts'
import type { Due } from '../world/due.ts'
import type { Features, Progress } from '../world/ledger.ts'
import type { DoctorReport } from '../../models/answers/health.ts'

/** A read-only check of the doctor. */
export interface Check {
  readonly name: string
  /** Reads everything that it is about, so it runs only on request. */
  readonly deep?: boolean
  readonly run: (db: Sql, options: CheckOptions) => Promise<DoctorCheck | DoctorCheck[]>
}

export interface CheckOptions {
  readonly onProgress?: Progress | undefined
  /** What there is in addition to the core. */
  readonly features: Features
}

export type DoctorCheck = DoctorReport['checks'][number]

export function pass(name: string, detail: string): DoctorCheck {
  return { name, ok: true, detail }
}

export function fail(name: string, detail: string): DoctorCheck {
  return { name, ok: false, detail }
}

/** What is due is looked at every minute; past this nobody does. */
const OVERDUE_MS = 10 * MINUTE_MS

/** Whether somebody looks at what is due: a release that only seems guarded is worse than one that is not. */
export async function overdueCheck(db: Sql, { table, open }: Due, are: string): Promise<DoctorCheck[]> {
  const found = onlyRow(
    sql`SELECT count(*) AS n, min(due_at) AS due, ${db.clock} AS now FROM ${raw(table)} WHERE ${open}`,
    columns({ n: asNumber, due: orNull(asNumber), now: asNumber }),
  )
  const { n, due, now } = await ask(db, found)
  if (due === null) return []
  if (now - due <= OVERDUE_MS) return [{ name: table, ok: true, detail: `${n} are ${are}` }]
  const minutes = Math.floor((now - due) / MINUTE_MS)
  const detail = `no check for ${minutes} minutes; a running \`svc serve\` on this ledger checks, or the Worker's cron trigger`
  return [{ name: table, ok: true, detail, warning: true }]
}
