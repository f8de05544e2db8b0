import type { DoctorReport } from '../../models/answers/health.ts'
import type { Sql } from '../../sql/port.ts'

/** Whether every page of the database's file is whole. PostgreSQL and D1 see to their own. */
export async function fileCheck(db: Sql): Promise<DoctorReport['checks']> {
  if (db.damage === undefined) return []
  const damage = await db.damage()
  if (damage.length === 0) return [{ name: 'database_file', ok: true, detail: 'every page is whole' }]
  const detail = `is damaged: ${damage.join('; ').replaceAll(/\s+/g, ' ')}; restore a backup`
  return [{ name: 'database_file', ok: false, detail }]
}
