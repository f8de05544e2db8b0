import { type Fields, type Check, type Problem, UNKNOWN_FIELD } from './checks.ts'

/** What a document has to be, as data. `tools/shapes.ts` writes it from the arktype model. */
export type Shape = Choice | Switch | Plain

interface Choice {
  readonly oneOf: readonly (string | number | boolean | null)[]
}

/** A shape for each kind of value; other kinds are refused. */
interface Switch {
  readonly kinds: { readonly [K in Kind]?: Shape }
}

type Kind = keyof typeof KINDS

/** A value of one kind. Its parts are looked at in the order of the fields here, as arktype does. */
export interface Plain {
  readonly is?: Kind | 'array'
  readonly limits?: readonly (
    | readonly [rule: keyof typeof LIMITS, limit: number]
    | readonly [form: RegExp, words: string]
  )[]
  readonly required?: Readonly<Record<string, Shape>>
  readonly optional?: Readonly<Record<string, Shape>>
  /** Of an array. */
  readonly items?: Shape
  /** Of an object whose keys may be any. */
  readonly values?: Shape
  /** What becomes of fields that are not named above; they are kept unless given. */
  readonly others?: 'reject' | 'delete'
  /** Values of optional fields that are left out. */
  readonly defaults?: Readonly<Record<string, unknown>>
  // oxlint-disable-next-line typescript/no-explicit-any -- each takes what the parts above let through
  readonly checks?: readonly Check<any>[]
}

/** What an endpoint takes: the names in its path, its query, a flat body, and which fields of that are documents. */
export interface InputShapes {
  readonly path?: Plain
  readonly query?: Plain
  readonly body?: Plain
  readonly documents?: Readonly<Record<string, string>>
}

const KINDS = {
  boolean: 'boolean',
  null: 'null',
  undefined: 'undefined',
  number: 'a number',
  object: 'an object',
  string: 'a string',
} as const

interface Limit<T> {
  readonly keeps: (value: T, limit: number) => boolean
  readonly expected: (limit: number) => string
  readonly actual: (value: T) => string
  readonly type: string
}

const lengthOf = ({ length }: { readonly length: number }): string => String(length)

const LIMITS = {
  divisor: {
    keeps: (value, divisor) => value % divisor === 0,
    expected: () => 'an integer',
    actual: shown,
    type: 'integer',
  } satisfies Limit<number>,
  min: {
    keeps: (value, least) => value >= least,
    expected: least => (least === 0 ? 'non-negative' : `at least ${least}`),
    actual: shown,
    type: 'minimum',
  } satisfies Limit<number>,
  max: {
    keeps: (value, most) => value <= most,
    expected: most => `at most ${most}`,
    actual: shown,
    type: 'maximum',
  } satisfies Limit<number>,
  minLength: {
    keeps: ({ length }, least) => length >= least,
    expected: least => (least === 1 ? 'non-empty' : `at least length ${least}`),
    actual: value => (value.length === 0 ? '' : lengthOf(value)),
    type: 'too_short',
  } satisfies Limit<{ readonly length: number }>,
  maxLength: {
    keeps: ({ length }, most) => length <= most,
    expected: most => `at most length ${most}`,
    actual: lengthOf,
    type: 'too_long',
  } satisfies Limit<{ readonly length: number }>,
} as const

/** Whether a value fits a shape. With `faults` all that is wrong is put there; without, the first fault is enough. */
export function fits(shape: Shape, value: unknown, faults?: Faults): boolean {
  if ('oneOf' in shape) {
    const { oneOf } = shape
    if (oneOf.includes(value as string)) return true
    return faults?.add(oneOf.length === 2 ? 'type' : 'value', either(oneOf.map(shown)), shown(value)) ?? false
  }
  const kind = kindOf(value)
  if ('kinds' in shape) {
    const { kinds } = shape
    const branch = kinds[kind]
    if (branch === undefined) {
      const expected = either(Object.keys(kinds).map(one => KINDS[one as Kind]))
      return faults?.add('value', expected, KINDS[kind]) ?? false
    }
    return fits(branch, value, faults)
  }
  const { is } = shape
  if (is === 'array') {
    if (!Array.isArray(value)) return faults?.add('type', 'an array', kind) ?? false
  } else if (is !== undefined && (kind !== is || Number.isNaN(value))) {
    return faults?.add('type', KINDS[is], Number.isNaN(value) ? 'NaN' : KINDS[kind]) ?? false
  }
  return (
    limitsFit(shape, value, faults) &&
    (typeof value !== 'object' || fieldsFit(shape, value as Fields, faults)) &&
    checksFit(shape, value, faults)
  )
}

