import { SqlError } from '../port.ts'

/** One server of a database URL: a host and port, or the folder of a Unix socket. */
export interface Host {
  readonly host: string
  readonly port: number
  /** Its own, where the settings name none for all. */
  readonly password?: string
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
const SESSION_ATTRS = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const

/** What a database URL and the PG variables say. */
export interface PostgresSettings {
  /** Tried in order until one answers that is of the wanted kind. */
  readonly hosts: readonly Host[]
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  readonly sslmode: (typeof SSL_MODES)[number]
  /** Paths of PEM files; `system` names the authorities that the runtime trusts. */
  readonly sslrootcert: string | undefined
  readonly sslcert: string | undefined
  readonly sslkey: string | undefined
  readonly passfile: string | undefined
  readonly sessionAttrs: (typeof SESSION_ATTRS)[number]
  readonly applicationName: string
  /** Connections of this process, at most. */
  readonly max: number
  /** Which statements are prepared by name; a pooler must know that. The frequent ones only where none is in between. */
  readonly prepare: 'all' | 'frequent' | 'none'
  readonly connectTimeoutMs: number
  /** How long an operation may take in all, waiting for a connection included. */
  readonly queryTimeoutMs: number
  /** Parameters that the server itself is started with for each connection. */
  readonly startup: Readonly<Record<string, string>>
}

export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Reads `postgresql://user:password@host:port,host:port/database?name=value` as libpq does (PostgreSQL, 34.1.1.2);
 * what it leaves out comes from the PG variables. Throws {@link SqlError} that names the part at fault, and never
 * holds the URL itself: it may have a password in it.
 */
export function readSettings(url: string, variables: Variables = {}): PostgresSettings {
  const { user, password, places, database, parameters } = splitUrl(url)
  const take = (name: string, variable?: string): string | undefined => {
    const value = parameters.get(name) ?? (variable === undefined ? undefined : variables[variable])
    parameters.delete(name)
    return value === undefined || value === '' ? undefined : value
  }
  const number = (name: string, otherwise: number, variable?: string): number => {
    const value = take(name, variable)
    const read = value === undefined ? otherwise : Number(value)
    if (Number.isInteger(read) && read > 0) return read
    throw problem(`has ${name}=${value}, which is no whole number above 0`)
  }
  const one = <const T extends string>(
    name: string,
    values: readonly T[],
    variable: string,
  ): T | undefined => {
    const isInUrl = parameters.has(name)
    const value = take(name, variable)
    if (value === undefined || (values as readonly string[]).includes(value)) return value as T | undefined
    const allowed = `it must be one of ${values.join(', ')}`
    if (isInUrl) throw problem(`has ${name}=${value}; ${allowed}`)
    throw new SqlError('unavailable', `${variable} is ${value}; ${allowed}`)
  }
  const hostsApart = take('host') ?? (places === '' ? (variables.PGHOST ?? 'localhost') : undefined)
  const sslrootcert = take('sslrootcert', 'PGSSLROOTCERT')
  const settings: PostgresSettings = {
    hosts: hostsOf(hostsApart ?? places, {
      port: take('port', 'PGPORT') ?? '5432',
      isUrl: hostsApart === undefined,
    }),
    user: take('user') ?? (user || variables.PGUSER),
    password: take('password') ?? (password || variables.PGPASSWORD),
    database: take('dbname') ?? (database || variables.PGDATABASE),
    // An authority is named to be checked.
    sslmode:
      one('sslmode', SSL_MODES, 'PGSSLMODE') ?? (sslrootcert === undefined ? 'disable' : 'verify-full'),
    sslrootcert,
    sslcert: take('sslcert', 'PGSSLCERT'),
    sslkey: take('sslkey', 'PGSSLKEY'),
    passfile: take('passfile', 'PGPASSFILE'),
    sessionAttrs: one('target_session_attrs', SESSION_ATTRS, 'PGTARGETSESSIONATTRS') ?? 'any',
    applicationName: take('application_name', 'PGAPPNAME') ?? 'release-governance',
    max: number('max', 10),
    prepare: prepared(take('prepare')),
    connectTimeoutMs: 1000 * number('connect_timeout', 10, 'PGCONNECT_TIMEOUT'),
    queryTimeoutMs: 1000 * number('query_timeout', 30),
    startup: {},
  }
  const options = take('options', 'PGOPTIONS')
  for (const name of CLIENT_SIDE) parameters.delete(name)
  return {
    ...settings,
    startup: { ...Object.fromEntries(parameters), ...(options === undefined ? {} : { options }) },
  }
}

function prepared(value: string | undefined): PostgresSettings['prepare'] {
  if (value === undefined) return 'frequent'
  if (value === 'true') return 'all'
  if (value === 'false') return 'none'
  throw problem(`has prepare=${value}; it must be true or false`)
}

/** The database for people: its hosts and name, never a user or password. */
export function databaseName(url: string): string {
  try {
    const { places, database } = splitUrl(url)
    return `postgres://${places}${database === '' ? '' : `/${database}`}`
  } catch {
    return 'PostgreSQL'
  }
}

/** Settings of libpq and of other drivers that a server doesn't know (PostgreSQL, 34.1.2). */
const CLIENT_SIDE = [
  'channel_binding',
  'client_encoding',
  'connection_limit',
  'fallback_application_name',
  'gssdelegation',
  'gssencmode',
  'gsslib',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'krbsrvname',
  'load_balance_hosts',
  'max_protocol_version',
  'min_protocol_version',
  'pgbouncer',
  'pool_timeout',
  'require_auth',
  'requirepeer',
  'ssl_max_protocol_version',
  'ssl_min_protocol_version',
  'sslcertmode',
  'sslcompression',
  'sslcrl',
  'sslcrldir',
  'sslnegotiation',
  'sslpassword',
  'sslsni',
  'tcp_user_timeout',
]

interface UrlParts {
  readonly user: string
  readonly password: string
  /** Hosts with their ports, separated by commas. */
  readonly places: string
  readonly database: string
  readonly parameters: Map<string, string>
}

const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i

function splitUrl(url: string): UrlParts {
  const match = URL_FORM.exec(url.trim())
  if (match === null) throw problem('is not a valid postgres:// URL; special characters in it are %-encoded')
  const [, login = '', places = '', database = '', query = ''] = match
  const colon = login.indexOf(':')
  const [user, password] = colon < 0 ? [login, ''] : [login.slice(0, colon), login.slice(colon + 1)]
  return {
    user: decode(user, 'user'),
    password: decode(password, 'password'),
    places: decode(places, 'host'),
    database: decode(database, 'database'),
    parameters: new Map(new URLSearchParams(query)),
  }
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw problem(`has a ${part} with a % that encodes nothing; write %25 for it`)
  }
}

function hostsOf(places: string, { port, isUrl }: { port: string; isUrl: boolean }): Host[] {
  const hosts = places.split(',')
  const ports = port.split(',')
  return hosts.map((place, index) => {
    const match = /^(?:\[([^\]]+)\]|([^:[\]]+)|([0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*))(?::(\d+))?$/i.exec(place)
    // Without brackets nothing tells an address from its port, but where a port is given apart.
    const host = match?.[1] ?? match?.[2] ?? (isUrl ? undefined : match?.[3])
    if (match === null || host === undefined) {
      throw problem(`has the host '${place}', which is none; an IPv6 address stands in brackets: [::1]:5432`)
    }
    const number = Number(match[4] ?? ports[index] ?? ports[0])
    if (Number.isInteger(number) && number > 0 && number < 65_536) return { host, port: number }
    throw problem(`has the port ${match[4] ?? port}, which is none`)
  })
}

function problem(text: string): SqlError {
  return new SqlError('unavailable', `the database URL ${text}`)
}
