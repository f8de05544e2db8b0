import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Client, LibsqlError, createClient } from '@libsql/client/sqlite3'
import { damageOf } from './damage.ts'
import { groupCommit } from './group_commit.ts'
import { OpenedFile } from './opened_file.ts'
import { CLOCKS, type Result, type Sql, SqlError, type Statement, type Value } from '../port.ts'
import { toResult } from './rows.ts'
import { watchWrites } from '../write_watch.ts'

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
  const writer = new Connection(path, file, options, WRITER_PRAGMAS)
  const reader = new Connection(path, file, options, READER_PRAGMAS)
  const { alwaysDurable = false } = options
  const writes = groupCommit((statements, askedAt, { durable }) => {
    const write = async (client: Client): Promise<Result[]> => {
      file.require()
      const results = await client.batch(statements.map(toLibsql), 'write')
      // What went into a file that is gone by now is not kept.
      file.require()
      return results.map(toResult)
    }
    return writer.run(durable || alwaysDurable ? client => durably(client, write) : write, askedAt)
  })
  const query = (statement: Statement): Promise<Result> =>
    reader.run(async client => toResult(await client.execute(toLibsql(statement))))
  const watch = watchWrites(() => writer.run(rewriteHeader, lastTry(options)))
  return {
    dialect: 'sqlite',
    clock: CLOCKS.sqlite,
    query,
    snapshot: statements =>
      reader.run(async client => (await client.batch(statements.map(toLibsql), 'deferred')).map(toResult)),
    batch: (statements, asked) => watch.watched(writes.batch(statements, asked)),
    check: async (statement, access) => {
      file.require()
      await query(statement)
      if (access === 'write') await soon(watch.check(), path)
    },
    usage: async () => ({ commits: [...writes.sizes] }),
    backup: async target => {
      // As private as the ledger itself. SQLite writes into a file that is there if it is empty.
      await (await open(target, 'ax', 0o600)).close()
      await writer.run(client => client.execute({ sql: 'VACUUM INTO ?', args: [target] }))
    },
    damage: () => reader.run(damageOf),
    close: async () => {
      await writes.settled()
      await Promise.all([writer.close(), reader.close()])
    },
  }
}

/**
 * With synchronous=FULL a commit returns when the log is on the disk, with all that was committed before; NORMAL leaves
 * that to the next checkpoint (sqlite.org/pragma.html#pragma_synchronous).
 */
async function durably<T>(client: Client, write: (client: Client) => Promise<T>): Promise<T> {
  await client.execute('PRAGMA synchronous = FULL')
  try {
    return await write(client)
  } finally {
    // A connection that can't be set back is about to be dropped; kept, it would only be slower.
    await client.execute('PRAGMA synchronous = NORMAL').catch(() => {})
  }
}

const PRAGMAS = ['PRAGMA synchronous = NORMAL', 'PRAGMA foreign_keys = ON', 'PRAGMA cache_size = -32000']
// Pages that many commits rewrite, those of the indexes, go to the file once in 32 MB of log, not once in 4.
export const WRITER_PRAGMAS = ['PRAGMA journal_mode = WAL', ...PRAGMAS, 'PRAGMA wal_autocheckpoint = 8000']
const READER_PRAGMAS = [...PRAGMAS, 'PRAGMA query_only = ON']

/** Writes a page, the first one, as it is. */
async function rewriteHeader(client: Client): Promise<void> {
  const { rows } = await client.execute('PRAGMA user_version')
  await client.execute(`PRAGMA user_version = ${Number(rows[0]![0])}`)
}

/** How long a check waits for a lock, and for the writes before it, ms. */
const CHECK_MS = 1000

/** Since when something waits that is to give up after half of that. */
function lastTry({ busyTimeoutMs, lockRetryMs }: LibsqlOptions): number {
  return performance.now() - busyTimeoutMs - lockRetryMs + CHECK_MS / 2
}

async function soon(check: Promise<void>, path: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new SqlError('busy', `the writes to the ledger ${path} wait`, undefined, 'its writes wait')),
    CHECK_MS,
  )
  await Promise.race([check, late]).finally(() => clearTimeout(timer))
}

/** A native wait blocks the whole thread, so it is short, and the rest of the wait is asynchronous. */
const NATIVE_WAIT_MS = 20

/** One connection whose operations run one after another. */
class Connection {
  readonly #path: string
  readonly #file: OpenedFile
  readonly #options: LibsqlOptions
  readonly #pragmas: readonly string[]
  #client: Client | undefined
  #tail: Promise<unknown> = Promise.resolve()

