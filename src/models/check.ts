import { type as ark } from 'arktype'
import { findBadText } from '../rules/text.ts'
import type { AnyModel } from './docs.ts'

/** What is wrong with a value, and where. */
export interface Problem {
  readonly path: readonly (string | number)[]
  /** Without the path, e.g. `must be an integer (was 1.5)`. */
  readonly message: string
  /** A short name of the kind of problem, stable across releases. */
  readonly type: string
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Validates a value against a model and applies the model's defaults. */
export function check<T extends AnyModel>(model: T, data: unknown): Checked<T['infer']> {
  const badText = findBadText(data)
  if (badText !== undefined) {
    return { ok: false, problems: [{ path: badText.path, message: badText.message, type: 'text' }] }
  }
  const result: unknown = model(data)
  if (!(result instanceof ark.errors)) return { ok: true, value: result as T['infer'] }
  return {
    ok: false,
    problems: result
      .flatMap(error => error.flat)
      .map(error => ({
        path: [...error.path].map(plainKey),
        message: shortened(messageOf(error)),
        type: TYPES[error.code as keyof typeof TYPES] ?? error.code,
      })),
  }
}

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

const MAX_MESSAGE_CHARS = 300

const TYPES = {
  required: 'missing',
  domain: 'type',
  proto: 'type',
  union: 'type',
  unit: 'value',
  divisor: 'integer',
  min: 'minimum',
  max: 'maximum',
  minLength: 'too_short',
  maxLength: 'too_long',
  predicate: 'value',
} as const

function plainKey(key: PropertyKey): string | number {
  return typeof key === 'number' ? key : String(key)
}

function messageOf({ code, message, problem, actual }: ArkProblem): string {
  if (code === 'required') return 'is required'
  if (code === 'predicate' && actual === '' && message.endsWith('must be removed')) {
    return 'is not a known field'
  }
  // arktype repeats the path inside the problem of a union
  const at = problem.indexOf('must be ')
  return at > 0 ? problem.slice(at) : problem
}

/** arktype shows the whole value that was given, however long. */
function shortened(message: string): string {
  return message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message
}

interface ArkProblem {
  readonly code: string
  readonly message: string
  readonly problem: string
  readonly actual: string
}
