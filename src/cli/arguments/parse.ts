import { type Command, cac } from 'cac'
import { refused } from '../../base/errors.ts'
import { similarNames } from '../../base/similar.ts'
import { type CommandSpec, Options } from './command.ts'
import { type Word, asksForHelp, keyOf, markWords, readWords, unmark } from './words.ts'

/** What the user asked for. */
export type Parsed =
  | {
      readonly kind: 'run'
      readonly command: CommandSpec
      readonly args: string[]
      readonly options: Options
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }

/** Reads a command line. Throws 400 with what is wrong with it and the usage. */
export function parseArguments(argv: readonly string[], commands: readonly CommandSpec[]): Parsed {
  const words = argv.slice(0, argv.findIndex(word => word.startsWith('-')) >>> 0)
  const [first = '', second = ''] = words
  if (words.length === 0) return parseBare(argv, commands)
  const command =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
  if (command === undefined) return parseUnknown(first, second, argv, commands)
  const rest = argv.slice(command.name.split(' ').length)
  const read = readWords(rest, command.options ?? [])
  if (asksForHelp(read)) return { kind: 'help', text: commandHelp(command) }
  return parseCommand(command, read)
}

function parseBare(argv: readonly string[], commands: readonly CommandSpec[]): Parsed {
  const [first] = argv
  if (first === undefined || first === '--help' || first === '-h') {
    return { kind: 'help', text: generalHelp(commands) }
  }
  if (first === '--version' || first === '-v') return { kind: 'version' }
  throw refused(`A command comes before options such as ${first}; see \`svc --help\`.`)
}

function parseUnknown(
  first: string,
  second: string,
  argv: readonly string[],
  commands: readonly CommandSpec[],
): Parsed {
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (first === 'help') return { kind: 'help', text: generalHelp(commands) }
  if (group.length > 0 && (argv.length === 1 || argv.includes('--help') || argv.includes('-h'))) {
    return { kind: 'help', text: generalHelp(group) }
  }
  if (group.length > 0 && second === '') {
    throw refused(`A command of \`svc ${first}\` comes before options; see \`svc ${first} --help\`.`)
  }
  const asked = `${first} ${second}`.trim() || "''"
  const similar = similarCommands(
    asked,
    commands.map(({ name }) => name),
  )
  throw refused(
    `Unknown command: ${asked}. ` +
      (similar.length > 0 ? `Did you mean ${similar.join(' or ')}?` : '`svc --help` lists the commands.'),
  )
}

/** Slips of a name, and commands of which only the last word was typed: `list`. */
function similarCommands(asked: string, names: readonly string[]): string[] {
  const similar = similarNames(asked, names)
  return similar.length > 0 ? similar : names.filter(name => name.endsWith(` ${asked.split(' ')[0]}`))
}

function parseCommand(spec: CommandSpec, words: readonly Word[]): Parsed {
  const cli = cac('svc')
  const command = declare(cli.command(`${spec.name} ${spec.args ?? ''}`.trim(), spec.summary), spec)
  try {
    cli.parse(['node', 'svc', spec.name, ...markWords(words, spec)], { run: false })
    command.checkOptionValue()
    command.checkRequiredArgs()
    command.checkUnusedArgs()
  } catch (error) {
    throw refused(`${sentence((error as Error).message)} Usage: ${usage(spec)}`, error)
  }
  const args = cli.args.map(unmark)
  if (args.includes('')) throw refused(`An argument is empty. Usage: ${usage(spec)}`)
  return { kind: 'run', command: spec, args, options: readOptions(spec, cli.options) }
}

function declare(command: Command, spec: CommandSpec): Command {
  // cac would say true of every --no-flag that isn't there; some take their default from the environment.
  command.ignoreOptionDefaultValue()
  for (const { flags, description } of spec.options ?? []) command.option(flags, description)
  return command
}

function readOptions(spec: CommandSpec, parsed: Readonly<Record<string, unknown>>): Options {
  const values = new Map<string, readonly string[] | boolean>()
  for (const option of spec.options ?? []) {
    const name = keyOf(option)
    const value = parsed[camelCase(name)]
    if (value === undefined) {
      if (option.required === true) throw refused(`--${name} is required. Usage: ${usage(spec)}`)
      continue
    }
    if (!option.flags.includes('<')) {
      values.set(name, [value].flat().at(-1) === true)
      continue
    }
    const texts = [value].flat().map(item => unmark(item as string))
    if (option.many !== true && texts.length > 1) throw refused(`--${name} is given more than once.`)
    if (option.mayBeEmpty !== true && texts.includes('')) throw refused(`--${name} is empty.`)
    values.set(name, texts)
  }
  return new Options(values)
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** cac's complaints in our words. */
function sentence(message: string): string {
  if (message.startsWith('missing required args')) return 'An argument is missing.'
  if (message.startsWith('Unused args')) {
    return `${unmark(message).replaceAll('`', '').replace('Unused args', 'Too many arguments')}.`
  }
  const missing = /option `([^`]+)` value is missing/.exec(message)
  return missing === null ? message : `${missing[1]!.replace(/\s*<.*/, '')} needs a value.`
}

function usage({ name, args, options = [] }: CommandSpec): string {
  const required = options.filter(option => option.required === true).map(option => option.flags)
  const hasMore = options.some(option => option.required !== true)
  return ['svc', name, args, ...required, hasMore ? '[options]' : undefined].filter(Boolean).join(' ')
}

function commandHelp(spec: CommandSpec): string {
  const cli = cac('svc')
  const command = declare(cli.command(`${spec.name} ${spec.args ?? ''}`.trim(), spec.summary), spec)
  const rows = command.options.map((option, index) => {
    const { required, many } = spec.options![index]!
    const note = required === true ? ' (required)' : many === true ? ' (repeatable)' : ''
    return `  ${option.rawName.padEnd(30)} ${option.description}${note}`
  })
  return [
    `${spec.summary}\n`,
    `Usage: ${usage(spec)}\n`,
    ...(rows.length === 0 ? [] : [`Options:\n${rows.join('\n')}\n`]),
    `Example:\n${spec.example
      .split('\n')
      .map(line => `  ${line}`)
      .join('\n')}\n`,
  ].join('\n')
}

function generalHelp(commands: readonly CommandSpec[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'svc: the release governance ledger for AI agents\n',
    'Usage: svc <command> [options]\n',
    `Commands:\n${lines.join('\n')}\n`,
    'Each command has its own --help with an example. Start with `svc demo`, or `svc init` in your project.',
    'With --url URL (or SERVICE_URL) a command talks to a running service; SERVICE_LOCAL_API_TOKEN is its token.\n',
  ].join('\n')
}
