import { oneOf } from '../../base/text.ts'
import { type CommandName, type CommandSpec, type OptionSpec, TASKS } from './command.ts'

/** How a command is typed: `svc release verify <RELEASE_ID> --path <BUNDLE_PATH> [options]`. */
export function usage({ name, args, options = [] }: CommandSpec): string {
  const required = options
    .filter(option => option.required === true)
    .map(({ flags }) => flags.split(', ').at(-1))
  const hasMore = options.some(option => option.required !== true)
  return ['svc', name, args, ...required, hasMore ? '[options]' : undefined].filter(Boolean).join(' ')
}

export function commandHelp(spec: CommandSpec, room: number): string {
  const options = (spec.options ?? []).map(option => [option.flags, optionText(option)] as const)
  return [
    `${wrapped(spec.summary, '', room)}\n`,
    `Usage: ${usage(spec)}\n`,
    ...(options.length === 0 ? [] : [`Options:\n${rows(options, room)}`]),
    `Example:\n${spec.example
      .split('\n')
      .map(line => `  ${line}`)
      .join('\n')}\n`,
  ].join('\n')
}

/** Of the values that are listed behind an option. */
const MOST_VALUES = 20

/** What an option is, which values it may have, and whether it must or may be given once. */
export function optionText({ description, required, many, values = [] }: OptionSpec): string {
  const note = required === true ? ' (required)' : many === true ? ' (repeatable)' : ''
  const isSaid = values.length > MOST_VALUES || values.every(value => description.includes(value))
  return description + (isSaid ? '' : `: ${oneOf(values)}`) + note
}

/** `svc --help`: what most people need, by what they come for. `room` is how many cells a line may have. */
export function taskHelp(commands: readonly CommandName[], room: number): string {
  const sections = TASKS.flatMap(task => {
    const found = commands.filter(command => command.task === task)
    return found.length === 0 ? [] : [section(task, found, room)]
  })
  return [HEAD, ...sections, foot('`svc help all` lists all commands. ', room)].join('\n')
}

/** `svc help all`, and `svc release` for those of a group. */
export function generalHelp(commands: readonly CommandName[], room: number): string {
  return [HEAD, section('Commands', commands, room), foot('', room)].join('\n')
}

const HEAD = 'svc: the release governance ledger for AI agents\n\nUsage: svc <command> [options]\n'

function foot(more: string, room: number): string {
  return [
    `${more}Each command has its own --help with an example.`,
    '`svc help exit-codes` lists what commands exit with.',
    'In place of the id of a release, commands take its version or the beginning of the id.',
    'With --url URL (or SERVICE_URL) a command uses a running service; SERVICE_LOCAL_API_TOKEN is its token.',
    '`svc profile set` saves both under a name, for --profile NAME (or SERVICE_PROFILE).',
  ]
    .map(line => `${wrapped(line, '', room)}\n`)
    .join('')
}

function section(title: string, commands: readonly CommandName[], room: number): string {
  return `${title}:\n${rows(
    commands.map(({ name, summary }) => [name, summary]),
    room,
  )}`
}

/** Names with what they are, next to each other where the terminal has the room, else below each other. */
function rows(entries: readonly (readonly [name: string, text: string])[], room: number): string {
  const width = Math.max(...entries.map(([name]) => name.length))
  const isNarrow = room < width + 4 + LEAST_TEXT
  return entries
    .map(([name, text]) =>
      isNarrow
        ? `  ${name}\n      ${wrapped(text, '      ', room)}\n`
        : `  ${name.padEnd(width)}  ${wrapped(text, ' '.repeat(width + 4), room)}\n`,
    )
    .join('')
}

/** Fewest cells for a text next to its name. */
const LEAST_TEXT = 30

/** A text in lines that end in `room` cells; all but the first begin with `indent`, which the first has already. */
function wrapped(text: string, indent: string, room: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].join(`\n${indent}`)
}
