import { promises } from 'node:fs'
import { resolve } from 'node:path'
import { promises as timers } from 'node:timers'
import Driver from 'libsql'
import { damageOf } from './damage.ts'
import { FileConnection } from './file_connection.ts'
import { groupCommit } from './group_commit.ts'
import { OpenedFile } from './opened_file.ts'
import { WriteAheadLog } from './write_ahead_log.ts'
import { type Wait, callerMs, waitFor, monotonicMs, nextTurn } from './wait.ts'
import { requireTime } from '../deadline.ts'
import { LARGE_LOG_BYTES, type Result, type Sql, SqlError, type SqlErrorKind, raw, sql } from '../port.ts'
import { LOCAL_CLOCK } from '../dialect.ts'
import { writeHealth } from '../write_health.ts'

export interface LibsqlOptions {
  /** Path of the database file, which is made when missing; its folder must be there. */
  readonly path: string
  /** How long a statement waits for another process's lock, in all. */
  readonly busyTimeoutMs: number
  /** How much longer it goes on trying after that; 0 gives up at once. */
  readonly lockRetryMs: number
  /** Makes every transaction durable, not only those that ask for it. */
  readonly alwaysDurable?: boolean
  /** Called once for each statement that outlasts the busy time-out. */
  readonly onLocked?: (waitedMs: number) => void
}

/** One SQLite file through libsql. Writes and reads have a connection each, opened at first use. */
export async function openLibsql(options: LibsqlOptions): Promise<Sql> {
  const path = resolve(options.path)
  const file = new OpenedFile(path)
  const log = new WriteAheadLog(path)
  const writer = new KeptConnection(path, file, options, WRITER_PRAGMAS, () => file.leaveLog())
  const reader = new KeptConnection(path, file, options, READER_PRAGMAS)
  const { busyTimeoutMs, lockRetryMs, alwaysDurable = false } = options
  const lockMs = busyTimeoutMs + lockRetryMs
  const writes = groupCommit((statements, wait, { durable }) => {
    const write = (connection: FileConnection): Result[] => {
      file.requireLog(connection)
      const results = connection.transaction('IMMEDIATE', statements)
      // What went into a file that is gone by now is not kept.
      file.requireLog(connection)
      return results
    }
    return writer.run(connection => {
      synchronize(connection, durable || alwaysDurable ? 'FULL' : 'NORMAL')
      return write(connection)
    }, wait)
  }, lockMs)
  const query: Sql['query'] = (statement, { deadline } = {}) =>
    reader.run(connection => connection.execute(statement), waitFor(lockMs, deadline))
  const probe = (connection: FileConnection): void => {
    file.requireLog(connection)
    rewriteHeader(connection)
  }
  const health = writeHealth(() => writer.run(probe, waitFor(CHECK_MS / 2)))
  return {
    dialect: 'sqlite',
    clock: LOCAL_CLOCK,
    options: { timeoutMs: callerMs(options) },
    query,
    snapshot: (statements, { deadline } = {}) =>
      reader.run(connection => connection.transaction('DEFERRED', statements), waitFor(lockMs, deadline)),
    batch: (statements, limits) => health.noted(writes.batch(statements, limits)),
    check: async (statement, access) => {
      file.require()
      await query(statement)
      if (access === 'write') await soon(health.check(), path)
    },
    extras: {
      isInOrder: true,
      usage: async () => {
        const commits = [...writes.sizes]
        try {
          return { commits, log: await reader.run(used => log.usage(used, monotonicMs()), waitFor(CHECK_MS)) }
        } catch {
          // Whoever waits for a scrape is better off without it.
          return { commits }
        }
      },
      backup: async target => {
        // As private as the ledger itself. SQLite writes into a file that is there if it is empty.
        await (await promises.open(target, 'ax', 0o600)).close()
        await writer.run(connection => connection.execute(sql`VACUUM INTO ${target}`), waitFor(lockMs))
      },
      damage: part => reader.run(connection => damageOf(connection, part), waitFor(lockMs)),
    },
    close: async () => {
      await writes.settled()
      await Promise.all([writer.close(), reader.close()])
    },
  }
}

