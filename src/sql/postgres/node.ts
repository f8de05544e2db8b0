import { readFileSync } from 'node:fs'
import { type Socket, isIP, createConnection } from 'node:net'
import { userInfo } from 'node:os'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { type Sql, SqlError } from '../port.ts'
import { postgresLedger } from './postgres.ts'
import type { Wire } from './session.ts'
import { type Host, type PostgresSettings, type Variables, readSettings } from './settings.ts'

export interface NodePostgresOptions {
  readonly url: string
  /** Where the PG variables are looked up. */
  readonly variables?: Variables
  /** Called before a try is repeated, with why. */
  readonly onRetry?: (reason: string) => void
}

/** A PostgreSQL database over Node's own sockets. Throws {@link SqlError} for a URL or a file it names that can't be read. */
export function openPostgres({ url, variables = {}, onRetry }: NodePostgresOptions): Sql {
  const read = readSettings(url, variables)
  const user = read.user ?? systemUser()
  const database = read.database ?? user
  const hosts = read.hosts.map(host => withPassword(host, read, { user, database }))
  const settings = { ...read, user, database, hosts }
  const encryption = settings.sslmode === 'disable' ? undefined : encryptionOf(settings)
  return postgresLedger({
    settings,
    connect: (host, { sslmode }, until) => connectTo(host, sslmode, encryption, until),
    ...(onRetry === undefined ? {} : { onRetry }),
  })
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return 'postgres'
  }
}

/** With the password of its own that the password file has for it, where the URL names none. */
function withPassword(
  host: Host,
  { password, passfile }: PostgresSettings,
  who: { user: string; database: string },
): Host {
  if (password !== undefined || passfile === undefined) return host
  const found = passwordFromFile(passfile, { ...host, ...who })
  return found === undefined ? host : { ...host, password: found }
}

/** What encryption is checked by. `require` encrypts and checks nothing, as libpq does without an authority. */
function encryptionOf({ sslmode, sslrootcert, sslcert, sslkey }: PostgresSettings): ConnectionOptions {
  const pem = (path: string): Buffer => readOrRefuse(path, 'certificate')
  const authority = sslrootcert === undefined || sslrootcert === 'system' ? undefined : pem(sslrootcert)
  const checks = sslmode.startsWith('verify') || authority !== undefined
  return {
    rejectUnauthorized: checks,
    ...(authority === undefined ? {} : { ca: authority }),
    ...(sslcert === undefined ? {} : { cert: pem(sslcert) }),
    ...(sslkey === undefined ? {} : { key: pem(sslkey) }),
    ...(sslmode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}

function readOrRefuse(path: string, what: 'certificate' | 'password'): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new SqlError('unavailable', `the ${what} file ${path} can't be read`, error)
  }
}

/** The password that a line of the file has for this place (PostgreSQL, 34.16). */
function passwordFromFile(
  path: string,
  { host, port, user, database }: Host & { user: string; database: string },
): string | undefined {
  const wanted = [host, String(port), database, user]
  const lines = readOrRefuse(path, 'password').toString('utf8').split(/\r?\n/)
  for (const line of lines) {
    if (line.startsWith('#')) continue
    const fields = Array.from(line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g), ([, field]) =>
      field!.replaceAll(/\\(.)/g, '$1'),
    )
    const password = fields[4]
    const fits = wanted.every((value, index) => fields[index] === '*' || fields[index] === value)
    if (fits && password !== undefined) return password
  }
  return undefined
}

async function connectTo(
  { host, port }: Host,
  sslmode: PostgresSettings['sslmode'],
  encryption: ConnectionOptions | undefined,
  until: number,
): Promise<Wire> {
  const isFolder = host.startsWith('/')
  const socket = isFolder ? createConnection(`${host}/.s.PGSQL.${port}`) : createConnection({ host, port })
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error('no connection in time'), { code: 'CONNECT_TIMEOUT' })),
    Math.max(0, until - performance.now()),
  )
  try {
    await arrival(socket, 'connect')
    if (encryption === undefined || isFolder) return wireOf(socket)
    return await encrypted(socket, host, sslmode, encryption)
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The message with which a client asks for encryption (PostgreSQL, 53.2.10). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

async function encrypted(
  socket: Socket,
  host: string,
  sslmode: PostgresSettings['sslmode'],
  options: ConnectionOptions,
): Promise<Wire> {
  socket.write(SSL_REQUEST)
  const answer = (await arrival(socket, 'data')) as Buffer
  // More than the one byte was put there by somebody in between, to be taken for what came encrypted.
  if (answer.length !== 1) throw new SqlError('unavailable', 'the database does not speak its protocol')
  if (answer[0] !== 83) {
    if (sslmode === 'prefer') return wireOf(socket)
    throw new SqlError(
      'unavailable',
      `the database takes no encrypted connections, and sslmode is ${sslmode}`,
    )
  }
  const secure = connectTls({ ...options, socket, ...(isIP(host) > 0 ? {} : { servername: host }), host })
  try {
    await arrival(secure, 'secureConnect')
  } catch (error) {
    secure.destroy()
    throw error
  }
  return { socket: secure, destroy: () => (secure.destroy(), void socket.destroy()) }
}

function wireOf(socket: Socket): Wire {
  return { socket, destroy: () => void socket.destroy() }
}

/** The first `event` of a socket. Throws where it ends before. */
function arrival(socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      socket.removeListener(event, onEvent)
      socket.removeListener('error', onError)
      socket.removeListener('close', onClose)
      act()
    }
    const onEvent = (value: unknown): void => settle(() => resolve(value))
    const onError = (error: Error): void => settle(() => reject(error))
    const onClose = (): void =>
      settle(() => reject(Object.assign(new Error('closed'), { code: 'CONNECTION_CLOSED' })))
    socket.once(event, onEvent)
    socket.once('error', onError)
    socket.once('close', onClose)
  })
}
