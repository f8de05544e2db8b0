import { badRequest } from '../../base/errors.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Io, painter } from '../../cli/terminal/io.ts'
import { counted, pretty, safe } from '../../cli/terminal/text.ts'
import { readWanted } from './cli_files.ts'
import { type Change, planOf } from './cli_plan.ts'

const SIGNS = { add: '+', change: '~', remove: '-' } as const
const COLOURS = { add: 'green', change: 'yellow', remove: 'red' } as const

/**
 * Makes a service what the files of a folder say, a change after the other, each with an entry of its own in the audit
 * log. What failed can be done again: what is as the files say is left alone.
 */
export async function apply({ args, options, io, api }: Invocation): Promise<number> {
  const plansOnly = options.flag('plan') === true
  const reason = options.text('reason')?.trim() ?? ''
  if (!plansOnly && reason === '')
    throw badRequest('--reason is required, or --plan to see what would change.')
  const wanted = await readWanted(args[0]!, io.cwd)
  const opened = await api()
  const changes = await planOf(wanted, opened, { prunes: options.flag('prune') === true })
  const secrets = new Map<Change, string>()
  if (!options.json) {
    io.out(changes.length === 0 ? `${safe(opened.target)} is as the files say\n` : planText(changes, io))
  }
  let done = 0
  for (const change of plansOnly ? [] : changes) {
    try {
      const secret = await change.apply(reason)
      if (secret !== undefined) secrets.set(change, secret)
    } catch (error) {
      io.err(
        `svc: ${counted(done, 'change')} of ${changes.length} made; ${change.kind} ${safe(change.name)} failed. Run it again to go on.\n`,
      )
      if (options.json) printJson(changes.slice(0, done))
      throw error
    }
    done += 1
    const secret = secrets.get(change)
    // At once: if the next change fails, it would be lost.
    if (!options.json && secret !== undefined) {
      io.out(`secret of ${change.kind} ${safe(change.name)}, shown this once: ${safe(secret)}\n`)
    }
  }
  if (options.json) printJson(changes)
  else if (!plansOnly && changes.length > 0) io.out(`${counted(done, 'change')} made\n`)
  return plansOnly && changes.length > 0 && options.flag('detailed-exitcode') === true ? 3 : 0

  function printJson(those: readonly Change[]): void {
    const shown = those.map(change => {
      const { kind, does, name, details } = change
      const secret = secrets.get(change)
      return { kind, does, name, details, ...(secret === undefined ? {} : { secret }) }
    })
    io.out(pretty({ applied: !plansOnly, changes: shown }))
  }
}

function planText(changes: readonly Change[], io: Io): string {
  const paint = painter(io)
  return changes
    .map(({ kind, does, name, details }) =>
      [
        `${paint(COLOURS[does], SIGNS[does])} ${kind} ${safe(name)}`,
        ...details.map(detail => `    ${safe(detail)}`),
        '',
      ].join('\n'),
    )
    .join('')
}
