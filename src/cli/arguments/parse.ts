import { badRequest } from '../../base/errors.ts'
import { similarNames, oneOf } from '../../base/text.ts'
import { type CommandName, type CommandSpec, type OptionSpec, Options } from './command.ts'
import { commandHelp, generalHelp, taskHelp, usage } from './help.ts'
import { type Word, namesOf, optionNamed, readWords, takesValue } from './words.ts'
import { insteadOf, optionFor, optionInsteadOf } from './meant.ts'
import { cac } from 'cac'

/** The arguments and options of a command, exactly as typed. Throws 400 where they aren't what it takes. */
function readLine(spec: CommandSpec, words: readonly Word[]): { args: readonly string[]; options: Options } {
  const texts: string[] = []
  const cli = cac('svc')
  const command = cli.command(`${spec.name} ${spec.args ?? ''}`.trim(), spec.summary)
  for (const { flags, description } of spec.options ?? []) command.option(flags, description)
  // cac would say true of every --no-flag that isn't there; some take their default from the environment.
  command.ignoreOptionDefaultValue()
  try {
    cli.parse(['node', 'svc', spec.name, ...placed(words, spec, texts)], { run: false })
    command.checkOptionValue()
    command.checkRequiredArgs()
    command.checkUnusedArgs()
  } catch (error) {
    throw badRequest(`${sentence((error as Error).message, texts, spec)} Usage: ${usage(spec)}`, error)
  }
  const args = cli.args.map(place => texts[Number(place)]!)
  if (args.includes('')) {
    throw badRequest(`An argument is empty. Is a shell variable unset? Usage: ${usage(spec)}`)
  }
  const values = new Map<string, readonly string[] | boolean>()
  const fields: Record<string, unknown> = {}
  for (const [index, option] of (spec.options ?? []).entries()) {
    const given: unknown = cli.options[command.options[index]!.name]
    const value = valueOf(option, given, texts, spec)
    if (value === undefined) continue
    values.set(keyOf(option), value)
    if (!OF_SVC.includes(keyOf(option))) fields[keyOf(option)] = fieldOf(option, value)
  }
  return { args, options: new Options(values, fields) }
}

/** Options that say how svc works: where the service is, and how it prints. */
const OF_SVC = ['url', 'profile', 'output', 'header']

function fieldOf({ many, number }: OptionSpec, value: readonly string[] | boolean): unknown {
  if (typeof value === 'boolean' || many === true) return value
  return number === undefined ? value[0] : Number(value[0])
}

/**
 * A line for cac, with places in `texts` for what was typed: it would read 1.10 as 1.1, and an empty value as none.
 * Throws 400 for an option that the command hasn't.
 */
function placed(words: readonly Word[], { options = [] }: CommandSpec, texts: string[]): string[] {
  const place = (text: string): string => String(texts.push(text) - 1)
  const [args, flags]: [string[], string[]] = [[], []]
  for (const word of words) {
    if (word.kind === 'argument') {
      args.push(place(word.text))
      continue
    }
    const { name, value } = word
    const option = optionNamed(name, options)
    if (option === undefined) throw badRequest(unknownOption(name, options))
    if (value !== undefined && !takesValue(option)) throw badRequest(`${name} takes no value.`)
    flags.push(value === undefined ? name : `--${keyOf(option)}=${place(value)}`)
  }
  // Arguments first: cac would take one for the value of a flag before it.
  return [...args, ...flags]
}

function unknownOption(name: string, options: readonly OptionSpec[]): string {
  const known = options.flatMap(namesOf).filter(other => other.startsWith('--'))
  return `Unknown option ${name}. ${optionInsteadOf(name, known)}`.trimEnd()
}

