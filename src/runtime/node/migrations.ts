import { readFileSync, readdirSync } from 'node:fs'
import { type MigrationTexts, migrationText } from '../../sql/ddl.ts'
import { parseMigration } from '../../sql/migrate.ts'
import type { Migration, Sql } from '../../sql/port.ts'
import { ROOT_PATH } from '../root.ts'

/** The migrations that ship with the program, in order. */
export function loadMigrations({ dialect }: Pick<Sql, 'dialect'>): Migration[] {
  return writtenMigrations().map(({ name, texts }) => parseMigration(name, migrationText(dialect, texts)))
}

/** Their file names and texts. */
export function writtenMigrations(): { readonly name: string; readonly texts: MigrationTexts }[] {
  const [shared, own] = [`${ROOT_PATH}migrations/sqlite/`, `${ROOT_PATH}migrations/postgres/`]
  const owned = new Set(readdirSync(own))
  const names = readdirSync(shared).filter(name => name.endsWith('.sql'))
  return names.sort().map(name => ({
    name,
    texts: {
      sqlite: readFileSync(shared + name, 'utf8'),
      ...(owned.has(name) && { postgres: readFileSync(own + name, 'utf8') }),
    },
  }))
}
