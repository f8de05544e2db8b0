import { ServiceError } from '../base/errors.ts'
import type { Log } from '../ledger/ledger.ts'
import { SqlError } from '../sql/port.ts'
import type { Api } from './service/api.ts'
import { COMMANDS } from './commands.ts'
import { type Io, processIo } from './terminal/io.ts'
import { URL_OPTION } from './arguments/options.ts'
import type { CommandSpec, Options } from './arguments/command.ts'
import { parseArguments } from './arguments/parse.ts'
import { safe } from './terminal/text.ts'

/** Runs a command line and returns its exit code: 0 done, 1 error or blocked, 2 checksum mismatch. */
export async function main(argv: readonly string[], version: string, io: Io = processIo()): Promise<number> {
  let api: Promise<Api> | undefined
  try {
    const parsed = parseArguments(argv, COMMANDS)
    if (parsed.kind === 'version') {
      io.out(`${version}\n`)
      return 0
    }
    if (parsed.kind === 'help') {
      io.out(parsed.text)
      return 0
    }
    const { args, options } = parsed
    const run = await parsed.command.load()
    return await run({
      args,
      options,
      io,
      version,
      commands: COMMANDS,
      api: () => (api ??= openApi(parsed.command, options, io, version)),
      run: (inner, innerIo) => main(inner, version, innerIo),
    })
  } catch (error) {
    io.err(`svc: ${messageOf(error as Error)}\n`)
    return 1
  } finally {
    await api?.then(
      opened => opened.close(),
      () => {},
    )
  }
}

async function openApi(command: CommandSpec, options: Options, io: Io, version: string): Promise<Api> {
  const { readEnvironment } = await import('../runtime/environment.ts')
  const environment = readEnvironment(io.env)
  const log = stderrLog(io)
  // `webhook add` has a --url that means something else.
  const given = command.options?.includes(URL_OPTION) === true ? options.text('url') : undefined
  const url = given ?? environment.serviceUrl
  if (url !== undefined) {
    const { remoteApi } = await import('./service/remote.ts')
    return remoteApi(url, environment.tokens.main, environment.actor, log)
  }
  const [{ localApi }, { openServices }] = await Promise.all([
    import('./service/local.ts'),
    import('../runtime/node/open.ts'),
  ])
  const { ownThread = false } = command
  return localApi(
    await openServices({ folder: io.cwd, environment, version, log, ownThread }),
    environment.actor,
  )
}

/** What operations log, for people: one line each. Errors are thrown as well, and shown there. */
export function stderrLog(io: Io): Log {
  return function log(level, message, fields = {}) {
    if (level === 'error') return
    const extra = Object.entries(fields).map(([key, value]) => ` ${key}=${String(value)}`)
    io.err(`svc: ${safe(message + extra.join(''))}\n`)
  }
}

/** One line for what the user can mend: input, ledger, file system. Anything else is ours, and needs its stack. */
function messageOf(error: Error): string {
  const isTheirs = error instanceof ServiceError || error instanceof SqlError || 'syscall' in error
  return isTheirs ? safe(error.message) : `internal error: ${error.stack ?? error.message}`
}