/**
 * With synchronous=FULL a commit returns when the log is on the disk, with all that was committed before; NORMAL leaves
 * that to the next checkpoint (sqlite.org/pragma.html#pragma_synchronous). A connection that can't be set to NORMAL is only
 * slower.
 */
function synchronize(connection: FileConnection, level: Level): void {
  if ((levels.get(connection) ?? 'NORMAL') === level) return
  try {
    connection.execute(raw(`PRAGMA synchronous = ${level}`))
    levels.set(connection, level)
  } catch (error) {
    if (level === 'FULL') throw error
  }
}

type Level = 'FULL' | 'NORMAL'

/** What connections were set to since they were opened: decisions come one after another, and setting it takes 0.1 ms. */
const levels = new WeakMap<FileConnection, Level>()

const PRAGMAS = ['PRAGMA synchronous = NORMAL', 'PRAGMA foreign_keys = ON']
// Pages that many commits rewrite, those of the indexes, go to the file once in 32 MB of log, not once in 4. What a reader
// made the log grow to is given back when it is begun again.
export const WRITER_PRAGMAS = [
  'PRAGMA journal_mode = WAL',
  ...PRAGMAS,
  'PRAGMA cache_size = -32000',
  'PRAGMA wal_autocheckpoint = 8000',
  `PRAGMA journal_size_limit = ${LARGE_LOG_BYTES}`,
]
// There are up to four connections that only read, and the system has the file's pages too. A sort in memory has a piece of its own for each row, and no bound; one in a file has a buffer, and a file if it is long.
const READER_PRAGMAS = [
  ...PRAGMAS,
  'PRAGMA cache_size = -16000',
  'PRAGMA query_only = ON',
  'PRAGMA temp_store = FILE',
]

/** Writes a page, the first one, as it is. */
function rewriteHeader(connection: FileConnection): void {
  const { rows } = connection.execute(raw('PRAGMA user_version'))
  connection.execute(raw(`PRAGMA user_version = ${Number(rows[0]!.user_version)}`))
}

/** How long a check waits for a lock, and for the writes before it, ms. */
const CHECK_MS = 1000

async function soon(check: Promise<void>, path: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new SqlError('busy', `the writes to the ledger ${path} wait`, undefined, 'its writes wait')),
    CHECK_MS,
  )
  await Promise.race([check, late]).finally(() => clearTimeout(timer))
}

/** What is done with a connection that is open. */
type Operation<T> = (connection: FileConnection) => T

/** A native wait blocks the whole thread, so it is short, and the rest of the wait is asynchronous. */
const NATIVE_WAIT_MS = 20

/** A connection whose operations run one after another, and which is opened again where it has to be. */
class KeptConnection {
  readonly #path: string
  readonly #file: OpenedFile
  readonly #options: LibsqlOptions
  readonly #pragmas: readonly string[]
  readonly #onClose: () => void
  #connection: FileConnection | undefined
  #tail: Promise<unknown> = Promise.resolve()

  constructor(
    path: string,
    file: OpenedFile,
    options: LibsqlOptions,
    pragmas: readonly string[],
    onClose: () => void = () => {},
  ) {
    this.#path = path
    this.#file = file
    this.#options = options
    this.#pragmas = pragmas
    this.#onClose = onClose
  }

