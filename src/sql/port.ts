import { sha256 } from '../base/bytes.ts'

/** What a statement may bind and a row may hold. Booleans are 0 and 1, times epoch milliseconds. */
export type Value = string | number | null

/** SQL text with one `?` per parameter, in order; the text has no other `?`. Build it with `sql`. */
export interface Statement {
  readonly text: string
  readonly params: readonly Value[]
  /** Builds what PostgreSQL takes in its place, where that is another text. */
  readonly postgres?: (() => Statement) | undefined
  /** Says that this very text comes so often that a server should keep its plan, and requests may share a transaction for it. */
  readonly isFrequent?: boolean
  /**
   * Says that it makes up for all that was written since it last ran, that nothing before it in its batch needs that, and
   * that its result is not read: where the next of several batches that are committed together has the same of all such
   * statements, they are left to that.
   */
  readonly catchesUp?: boolean
}

/** `changes` counts inserted, updated or deleted rows; with RETURNING it is the number of rows returned. */
export interface Result {
  readonly rows: Row[]
  readonly changes: number
}

export type Row = Record<string, Value>

/**
 * The database as the ledger sees it: one SQLite file, a PostgreSQL database, or D1.
 * All methods throw {@link SqlError}; transient ones have been retried within bounds before that.
 */
export interface Sql {
  readonly dialect: 'sqlite' | 'postgres'
  /** The database's own clock. What is due is decided by no other. */
  readonly clock: DatabaseClock
  /** The options of calls that give none of their own. */
  readonly options: Options
  /** One read, on its own. What writes goes through `batch`, even if it is one statement. */
  query(statement: Statement, options?: CallOptions): Promise<Result>
  /** Several reads that see the same state of the database. */
  snapshot(statements: readonly Statement[], options?: CallOptions): Promise<Result[]>
  /** One write transaction: all statements or none. No statement can branch on another's result (D1). */
  batch(statements: readonly Statement[], options?: BatchOptions): Promise<Result[]>
  /**
   * Throws, within seconds, where the database can't be read, is no longer the one that was opened, or can't be written.
   * It writes what changes nothing, at most once a second, and not at all where others have just written or for `read`.
   */
  check(read: Statement, access: 'read' | 'write'): Promise<void>
  /** What not every database can do. */
  readonly extras?: Extras
  close(): Promise<void>
}

/** An expression, epoch milliseconds. */
export interface DatabaseClock extends Statement {
  /** Whether it is this machine's own clock, so that comparing the two says nothing. */
  readonly isLocal?: true
}

/** How a call is carried out. */
export interface CallOptions {
  /** When its caller gives up: after that it neither begins nor waits. */
  readonly deadline?: Deadline | undefined
  /** How long it may take, all waits included, ms. */
  readonly timeoutMs?: number
  /** Says that it reads for seconds, and that no other operation should wait for it. */
  readonly isBackground?: boolean
  /**
   * Says that it reads a few rows by their keys, which takes microseconds: a SQLite file is read in the caller's thread
   * then, because the way to another one and back takes ten times as long.
   */
  readonly isPointRead?: boolean
  /** Says that all of its statements are frequent ones. */
  readonly keepsPlans?: boolean
}

export interface Options extends CallOptions {
  /** Infinity where nothing is cut short. */
  readonly timeoutMs: number
  /** The `timeoutMs` of what takes long by nature, where that is another one. */
  readonly patientMs?: number
}

export interface BatchOptions extends CallOptions {
  /**
   * Answers only when the transaction is on the disk, so that a power cut can't undo it. Without it a SQLite file may
   * lose the last transactions, never a part of one; PostgreSQL and D1 do for every batch what they are set to.
   */
  readonly durable?: boolean
}

export interface Extras {
  /** Whether batches are written in the order in which they come: one may be sent that rests on another, which is still being written. */
  readonly isInOrder?: true
  /**
   * One write transaction of whatever `use` sends in turn. All of it sees the state of the database when `lock` was got,
   * and what it wrote itself. It is not retried. Absent where reads and writes can't take turns (D1), or gain nothing by it.
   */
  readonly transaction?: (lock: Statement, use: (send: Send) => Promise<void>) => Promise<void>
  /** What this process uses of the database. */
  readonly usage?: () => Promise<Usage>
  /** Writes a consistent copy of a database that is a file to a new file. */
  readonly backup?: (path: string) => Promise<void>
  /** What is wrong with a part of such a file, numbered from 0. Reads all of that part. */
  readonly damage?: (part: number) => Promise<Damage>
}

/** Carries out the next statements of a transaction. */
export type Send = (statements: readonly Statement[], options?: CallOptions) => Promise<Result[]>

/** Until when somebody waits for an operation. */
export interface Deadline {
  /** Time that is left, ms; 0 or less once it is over. */
  readonly leftMs: () => number
  /** Aborted when nobody waits any more, such as a client that closed its connection. */
  readonly signal?: AbortSignal | undefined
}

export interface Damage {
  /** In SQLite's words, by table where that is known; empty where the part is whole. */
  readonly found: readonly string[]
  /** How many parts there are. */
  readonly parts: number
}

/** A write-ahead log that is larger was not begun again where it could have been: twice what SQLite lets it grow to. */
export const LARGE_LOG_BYTES = 64 * 1024 * 1024

