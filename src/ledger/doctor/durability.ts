import type { DoctorReport } from '../../models/answers/health.ts'
import { type Sql, rowsOf, sql } from '../../sql/port.ts'

/** What each setting of PostgreSQL costs where it is off (PostgreSQL, 20.5). */
const LOST = {
  fsync: 'a power cut may destroy the whole database',
  full_page_writes: 'a power cut may leave half-written pages',
  synchronous_commit: 'a crash of the server loses decisions that were answered',
} as const

/**
 * Whether the server keeps what it has committed. Only PostgreSQL can be set not to: on a SQLite file the ledger sets it
 * itself, and D1 has no such setting.
 */
export async function durabilityCheck(db: Sql): Promise<DoctorReport['checks']> {
  if (db.dialect !== 'postgres') return []
  const rows = await rowsOf(
    db,
    sql`SELECT name FROM pg_settings
      WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`,
  )
  const off = rows.map(row => row.name as keyof typeof LOST)
  if (off.length === 0) {
    return [{ name: 'durability', ok: true, detail: 'the server keeps what it has committed' }]
  }
  const detail = off.map(name => `${name} is off: ${LOST[name]}`).join('; ')
  return [{ name: 'durability', ok: true, detail, warning: true }]
}

/** Whether every page of the database's file is whole. PostgreSQL and D1 see to their own. */
export async function fileCheck(db: Sql): Promise<DoctorReport['checks']> {
  if (db.damage === undefined) return []
  const damage = await db.damage()
  if (damage.length === 0) return [{ name: 'database_file', ok: true, detail: 'every page is whole' }]
  const detail = `is damaged: ${damage.join('; ').replaceAll(/\s+/g, ' ')}; restore a backup`
  return [{ name: 'database_file', ok: false, detail }]
}
