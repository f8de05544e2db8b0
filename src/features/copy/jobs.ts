import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { DATABASE_URL, DATABASE_URLS } from '../../base/text.ts'
import { badRequest } from '../../base/errors.ts'
import { type CopyOptions, type Copied, copyLedger } from './copy.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import { openLibsql } from '../../sql/libsql/libsql.ts'
import { SchemaError, migrate, tablesOf } from '../../sql/migrate.ts'
import { patiently } from '../../sql/deadline.ts'
import { type Sql, SqlError, sql, UNFINISHED_VERSION } from '../../sql/port.ts'
import { allRows, asNumber, ask, field } from '../../sql/query.ts'
import type { Environment } from '../../runtime/environment.ts'
import { databaseOf } from '../../runtime/node/database.ts'
import { makePrivateFile } from '../../runtime/node/files.ts'
import { loadMigrations } from '../../runtime/node/migrations.ts'

export interface CopySettings {
  /** Path of a SQLite file, or the URL of a database. */
  readonly from: string
  readonly to: string
  /** Relative paths start here. */
  readonly folder: string
  readonly environment: Environment
  readonly log: Log
  readonly onProgress: NonNullable<CopyOptions['onProgress']>
}

export interface CopyResult extends Copied {
  /** For people: a path, or host and database; never a password. */
  readonly from: string
  readonly to: string
}

/** Copies a ledger from one database to another, migrating the target first. Throws 400 naming the side at fault. */
export async function copyBetween(settings: CopySettings): Promise<CopyResult> {
  const from = await place('--from', settings.from, settings)
  const to = await place('--to', settings.to, settings)
  await requireFiles(from, to)
  const source = await openNamed(from)
  try {
    await requireCurrent(source, from)
    const target = await openNamed(to)
    try {
      const migrations = loadMigrations(target)
      await migrate(target, migrations, Date.now).catch((error: unknown) => {
        throw error instanceof SchemaError
          ? badRequest(`${to.option} ${to.name}: ${error.message}`, error)
          : error
      })
      const tables = await copiedTables()
      const copied = await copyLedger(source, target, {
        tables,
        now: Date.now,
        onProgress: settings.onProgress,
      })
      return { ...copied, from: from.name, to: to.name }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

interface CopyEnd {
  readonly option: '--from' | '--to'
  readonly name: string
  /** Of a SQLite file. */
  readonly path?: string
  open(): Promise<Sql>
}

async function place(
  option: CopyEnd['option'],
  address: string,
  { folder, environment, log }: CopySettings,
): Promise<CopyEnd> {
  if (DATABASE_URL.test(address)) {
    const database = await databaseOf(address, environment)
    const { name } = database
    const onRetry = (reason: string): void => log('warn', `${option} ${name}: trying again, ${reason}`)
    return { option, name, open: async () => patiently(await database.open(onRetry)) }
  }
  // Not repeated: it may hold a password.
  if (/^[a-z][\w+.-]+:\/\//i.test(address)) {
    throw badRequest(`${option} must be ${DATABASE_URLS}, or the path of a SQLite file.`)
  }
  const path = resolve(folder, address)
  const { sqliteBusyTimeoutMs: busyTimeoutMs, sqliteLockRetryMs: lockRetryMs } = environment
  return {
    option,
    name: address,
    path,
    open: async () => {
      // It holds the secrets of webhooks.
      if (option === '--to') await makePrivateFile(path)
      return openLibsql({ path, busyTimeoutMs, lockRetryMs })
    },
  }
}

async function requireFiles(from: CopyEnd, to: CopyEnd): Promise<void> {
  if (from.path !== undefined && !(await isFile(from.path))) {
    throw badRequest(`--from ${from.name}: there is no such file.`)
  }
  if (to.path === undefined) return
  if ((await stat(dirname(to.path)).catch(() => undefined))?.isDirectory() !== true) {
    throw badRequest(`--to ${to.name}: there is no folder ${dirname(to.path)}.`)
  }
  if (from.path !== undefined && (await truePath(from.path)) === (await truePath(to.path))) {
    throw badRequest('--from and --to are the same file.')
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true
}

function truePath(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

/** The source is only read, so it has to have the schema of this program already. */
async function requireCurrent(source: Sql, { option, name }: CopyEnd): Promise<void> {
  const applied = allRows(sql`SELECT version FROM schema_migrations`, field('version', asNumber))
  const versions = await ask(source, applied).catch((error: unknown) => {
    if (!(error instanceof SqlError) || error.kind !== 'other') throw error
    throw badRequest(`${option} ${name} has no ledger.`, error)
  })
  const has = Math.max(0, ...versions)
  const knows = loadMigrations(source).at(-1)!.version
  if (has === knows) return
  throw badRequest(
    `${option} ${name} ${
      has === UNFINISHED_VERSION
        ? 'is an unfinished copy.'
        : has > knows
          ? `has schema version ${has}, and this program knows up to ${knows}: upgrade it.`
          : `has schema version ${has}, this program has ${knows}: run \`svc doctor\` on that ledger first, which migrates it.`
    }`,
  )
}

/** The tables that a ledger has on every database; what only one of them needs is not carried over. */
export async function copiedTables(): Promise<string[]> {
  const [sqlite, postgres] = [loadMigrations({ dialect: 'sqlite' }), loadMigrations({ dialect: 'postgres' })]
  const theirs = new Set(tablesOf(postgres))
  return tablesOf(sqlite).filter(name => theirs.has(name))
}

/** Opens a database whose errors say which of the two it is. */
async function openNamed(side: CopyEnd): Promise<Sql> {
  const naming = async <T>(done: Promise<T>): Promise<T> => {
    try {
      return await done
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      throw new SqlError(error.kind, `${side.option} ${side.name}: ${error.message}`, error)
    }
  }
  const db = await naming(side.open())
  return {
    ...db,
    query: (statement, options) => naming(db.query(statement, options)),
    snapshot: (statements, options) => naming(db.snapshot(statements, options)),
    batch: (statements, options) => naming(db.batch(statements, options)),
    check: (read, access) => naming(db.check(read, access)),
  }
}