  constructor(path: string, file: OpenedFile, options: LibsqlOptions, pragmas: readonly string[]) {
    this.#path = path
    this.#file = file
    this.#options = options
    this.#pragmas = pragmas
  }

  /** A lock is waited for from `askedAt` on, so that operations in a row give up together, not one after the other. */
  run<T>(operation: (client: Client) => Promise<T>, askedAt = performance.now()): Promise<T> {
    const result = this.#tail.then(() => this.#withRetries(operation, askedAt))
    this.#tail = result.then(letOthersRun, letOthersRun)
    return result
  }

  async close(): Promise<void> {
    await this.#tail
    this.#client?.close()
    this.#client = undefined
  }

  async #withRetries<T>(operation: (client: Client) => Promise<T>, askedAt: number): Promise<T> {
    const { busyTimeoutMs, lockRetryMs, onLocked } = this.#options
    let reported = false
    for (;;) {
      try {
        return await operation(this.#client ?? (await this.#open()))
      } catch (error) {
        const failure = toSqlError(error, this.#path)
        if (failure.kind !== 'unique' && failure.kind !== 'other') this.#discard()
        if (failure.kind !== 'busy') throw failure
        const waitedMs = performance.now() - askedAt
        if (waitedMs >= busyTimeoutMs + lockRetryMs) throw failure
        if (waitedMs >= busyTimeoutMs && !reported) {
          reported = true
          onLocked?.(waitedMs)
        }
        await sleep(1 + Math.random() * 20)
      }
    }
  }

  async #open(): Promise<Client> {
    this.#file.require()
    // One connection per client: further pooled ones would come without the PRAGMAs.
    const client = createClient({
      url: pathToFileURL(this.#path).href,
      concurrency: 1,
      timeout: Math.min(NATIVE_WAIT_MS, this.#options.busyTimeoutMs),
    })
    try {
      for (const pragma of this.#pragmas) await client.execute(pragma)
      this.#file.note()
    } catch (error) {
      client.close()
      throw error
    }
    this.#client = client
    return client
  }

  /**
   * After SQLITE_BUSY a connection of this driver goes on reading a stale snapshot and refuses writes
   * (tursodatabase/libsql-client-ts issue 352), so the next attempt opens a new one.
   */
  #discard(): void {
    this.#client?.close()
    this.#client = undefined
  }
}

/** The driver never waits, so a loop of statements would starve timers, sockets and its own finalizers. */
const LONGEST_TURN_MS = 10
let turnBegan = 0

async function letOthersRun(): Promise<void> {
  if (performance.now() - turnBegan < LONGEST_TURN_MS) return
  await nextTurn()
  turnBegan = performance.now()
}

function toLibsql({ text, params }: Statement): { sql: string; args: Value[] } {
  return { sql: text, args: [...params] }
}

function toSqlError(error: unknown, path: string): SqlError {
  if (error instanceof SqlError) return error
  const said = error instanceof Error ? error.message : String(error)
  // The driver doesn't know the names of all extended codes, so the plain one counts as well.
  const codes = said.startsWith('ConnectionFailed')
    ? ['SQLITE_CANTOPEN']
    : error instanceof LibsqlError
      ? [error.extendedCode ?? '', error.code]
      : []
  const known = CODES.find(([prefix]) => codes.some(code => code.startsWith(prefix)))
  if (known === undefined) return new SqlError('other', said, error)
  const [, kind, message] = known
  if (message === '') return new SqlError(kind, said, error)
  return new SqlError(kind, `the ledger ${path} ${message}`, error, `it ${message}`)
}

/** By prefix of the extended or the plain result code (sqlite.org/rescode.html). An empty message keeps SQLite's own. */
const CODES = [
  ['SQLITE_BUSY', 'busy', 'is locked by another process'],
  ['SQLITE_LOCKED', 'busy', 'is locked by another process'],
  ['SQLITE_CONSTRAINT_UNIQUE', 'unique', ''],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 'unique', ''],
  ['SQLITE_NOTADB', 'unavailable', 'is not a SQLite database; move it away or restore a backup'],
  ['SQLITE_CORRUPT', 'unavailable', 'is damaged; restore a backup'],
  ['SQLITE_FULL', 'unavailable', "can't grow: the disk is full"],
  ['SQLITE_READONLY', 'unavailable', "can't be written: check the rights of the file and its folder"],
  ['SQLITE_CANTOPEN', 'unavailable', "can't be opened: check the path and its rights"],
  ['SQLITE_PERM', 'unavailable', "can't be opened: check the path and its rights"],
  ['SQLITE_IOERR', 'unavailable', "can't be read or written: the disk or file system failed"],
] as const
