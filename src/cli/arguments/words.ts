import { refused } from '../../base/errors.ts'
import { similarNames } from '../../base/similar.ts'
import type { CommandSpec, OptionSpec } from './command.ts'

/** A word of a command line: an argument, or an option with the value that was typed for it. */
export type Word =
  | { readonly kind: 'argument'; readonly text: string }
  | { readonly kind: 'option'; readonly name: string; readonly value?: string | undefined }

/**
 * Tells arguments from options and their values, which cac can't: it takes the word behind an unknown flag for
 * its value, and a value with a leading dash for an option. All behind `--` are arguments.
 */
export function readWords(words: readonly string[], options: readonly OptionSpec[]): Word[] {
  const read: Word[] = []
  const waiting = [...words]
  for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
    if (text === '--') return [...read, ...waiting.map(toArgument)]
    if (text === '-' || !text.startsWith('-')) {
      read.push(toArgument(text))
      continue
    }
    const equals = text.indexOf('=')
    if (equals > 0) {
      read.push({ kind: 'option', name: text.slice(0, equals), value: text.slice(equals + 1) })
      continue
    }
    const takesValue = options.some(option => option.flags.includes('<') && namesOf(option).includes(text))
    read.push({ kind: 'option', name: text, value: takesValue ? waiting.shift() : undefined })
  }
  return read
}

function toArgument(text: string): Word {
  return { kind: 'argument', text }
}

/** Whether the words ask for help; a value that reads `--help` doesn't. */
export function asksForHelp(words: readonly Word[]): boolean {
  return words.some(word => word.kind === 'option' && (word.name === '--help' || word.name === '-h'))
}

/** In front of every argument and value: keeps cac from reading numbers, options or paths into them. */
const MARK = '\u0000'

/** The words as cac reads them as they were typed. Throws 400 for an option that the command hasn't. */
export function markWords(words: readonly Word[], { options = [] }: CommandSpec): string[] {
  const known = options.flatMap(namesOf)
  // Arguments first: cac would take one for the value of a flag before it.
  const marked = words.filter(word => word.kind === 'argument').map(({ text }) => MARK + text)
  for (const word of words) {
    if (word.kind === 'argument') continue
    const { name, value } = word
    const option = options.find(candidate => namesOf(candidate).includes(name))
    if (option === undefined) throw refused(unknownOption(name, known))
    if (value === undefined) {
      marked.push(name)
      continue
    }
    if (!option.flags.includes('<')) throw refused(`${name} takes no value.`)
    marked.push(`--${keyOf(option)}=${MARK}${value}`)
  }
  return marked
}

export function unmark(text: string): string {
  return text.replaceAll(MARK, '')
}

function unknownOption(name: string, known: readonly string[]): string {
  const similar = similarNames(
    name.replace(/^-+/, '--'),
    known.filter(other => other.startsWith('--')),
  )
  const hint = similar.length > 0 ? ` Did you mean ${similar.join(' or ')}?` : ''
  return `Unknown option ${name}.${hint}`
}

/** `-o, --out <FILE>` → `-o`, `--out`; `--no-flag` → `--flag`, `--no-flag`: both can be said. */
export function namesOf({ flags }: OptionSpec): string[] {
  return flags
    .replace(/\s*<.*$/, '')
    .split(',')
    .map(name => name.trim())
    .flatMap(name => (name.startsWith('--no-') ? [name.replace('--no-', '--'), name] : [name]))
}

/** The name an option is asked by: `-o, --out <FILE>` → `out`, `--no-flag` → `flag`. */
export function keyOf(option: OptionSpec): string {
  return namesOf(option)
    .at(-1)!
    .replace(/^--(?:no-)?/, '')
}
