import { dirname, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { refused } from '../../base/errors.ts'
import { accessControl } from '../../http/access.ts'
import type { Log } from '../../ledger/ledger.ts'
import { newMemo } from '../../ledger/memo.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { SchemaError, migrate } from '../../sql/migrate.ts'
import { type Sql, patiently } from '../../sql/port.ts'
import type { Environment } from '../environment.ts'
import { makeFolder, makePrivateFile, reasonOf } from './files.ts'
import { loadMigrations } from './migrations.ts'
import { MAX_BODY_BYTES, type Services, randomId } from '../services.ts'
import { catalogReader, loadWorkspace } from './workspace.ts'

export interface OpenedServices extends Services {
  /** What the ledger is, for people: a path, or a database without its user and password. */
  readonly ledgerName: string
}

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

/** Loads the workspace of a folder, opens its ledger and migrates it. */
export async function openServices(options: ServicesOptions): Promise<OpenedServices> {
  const { folder, environment, log } = options
  const workspace = options.workspace ?? (await loadWorkspace(folder, log))
  const ledger = await openLedger(options, workspace)
  const { sql } = ledger
  const migrations = loadMigrations(sql.dialect)
  try {
    await migrate(patiently(sql), migrations, Date.now)
  } catch (error) {
    await sql.close()
    throw error instanceof SchemaError ? refused(error.message, error) : error
  }
  return {
    ledgerName: ledger.name,
    sql,
    workspace,
    memo: newMemo(),
    now: Date.now,
    newId: randomId,
    log,
    catalog: catalogReader(folder, workspace.pricing_catalog_path),
    version: options.version,
    schemaVersions: migrations.map(migration => migration.version),
    access: accessControl(environment.tokens),
    assets: lazily(async () => (await import('./assets.ts')).assetServer()),
    describe: lazily(async () => (await import('../description.ts')).apiDescription(options.version)),
    nextTurn: setImmediate,
    maxBodyBytes: MAX_BODY_BYTES,
    send: lazily(async () =>
      (await import('./send.ts')).nodeSender({ denyPrivate: workspace.webhooks.deny_private }),
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
): Promise<{ sql: Sql; name: string }> {
  const url = environment.databaseUrl ?? workspace.database_url
  if (url != null) {
    const [{ openPostgres }, { databaseName }] = await Promise.all([
      import('../../sql/postgres/node.ts'),
      import('../../sql/postgres/settings.ts'),
    ])
    const onRetry = (reason: string) => log('warn', `the ledger is tried again: ${reason}`)
    const { postgres: variables } = environment
    return { sql: openPostgres({ url, variables, onRetry }), name: databaseName(url) }
  }
  const path = resolve(folder, workspace.db_path)
  await makeFolder(dirname(path)).catch((error: NodeJS.ErrnoException) => {
    throw refused(`The folder of the ledger ${path} can't be made: ${reasonOf(error)}.`, error)
  })
  // It holds the secrets of webhooks.
  const isNew = await makePrivateFile(path)
  const open = ownThread
    ? (await import('../../sql/libsql/worker.ts')).openLibsqlWorker
    : (await import('../../sql/libsql/libsql.ts')).openLibsql
  const sql = await open({
    path,
    busyTimeoutMs: environment.sqliteBusyTimeoutMs,
    lockRetryMs: environment.sqliteLockRetryMs,
    onLocked: waitedMs =>
      log(
        'warn',
        `the ledger is locked by another process since ${Math.round(waitedMs / 1000)} s; still trying`,
      ),
  })
  return { sql, name: isNew ? `${workspace.db_path}, new and empty` : workspace.db_path }
}
