import { readFileSync, readdirSync } from 'node:fs'
import { parseMigration } from '../../sql/migrate.ts'
import type { Migration, Sql } from '../../sql/port.ts'
import { ROOT_PATH } from '../root.ts'

/** The migrations that ship with the program, in order. */
export function loadMigrations(dialect: Sql['dialect'] = 'sqlite'): Migration[] {
  const folder = `${ROOT_PATH}migrations/${dialect}/`
  const names = readdirSync(folder).filter(name => name.endsWith('.sql'))
  return names.sort().map(name => parseMigration(name, readFileSync(folder + name, 'utf8')))
}
