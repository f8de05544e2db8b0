import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { refused } from '../errors.ts'
import { accessControl } from '../http/access.ts'
import type { Context } from '../http/context.ts'
import type { Log } from '../ledger/ledger.ts'
import type { WorkspaceConfig } from '../models/workspace.ts'
import { openLibsql } from '../sql/libsql.ts'
import { SchemaError, migrate } from '../sql/migrate.ts'
import type { Sql } from '../sql/port.ts'
import type { Environment } from './environment.ts'
import { loadMigrations } from './migrations.ts'
import { catalogReader, loadWorkspace } from './workspace.ts'

/** A context that still lacks the caller, which each request brings. */
export type Services = Omit<Context, 'peer'>

export interface ServicesOptions {
  /** Folder of service.yaml; relative paths in it start here. */
  readonly folder: string
  readonly environment: Environment
  readonly version: string
  readonly log: Log
  /** Used instead of the folder's service.yaml. */
  readonly workspace?: WorkspaceConfig
}

const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Loads the workspace of a folder, opens its ledger and migrates it. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { folder, environment, log } = options
  const workspace = options.workspace ?? (await loadWorkspace(folder, log))
  const [sql, migrations] = await Promise.all([
    openLedger(folder, workspace, environment, log),
    loadMigrations(),
  ])
  try {
    await migrate(sql, migrations, Date.now)
  } catch (error) {
    await sql.close()
    throw error instanceof SchemaError
      ? refused(`${error.message} (npm install -g release-governance)`, error)
      : error
  }
  return {
    sql,
    workspace,
    now: Date.now,
    newId: prefix => prefix + randomBytes(6).toString('hex'),
    log,
    catalog: catalogReader(folder, workspace.pricing_catalog_path),
    version: options.version,
    schemaVersions: migrations.map(migration => migration.version),
    access: accessControl(environment.tokens),
    maxBodyBytes: MAX_BODY_BYTES,
  }
}

async function openLedger(
  folder: string,
  workspace: WorkspaceConfig,
  environment: Environment,
  log: Log,
): Promise<Sql> {
  if ((environment.databaseUrl ?? workspace.database_url) != null) {
    throw refused(
      'database_url is set, but this version keeps its ledger in SQLite only; unset it to use db_path.',
    )
  }
  return openLibsql({
    path: resolve(folder, workspace.db_path),
    busyTimeoutMs: environment.sqliteBusyTimeoutMs,
    lockRetryMs: environment.sqliteLockRetryMs,
    onLocked: waitedMs =>
      log(
        'warn',
        `the ledger is locked by another process since ${Math.round(waitedMs / 1000)} s; still trying`,
      ),
  })
}
