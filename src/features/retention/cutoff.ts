import { DAY_MS } from '../../base/time.ts'
import { parseWindow } from '../../rules/window.ts'
import { type Sql, rowsOf, sql } from '../../sql/port.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { ageBefore } from '../../ledger/world/query.ts'
import { concernsOf } from '../../ledger/registry/undecidable.ts'

/**
 * Before which moment run events may go, epoch ms, by the database's clock: the beginning of a day (UTC), not later than
 * the age says, and not within the window of a pending promotion request, whose confirmation evaluates it again, or of
 * what a feature will still decide on, such as a watch.
 */
export async function eventCutoff(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  age: string,
): Promise<number> {
  const [clock] = await rowsOf(db, sql`SELECT ${db.clock} AS now`)
  const at = Number(clock!.now)
  const wanted = [
    ageBefore(age, at),
    ...(await pendingSince(db, at)),
    ...(await concernedSince(db, features)),
  ]
  return Math.max(0, Math.floor(Math.min(...wanted) / DAY_MS) * DAY_MS)
}

async function pendingSince(db: Sql, at: number): Promise<number[]> {
  const rows = await rowsOf(
    db,
    sql`SELECT DISTINCT window_text FROM promotion_requests WHERE status = 'pending'`,
  )
  return rows.flatMap(({ window_text }) => {
    const window = parseWindow(String(window_text), at)
    return typeof window === 'string' ? [] : [window.since]
  })
}

async function concernedSince(db: Sql, features: Ledger['features']): Promise<number[]> {
  const concerns = await concernsOf(features)
  const rows = await Promise.all(concerns.map(concern => rowsOf(db, concern)))
  return rows.flat().map(({ since_ms }) => Number(since_ms))
}
