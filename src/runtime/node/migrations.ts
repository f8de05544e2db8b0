import { readFileSync, readdirSync } from 'node:fs'
import { ddlOf } from '../../sql/ddl.ts'
import { parseMigration } from '../../sql/migrate.ts'
import type { Migration, Sql } from '../../sql/port.ts'
import { ROOT_PATH } from '../root.ts'

/** The migrations that ship with the program, in order. */
export function loadMigrations({ dialect }: Pick<Sql, 'dialect'>): Migration[] {
  return migrationTexts(dialect).map(([name, text]) => parseMigration(name, text))
}

/** Their file names and texts. PostgreSQL has a file of its own where more than the types differs. */
export function migrationTexts(dialect: Sql['dialect']): [name: string, text: string][] {
  const [shared, own] = [`${ROOT_PATH}migrations/sqlite/`, `${ROOT_PATH}migrations/${dialect}/`]
  const owned = new Set(own === shared ? [] : readdirSync(own))
  const names = readdirSync(shared).filter(name => name.endsWith('.sql'))
  return names
    .sort()
    .map(name => [
      name,
      owned.has(name)
        ? readFileSync(own + name, 'utf8')
        : ddlOf(dialect, readFileSync(shared + name, 'utf8')),
    ])
}
