import { patiently } from './deadline.ts'
import { type MigrationTexts, migrationText } from './ddl.ts'
import {
  type Migration,
  type Row,
  type Sql,
  SqlError,
  VERSION_TABLE,
  migrationChecksum,
  raw,
  rowsOf,
  sql,
  UNFINISHED_VERSION,
} from './port.ts'

/**
 * Reads a migration file named `0001_base_tables.sql`. A statement ends with a semicolon at the end of a
 * line before a blank line or the end of the file, so a trigger body may hold semicolons but no blank lines.
 * `checksum` is that of the file where `text` lacks its comments.
 */
export function parseMigration(fileName: string, text: string, checksum?: string): Migration {
  const match = /^(\d{4})_(\w+)\.sql$/.exec(fileName)
  if (match === null) throw new Error(`${fileName}: a migration is named like 0001_base_tables.sql`)
  const statements = text
    .trim()
    .split(/;\n\n|;$/)
    .map(statement => statement.trim())
    .filter(statement => statement !== '')
  const migration = { version: Number(match[1]), name: match[2]!, statements }
  return checksum === undefined ? migration : { ...migration, checksum }
}

/** A migration as a Worker ships it, without comments, and the checksums of what databases take of the whole. */
export interface ShippedMigration {
  readonly name: string
  readonly texts: MigrationTexts
  readonly checksums: Readonly<Record<Sql['dialect'], string>>
}

export function shippedMigrations({ dialect }: Sql, shipped: readonly ShippedMigration[]): Migration[] {
  return shipped.map(({ name, texts, checksums }) =>
    parseMigration(name, migrationText(dialect, texts), checksums[dialect]),
  )
}

/** The tables that migrations make and leave. */
export function tablesOf(migrations: readonly Migration[]): string[] {
  const tables = new Set<string>()
  for (const text of migrations.flatMap(migration => migration.statements)) {
    const [, verb, name] = /^(CREATE|DROP) TABLE (?:IF NOT EXISTS )?(\w+)/m.exec(text) ?? []
    if (verb === 'DROP') tables.delete(name!)
    else if (name !== undefined) tables.add(name)
  }
  return [...tables]
}

/** A database that is no ledger, or one whose schema this program doesn't know. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

interface MigrateOptions {
  /** Called once a ledger of an older version has the newest. */
  readonly upgraded?: (from: number, to: number) => void
}

/**
 * Brings a database to the newest version and returns it. Each migration is one batch that begins with its
 * version row: where another process was faster, the row exists, nothing of the batch is kept, and we go on.
 * Throws {@link SchemaError} on a database that a newer program has migrated and on a SQLite file of something else,
 * and {@link SqlError} on an unfinished copy.
 */
export async function migrate(
  db: Sql,
  migrations: readonly Migration[],
  now: () => number,
  { upgraded = () => {} }: MigrateOptions = {},
): Promise<number> {
  const latest = migrations.at(-1)?.version ?? 0
  const applied = await appliedVersions(db)
  if (applied.has(UNFINISHED_VERSION)) throw unfinishedCopy()
  refuseOthers(applied, migrations)
  for (const migration of migrations) if (!applied.has(migration.version)) await apply(db, migration, now())
  const before = Math.max(0, ...applied.keys())
  if (before > 0 && before < latest) upgraded(before, latest)
  return latest
}

/**
 * Does what {@link migrate} does, with the patience of migrations, where there is anything to do or to refuse. That is
 * read first, within the time that a database gives its reads: most find nothing.
 */
export async function migrateIfBehind(
  db: Sql,
  migrations: readonly Migration[],
  now: () => number,
  options?: MigrateOptions,
): Promise<void> {
  if (!(await isMigrated(db, migrations))) await migrate(patiently(db), migrations, now, options)
}

async function isMigrated(db: Sql, migrations: readonly Migration[]): Promise<boolean> {
  const rows = await rowsOf(db, VERSIONS).catch((error: unknown) => {
    if (!isOther(error)) throw error
    return []
  })
  const applied = namesIn(rows)
  return (
    applied.size === migrations.length &&
    migrations.every(({ version, name }) => applied.get(version) === name)
  )
}

