import { commandOf } from '../../cli/arguments/parse.ts'
import type { CommandName, CommandSpec } from '../../cli/arguments/command.ts'
import { commandsOf } from './groups.ts'
import { NAMES } from './names.ts'

/** All commands as the general help shows them, of which that of a line alone is loaded. */
export async function commandsFor(argv: readonly string[]): Promise<readonly (CommandName | CommandSpec)[]> {
  const words = argv[0] === 'help' ? argv.slice(1) : argv
  const named = commandOf(words, NAMES)
  if (named === undefined) return NAMES
  const command = (await commandsOf(named.group)).find(({ name }) => name === named.name)!
  return NAMES.map(other => (other === named ? command : other))
}
