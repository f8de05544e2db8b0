import { badRequest } from '../../base/errors.ts'
import { similarNames } from '../../base/text.ts'
import type { CommandSpec, Options } from './command.ts'
import { exitCodesHelp } from './exit_codes.ts'
import { commandHelp, generalHelp, taskHelp } from './help.ts'
import { readLine } from './line.ts'
import { readWords } from './words.ts'

/** What the user typed. */
export type Parsed =
  | {
      readonly kind: 'run'
      readonly command: CommandSpec
      readonly args: readonly string[]
      readonly options: Options
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }

/** Reads a command line; its help has lines of up to `room` cells. Throws 400 with what is wrong with it and the usage. */
export function parseArguments(
  argv: readonly string[],
  commands: readonly CommandSpec[],
  room = Infinity,
): Parsed {
  const words = argv.slice(0, argv.findIndex(word => word.startsWith('-')) >>> 0)
  if (words.length === 0) return parseBare(argv, commands, room)
  const command = commandOf(words, commands)
  if (command === undefined) return parseUnknown(words, argv, commands, room)
  const read = readWords(argv.slice(command.name.split(' ').length), command.options ?? [])
  // A value that reads `--help` asks for none.
  const asksForHelp = read.some(
    word => word.kind === 'option' && (word.name === '--help' || word.name === '-h'),
  )
  if (asksForHelp) return { kind: 'help', text: commandHelp(command, room) }
  return { kind: 'run', command, ...readLine(command, read) }
}

/** Most words of a command's name. */
const MOST_WORDS = 3

/** The command that a line begins with: the one with the longest name. */
export function commandOf(
  words: readonly string[],
  commands: readonly CommandSpec[],
): CommandSpec | undefined {
  for (let count = MOST_WORDS; count > 0; count--) {
    const typed = words.slice(0, count).join(' ')
    const found = commands.find(({ name }) => name === typed)
    if (found !== undefined) return found
  }
  return undefined
}

function parseBare(argv: readonly string[], commands: readonly CommandSpec[], room: number): Parsed {
  const [first] = argv
  if (first === undefined || first === '--help' || first === '-h') {
    return { kind: 'help', text: taskHelp(commands, room) }
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
  room: number,
): Parsed {
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (first === 'help' && second === 'exit-codes') return { kind: 'help', text: exitCodesHelp() }
  if (first === 'help' && second === 'all') return { kind: 'help', text: generalHelp(commands, room) }
  if (first === 'help') return parseArguments([...argv.slice(1), '--help'], commands, room)
  const within = group.filter(({ name }) => name.startsWith(`${first} ${second} `))
  const wantsHelp = argv.includes('--help') || argv.includes('-h')
  if (within.length > 0 && (argv.length === 2 || wantsHelp))
    return { kind: 'help', text: generalHelp(within, room) }
  if (group.length > 0 && (argv.length === 1 || wantsHelp)) {
    return { kind: 'help', text: generalHelp(group, room) }
  }
  if (group.length > 0 && second === '') {
    throw badRequest(`A command of \`svc ${first}\` comes before options; see \`svc ${first} --help\`.`)
  }
  const typed = `${first} ${second}`.trim() || "''"
  const similar = similarCommands(
    typed,
    commands.map(({ name }) => name),
  )
  throw badRequest(
    `Unknown command: ${typed}. ` +
      (similar.length > 0 ? `Did you mean ${similar.join(' or ')}?` : '`svc --help` lists the commands.'),
  )
}

/** Slips of a name, and commands of which only the last word was typed: `list`. */
function similarCommands(typed: string, names: readonly string[]): string[] {
  const similar = similarNames(typed, names)
  return similar.length > 0 ? similar : names.filter(name => name.endsWith(` ${typed.split(' ')[0]}`))
}
