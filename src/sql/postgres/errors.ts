import { SqlError, type SqlErrorKind } from '../port.ts'

/** An error that the server itself reported, with its SQLSTATE. Anything else that is thrown is a lost connection. */
interface ServerError extends Error {
  readonly code: string
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && error.name === 'PostgresError'
}

/**
 * Whether a connection is of no more use: it is lost, or the server is about to end it. Class 08 counts also where the
 * connection lives on, because a pooler and a foreign table say it of the connection behind them.
 */
export function isBroken(error: unknown): boolean {
  const cause = error instanceof SqlError ? error.cause : error
  if (cause === undefined) return false
  // 25006: it is a standby now, so another host may take writes.
  return !isServerError(cause) || /^(?:08|57P|25006|26000)/.test(cause.code)
}

/** Whether something in between took a statement that was prepared to another connection of its own. */
export function hasLostPlan({ cause }: SqlError): boolean {
  return isServerError(cause) && cause.code === '26000'
}

/** Whether a server that is restarted or moved may answer the next time; a wrong password stays wrong. */
export function mayComeBack({ kind, cause }: SqlError): boolean {
  if (kind !== 'unavailable' || cause === undefined) return false
  if (isServerError(cause)) return /^(?:08|57P|53300|25006)/.test(cause.code)
  return !isConfiguration(cause)
}

export function toSqlError(error: unknown): SqlError {
  if (error instanceof SqlError) return error
  if (isServerError(error)) return fromServer(error)
  const { code = '', message } = error as NodeJS.ErrnoException
  const known = NETWORK.find(([prefix]) => code.startsWith(prefix))?.[1]
  if (known !== undefined) return new SqlError('unavailable', `${known}${hostText(error)}`, error, known)
  if (isConfiguration(error)) return new SqlError('unavailable', certificateProblem(message), error)
  return new SqlError('unavailable', LOST, error, LOST)
}

/** The host and port that an error names, as ` (db.example.com:5432)`; nothing where it names none. */
function hostText(error: unknown): string {
  const { address, hostname, host, port } = error as Partial<Record<string, unknown>>
  const names = [hostname, address, host].flat().filter(text => typeof text === 'string' && text !== '')
  const numbers = [port].flat().filter(number => typeof number === 'number')
  const place = [...names.slice(0, 1), ...numbers.slice(0, 1)].map(String).join(':')
  return names.length === 0 ? '' : ` (${place})`
}

/** The same for a connection that could not be opened, where whatever the server says keeps everything from working. */
export function toOpenError(error: unknown): SqlError {
  const failure = toSqlError(error)
  if (failure.kind !== 'other') return failure
  return new SqlError('unavailable', `the database refuses the connection: ${failure.message}`, error)
}

function fromServer(error: ServerError): SqlError {
  const { code, message } = error
  if (code === '28000') return new SqlError('unavailable', authorizationProblem(message), error)
  const known = SQLSTATES.find(([prefix]) => code.startsWith(prefix))
  if (known === undefined) return new SqlError('other', message, error)
  const [, kind, text] = known
  return text === '' ? new SqlError(kind, message, error) : new SqlError(kind, text, error, text)
}

/** What pg_hba.conf of the server doesn't let in. */
function authorizationProblem(message: string): string {
  return /no encryption|SSL off/.test(message)
    ? 'the database takes encrypted connections only: add sslmode=require, or verify-full, to the database URL'
    : `the database does not let this user in from here: ${message}`
}

function certificateProblem(message: string): string {
  return `the certificate of the database is not accepted: ${message}; sslrootcert=FILE names the authority to trust`
}

/** OpenSSL's and Node's names for what is wrong with a certificate. */
function isConfiguration(error: unknown): boolean {
  return /^(?:CERT_|ERR_TLS|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|CRL_)/.test(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}

const LOST = 'the connection to the database was lost'

/** By prefix (PostgreSQL, Appendix A). An empty text keeps the server's own. */
const SQLSTATES: readonly (readonly [prefix: string, kind: SqlErrorKind, text: string])[] = [
  ['23505', 'unique', ''],
  ['40001', 'serialization', 'a concurrent transaction got in the way'],
  ['40P01', 'serialization', 'a concurrent transaction got in the way'],
  // A prepared statement that another server's migration has changed the answer of; the next one is prepared again.
  ['0A000', 'serialization', ''],
  ['26000', 'serialization', 'a pooler lost a prepared statement; put prepare=false into the database URL'],
  ['55P03', 'busy', 'the ledger is locked by another transaction'],
  ['57014', 'unavailable', 'the database took too long'],
  ['28', 'unavailable', 'the database refuses the user or password of the database URL'],
  ['3D000', 'unavailable', 'there is no database of the name in the database URL'],
  [
    '42501',
    'unavailable',
    'the user of the database URL lacks rights on the database or its tables; its owner runs `svc ledger migrate`',
  ],
  ['25006', 'unavailable', 'the database is read-only: it is a standby or set so'],
  ['53100', 'unavailable', 'the disk of the database is full'],
  ['53', 'unavailable', 'the database takes no more connections or has no memory left'],
  ['57P', 'unavailable', 'the database is starting or shutting down'],
  ['08', 'unavailable', LOST],
]

/** By prefix of Node's and the driver's codes. */
const NETWORK: readonly (readonly [prefix: string, text: string])[] = [
  ['ECONNREFUSED', 'the database refuses the connection: is it running, and the URL right?'],
  ['ENOENT', 'there is no socket of a database in that folder: is it running, and the URL right?'],
  ['ENOTFOUND', 'the host of the database URL is not known'],
  ['EAI_AGAIN', 'the host of the database URL is not known'],
  ['EHOSTUNREACH', "the host of the database can't be reached"],
  ['ENETUNREACH', "the host of the database can't be reached"],
  ['CONNECT_TIMEOUT', 'the database does not answer'],
  ['CONNECTION_CLOSED', 'the database closed the connection: it restarted, or something in between did'],
]
