import { readFileSync, readdirSync } from 'node:fs'
import { type Migration, parseMigration } from '../sql/migrate.ts'
import type { Sql } from '../sql/port.ts'

const FOLDERS = {
  sqlite: new URL('../../migrations/sqlite/', import.meta.url),
  postgres: new URL('../../migrations/postgres/', import.meta.url),
} as const

/** The migrations that ship with the program, in order. */
export function loadMigrations(dialect: Sql['dialect'] = 'sqlite'): Migration[] {
  const folder = FOLDERS[dialect]
  const names = readdirSync(folder).filter(name => name.endsWith('.sql'))
  return names.sort().map(name => parseMigration(name, readFileSync(new URL(name, folder), 'utf8')))
}
