import { type Client, type InStatement, LibsqlError, createClient } from '@libsql/client/http'
import { atMost, inTime, requireTime } from '../deadline.ts'
import {
  type CallOptions,
  type Deadline,
  type Result,
  type Sql,
  SqlError,
  type SqlErrorKind,
  type Statement,
} from '../port.ts'
import { CLOCK } from '../dialect.ts'
import { readRemoteUrl } from './remote_url.ts'
import { toResult } from './rows.ts'
import { persistently } from '../retry.ts'
import { WRITE_NOTHING, writeHealth } from '../write_health.ts'

export interface RemoteOptions {
  /** `libsql://`, `https://` or `http://`, with `authToken` in its query where none is given apart. */
  readonly url: string
  readonly authToken?: string | undefined
  /** Called before a try is repeated, with why. */
  readonly onRetry?: (reason: string) => void
}

const PATIENCE = { tries: 5, pauseMs: 50 }
/** For migrations, repairs and copies. */
const PATIENT_MS = 600_000
const MAX_REQUESTS = 100

/**
 * A SQLite database behind libsql-server, or Turso, by HTTP. Each operation is one request and a transaction of its
 * own, so nothing rests on a session. Throws {@link SqlError} for a URL that can't be read.
 */
export function openRemoteLibsql({ url, authToken, onRetry }: RemoteOptions): Sql {
  const { address, token = authToken, queryTimeoutMs } = readRemoteUrl(url)
  const clients = new Map<number, Client>()
  const clientFor = (timeoutMs: number): Client => {
    const client =
      clients.get(timeoutMs) ??
      createClient({
        url: address,
        ...(token === undefined ? {} : { authToken: token }),
        concurrency: MAX_REQUESTS,
        fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
      })
    clients.set(timeoutMs, client)
    return client
  }

  const underWay = new Set<Promise<unknown>>()
  let isClosed = false
  function insist<T>(
    attempt: (client: Client, deadline: Deadline) => Promise<T>,
    { timeoutMs = queryTimeoutMs, deadline: caller }: CallOptions = {},
  ): Promise<T> {
    if (isClosed) return Promise.reject(new SqlError('unavailable', 'the ledger is closed'))
    const client = clientFor(timeoutMs)
    const deadline = atMost(timeoutMs, caller)
    const done = persistently(() => attempt(client, deadline), {
      toSqlError,
      patienceFor,
      deadline,
      onRetry,
    }).finally(() => underWay.delete(done))
    underWay.add(done)
    return done
  }
  const read = (statements: readonly Statement[], options?: CallOptions): Promise<Result[]> =>
    insist(async (client, deadline) => {
      requireTime(deadline)
      const sets = client.batch(statements.map(toLibsql), 'read')
      return (await answered(sets, 'unavailable', deadline)).map(toResult)
    }, options)
  const write = (statements: readonly Statement[], options?: CallOptions): Promise<Result[]> =>
    insist((client, deadline) => writeOnce(client, statements.map(toLibsql), deadline), options)
  const health = writeHealth(() => write([WRITE_NOTHING]))
  return {
    dialect: 'sqlite',
    clock: CLOCK,
    options: { timeoutMs: queryTimeoutMs, patientMs: PATIENT_MS },
    query: async (statement, options) => (await read([statement], options))[0]!,
    snapshot: async (statements, options) => (statements.length === 0 ? [] : read(statements, options)),
    batch: (statements, options) => health.noted(write(statements, options)),
    check: async (statement, access) => {
      await read([statement])
      if (access === 'write') await health.check()
    },
    // There is no connection to end, only requests to wait for.
    close: async () => {
      isClosed = true
      await Promise.allSettled(underWay)
    },
  }
}

/** One transaction. Where the answer is lost, or not there in time, nothing tells whether it was done. */
async function writeOnce(client: Client, statements: InStatement[], deadline: Deadline): Promise<Result[]> {
  requireTime(deadline)
  try {
    return (await answered(client.batch(statements, 'write'), 'uncertain', deadline)).map(toResult)
  } catch (error) {
    const failure = toSqlError(error)
    if (failure.kind !== 'unavailable' || isUndone(error)) throw failure
    throw new SqlError('uncertain', failure.message, error)
  }
}

