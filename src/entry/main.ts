import { ServiceError } from '../base/errors.ts'
import { reasonOf } from '../runtime/node/files.ts'
import { SqlError } from '../sql/port.ts'
import type { Options } from '../cli/arguments/command.ts'
import { parseArguments } from '../cli/arguments/parse.ts'
import { commandsFor } from './commands/index.ts'
import { NAMES } from './commands/names.ts'
import { renewal } from './commands/parts.ts'
import type { Api } from '../cli/service/api.ts'
import { type Target, openApi } from '../cli/service/open.ts'
import { type Io, printing, processIo } from '../cli/terminal/io.ts'
import { safe } from '../cli/terminal/text.ts'

/** Runs a command line and returns its exit code: 0 done, 1 error or blocked, 2 checksum mismatch. */
export async function main(
  argv: readonly string[],
  version: string,
  given: Io = processIo(),
): Promise<number> {
  const io = printing(given)
  let api: Promise<Api> | undefined
  try {
    const parsed = parseArguments(argv, await commandsFor(argv), io.outColumns)
    if (parsed.kind === 'version') {
      io.out(`${version}\n`)
      return 0
    }
    if (parsed.kind === 'help') {
      io.out(parsed.text)
      return 0
    }
    const { args, command, options } = parsed
    const run = await command.load()
    return await run({
      args,
      options,
      io: options.flag('header') === true ? { ...io, header: true } : io,
      version,
      api: () => (api ??= openApi({ command, args, ...whereOf(options), io, version, renew: renewal })),
      run: (inner, innerIo) => main(inner, version, innerIo),
    })
  } catch (error) {
    io.err(`svc: ${messageOf(error as Error)}\n`)
    const mend = error instanceof ServiceError ? mendOf(error.message) : undefined
    if (mend !== undefined) io.err(`svc: ${mend}\n`)
    return 1
  } finally {
    await api?.then(
      opened => opened.close(),
      () => {},
    )
  }
}

function whereOf(options: Options): Pick<Target, 'url' | 'profile'> {
  return { url: options.text('url'), profile: options.text('profile') }
}

/** One line for what the user can mend: input, ledger, file system. Anything else is ours, and needs its stack. */
function messageOf(error: Error): string {
  if (error instanceof ServiceError || error instanceof SqlError) return safe(error.message)
  if (!('syscall' in error)) return `internal error: ${error.stack ?? error.message}`
  const failure = error as NodeJS.ErrnoException & { dest?: string }
  const where = [failure.path, failure.dest].filter(Boolean).join(' to ')
  const reason = reasonOf(failure)
  return safe(where === '' || reason === error.message ? error.message : `${where}: ${reason}`)
}

/** The command that shows what could have been meant, where a message of the service names none: it also answers others. */
function mendOf(message: string): string | undefined {
  const lister = NAMES.find(({ lists }) => lists !== undefined && message.startsWith(`Unknown ${lists}: `))
  if (lister !== undefined) return `\`svc ${lister.name}\` lists them`
  return MENDS.find(([pattern]) => pattern.test(message))?.[1]
}

const MENDS: readonly (readonly [RegExp, string])[] = [
  [
    /^Unknown (?:\w+ )?release: /,
    '`svc release list` lists releases; give a full id, the beginning of an id, or a version',
  ],
  [/^Unknown action: /, '`svc release history` lists actions, each with its number'],
  [/^Nothing of .+ is live in [^:]+\.$/, '`svc release promoted` lists the live releases'],
]