  /** The time in which a lock is waited for may begin before its turn, so that operations in a row give up together. */
  run<T>(operation: Operation<T>, wait: Wait): Promise<T> {
    const { deadline } = wait
    const result = this.#tail.then(() => {
      requireTime(deadline)
      return this.#withRetries(operation, wait)
    })
    this.#tail = result.then(letOthersRun, letOthersRun)
    return result
  }

  async close(): Promise<void> {
    await this.#tail
    this.#discard()
  }

  async #withRetries<T>(operation: Operation<T>, { startedAt, until }: Wait): Promise<T> {
    const { busyTimeoutMs, onLocked } = this.#options
    let reported = false
    for (;;) {
      try {
        return operation(this.#connection?.isOpen === true ? this.#connection : this.#open())
      } catch (error) {
        const known = toSqlError(error, this.#path)
        const failure = isShortRead(error) ? this.#file.explain(known) : known
        if (failure.kind !== 'unique' && failure.kind !== 'other') this.#discard()
        if (failure.kind !== 'busy' || monotonicMs() >= until()) throw failure
        const waitedMs = monotonicMs() - startedAt
        if (waitedMs >= busyTimeoutMs && !reported) {
          reported = true
          onLocked?.(waitedMs)
        }
        await timers.setTimeout(1 + Math.random() * 20)
      }
    }
  }

  #open(): FileConnection {
    this.#file.require()
    const connection = new FileConnection(this.#path, Math.min(NATIVE_WAIT_MS, this.#options.busyTimeoutMs))
    try {
      for (const pragma of this.#pragmas) connection.execute(raw(pragma))
      this.#file.note()
    } catch (error) {
      connection.close()
      throw error
    }
    this.#connection = connection
    return connection
  }

  /**
   * After SQLITE_BUSY a connection of this driver goes on reading a stale snapshot and refuses writes
   * (tursodatabase/libsql-client-ts issue 352), so the next attempt opens a new one.
   */
  #discard(): void {
    this.#onClose()
    this.#connection?.close()
    this.#connection = undefined
  }
}

/** The driver never waits, so a loop of statements would starve timers, sockets and its own finalizers. */
const LONGEST_TURN_MS = 10
let turnBegan = 0

async function letOthersRun(): Promise<void> {
  if (monotonicMs() - turnBegan < LONGEST_TURN_MS) return
  await nextTurn()
  turnBegan = monotonicMs()
}

function toSqlError(error: unknown, path: string): SqlError {
  if (error instanceof SqlError) return error
  const said = error instanceof Error ? error.message : String(error)
  const code = said.startsWith('ConnectionFailed')
    ? CANT_OPEN
    : error instanceof Driver.SqliteError
      ? error.rawCode
      : undefined
  const known = CODES.find(
    ([codes]) => code !== undefined && (codes.includes(code) || codes.includes(code & 0xff)),
  )
  if (known === undefined) return new SqlError('other', said, error)
  const [, kind, message] = known
  if (message === '') return new SqlError(kind, said, error)
  return new SqlError(kind, `the ledger ${path} ${message}`, error, `it ${message}`)
}

const CANT_OPEN = 14

/** SQLITE_IOERR_SHORT_READ */
function isShortRead(error: unknown): boolean {
  return error instanceof Driver.SqliteError && error.rawCode === 522
}

/** By extended or plain result code (sqlite.org/rescode.html). An empty message keeps SQLite's own. */
const CODES: readonly (readonly [codes: readonly number[], kind: SqlErrorKind, message: string])[] = [
  // SQLITE_BUSY, SQLITE_LOCKED
  [[5, 6], 'busy', 'is locked by another process'],
  // SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY
  [[2067, 1555], 'unique', ''],
  // SQLITE_NOTADB
  [[26], 'unavailable', 'is not a SQLite database; move it away or restore a backup'],
  // SQLITE_CORRUPT
  [[11], 'unavailable', 'is damaged; restore a backup'],
  // SQLITE_FULL
  [[13], 'unavailable', "can't grow: the disk is full"],
  // SQLITE_READONLY
  [[8], 'unavailable', "can't be written: check the rights of the file and its folder"],
  // SQLITE_CANTOPEN, SQLITE_PERM
  [[CANT_OPEN, 3], 'unavailable', "can't be opened: check the path and its rights"],
  // SQLITE_IOERR
  [[10], 'unavailable', "can't be read or written: the disk or file system failed"],
]
