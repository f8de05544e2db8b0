import type { CommandSpec } from '../src/cli/arguments/command.ts'
import { GROUPS, commandsOf } from '../src/entry/commands/groups.ts'

interface Grouped extends CommandSpec {
  readonly group: number
}

const groups = await Promise.all(
  GROUPS.map(async (_, group) => (await commandsOf(group)).map(command => ({ ...command, group }))),
)

/** All commands, those that begin with the same word together. */
export const COMMANDS: readonly Grouped[] = [
  ...Map.groupBy(groups.flat(), ({ name }) => name.split(' ')[0]).values(),
].flat()

/** src/entry/commands/names.ts: what the general help and errors say of each command, and which group holds it. */
export function commandNames(): string {
  const rows = COMMANDS.map(({ name, summary, task, lists, group }) =>
    JSON.stringify({ name, summary, task, lists, group }),
  )
  return `// Generated from the commands by \`npm run generate\`, and never edited.
import type { CommandName } from '../../cli/arguments/command.ts'

export const NAMES: readonly (CommandName & { readonly group: number })[] = [
${rows.map(row => `  ${row},\n`).join('')}]
`
}