/** What a request gave; where that is not there in time, an error of this kind. */
function answered<T>(work: Promise<T>, kind: SqlErrorKind, deadline: Deadline): Promise<T> {
  return inTime(work, deadline, error => new SqlError(kind, LATE, error, LATE))
}

const LATE = 'libSQL does not answer in time'

/** Another writer, or a server on its way back. */
function patienceFor({ kind, cause }: SqlError): typeof PATIENCE | undefined {
  return kind === 'busy' || (kind === 'unavailable' && !isUndone(cause, 'for good')) ? PATIENCE : undefined
}

/** A number would arrive as a double, whatever it is. */
function toLibsql({ text, params }: Statement): InStatement {
  return { sql: text, args: params.map(param => (Number.isSafeInteger(param) ? BigInt(param!) : param)) }
}

function toSqlError(error: unknown): SqlError {
  if (error instanceof SqlError) return error
  const status = statusOf(error)
  if (status !== undefined) return new SqlError('unavailable', STATUSES[status] ?? 'libSQL failed', error)
  const { message } = error as Error
  if (error instanceof LibsqlError) {
    const known = KINDS.find(([pattern]) => pattern.test(`${error.code} ${message}`))
    return new SqlError(known?.[1] ?? 'other', known?.[2] ?? message, error)
  }
  const known = networkCode(error)
  return new SqlError('unavailable', (known && NETWORK[known]) ?? 'the connection to libSQL was lost', error)
}

/** Whether a request was certainly not done; `for good`: and would not be if it were repeated. */
function isUndone(error: unknown, howLong: 'yet' | 'for good' = 'yet'): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status < 500
  const code = networkCode(error)
  if (howLong === 'yet') return code !== undefined && code in NETWORK
  return code === undefined ? error instanceof LibsqlError : CERTIFICATE.test(code)
}

/** The HTTP status of an answer that is no result. */
function statusOf(error: unknown): number | undefined {
  const cause = error instanceof LibsqlError ? error.cause : undefined
  const { status } = (cause ?? {}) as { status?: unknown }
  return typeof status === 'number' ? status : undefined
}

/** The code of a connection that did not come about or ended, where the runtime tells one. */
function networkCode(error: unknown): string | undefined {
  const { cause } = error as Error
  const { code } = (cause ?? error) as NodeJS.ErrnoException
  return typeof code === 'string' ? code : undefined
}

const STATUSES: Readonly<Record<number, string>> = {
  401: 'libSQL refuses the token: is it in the database URL, or in SERVICE_DATABASE_AUTH_TOKEN?',
  403: 'the token does not allow this on the libSQL database',
  404: 'there is no libSQL database of that name on the host of the database URL',
}

/** By the code and text of what the database itself says. */
const KINDS: readonly (readonly [pattern: RegExp, kind: SqlErrorKind, text?: string])[] = [
  [/UNIQUE constraint failed|PRIMARY KEY constraint failed/i, 'unique'],
  [
    /SQLITE_BUSY|database is locked|TRANSACTION_TIMEOUT|TRANSACTION_BUSY/i,
    'busy',
    'libSQL is locked by another writer',
  ],
  [/SQLITE_FULL/, 'unavailable', 'the disk of libSQL is full'],
  [/SQLITE_READONLY|BLOCKED/, 'unavailable', 'the libSQL database takes no writes'],
  [/SQLITE_(?:CORRUPT|IOERR|CANTOPEN)/, 'unavailable', 'libSQL can not read or write its file'],
  [/HRANA_|SERVER_ERROR|INTERNAL_ERROR/, 'unavailable', 'the connection to libSQL was lost'],
]

const CERTIFICATE = /^(?:CERT_|ERR_TLS|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/

/** Of these, nothing has reached the database. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'libSQL refuses the connection: is it running, and the URL right?',
  ENOTFOUND: 'the host of the database URL is not known',
  EAI_AGAIN: 'the host of the database URL is not known',
  EHOSTUNREACH: "the host of libSQL can't be reached",
  ENETUNREACH: "the host of libSQL can't be reached",
  UND_ERR_CONNECT_TIMEOUT: 'libSQL does not answer',
}
