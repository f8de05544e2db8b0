import { type Migration, type Sql, migrationText, rowsOf, sql } from '../../sql/port.ts'
import { sha256 } from '../../base/bytes.ts'
import { type DoctorCheck, fail, pass } from './report.ts'
import { madeObjects, sqliteObjects } from './schema_objects.ts'
import { inPostgres, postgresObjects } from './schema_postgres.ts'

/** The migrations that were applied are those of this program, each with the statements that it has here. */
export async function checkMigrations(db: Sql, migrations: readonly Migration[]): Promise<DoctorCheck> {
  const check = 'schema_migrations'
  const rows = await rowsOf(
    db,
    sql`SELECT version, name, checksum FROM schema_migrations WHERE version > 0 ORDER BY version`,
  )
  const applied = new Map(rows.map(row => [Number(row.version), row]))
  const missing = migrations.filter(({ version }) => !applied.has(version))
  if (missing.length > 0) {
    return fail(check, `not applied: ${missing.map(({ version }) => version).join(', ')}`)
  }
  for (const migration of migrations) {
    const { version, name } = migration
    const row = applied.get(version)!
    applied.delete(version)
    if (row.name !== name) return fail(check, `${version} is named ${row.name}, not ${name}`)
    if (row.checksum !== (await sha256(migrationText(migration)))) {
      return fail(check, `${version} was applied with other statements than this program has`)
    }
  }
  const unknown = [...applied.keys()]
  if (unknown.length > 0) return fail(check, `not of this program: ${unknown.join(', ')}`)
  return pass(check, `versions 1 to ${migrations.at(-1)?.version ?? 0} are applied`)
}

/**
 * Tables, triggers, indexes and functions are those that the migrations made, by what the database says of them. What
 * somebody else put on our tables is told as a warning.
 */
export async function checkSchema(db: Sql, migrations: readonly Migration[]): Promise<DoctorCheck> {
  const check = 'schema'
  const isPostgres = db.dialect === 'postgres'
  const made = isPostgres ? inPostgres(madeObjects(migrations)) : madeObjects(migrations)
  const { found, foreign } = await (isPostgres ? postgresObjects : sqliteObjects)(db, made)
  for (const [key, parts] of made) {
    const there = found.get(key)
    if (there === undefined) return fail(check, `the ${key} is missing; ${MEND}`)
    if (there.length === parts.length && there.every((part, at) => part === parts[at])) continue
    return fail(check, `the ${key} is not as the migrations made it; ${MEND}`)
  }
  if (foreign.length === 0) return pass(check, `${made.size} tables, triggers and indexes are there`)
  const detail = `no migration made these, and they may change what is written or read: ${foreign.join(', ')}`
  return { name: check, ok: true, detail, warning: true }
}

const MEND = 'restore the ledger, or copy it with `svc ledger copy`, which makes the schema anew'
