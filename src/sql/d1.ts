import { inTime, requireTime } from './deadline.ts'
import {
  type Deadline,
  type Result,
  type Row,
  type Sql,
  SqlError,
  type SqlErrorKind,
  type Statement,
} from './port.ts'
import { CLOCK } from './dialect.ts'
import { type CommitQueue, commitTogether } from './commit_queue.ts'
import { persistently } from './retry.ts'
import { type LastWrite, WRITE_NOTHING, writeHealth } from './write_health.ts'

/** The part of Cloudflare's D1Database that is used here. */
export interface D1Like {
  prepare(text: string): D1StatementLike
  batch(statements: D1StatementLike[]): Promise<D1ResultLike[]>
}

interface D1StatementLike {
  bind(...values: unknown[]): D1StatementLike
  all(): Promise<D1ResultLike>
}

interface D1ResultLike {
  readonly results?: unknown[]
  readonly meta: { readonly changes?: number }
}

/** What the requests of an isolate do together, each of which opens the database for itself. */
interface Together {
  /** Commits frequent batches. */
  readonly queue: CommitQueue
  readonly lastWrite: LastWrite
  /** Lets a request end only behind this, though its client may be gone: others wait for it. */
  keepAlive(work: Promise<unknown>): void
}

/**
 * A D1 database: SQLite behind Cloudflare's API. It knows no transaction but a batch, and binds at most 100
 * parameters, 2 MB each, to a statement of at most 100 kB (https://developers.cloudflare.com/d1/platform/limits/).
 */
export function openD1(database: D1Like, shared?: Together): Sql {
  const prepare = ({ text, params }: Statement): D1StatementLike => database.prepare(text).bind(...params)
  const all = async (statements: readonly Statement[]): Promise<Result[]> =>
    statements.length === 0 ? [] : (await database.batch(statements.map(prepare))).map(toResult)
  const write = async (statements: readonly Statement[]): Promise<Result[]> => {
    try {
      return await all(statements)
    } catch (error) {
      const failure = toSqlError(error)
      // Nothing tells whether it was done before its answer was lost.
      throw failure.kind === 'unavailable' ? new SqlError('uncertain', failure.message, error) : failure
    }
  }
  const writes = writeHealth(() => again(() => all([WRITE_NOTHING])), shared?.lastWrite)
  return {
    dialect: 'sqlite',
    clock: CLOCK,
    options: { timeoutMs: CALLER_MS },
    query: (statement, { deadline } = {}) =>
      again(async () => toResult(await prepare(statement).all()), deadline),
    snapshot: (statements, { deadline } = {}) => again(() => all(statements), deadline),
    batch: async (statements, { deadline } = {}) => {
      requireTime(deadline)
      const isShared = statements.some(({ isFrequent = false }) => isFrequent)
      if (shared === undefined || !isShared) return written(writes.noted(write(statements)), deadline)
      const together = writes.noted(commitTogether(shared.queue, statements, write))
      shared.keepAlive(together.catch(() => {}))
      return written(together, deadline)
    },
    check: async (read, access) => {
      await again(() => all([read]))
      if (access === 'write') await writes.check()
    },
    close: async () => {},
  }
}

function toResult({ results, meta }: D1ResultLike): Result {
  const rows = (results ?? []) as Row[]
  return { rows, changes: rows.length > 0 ? rows.length : (meta.changes ?? 0) }
}

/** D1 gives up after 30 s; a request has one write that may take that long. */
const CALLER_MS = 35_000

/** Reads are tried again; D1 itself does that for some of its failures only. */
async function again<T>(attempt: () => Promise<T>, deadline?: Deadline): Promise<T> {
  requireTime(deadline)
  const tried = persistently(attempt, {
    toSqlError,
    patienceFor: ({ kind }) => (IS_PASSING.has(kind) ? PATIENCE : undefined),
    deadline,
  })
  return inTime(tried, deadline)
}

/** What a batch gave. It can't be taken back where that is not there in time. */
function written(work: Promise<Result[]>, deadline: Deadline | undefined): Promise<Result[]> {
  return inTime(work, deadline, error => new SqlError('uncertain', 'D1 does not answer in time', error))
}

const PATIENCE = { tries: 4, pauseMs: 50 }
const IS_PASSING: ReadonlySet<SqlErrorKind> = new Set(['unavailable', 'busy'])

function toSqlError(error: unknown): SqlError {
  const message = (error as Error).message ?? String(error)
  const known = KINDS.find(([pattern]) => pattern.test(message))
  return new SqlError(known?.[1] ?? 'other', known?.[2] ?? message, error, known?.[2])
}

/** By what D1's messages say (https://developers.cloudflare.com/d1/observability/debug-d1/). */
const KINDS: readonly (readonly [pattern: RegExp, kind: SqlErrorKind, text?: string])[] = [
  [/SQLITE_TOOBIG/i, 'too_large', 'D1 holds no text above 2 MB'],
  [/UNIQUE constraint failed|PRIMARY KEY constraint failed/i, 'unique'],
  [/SQLITE_BUSY|database is locked|overloaded|too many requests/i, 'busy', 'D1 has too much to do'],
  [
    /connection lost|internal error|storage caused object to be reset|reset because its code|timeout|exceeded its (?:memory|cpu)/i,
    'unavailable',
    'the connection to D1 was lost',
  ],
]
