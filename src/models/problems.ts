/** What is wrong with a value, and where. */
export interface Problem {
  readonly path: readonly (string | number)[]
  /** Without the path, e.g. `must be an integer (was 1.5)`. */
  readonly message: string
  /** A short name of the kind of problem, stable across releases. */
  readonly type: string
}

/** The message of a field that a model hasn't. */
export const UNKNOWN_FIELD = 'is not a known field'

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** A path as people write it: `usage.tools[0].tool_name`. */
export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  )
}

/** All problems as one sentence, the first few of them. */
export function problemsText(problems: readonly Problem[], subject = ''): string {
  const texts = problems.slice(0, 3).map(({ path, message }) => {
    const where = pathText(path)
    return `${where === '' ? subject : where} ${message}`.trim()
  })
  const more = problems.length - texts.length
  return more > 0 ? `${texts.join('; ')}; and ${more} more` : texts.join('; ')
}

/** Why a check refuses a value; `path` leads to the part of it that is not. */
export interface Fault {
  readonly path?: readonly (string | number)[]
  readonly expected: string
  readonly actual: string
}

/** What no type says: the fault of a value, or undefined. Models and generated acceptors use the same ones. */
export type Check<T> = (value: T) => Fault | undefined
