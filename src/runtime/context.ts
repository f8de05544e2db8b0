import { randomBytes } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { refused } from '../errors.ts'
import { accessControl } from '../http/access.ts'
import type { Context } from '../http/context.ts'
import type { Log } from '../ledger/ledger.ts'
import type { WorkspaceConfig } from '../models/workspace.ts'
import { openLibsql } from '../sql/libsql.ts'
import { SchemaError, migrate } from '../sql/migrate.ts'
import type { Sql } from '../sql/port.ts'
import type { Environment } from './environment.ts'
import { makeFolder, reasonOf } from './files.ts'
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
  /** Runs SQLite in a thread of its own, so that a server answers while it commits. */
  readonly ownThread?: boolean
  /** Used instead of the folder's service.yaml. */
  readonly workspace?: WorkspaceConfig
}

const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Loads the workspace of a folder, opens its ledger and migrates it. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { folder, environment, log } = options
  const workspace = options.workspace ?? (await loadWorkspace(folder, log))
  const [sql, migrations] = await Promise.all([openLedger(options, workspace), loadMigrations()])
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
    assets: lazily(async () => (await import('./assets.ts')).assetServer()),
    describe: lazily(async () => (await import('./description.ts')).apiDescription(options.version)),
    maxBodyBytes: MAX_BODY_BYTES,
    send: lazily(async () =>
      (await import('./send_node.ts')).nodeSender({ denyPrivate: workspace.webhooks.deny_private }),
    ),
    // Whoever runs a dispatcher puts its own here.
    outboxFilled: () => {},
  }
}

/** A function whose code is loaded when it is first called. */
function lazily<A extends unknown[], R>(
  load: () => Promise<(...args: A) => Promise<R>>,
): (...args: A) => Promise<R> {
  let loaded: Promise<(...args: A) => Promise<R>> | undefined
  return async function callLoaded(...args) {
    loaded ??= load()
    return (await loaded)(...args)
  }
}

async function openLedger(
  { folder, environment, log, ownThread = false }: ServicesOptions,
  workspace: WorkspaceConfig,
): Promise<Sql> {
  if ((environment.databaseUrl ?? workspace.database_url) != null) {
    throw refused(
      'database_url is set, but this version keeps its ledger in SQLite only; unset it to use db_path.',
    )
  }
  const path = resolve(folder, workspace.db_path)
  await makeFolder(dirname(path)).catch((error: NodeJS.ErrnoException) => {
    throw refused(`The folder of the ledger ${path} can't be made: ${reasonOf(error)}.`, error)
  })
  const open = ownThread ? (await import('../sql/libsql_worker.ts')).openLibsqlWorker : openLibsql
  return open({
    path,
    busyTimeoutMs: environment.sqliteBusyTimeoutMs,
    lockRetryMs: environment.sqliteLockRetryMs,
    onLocked: waitedMs =>
      log(
        'warn',
        `the ledger is locked by another process since ${Math.round(waitedMs / 1000)} s; still trying`,
      ),
  })
}