/** Throws as {@link migrate} does, and {@link SchemaError} where a migration is missing: nothing is written here. */
export async function requireMigrated(db: Sql, migrations: readonly Migration[]): Promise<void> {
  const rows = await rowsOf(db, VERSIONS).catch((error: unknown) => {
    if (!isOther(error)) throw error
    throw new SchemaError('there is no ledger in the database')
  })
  const applied = namesIn(rows)
  if (applied.has(UNFINISHED_VERSION)) throw unfinishedCopy()
  refuseOthers(applied, migrations)
  const missing = migrations.find(({ version }) => !applied.has(version))
  if (missing === undefined) return
  throw new SchemaError(
    `the ledger lacks migration ${missing.version} of this program: start the server that writes first, which migrates it`,
  )
}

function unfinishedCopy(): SqlError {
  return new SqlError(
    'unavailable',
    'the ledger is an unfinished copy: delete it, and copy again into an empty database',
  )
}

/** Refuses ledgers from before version 1.0.0, whose migrations have other names, and those of a newer program. */
function refuseOthers(applied: Applied, migrations: readonly Migration[]): void {
  if (migrations.some(({ version, name }) => (applied.get(version) ?? name) !== name)) {
    throw new SchemaError(
      'the ledger is from before version 1.0.0, which this program does not read: export its events with the program ' +
        'that wrote it, and ingest them into a new ledger (docs/operating.md, Upgrade)',
    )
  }
  const [newest, latest] = [Math.max(0, ...applied.keys()), migrations.at(-1)?.version ?? 0]
  if (newest <= latest) return
  throw new SchemaError(
    `the ledger has schema version ${newest}, and this program knows up to ${latest}: upgrade it`,
  )
}

/** The names of migrations by their versions. */
type Applied = ReadonlyMap<number, string>

function namesIn(rows: readonly Row[]): Map<number, string> {
  return new Map(rows.map(({ version, name }) => [Number(version), String(name)]))
}

const VERSIONS = sql`SELECT version, name FROM schema_migrations ORDER BY version`

/** The versions a database has. An empty database has none; a table is made for them on the way. */
async function appliedVersions(db: Sql): Promise<Map<number, string>> {
  const rows = await rowsOf(db, VERSIONS).catch(async (error: unknown) => {
    if (!isOther(error)) throw error
    await refuseForeign(db, tables => !tables.includes('schema_migrations'))
    // In spite of IF NOT EXISTS, PostgreSQL fails the later of two who make one table at once.
    const failure = await createVersionTable(db).catch((failed: unknown) => failed)
    return rowsOf(db, VERSIONS).catch(async (again: unknown) => {
      // Its schema_migrations isn't ours: several tools call their own by that name.
      if (isOther(again)) await refuseForeign(db, () => true)
      throw failure ?? again
    })
  })
  return namesIn(rows)
}

function isOther(error: unknown): boolean {
  return error instanceof SqlError && error.kind === 'other'
}

/** Refuses a SQLite database that something else keeps its tables in. In PostgreSQL a schema may be shared. */
async function refuseForeign(db: Sql, isForeign: (tables: readonly string[]) => boolean): Promise<void> {
  if (db.dialect !== 'sqlite') return
  const rows = await rowsOf(db, sql`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
  const tables = rows.map(({ name }) => String(name)).filter(name => !PLATFORM_TABLE.test(name))
  if (tables.length === 0 || !isForeign(tables)) return
  const [more, shown] = [tables.length - 3, tables.slice(0, 3).join(', ')]
  throw new SchemaError(
    `the database is no ledger: it holds tables of something else (${shown}${more > 0 ? ` and ${more} more` : ''}); ` +
      'give the ledger a file of its own',
  )
}

/** Tables of SQLite itself and of D1. */
const PLATFORM_TABLE = /^(?:sqlite_|_cf_|d1_)/

async function createVersionTable(db: Sql): Promise<void> {
  await db.batch([raw(VERSION_TABLE)])
}

async function apply(db: Sql, migration: Migration, now: number): Promise<void> {
  const { version, name, statements } = migration
  const checksum = await migrationChecksum(migration)
  try {
    await db.batch([
      sql`INSERT INTO schema_migrations (version, name, applied_at, checksum) VALUES (${version}, ${name}, ${now}, ${checksum})`,
      ...statements.map(text => raw(text)),
    ])
  } catch (error) {
    if (!(error instanceof SqlError) || error.kind !== 'unique') throw error
  }
}
