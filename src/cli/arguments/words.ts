import type { OptionSpec } from './command.ts'

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
    const option = optionNamed(text, options)
    // An option of the command is no value, `--env --window 24h` lacks one; but it may be a text that somebody wrote.
    const isText = option?.flags.includes('<TEXT>') === true
    const isLacking = !isText && optionNamed(waiting[0] ?? '', options) !== undefined
    const hasValue = option !== undefined && takesValue(option) && !isLacking
    read.push({ kind: 'option', name: text, value: hasValue ? waiting.shift() : undefined })
  }
  return read
}

function toArgument(text: string): Word {
  return { kind: 'argument', text }
}

export function optionNamed(name: string, options: readonly OptionSpec[]): OptionSpec | undefined {
  return options.find(option => namesOf(option).includes(name))
}

export function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes('<')
}

/** `-o, --out <FILE>` → `-o`, `--out`; `--no-flag` → `--flag`, `--no-flag`: both can be said. */
export function namesOf({ flags }: OptionSpec): string[] {
  return flags
    .split('<')[0]!
    .split(',')
    .map(name => name.trim())
    .flatMap(name => (name.startsWith('--no-') ? [name.replace('--no-', '--'), name] : [name]))
}