/** What a process uses of its database, for metrics. */
export interface Usage {
  /** Transactions so far by how many batches were committed in them; the first number is of those with one. */
  readonly commits?: readonly number[]
  /** The write-ahead log of a file: how large it is, and for how long a reader has kept it from being emptied. */
  readonly log?: { readonly bytes: number; readonly stuckMs: number }
  /** Connections to a server: those that are open, of the most there may be, and operations that wait for one. */
  readonly sessions?: {
    readonly most: number
    readonly idle: number
    readonly leased: Readonly<Record<'read' | 'write', number>>
    readonly waiting: Readonly<Record<'read' | 'write', number>>
  }
}

/** One forward-only step of the schema: a file of `migrations/`. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: readonly string[]
  /** Its checksum, where the statements lack their comments. */
  readonly checksum?: string
}

/** What the migrations of a database are noted in; made before the first of them. */
export const VERSION_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL, checksum TEXT
)`

/** The SHA-256 of a migration, its comments included, in hex. */
export async function migrationChecksum({ statements, checksum }: Migration): Promise<string> {
  return checksum ?? sha256(statements.join(';\n\n'))
}

export type SqlErrorKind =
  | 'busy' // another writer holds the database and did not let go in time
  | 'unique' // a unique key exists already
  | 'serialization' // a concurrent transaction won; trying again may succeed
  | 'too_large' // a value is larger than the database takes
  | 'unavailable' // the database can't be reached, opened, read or written
  | 'uncertain' // a commit whose answer was lost: look the record up before trying again
  | 'gone' // nobody waits for it any more, so it was not begun
  | 'other'

export class SqlError extends Error {
  override readonly name = 'SqlError'
  readonly kind: SqlErrorKind
  /** Why, for anybody who asks: without a path, a name, or what the database said. */
  readonly reason: string | undefined

  constructor(kind: SqlErrorKind, message: string, cause?: unknown, reason?: string) {
    super(message, { cause })
    this.kind = kind
    this.reason = reason
  }
}

/** The reason of `busy` where no lock was in the way, but the time of the caller was over. */
export const LATE = 'what was asked takes longer than a request may'

/** What is thrown in place of work that nobody waits for any more. */
export function goneError(): SqlError {
  return new SqlError('gone', 'nobody waits for this any more')
}

/** Whether work was not done because nobody waits for it: no fault of the database. */
export function isGone(error: unknown): boolean {
  return error instanceof SqlError && error.kind === 'gone'
}

/** The same database for a server that only reads. */
export function onlyReading(db: Sql): Sql {
  const { transaction: _, ...extras } = db.extras ?? {}
  return {
    ...db,
    extras,
    check: read => db.check(read, 'read'),
    batch: () => Promise.reject(new SqlError('unavailable', READ_ONLY, undefined, READ_ONLY)),
  }
}

const READ_ONLY = 'this server only reads'

/**
 * Builds a statement: `${value}` binds a parameter, `${statement}` is spliced in with its own.
 * A value can't become SQL text, so it can't inject any.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly (Value | Statement)[]): Statement {
  let text = strings[0]!
  let isShared = true
  const params: Value[] = []
  for (const [index, value] of values.entries()) {
    if (typeof value === 'object' && value !== null) {
      text += value.text
      params.push(...value.params)
      if (value.postgres !== undefined) isShared = false
    } else {
      text += '?'
      params.push(value)
    }
    text += strings[index + 1]!
  }
  if (isShared) return { text, params }
  let own: Statement | undefined
  return { text, params, postgres: () => (own ??= sql(strings, ...values.map(forPostgres))) }
}

/** A statement as PostgreSQL takes it. A value of any other kind stays as it is. */
export function forPostgres<T extends Value | Statement>(value: T): T | Statement {
  if (typeof value !== 'object' || value?.postgres === undefined) return value
  return value.postgres()
}

/** SQL as it is: text of ours, never of a user. */
export function raw(text: string): Statement {
  return { text, params: [] }
}

/** Statements joined by a separator, e.g. conditions by ` AND `. */
export function join(statements: readonly Statement[], separator: string): Statement {
  const joined = {
    text: statements.map(statement => statement.text).join(separator),
    params: statements.flatMap(statement => statement.params),
  }
  if (statements.every(({ postgres }) => postgres === undefined)) return joined
  return { ...joined, postgres: () => join(statements.map(forPostgres), separator) }
}

/** The rows of one query. */
export async function rowsOf(db: Sql, statement: Statement): Promise<Row[]> {
  return (await db.query(statement)).rows
}

/**
 * The version that an unfinished copy of a ledger has besides its own: no program knows it, so none takes the copy
 * for a ledger before it is whole.
 */
export const UNFINISHED_VERSION = 1_000_000

export function markUnfinished(now: number): Statement {
  return sql`INSERT INTO schema_migrations (version, name, applied_at)
    VALUES (${UNFINISHED_VERSION}, 'unfinished_copy', ${now}) ON CONFLICT DO NOTHING`
}

export const MARK_FINISHED: Statement = sql`DELETE FROM schema_migrations WHERE version = ${UNFINISHED_VERSION}`
