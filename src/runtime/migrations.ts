import { readFile, readdir } from 'node:fs/promises'
import { type Migration, parseMigration } from '../sql/migrate.ts'

const FOLDER = new URL('../../migrations/sqlite/', import.meta.url)

/** The migrations that ship with the program, in order. */
export async function loadMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter(name => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async name => parseMigration(name, await readFile(new URL(name, FOLDER), 'utf8'))),
  )
}