function limitsFit({ limits = [] }: Plain, value: unknown, faults: Faults | undefined): boolean {
  let fit = true
  for (const [rule, limit] of limits) {
    if (typeof rule === 'object') {
      if (rule.test(value as string)) continue
      faults?.add('pattern', limit, shown(value))
    } else {
      const { keeps, expected, actual, type } = LIMITS[rule] as Limit<unknown>
      if (keeps(value, limit)) continue
      faults?.add(type, expected(limit), actual(value))
    }
    if (faults === undefined) return false
    fit = false
  }
  return fit
}

function fieldsFit(shape: Plain, value: Fields, faults: Faults | undefined): boolean {
  const { required = {}, optional = {}, items, values, others } = shape
  let fit = true
  for (const key in required) {
    if (key in value) fit = partFits(key, required[key]!, value[key], faults) && fit
    else fit = faults?.addAt([key], 'is required', 'missing') ?? false
    if (!fit && faults === undefined) return false
  }
  for (const key in optional) {
    if (value[key] === undefined || partFits(key, optional[key]!, value[key], faults)) continue
    if (faults === undefined) return false
    fit = false
  }
  if (items !== undefined) {
    for (const [index, item] of (value as unknown as readonly unknown[]).entries()) {
      if (partFits(index, items, item, faults)) continue
      if (faults === undefined) return false
      fit = false
    }
  }
  if (values === undefined && others !== 'reject') return fit
  for (const key of Object.keys(value)) {
    if (values !== undefined) fit = partFits(key, values, value[key], faults) && fit
    else if (!Object.hasOwn(required, key) && !Object.hasOwn(optional, key)) {
      fit = faults?.addAt([key], UNKNOWN_FIELD, 'value') ?? false
    }
    if (!fit && faults === undefined) return false
  }
  return fit
}

function partFits(key: string | number, shape: Shape, value: unknown, faults: Faults | undefined): boolean {
  if (faults === undefined) return fits(shape, value)
  faults.path.push(key)
  const fit = fits(shape, value, faults)
  faults.path.pop()
  return fit
}

function checksFit({ checks = [] }: Plain, value: unknown, faults: Faults | undefined): boolean {
  for (const check of checks) {
    const fault = check(value)
    if (fault === undefined) continue
    const { path = [], expected, actual } = fault
    return faults?.addAt(path, mustBe(expected, actual), 'value') ?? false
  }
  return true
}

/** What is wrong with a value, those of one place together. */
export class Faults {
  readonly path: (string | number)[] = []
  readonly #byPlace = new Map<string, Problem[]>()

  add(type: string, expected: string, actual: string): false {
    return this.addAt([], mustBe(expected, actual), type)
  }

  addAt(below: readonly (string | number)[], message: string, type: string): false {
    const path = [...this.path, ...below]
    const place = JSON.stringify(path)
    const problem = { path, message: shortened(message), type }
    const others = this.#byPlace.get(place)
    if (others === undefined) this.#byPlace.set(place, [problem])
    else others.push(problem)
    return false
  }

  all(): Problem[] {
    return [...this.#byPlace.values()].flat()
  }
}

/** The value with its defaults, and without the fields that are to be deleted. */
export function filled(shape: Shape, value: unknown): unknown {
  if (!('is' in shape) || shape.is !== 'object' || !isFillable(shape)) return value
  const { required = {}, optional = {}, others, defaults = {} } = shape
  const filledIn: Record<string, unknown> = { ...(value as Fields) }
  if (others === 'delete') {
    for (const key of Object.keys(filledIn)) {
      if (!Object.hasOwn(required, key) && !Object.hasOwn(optional, key)) delete filledIn[key]
    }
  }
  for (const [key, field] of Object.entries({ ...required, ...optional })) {
    const given = filledIn[key] === undefined ? defaults[key] : filledIn[key]
    if (given !== undefined) filledIn[key] = filled(field, given)
  }
  return filledIn
}

function isFillable({ others, defaults }: Plain): boolean {
  return others === 'delete' || defaults !== undefined
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  return typeof value === 'function' ? 'object' : (typeof value as Kind)
}

function mustBe(expected: string, actual: string): string {
  return actual === '' ? `must be ${expected}` : `must be ${expected} (was ${actual})`
}

function either(options: readonly string[]): string {
  const [last, ...others] = options.toReversed()
  if (options.join() === 'false,true') return 'boolean'
  return others.length === 0 ? last! : `${others.toReversed().join(', ')} or ${last}`
}

/** A value as a message shows it. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  // As arktype has it: backslashes inside of an object are doubled twice.
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'string' ? item.replaceAll('\\', '\\\\') : item,
  )
}

const MAX_MESSAGE_CHARS = 300

/** A message may hold the whole value that was given, however long. */
function shortened(message: string): string {
  return message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message
}
