import { badRequest } from '../../base/errors.ts'
import { similarNames } from '../../base/similar.ts'
import type { CommandSpec, Options } from './command.ts'
import { exitCodesHelp } from './exit_codes.ts'
import { commandHelp, generalHelp } from './help.ts'
import { readLine } from './line.ts'
import { readWords } from './words.ts'

/** What the user asked for. */
export type Parsed =
  | {
      readonly kind: 'run'
      readonly command: CommandSpec
      readonly args: readonly string[]
      readonly options: Options
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }

/** Reads a command line. Throws 400 with what is wrong with it and the usage. */
export function parseArguments(argv: readonly string[], commands: readonly CommandSpec[]): Parsed {
  const words = argv.slice(0, argv.findIndex(word => word.startsWith('-')) >>> 0)
  if (words.length === 0) return parseBare(argv, commands)
  const command = commandOf(words, commands)
  if (command === undefined) return parseUnknown(words, argv, commands)
  const read = readWords(argv.slice(command.name.split(' ').length), command.options ?? [])
  // A value that reads `--help` asks for none.
  const asksForHelp = read.some(
    word => word.kind === 'option' && (word.name === '--help' || word.name === '-h'),
  )
  if (asksForHelp) return { kind: 'help', text: commandHelp(command) }
  return { kind: 'run', command, ...readLine(command, read) }
}

/** The command that a line begins with: of several the one with the longest name. */
export function commandOf(
  words: readonly string[],
  commands: readonly CommandSpec[],
): CommandSpec | undefined {
  const names = [3, 2, 1].map(count => words.slice(0, count).join(' '))
  return names.map(typed => commands.find(({ name }) => name === typed)).find(found => found !== undefined)
}

function parseBare(argv: readonly string[], commands: readonly CommandSpec[]): Parsed {
  const [first] = argv
  if (first === undefined || first === '--help' || first === '-h') {
    return { kind: 'help', text: generalHelp(commands) }
  }
  if (first === '--version' || first === '-v') return { kind: 'version' }
  const [meant] = similarNames(first, ['--version', '--help'], 1)
  throw badRequest(
    meant === undefined
      ? `A command comes before options such as ${first}; see \`svc --help\`.`
      : `Unknown option ${first}. Did you mean ${meant}?`,
  )
}

function parseUnknown(
  [first = '', second = '']: readonly string[],
  argv: readonly string[],
  commands: readonly CommandSpec[],
): Parsed {
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (first === 'help' && second === 'exit-codes') return { kind: 'help', text: exitCodesHelp() }
  if (first === 'help') return parseArguments([...argv.slice(1), '--help'], commands)
  if (group.length > 0 && (argv.length === 1 || argv.includes('--help') || argv.includes('-h'))) {
    return { kind: 'help', text: generalHelp(group) }
  }
  if (group.length > 0 && second === '') {
    throw badRequest(`A command of \`svc ${first}\` comes before options; see \`svc ${first} --help\`.`)
  }
  const asked = `${first} ${second}`.trim() || "''"
  const similar = similarCommands(
    asked,
    commands.map(({ name }) => name),
  )
  throw badRequest(
    `Unknown command: ${asked}. ` +
      (similar.length > 0 ? `Did you mean ${similar.join(' or ')}?` : '`svc --help` lists the commands.'),
  )
}

/** Slips of a name, and commands of which only the last word was typed: `list`. */
function similarCommands(asked: string, names: readonly string[]): string[] {
  const similar = similarNames(asked, names)
  return similar.length > 0 ? similar : names.filter(name => name.endsWith(` ${asked.split(' ')[0]}`))
}
