import { DATABASE_URL, DATABASE_URLS } from '../base/text.ts'
import { badRequest } from '../base/errors.ts'
import type { Tokens } from '../http/access/access.ts'

/** The environment variables of the service, read and checked once. */
export interface Environment {
  readonly databaseUrl: string | undefined
  /** A copy that follows the database, for reads that may be late. */
  readonly readDatabaseUrl: string | undefined
  /** For remote libSQL, where the URL holds none. */
  readonly databaseAuthToken: string | undefined
  /** What PostgreSQL's own variables say of what the URL leaves out. */
  readonly postgres: Readonly<Record<string, string | undefined>>
  readonly tokens: Tokens
  /** Total wait for another process's lock, ms. */
  readonly sqliteBusyTimeoutMs: number
  /** Wait beyond that, ms; 0 where retrying is switched off. */
  readonly sqliteLockRetryMs: number
  /** Whether run events too are on the disk when they are answered. */
  readonly sqliteAlwaysDurable: boolean
  /** Where the command line sends its requests instead of to the ledger of this folder. */
  readonly serviceUrl: string | undefined
  readonly serviceProfile: string | undefined
  /** A private key in PEM, or on Node the path of a file that holds it. */
  readonly signingKey: string | undefined
  readonly actor: string
  /** A variable that service.yaml refers to by its name; undefined where it is not set or blank. */
  readonly secret: (name: string) => string | undefined
}

/** Who asks where the environment names nobody (specification, Command-line interface). */
export const UNKNOWN_ACTOR = 'unknown'

type Variables = Readonly<Record<string, string | undefined>>

/** Throws 400 naming the variable that can't be read. */
export function readEnvironment(variables: Variables): Environment {
  const text = (name: string): string | undefined => {
    const value = variables[name]?.trim()
    return value === '' ? undefined : value
  }
  const lockTimeoutS = readNumber('SERVICE_SQLITE_LOCK_TIMEOUT_S', text, 30)
  const retries = readFlag('SERVICE_SQLITE_RETRY_ON_LOCK', text, true)
  return {
    databaseUrl: readDsn('SERVICE_DATABASE_URL', text),
    readDatabaseUrl: readDsn('SERVICE_READ_DATABASE_URL', text),
    databaseAuthToken: text('SERVICE_DATABASE_AUTH_TOKEN'),
    postgres: Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('PG'))),
    tokens: {
      main: text('SERVICE_LOCAL_API_TOKEN'),
      previous: text('SERVICE_LOCAL_API_TOKEN_PREVIOUS'),
      ingest: text('SERVICE_INGEST_TOKEN'),
      read: text('SERVICE_READ_TOKEN'),
    },
    sqliteBusyTimeoutMs: readNumber('SERVICE_SQLITE_BUSY_TIMEOUT_MS', text, 5000),
    sqliteLockRetryMs: retries ? lockTimeoutS * 1000 : 0,
    sqliteAlwaysDurable: readSynchronous('SERVICE_SQLITE_SYNCHRONOUS', text) === 'full',
    serviceUrl: text('SERVICE_URL'),
    serviceProfile: text('SERVICE_PROFILE'),
    signingKey: text('SERVICE_SIGNING_KEY'),
    actor: text('USER') ?? text('USERNAME') ?? UNKNOWN_ACTOR,
    secret: text,
  }
}

type Lookup = (name: string) => string | undefined

/** A DSN can hold a password, so the error doesn't show it. */
function readDsn(name: string, text: Lookup): string | undefined {
  const given = text(name)
  if (given === undefined || DATABASE_URL.test(given)) return given
  throw badRequest(`${name} must be ${DATABASE_URLS}.`)
}

function readNumber(name: string, text: Lookup, otherwise: number): number {
  const given = text(name)
  if (given === undefined) return otherwise
  const number = Number(given)
  if (Number.isFinite(number) && number >= 0) return number
  throw badRequest(`${name} must be a number of at least 0 (it is '${given}').`)
}

function readSynchronous(name: string, text: Lookup): 'normal' | 'full' {
  const given = (text(name) ?? 'normal').toLowerCase()
  if (given === 'normal' || given === 'full') return given
  throw badRequest(`${name} must be normal or full (it is '${given}').`)
}

const FLAGS: Readonly<Record<string, boolean>> = {
  '1': true,
  true: true,
  yes: true,
  on: true,
  '0': false,
  false: false,
  no: false,
  off: false,
}

function readFlag(name: string, text: Lookup, otherwise: boolean): boolean {
  const given = text(name)
  if (given === undefined) return otherwise
  const value = FLAGS[given.toLowerCase()]
  if (value !== undefined) return value
  throw badRequest(`${name} must be 1 or 0 (it is '${given}').`)
}
