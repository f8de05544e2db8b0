import { LibsqlError } from '@libsql/client/http'
import { SqlError, type SqlErrorKind } from '../port.ts'

export function toSqlError(error: unknown): SqlError {
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

/** Whether what was asked for was certainly not done; `for good`: and would not be, were it asked for again. */
export function isUndone(error: unknown, howLong: 'yet' | 'for good' = 'yet'): boolean {
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
  EHOSTUNREACH: 'the host of libSQL can not be reached',
  ENETUNREACH: 'the host of libSQL can not be reached',
  UND_ERR_CONNECT_TIMEOUT: 'libSQL does not answer',
}
