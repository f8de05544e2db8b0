import type { Sql } from '../../sql/port.ts'
import { type DoctorCheck, fail, pass } from './report.ts'

/** Whether every page of the database's file is whole. PostgreSQL and D1 see to their own. */
export async function checkFile(db: Sql): Promise<DoctorCheck[]> {
  if (db.damage === undefined) return []
  const damage = await db.damage()
  if (damage.length === 0) return [pass('database_file', 'every page is whole')]
  const said = damage.join('; ').replaceAll(/\s+/g, ' ')
  return [fail('database_file', `is damaged: ${said}; restore a backup`)]
}
