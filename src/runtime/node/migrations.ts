import { readFileSync, readdirSync } from 'node:fs'
import { parseMigration } from '../../sql/migrate.ts'
import type { Migration, Sql } from '../../sql/port.ts'
import { ROOT } from '../root.ts'

const FOLDERS = {
  sqlite: new URL('migrations/sqlite/', ROOT),
  postgres: new URL('migrations/postgres/', ROOT),
} as const

/** The migrations that ship with the program, in order. */
export function loadMigrations(dialect: Sql['dialect'] = 'sqlite'): Migration[] {
  const folder = FOLDERS[dialect]
  const names = readdirSync(folder).filter(name => name.endsWith('.sql'))
  return names.sort().map(name => parseMigration(name, readFileSync(new URL(name, folder), 'utf8')))
}
