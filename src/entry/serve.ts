import { fileURLToPath } from 'node:url'
import { badRequest } from '../base/errors.ts'
import type { Mode, Tokens } from '../http/access/access.ts'
import { loadHandlers } from '../runtime/answer.ts'
import { openServices } from '../runtime/node/open.ts'
import type { Services } from '../runtime/services.ts'
import { readEnvironment } from '../runtime/environment.ts'
import { type LogFormat, type ServerLog, serverLog } from '../runtime/log.ts'
import { keepHeapSmall } from '../runtime/node/heap.ts'
import { type RunningServer, startServer } from '../runtime/node/server.ts'
import { runOutbox } from '../runtime/outbox.ts'
import { Opened } from '../runtime/services.ts'
import type { Runner } from '../runtime/again.ts'
import { JOBS } from './commands/parts.ts'
import { restartOnChange } from '../runtime/node/reload.ts'
import type { Invocation, Options } from '../cli/arguments/command.ts'
import { endWithin, onStop } from '../cli/terminal/stop.ts'
import { ROOT } from '../runtime/root.ts'
import { runUpkeep } from '../runtime/keep.ts'

/**
 * Serves until SIGTERM or SIGINT, then finishes what is under way, for 25 s at most. A second signal
 * ends it at once.
 */
export async function serve(invocation: Invocation): Promise<number> {
  const { options, io, version } = invocation
  const settings = readSettings(options)
  if (options.flag('reload') === true) {
    return restartOnChange({
      folder: io.cwd,
      argv: childArguments(options),
      say: text => io.err(`svc: ${text}\n`),
    })
  }
  keepHeapSmall()
  const environment = readEnvironment({ ...io.env, ...lockVariables(options) })
  const log = serverLog(settings.log, io.err, Date.now)
  const stop = onStop()
  const opened = new Opened()
  const up = endWithin(stop, log.log)
  try {
    // All are there before the first request: one that finds no file handle for its own would fail.
    const [services] = await Promise.all([
      openServices({
        folder: io.cwd,
        environment,
        version,
        log: log.log,
        ownThread: true,
        readOnly: settings.readOnly,
      }),
      loadHandlers(),
    ])
    opened.add(() => services.sql.close())
    up()
    const server = await listen(await beginJobs(services, settings, io.cwd, opened), settings, log)
    opened.add(() => server.close())
    warn(settings, environment.tokens, io.err)
    const mode = await services.access.mode({ ...services, peer: { kind: 'unknown' } })
    io.out(
      `svc ${version} listening on ${server.url} (ledger ${services.ledgerName}; ${accessText(mode, settings.readOnly)})\n`,
    )
    log.log('info', 'stopping: running requests finish first', { signal: await stop.stopped })
    await opened.close()
    log.log('info', 'stopped')
    return 0
  } catch (error) {
    await opened.close().catch(() => {})
    throw error
  } finally {
    stop.release()
  }
}

/** Starts the background work of a server, and returns what its requests are answered with. */
async function beginJobs(
  services: Services,
  { readOnly }: Settings,
  folder: string,
  opened: Opened,
): Promise<Services> {
  let awake = services
  if (!readOnly) {
    const outbox = runOutbox(services)
    const upkeep = runUpkeep(services)
    opened.add(() => Promise.all([outbox.stop(), upkeep.stop()]))
    awake = { ...services, outboxFilled: outbox.wake }
  }
  const jobs: Runner[] = []
  opened.add(() => Promise.all(jobs.map(job => job.stop())))
  for (const job of JOBS) {
    if (readOnly && job.whileReadOnly !== true) continue
    const run = await job.load()
    jobs.push(await run(awake, { folder }))
  }
  return awake
}

interface Settings {
  readonly host: string
  readonly port: number
  readonly log: LogFormat
  readonly readOnly: boolean
}

function readSettings(options: Options): Settings {
  const host = options.text('host') ?? '127.0.0.1'
  const port = options.number('port') ?? 8765
  if (port > 65_535) throw badRequest(`--port must be at most 65535 (it is ${port}).`)
  const log = (options.text('log') as LogFormat | undefined) ?? 'text'
  return { host, port, log, readOnly: options.flag('read-only') === true }
}

function listen(services: Services, { host, port }: Settings, log: ServerLog): Promise<RunningServer> {
  const trustedProxies = services.workspace.limits?.trusted_proxies ?? []
  return startServer(async () => services, { host, port, log, trustedProxies })
}

/** The lock options that are given, as the environment variables they win over. */
function lockVariables(options: Options): Record<string, string> {
  const seconds = options.text('sqlite-lock-timeout')
  const retry = options.flag('retry-sqlite-lock')
  return {
    ...(seconds === undefined ? {} : { SERVICE_SQLITE_LOCK_TIMEOUT_S: seconds }),
    ...(retry === undefined ? {} : { SERVICE_SQLITE_RETRY_ON_LOCK: retry ? '1' : '0' }),
  }
}

/** The same command without --reload, for the process that is restarted on each change. */
function childArguments(options: Options): string[] {
  const valued = ['host', 'port', 'log', 'sqlite-lock-timeout'].flatMap(name => {
    const value = options.text(name)
    return value === undefined ? [] : [`--${name}=${value}`]
  })
  const retry = options.flag('retry-sqlite-lock')
  const flags = [
    ...(retry === undefined ? [] : [retry ? '--retry-sqlite-lock' : '--no-retry-sqlite-lock']),
    ...(options.flag('read-only') === true ? ['--read-only'] : []),
  ]
  return [fileURLToPath(new URL('bin/svc.cjs', ROOT)), 'serve', ...valued, ...flags]
}

/** Warns of a host that others reach, and of tokens that do nothing or can be guessed. */
function warn({ host }: Settings, tokens: Tokens, err: (text: string) => void): void {
  if (!isLoopback(host)) {
    err(`svc: warning: ${host} is not a loopback address; the service is not meant for public exposure\n`)
  }
  for (const name of uselessTokens(tokens)) {
    err(`svc: warning: ${name} has no effect without SERVICE_LOCAL_API_TOKEN\n`)
  }
  for (const name of shortTokens(tokens)) {
    err(`svc: warning: ${name} is shorter than ${SHORTEST_TOKEN} characters, and can be guessed\n`)
  }
}

function accessText(mode: Mode, readOnly: boolean): string {
  if (readOnly) return mode === 'bearer' ? 'read-only, with a token' : 'read-only, and open'
  return mode === 'bearer' ? 'reads and writes need a token' : 'reads are open, writes from this machine only'
}

function uselessTokens({ main, ...others }: Tokens): string[] {
  if (main !== undefined) return []
  const set = Object.entries(others) as [keyof Tokens, string | undefined][]
  return set.filter(([, token]) => token !== undefined).map(([name]) => TOKEN_VARIABLES[name])
}

/** What nobody guesses: 80 bits in hex, or more than 100 in base64. */
const SHORTEST_TOKEN = 20

const TOKEN_VARIABLES = {
  main: 'SERVICE_LOCAL_API_TOKEN',
  previous: 'SERVICE_LOCAL_API_TOKEN_PREVIOUS',
  ingest: 'SERVICE_INGEST_TOKEN',
  read: 'SERVICE_READ_TOKEN',
} as const

function shortTokens(tokens: Tokens): string[] {
  const set = Object.entries(tokens) as [keyof Tokens, string | undefined][]
  return set
    .filter(([, token]) => token !== undefined && token.length < SHORTEST_TOKEN)
    .map(([name]) => TOKEN_VARIABLES[name])
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
