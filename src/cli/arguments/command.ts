import type { Board } from '../../models/answers/board.ts'
import type { Route } from '../../sdk/call.ts'
import type { Api } from '../service/api.ts'
import type { Runner } from '../../runtime/again.ts'
import type { Services } from '../../runtime/services.ts'
import type { Io } from '../terminal/io.ts'

/** What people come for, in the order of the help. */
export const TASKS = [
  'Start',
  'Register releases and send runs',
  'Compare and decide',
  'Roll out and watch',
  'Set the rules',
  'Ask why',
  'Run the service',
] as const
type Task = (typeof TASKS)[number]

/** What the general help and errors say of a command. */
export interface CommandName {
  readonly name: string
  readonly summary: string
  /** What it lists, as errors of the service call one: they name this command where there is no such thing. */
  readonly lists?: string
  /** Where the short help lists it; without one only `svc help all` does. */
  readonly task?: Task
}

/** A command of `svc`, as it is typed and as its help shows it. */
export interface CommandSpec extends CommandName {
  /** Another name of it. */
  readonly also?: string
  /** Positional arguments: `<REQUIRED> [OPTIONAL]`. */
  readonly args?: string
  readonly options?: readonly OptionSpec[]
  readonly example: string
  /** Whether the ledger runs in a thread of its own, so that both cores work. Gets the positional arguments. */
  readonly ownThread?: (args: readonly string[], folder: string) => boolean
  readonly load: () => Promise<Run>
}

/** What a command does. Returns the exit code. */
export interface Run {
  (invocation: Invocation): Promise<number>
  /** The route that takes its options as fields, by other names where `as` says so. */
  readonly sends?: { readonly route: Route; readonly as: Readonly<Record<string, string | null>> }
}

/** What a feature does in the background of `svc serve`. */
export interface ServerJob {
  /** Whether a server that writes nothing does it too. */
  readonly whileReadOnly?: true
  /** Starts it for a workspace's folder. Throws 400 where service.yaml asks for what it can't do. */
  readonly load: () => Promise<
    (services: Services, at: { readonly folder: string }) => Runner | Promise<Runner>
  >
}

/** What a feature adds to `svc status`. */
export type StatusPart = () => Promise<(api: Api, board: Board['board']) => Promise<readonly StatusLine[]>>

/** What a feature adds to `svc release promoted`. */
export type PromotedPart = () => Promise<(api: Api) => Promise<readonly PlaceNote[]>>

/** What to know of a place besides the release that is live there. */
export interface PlaceNote {
  readonly agent_id: string
  readonly environment: string
  readonly text: string
}

/** Something that waits for somebody, or that is wrong. */
export interface StatusLine {
  readonly kind: 'waits' | 'wrong'
  readonly agent_id: string | null
  readonly environment: string | null
  /** One sentence, and the command that shows more. */
  readonly text: string
  readonly command: string
}

/** Gets and keeps another token for a profile than was refused; undefined where that takes a person, which it says. */
export type TokenRenewal = () => Promise<
  (profile: string, refused: string | undefined, io: Io) => Promise<string | undefined>
>

export interface OptionSpec {
  /** `--name <VALUE>`, `--flag`, or `--no-flag` for one that is on by default. Of several names the last one is its own. */
  readonly flags: string
  readonly description: string
  readonly required?: boolean
  readonly many?: boolean
  /** The only values that it takes. */
  readonly values?: readonly string[]
  /** What its value has to be: digits alone, or with a fraction. */
  readonly number?: 'whole' | 'decimal'
  /** An empty value reaches the command. Elsewhere it is refused: it is a variable that wasn't set. */
  readonly mayBeEmpty?: boolean
}

/** The options of a command as text, exactly as typed. */
export class Options {
  readonly #values: ReadonlyMap<string, readonly string[] | boolean>
  /** What was given for the service, by the names of the options: texts, numbers, lists and flags. */
  readonly fields: Readonly<Record<string, unknown>>

  constructor(
    values: ReadonlyMap<string, readonly string[] | boolean>,
    fields: Readonly<Record<string, unknown>>,
  ) {
    this.#values = values
    this.fields = fields
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

  /** The value of an option that is a number. */
  number(name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : Number(text)
  }

  /** Whether `--output json` was given. */
  get json(): boolean {
    return this.text('output') === 'json'
  }

  /** Whether one of these has a value or is on. */
  given(...names: readonly string[]): boolean {
    return names.some(name => this.text(name) !== undefined || this.flag(name) === true)
  }

  /** Whether a flag is on, or undefined where neither it nor its opposite was given. */
  flag(name: string): boolean | undefined {
    const value = this.#values.get(name)
    return typeof value === 'boolean' ? value : undefined
  }
}

/** One call of a command: what was typed, and what it may touch. */
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
