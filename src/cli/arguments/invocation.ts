import { refused } from '../../base/errors.ts'
import type { Api } from '../service/api.ts'
import type { Io } from '../terminal/io.ts'
import type { Options } from './parse.ts'

/** One call of a command: what was typed, and what it may touch. Returns the exit code. */
export interface Invocation {
  readonly args: readonly string[]
  readonly options: Options
  readonly io: Io
  readonly version: string
  /** The service it talks to, opened at first use: the ledger of this folder, or the one behind --url. */
  readonly api: () => Promise<Api>
  /** Runs another command in the same way; `demo` shows commands by running them. */
  readonly run: (argv: readonly string[], io: Io) => Promise<number>
}

export type OutputFormat = 'text' | 'json'

/** The --output of a command. Throws 400 for a format that there isn't. */
export function outputFormat(options: Options): OutputFormat {
  const format = options.text('output') ?? 'text'
  if (format === 'text' || format === 'json') return format
  throw refused(`--output must be text or json (it is '${format}').`)
}

/** A whole number given as an option. Throws 400 naming the option. */
export function wholeNumber(options: Options, name: string): number | undefined {
  const text = options.text(name)
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw refused(`--${name} must be a whole number (it is '${text}').`)
}
