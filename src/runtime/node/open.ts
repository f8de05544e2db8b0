import { promises } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FEATURES, identifyBy } from '../../entry/features.ts'
import { badRequest } from '../../base/errors.ts'
import { accessControl } from '../../http/access/access.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import { newMemo } from '../../ledger/world/memo.ts'
import { newServerTally } from '../../ledger/world/tally.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { monotonicMs } from '../../sql/libsql/wait.ts'
import { isRemoteUrl } from '../../sql/libsql/remote_url.ts'
import { SchemaError, migrateIfBehind, requireMigrated } from '../../sql/migrate.ts'
import { type Sql, onlyReading } from '../../sql/port.ts'
import type { Environment } from '../environment.ts'
import { MAX_BODY_BYTES, Opened, type Services, lazily, randomId } from '../services.ts'
import type { Signer } from '../../rules/keys.ts'
import { readSigner } from './signer.ts'
import { databaseOf } from './database.ts'
import { makeFolder, makePrivateFile, othersMayRead, reasonOf } from './files.ts'
import { loadMigrations } from './migrations.ts'
import { takingTurns } from './turns.ts'
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
  /** Opens the ledger as it is, and writes nothing to it. */
  readonly readOnly?: boolean
  /** Used instead of the folder's service.yaml. */
  readonly workspace?: WorkspaceConfig
}

/** Loads the workspace of a folder, opens its ledger and, unless it is only to be read, migrates it. */
export async function openServices(options: ServicesOptions): Promise<OpenedServices> {
  const { folder, environment, log } = options
  const workspace = options.workspace ?? (await loadWorkspace(folder, log))
  const signer = await readSigner(folder, environment, log)
  const opened = new Opened()
  try {
    return await openInto(opened, options, workspace, signer)
  } catch (error) {
    await opened.close().catch(() => {})
    throw error instanceof SchemaError ? badRequest(error.message, error) : error
  }
}

async function openInto(
  opened: Opened,
  options: ServicesOptions,
  workspace: WorkspaceConfig,
  signer: Signer | undefined,
): Promise<OpenedServices> {
  const { folder, environment, log, readOnly = false } = options
  const ledger = await openLedger(options, workspace)
  opened.add(() => ledger.sql.close())
  const follower = await openFollower(options, workspace)
  if (follower !== undefined) opened.add(() => follower.close())
  const sql: Sql = follower === undefined ? ledger.sql : { ...ledger.sql, close: () => opened.close() }
  const migrations = loadMigrations(sql)
  if (readOnly) await requireMigrated(sql, migrations)
  else await migrateIfBehind(sql, migrations, Date.now, { upgraded: noteUpgrade(log) })
  if (ledger.readableFile !== undefined) {
    const path = ledger.readableFile
    log('warn', `others on this machine can read the ledger ${path}; chmod 600 it and the files next to it`)
  }
  return {
    ledgerName: ledger.name,
    sql: readOnly ? onlyReading(sql) : sql,
    ...(follower === undefined ? {} : { follower }),
    ...(signer === undefined ? {} : { signer }),
    workspace,
    memo: newMemo(),
    features: FEATURES,
    tally: newServerTally(),
    now: Date.now,
    elapsed: monotonicMs,
    newId: randomId,
    log,
    catalog: catalogReader(folder, workspace.pricing_catalog_path),
    version: options.version,
    migrations,
    access: accessControl(environment.tokens, { readOnly, identify: identifyBy(workspace) }),
    assets: lazily(async () => (await import('./assets.ts')).assetServer()),
    describe: lazily(async () => (await import('../description.ts')).apiDescription(options.version)),
    nextTurn: takingTurns(),
    maxBodyBytes: MAX_BODY_BYTES,
    secret: environment.secret,
    send: lazily(async () =>
      (await import('./send.ts')).nodeSender({ denyPrivate: workspace.webhooks.deny_private }),
    ),
    // Whoever runs a dispatcher puts its own here.
    outboxFilled: () => {},
    afterwards: work =>
      void work().catch((error: unknown) => log('warn', 'a background task failed', { error })),
  }
}

/** There is no way back but a backup, so nobody should have to find out by a program that refuses. */
function noteUpgrade(log: Log): (from: number, to: number) => void {
  return (from, to) =>
    log(
      'info',
      `migrated the ledger from schema version ${from} to ${to}; programs of the version before can't use it any more`,
    )
}

/** A standby or replica. It is not migrated: what follows has the schema of what it follows. */
async function openFollower(
  { environment, log }: ServicesOptions,
  workspace: WorkspaceConfig,
): Promise<Sql | undefined> {
  const url = environment.readDatabaseUrl ?? workspace.read_database_url
  if (url == null) return undefined
  const followed = environment.databaseUrl ?? workspace.database_url
  if (followed == null || isRemoteUrl(url) !== isRemoteUrl(followed)) {
    throw badRequest('read_database_url names a copy that follows database_url, so both are of one kind.')
  }
  const database = await databaseOf(url, environment)
  return database.open(reason => log('warn', `retrying the replica of the ledger: ${reason}`))
}

async function openLedger(
  { folder, environment, log, ownThread = false, readOnly = false }: ServicesOptions,
  workspace: WorkspaceConfig,
): Promise<{ sql: Sql; name: string; readableFile?: string | undefined }> {
  const url = environment.databaseUrl ?? workspace.database_url
  if (url != null) {
    const database = await databaseOf(url, environment)
    const sql = await database.open(reason => log('warn', `retrying the ledger: ${reason}`))
    return { sql, name: database.name }
  }
  const path = resolve(folder, workspace.db_path)
  const isNew = readOnly ? await requireFile(path) : await makeFile(path)
  const open = ownThread
    ? (await import('../../sql/libsql/worker.ts')).openLibsqlWorker
    : (await import('../../sql/libsql/libsql.ts')).openLibsql
  const sql = await open({
    path,
    busyTimeoutMs: environment.sqliteBusyTimeoutMs,
    lockRetryMs: environment.sqliteLockRetryMs,
    alwaysDurable: environment.sqliteAlwaysDurable,
    onLocked: waitedMs =>
      log(
        'warn',
        `the ledger is locked by another process since ${Math.round(waitedMs / 1000)} s; still trying`,
      ),
  })
  const readableFile = !isNew && (await othersMayRead(path)) ? workspace.db_path : undefined
  return { sql, name: isNew ? `${workspace.db_path}, new and empty` : workspace.db_path, readableFile }
}

/** Returns whether it made one. */
async function makeFile(path: string): Promise<boolean> {
  await makeFolder(dirname(path)).catch((error: NodeJS.ErrnoException) => {
    throw badRequest(`The folder of the ledger ${path} can't be made: ${reasonOf(error)}.`, error)
  })
  // It holds the secrets of webhooks.
  return makePrivateFile(path)
}

async function requireFile(path: string): Promise<false> {
  await promises.access(path).catch((error: NodeJS.ErrnoException) => {
    throw badRequest(`The ledger ${path} can't be read: ${reasonOf(error)}.`, error)
  })
  return false
}
