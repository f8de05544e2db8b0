import { type Command, cac } from 'cac'
import { refused } from '../errors.ts'
import { similarNames } from '../rules/similar.ts'
import type { CommandSpec, OptionSpec } from './commands.ts'

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

/** The options of a command as text, exactly as typed. */
export class Options {
  readonly #values: ReadonlyMap<string, readonly string[] | boolean>

  constructor(values: ReadonlyMap<string, readonly string[] | boolean>) {
    this.#values = values
  }

  /** The value of an option, or undefined where it was not given. */
  text(name: string): string | undefined {
    const value = this.#values.get(name)
    return Array.isArray(value) ? (value[0] as string) : undefined
  }

  /** The value of an option that the command requires. */
  required(name: string): string {
    return this.text(name) ?? ''
  }

  all(name: string): readonly string[] {
    const value = this.#values.get(name)
    return Array.isArray(value) ? (value as string[]) : []
  }

  flag(name: string, otherwise = false): boolean {
    const value = this.#values.get(name)
    return typeof value === 'boolean' ? value : otherwise
  }
}

/** In front of every option value: keeps cac from reading numbers into it, or an option into a leading dash. */
const MARK = '\u0000'

/** Reads a command line. Throws 400 with what is wrong with it and the usage. */
export function parseArguments(argv: readonly string[], commands: readonly CommandSpec[]): Parsed {
  const words = argv.slice(0, argv.findIndex(word => word.startsWith('-')) >>> 0)
  const [first = '', second = ''] = words
  if (words.length === 0) return parseBare(argv, commands)
  const command =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
  if (command === undefined) return parseUnknown(first, second, argv, commands)
  const rest = argv.slice(command.name.split(' ').length)
  if (isHelp(rest, command)) return { kind: 'help', text: commandHelp(command) }
  return parseCommand(command, rest)
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
  if (group.length > 0 && (second === '' || argv.includes('--help'))) {
    return { kind: 'help', text: generalHelp(group) }
  }
  const asked = `${first} ${second}`.trim()
  const similar = similarNames(
    asked,
    commands.map(({ name }) => name),
  )
  throw refused(
    `Unknown command: ${asked}. ` +
      (similar.length > 0 ? `Did you mean ${similar.join(' or ')}?` : '`svc --help` lists the commands.'),
  )
}

function isHelp(rest: readonly string[], command: CommandSpec): boolean {
  return rest.some(
    (word, index) => (word === '--help' || word === '-h') && !takesValue(rest[index - 1] ?? '', command),
  )
}

function parseCommand(spec: CommandSpec, rest: readonly string[]): Parsed {
  const cli = cac('svc')
  const command = declare(cli.command(`${spec.name} ${spec.args ?? ''}`.trim(), spec.summary), spec)
  cli.parse(['node', 'svc', spec.name, ...rest.flatMap((word, index) => glue(word, index, rest, spec))], {
    run: false,
  })
  try {
    command.checkUnknownOptions()
    command.checkOptionValue()
    command.checkRequiredArgs()
    command.checkUnusedArgs()
  } catch (error) {
    throw refused(`${sentence((error as Error).message, spec)} Usage: ${usage(spec)}`, error)
  }
  const options = readOptions(spec, cli.options)
  return { kind: 'run', command: spec, args: [...cli.args], options }
}

function declare(command: Command, spec: CommandSpec): Command {
  for (const { flags, description } of spec.options ?? []) command.option(flags, description)
  return command
}

/** `--name value` becomes one word, with the mark before the value; the value's own word is dropped. */
function glue(word: string, index: number, all: readonly string[], spec: CommandSpec): string[] {
  if (index > 0 && takesValue(all[index - 1]!, spec)) return []
  if (takesValue(word, spec)) {
    const value = all[index + 1]
    return value === undefined ? [word] : [`${word}=${MARK}${value}`]
  }
  const equals = word.indexOf('=')
  if (word.startsWith('-') && equals > 0 && takesValue(word.slice(0, equals), spec)) {
    return [`${word.slice(0, equals)}=${MARK}${word.slice(equals + 1)}`]
  }
  return [word]
}

function takesValue(word: string, spec: CommandSpec): boolean {
  return (spec.options ?? []).some(
    option => option.flags.includes('<') && namesOf(option).some(name => word === name),
  )
}

/** `-o, --output <FILE>` → `-o`, `--output`. */
function namesOf({ flags }: OptionSpec): string[] {
  return flags
    .replace(/\s*<.*$/, '')
    .split(',')
    .map(name => name.trim())
}

function readOptions(spec: CommandSpec, parsed: Readonly<Record<string, unknown>>): Options {
  const values = new Map<string, readonly string[] | boolean>()
  for (const option of spec.options ?? []) {
    const name = namesOf(option)
      .at(-1)!
      .replace(/^--(?:no-)?/, '')
    const value = parsed[camelCase(name)]
    if (value === undefined) {
      if (option.required === true) {
        throw refused(`--${name} is required. Usage: ${usage(spec)}`)
      }
      continue
    }
    const isText = option.flags.includes('<')
    const texts = [value].flat().map(item => (item as string).replace(MARK, ''))
    if (isText && option.many !== true && texts.length > 1)
      throw refused(`--${name} is given more than once.`)
    values.set(name, isText ? texts : [value].flat().at(-1) === true)
  }
  return new Options(values)
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** cac's complaints in our words. */
function sentence(message: string, spec: CommandSpec): string {
  const unknown = /Unknown option `(--?)([^`]+)`/.exec(message)
  if (unknown !== null) {
    const given = unknown[2]!.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    const known = (spec.options ?? []).flatMap(namesOf).filter(name => name.startsWith('--'))
    const similar = similarNames(`--${given}`, known)
    const hint = similar.length > 0 ? ` Did you mean ${similar.join(' or ')}?` : ''
    return `Unknown option ${unknown[1]}${given}.${hint}`
  }
  if (message.startsWith('missing required args')) return 'An argument is missing.'
  if (message.startsWith('Unused args'))
    return `${message.replaceAll('`', '').replace('Unused args', 'Too many arguments')}.`
  const missing = /option `([^`]+)` value is missing/.exec(message)
  return missing === null ? `${message}.` : `${missing[1]!.replace(/\s*<.*/, '')} needs a value.`
}

export function usage({ name, args, options = [] }: CommandSpec): string {
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
