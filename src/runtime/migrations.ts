import { readFile, readdir } from 'node:fs/promises'
import { type Migration, parseMigration } from '../sql/migrate.ts'
import type { Sql } from '../sql/port.ts'

const FOLDERS = {
  sqlite: new URL('../../migrations/sqlite/', import.meta.url),
  postgres: new URL('../../migrations/postgres/', import.meta.url),
} as const

/** The migrations that ship with the program, in order. */
export async function loadMigrations(dialect: Sql['dialect'] = 'sqlite'): Promise<Migration[]> {
  const folder = FOLDERS[dialect]
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async name => parseMigration(name, await readFile(new URL(name, folder), 'utf8'))),
  )
}
