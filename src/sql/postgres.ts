import postgres from 'postgres'
import { type Session, openSessions } from './postgres_sessions.ts'
import { type Result, type Row, type Sql, SqlError, type SqlErrorKind, type Statement } from './port.ts'

export interface PostgresOptions {
  /**
   * `postgres://user:password@host/database`. Read from its query besides what the driver knows: `max` connections
   * (10), `prepare=false` for poolers that keep no session, `connect_timeout` in seconds (10).
   */
  readonly url: string
  /** Called before a try is repeated, with why. */
  readonly onRetry?: (reason: string) => void
}

/** How often a transaction is tried that another one got in the way of, and for how long a lost server is sought. */
const MAX_CONFLICTS = 8
const MAX_LOST = 4

/**
 * A PostgreSQL database. It keeps no state in its sessions, so a pooler may stand in between, and relies on READ
 * COMMITTED only.
 */
export function openPostgres({ url, onRetry }: PostgresOptions): Sql {
  const { options, max } = readSettings(url)
  const sessions = openSessions(() => postgres(...options), max, isBroken)
  const numbered = placeholders()
  const run: Run = (session, { text, params }) =>
    session.unsafe<Row[]>(numbered(text), [...params], { prepare: true }).then(toResult)
  return {
    dialect: 'postgres',
    query: statement => persistently(onRetry, () => sessions.lease(session => run(session, statement))),
    snapshot: statements =>
      persistently(onRetry, () => sessions.lease(session => readAll(session, statements, run))),
    batch: statements =>
      persistently(onRetry, () => sessions.lease(session => writeAll(session, statements, run))),
    close: () => sessions.end(),
  }
}

