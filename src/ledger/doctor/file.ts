import type { Sql } from '../../sql/port.ts'
import type { Progress } from '../world/ledger.ts'
import { type DoctorCheck, fail, pass } from './report.ts'

/** Whether every page of the database's file is whole. PostgreSQL and D1 see to their own. */
export async function checkFile(db: Sql, onProgress?: Progress): Promise<DoctorCheck[]> {
  if (db.damage === undefined) return []
  const damage: string[] = []
  for (let [part, parts] = [0, 1]; part < parts; part++) {
    const said = await db.damage(part)
    parts = said.parts
    damage.push(...said.found)
    onProgress?.('file', part + 1, parts)
  }
  if (damage.length === 0) return [pass('database_file', 'every page is whole')]
  const said = damage.slice(0, MOST_TOLD).join('; ').replaceAll(/\s+/g, ' ')
  return [fail('database_file', `is damaged: ${said}; restore a backup`)]
}

const MOST_TOLD = 20