/** cac's complaints in our words. */
function sentence(message: string, texts: readonly string[], { options = [] }: CommandSpec): string {
  if (message.startsWith('missing required args')) return 'An argument is missing.'
  if (message.startsWith('Unused args')) {
    const unused = message.match(/\d+/g)!.map(place => texts[Number(place)])
    const known = options.flatMap(namesOf)
    const hint = unused.length === 1 ? optionFor(unused[0]!, known) : ''
    return `Too many arguments: ${unused.join(', ')}.${hint}`
  }
  const missing = /option `([^`]+)` value is missing/.exec(message)
  return missing === null ? message : `${missing[1]!.split('<')[0]!.trim()} needs a value.`
}

/** The value of an option from what cac found for it: nothing, places of texts, or whether a flag is on. */
function valueOf(
  option: OptionSpec,
  given: unknown,
  texts: readonly string[],
  spec: CommandSpec,
): readonly string[] | boolean | undefined {
  const name = keyOf(option)
  if (given === undefined) {
    if (option.required !== true) return undefined
    const wanted = option.values === undefined ? '' : ` It is ${oneOf(option.values)}.`
    throw badRequest(
      `--${name} is required.${wanted} Usage: ${usage(spec)}. For example: ${spec.example.split('\n')[0]}`,
    )
  }
  const found = [given].flat()
  if (!takesValue(option)) return found.at(-1) === true
  if (option.many !== true && found.length > 1) throw badRequest(`--${name} is given more than once.`)
  const values = found.map(place => texts[Number(place)]!)
  if (option.mayBeEmpty !== true && values.includes('')) throw badRequest(`--${name} is empty.`)
  for (const value of values) {
    const wanted = wantedOf(option, value)
    if (wanted !== undefined) throw badRequest(`--${name} must be ${wanted} (it is '${value}').`)
  }
  return values
}

/** What the value of an option has to be, where it isn't. */
function wantedOf({ values, number }: OptionSpec, value: string): string | undefined {
  if (values !== undefined) return values.includes(value) ? undefined : oneOf(values)
  if (number === undefined) return undefined
  const { pattern, name } = NUMBERS[number]
  return pattern.test(value) ? undefined : name
}

const NUMBERS = {
  whole: { pattern: /^\d{1,9}$/, name: 'a whole number' },
  decimal: { pattern: /^\d{1,9}(?:\.\d{1,9})?$/, name: 'a number such as 30 or 1.5' },
} as const

/** The name an option is read by: `-o, --out <FILE>` → `out`, `--no-flag` → `flag`. */
function keyOf(option: OptionSpec): string {
  return namesOf(option)
    .at(-1)!
    .replace(/^--(?:no-)?/, '')
}

type Parsed =
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
  commands: readonly (CommandName | CommandSpec)[],
  room = Infinity,
): Parsed {
  const words = argv.slice(0, argv.findIndex(word => word.startsWith('-')) >>> 0)
  if (words.length === 0) return parseBare(argv, commands, room)
  const command = commandOf(words, commands)
  if (command === undefined || !('load' in command)) return parseUnknown(words, argv, commands, room)
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
export function commandOf<C extends CommandName>(
  words: readonly string[],
  commands: readonly C[],
): C | undefined {
  for (let count = MOST_WORDS; count > 0; count--) {
    const typed = words.slice(0, count).join(' ')
    const found = commands.find(({ name }) => name === typed)
    if (found !== undefined) return found
  }
  return undefined
}

function parseBare(argv: readonly string[], commands: readonly CommandName[], room: number): Parsed {
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
  commands: readonly CommandName[],
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
  throw badRequest(
    `Unknown command: ${typed}. ${insteadOf(
      first,
      second,
      commands.map(({ name }) => name),
    )}`,
  )
}

/** What each command exits with. Commands that are not here exit with what every command does. */
export const EXIT_CODES: readonly (readonly [commands: string, codes: string])[] = [
  ['every command', '0 done; 1 an error, or the answer is no'],
  ['every command', '130 ended by Ctrl-C, 143 by SIGTERM'],
  ['serve', '0 also after Ctrl-C or SIGTERM; 1 it did not finish in 25 s'],
  ['release gate', '0 pass; 1 not decided; 3 block; 4 too little evidence'],
  ['release diff', '0 whatever the policy says'],
  ['release diff --fail-on-policy', '1 the policy does not pass'],
  ['release promote, promote-*, approve, rollback', '1 the policy does not pass'],
  ['  with --detailed-exitcode, release diff too', '1 an error alone; 3 block; 4 too little evidence'],
  ['release acknowledge, rollout start|request --expect ID', '1 something else is live'],
  ['release watch --follow', '1 regressed or rolled back'],
  ['  with --detailed-exitcode', '1 an error alone; 3 regressed or rolled back; 4 ended undecided'],
  ['release verify', '2 the bundle is not what was registered'],
  ['release verify-attestation', '1 not signed by the key, not about this, or FAILED'],
  ['audit verify, audit explain', '1 the log or the record does not hold'],
  ['doctor', '1 a check failed'],
  ['policy test --fail-on-change', '1 a decision would change, or is unknown'],
  ['pricing check --fail', '1 a bundled table is stale'],
  ['pricing check RELEASE_ID', '1 a model that the release used has no price'],
  ['models retirements --fail', '1 a model of a live release ends'],
  ['apply --plan --detailed-exitcode', '1 an error alone; 3 there are changes'],
  ['webhook test', '1 it was not delivered'],
  ['examples/ci/gate.sh, release.sh', 'as release gate'],
]

/** `svc help exit-codes` */
function exitCodesHelp(): string {
  const width = Math.max(...EXIT_CODES.map(([commands]) => commands.length))
  const lines = EXIT_CODES.map(([commands, codes], index) => {
    const isNew = commands !== EXIT_CODES[index - 1]?.[0]
    return `  ${(isNew ? commands : '').padEnd(width)}  ${codes}\n`
  })
  return `Exit codes\n\n${lines.join('')}`
}