/** A database by its place: what a DSN says but user, password and settings. */
export function databaseName(url: string): string {
  if (!URL.canParse(url)) return 'PostgreSQL'
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}`
}

/** Splits off the settings that are ours. Throws {@link SqlError} without the DSN in it: it may hold a password. */
function readSettings(url: string) {
  if (!URL.canParse(url)) throw new SqlError('unavailable', 'the database URL is not a valid postgres:// URL')
  const parsed = new URL(url)
  const take = (name: string): string | null => {
    const value = parsed.searchParams.get(name)
    parsed.searchParams.delete(name)
    return value
  }
  const number = (name: string, otherwise: number): number => {
    const value = take(name)
    const read = value === null ? otherwise : Number(value)
    if (Number.isInteger(read) && read > 0) return read
    throw new SqlError(
      'unavailable',
      `the database URL has ${name}=${value}, which is no whole number above 0`,
    )
  }
  const [max, connect_timeout] = [number('max', 10), number('connect_timeout', 10)]
  const prepare = take('prepare') !== 'false'
  return { max, options: [parsed.toString(), { ...DRIVER_OPTIONS, prepare, connect_timeout }] as const }
}

const DRIVER_OPTIONS = {
  max: 1,
  idle_timeout: 60,
  // int8 and numeric arrive as text, and all of ours are within what a number holds exactly.
  types: {
    integers: {
      to: 20,
      from: [20, 1700],
      serialize: (value: unknown) => String(value),
      parse: (text: string) => Number(text),
    },
  },
  fetch_types: false,
  onnotice: () => {},
  connection: { application_name: 'release-governance' },
}

/** Rewrites `?` to `$1`, `$2` …; texts repeat, so each is rewritten once. */
function placeholders(): (text: string) => string {
  const known = new Map<string, string>()
  return function numbered(text) {
    const before = known.get(text)
    if (before !== undefined) return before
    let count = 0
    const rewritten = text.replaceAll('?', () => `$${++count}`)
    if (known.size > 1000) known.clear()
    known.set(text, rewritten)
    return rewritten
  }
}

function toResult(rows: postgres.RowList<Row[]>): Result {
  const hasRows = rows.columns !== undefined && rows.columns.length > 0
  return { rows: hasRows ? rows.map(row => ({ ...row })) : [], changes: rows.count ?? 0 }
}

type Run = (session: Pick<Session, 'unsafe'>, statement: Statement) => Promise<Result>

/** Reads of one state of the database. */
async function readAll(session: Session, statements: readonly Statement[], run: Run): Promise<Result[]> {
  if (statements.length === 1) return [await run(session, statements[0]!)]
  return session.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', tx => runAll(tx, statements, run))
}

/**
 * One transaction. Once COMMIT is on its way, a lost connection leaves open whether it was done: that error says
 * so. A statement alone commits by itself, so losing it is always open.
 */
async function writeAll(session: Session, statements: readonly Statement[], run: Run): Promise<Result[]> {
  let committing = statements.length === 1
  try {
    if (statements.length === 1) return [await run(session, statements[0]!)]
    return await session.begin('ISOLATION LEVEL READ COMMITTED', async tx => {
      const results = await runAll(tx, statements, run)
      committing = true
      return results
    })
  } catch (error) {
    if (!committing || !isConnectionLost(error)) throw error
    throw new SqlError('uncertain', 'the connection was lost while the ledger was written', error)
  }
}

/**
 * The statements of a transaction. Where its connection is lost, this waits for ever and `begin` throws: told of the
 * failure, it would send a ROLLBACK to nobody, which ends the process (driver 3.4.9).
 */
async function runAll(
  tx: Pick<Session, 'unsafe'>,
  statements: readonly Statement[],
  run: Run,
): Promise<Result[]> {
  const results = statements.map(statement => run(tx, statement))
  const failed = (await Promise.allSettled(results)).find(result => result.status === 'rejected')
  if (failed !== undefined && isConnectionLost(failed.reason)) return new Promise(() => {})
  return Promise.all(results)
}

/** Tries again, with growing pauses, what a concurrent transaction or a lost server kept from being done. */
async function persistently<T>(onRetry: PostgresOptions['onRetry'], attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const failure = toSqlError(error)
      const most = failure.kind === 'serialization' ? MAX_CONFLICTS : mayComeBack(failure) ? MAX_LOST : 0
      if (tries >= most) throw failure
      onRetry?.(failure.message)
      const longest = failure.kind === 'serialization' ? 10 * 2 ** tries : 100 * 2 ** tries
      await new Promise(resolve => setTimeout(resolve, longest * (0.5 + Math.random() / 2)))
    }
  }
}

function toSqlError(error: unknown): SqlError {
  if (error instanceof SqlError) return error
  const code = codeOf(error)
  const { message } = error as Error
  const known = CODES.find(([prefix]) => code.startsWith(prefix))
  if (known === undefined) return new SqlError('other', message, error)
  const [, kind, text] = known
  return new SqlError(kind, text === '' ? message : text, error)
}

/** What the server, the driver or Node calls the failure. The sockets of Workers have no codes, only words. */
function codeOf(error: unknown): string {
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code !== undefined) return code
  return /connection|network|socket|stream/i.test(message) ? 'SOCKET' : ''
}

/** Whether a connection is of no more use. The driver itself would wait ever longer before it connects again. */
function isBroken(error: unknown): boolean {
  return /^(?:unavailable|uncertain)$/.test(toSqlError(error).kind)
}

/** Whether a server that is restarted or moved may answer the next time; a wrong password stays wrong. */
function mayComeBack({ kind, cause }: SqlError): boolean {
  if (kind !== 'unavailable' || cause === undefined) return false
  return /^(?:57P|08|53300|ECONN|EPIPE|ETIMEDOUT|CONNECT|SOCKET)/.test(codeOf(cause))
}

/** The connection ended in the middle; any other failure is one that the server told, or it wasn't reached. */
function isConnectionLost(error: unknown): boolean {
  const lost = error instanceof SqlError && error.kind === 'uncertain' ? error.cause : error
  return /^(?:CONNECTION_CLOSED|CONNECTION_DESTROYED|ECONNRESET|EPIPE|ETIMEDOUT|57P01|57P02|08|SOCKET)/.test(
    codeOf(lost),
  )
}

/** By prefix: SQLSTATE (PostgreSQL, Appendix A), the driver's codes, Node's. An empty text keeps the server's own. */
const CODES: readonly (readonly [prefix: string, kind: SqlErrorKind, text: string])[] = [
  ['23505', 'unique', ''],
  ['40001', 'serialization', 'a concurrent transaction got in the way'],
  ['40P01', 'serialization', 'a concurrent transaction got in the way'],
  ['55P03', 'busy', 'the ledger is locked by another transaction'],
  ['28', 'unavailable', 'the database refuses the user or password of the database URL'],
  ['3D000', 'unavailable', 'there is no database of the name in the database URL'],
  ['42501', 'unavailable', 'the user of the database URL lacks rights on the database or its tables'],
  ['25006', 'unavailable', 'the database is read-only: it is a standby or set so'],
  ['53100', 'unavailable', 'the disk of the database is full'],
  ['53', 'unavailable', 'the database takes no more connections or has no memory left'],
  ['57P', 'unavailable', 'the database is starting or shutting down'],
  ['08', 'unavailable', 'the connection to the database was lost'],
  ['ECONNREFUSED', 'unavailable', 'the database refuses the connection: is it running, and the URL right?'],
  ['ENOTFOUND', 'unavailable', 'the host of the database URL is not known'],
  ['EAI_AGAIN', 'unavailable', 'the host of the database URL is not known'],
  ['CONNECT_TIMEOUT', 'unavailable', 'the database does not answer'],
  [
    'CONNECTION_',
    'unavailable',
    'the database closed the connection (a restart, or an sslmode it does not take)',
  ],
  ['ECONNRESET', 'unavailable', 'the connection to the database was lost'],
  ['EPIPE', 'unavailable', 'the connection to the database was lost'],
  ['ETIMEDOUT', 'unavailable', 'the connection to the database was lost'],
  ['SOCKET', 'unavailable', 'the database can not be reached'],
]
