import type { FieldProblem } from '../../base/errors.ts'
import { type CheckedName, checkDocument } from '../../models/all/check.ts'
import type { ModelValue } from '../../models/all/models.ts'
import { findBadText, fitsBytes, isDisguised } from '../../base/text.ts'

/**
 * The flat inputs of an endpoint: query and path parameters and small JSON bodies. Documents of the
 * specification are arktype models; these are tables, because a query string has to be read before it can be
 * checked, and because most commands must not wait for arktype to start.
 */
export type Fields = Readonly<Record<string, Field<unknown>>>

export interface Field<T> {
  readonly kind: 'text' | 'integer' | 'flag' | 'list' | 'document'
  readonly description: string
  readonly required: boolean
  readonly nullable: boolean
  /** Whether null is a value of its own, rather than the same as leaving it out. */
  readonly keepsNull?: boolean
  readonly default?: T
  readonly example?: unknown
  readonly values?: readonly string[]
  readonly min?: number
  readonly max?: number
  /** A number outside min and max is moved to the nearer one rather than refused. */
  readonly clamp?: boolean
  readonly model?: CheckedName
  readonly pattern?: RegExp
  /** The pattern that a text is described by where the operation itself refuses another, by words and a status of its own. */
  readonly documented?: string
  /** Most entries of a list. */
  readonly most?: number
  /** Longest text, bytes. */
  readonly maxBytes?: number
  /** Whether a text may not be empty; an optional parameter that is blank counts as left out otherwise. */
  readonly filled?: boolean
  /** Whether a text may not look like another one: no invisible characters, no blanks around it. */
  readonly plain?: boolean
  /** Whether it says who asks: blanks around it do not count, and invisible characters are refused where it is read. */
  readonly actor?: boolean
}

export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never
}

interface Hints {
  readonly example?: unknown
}

/** Longest identifier. */
export const ID_BYTES = 512
const PROSE_BYTES = 16_384

function field<T>(kind: Field<T>['kind'], description: string, more: Partial<Field<T>>): Field<T> {
  return { kind, description, required: true, nullable: false, ...more }
}

/** An identifier, required. */
export function id(description: string, hints: Hints = {}): Field<string> {
  return field('text', description, { maxBytes: ID_BYTES, ...hints })
}

/** An identifier that can't be empty; required. */
export function key(description: string, hints: Hints = {}): Field<string> {
  return { ...id(description, hints), filled: true }
}

/** A key that people read and compare, such as the environment that a decision is about; required. */
export function label(description: string, hints: Hints = {}): Field<string> {
  return { ...key(description, hints), plain: true }
}

/** Who asks, or what they do to it, such as `cancels`; optional. */
export function actorField(does = 'asks'): Field<string | undefined> {
  const description = `Who ${does}, unless an identity header says so. Default http.`
  return optional({ ...id(description), actor: true })
}

/** Free text, required. */
export function prose(description: string, hints: Hints = {}): Field<string> {
  return field('text', description, { maxBytes: PROSE_BYTES, ...hints })
}

/** A window, required. What else is understood, and what isn't, the operation says (specification, Errors: 400). */
export function window(description: string, hints: Hints = {}): Field<string> {
  const documented = '^([1-9][0-9]{0,4}d|[1-9][0-9]{0,6}h|[1-9][0-9]{0,8}m)$'
  return { ...prose(`${description}: {N}d, {N}h or {N}m.`, hints), documented }
}

/** Where a window ends that does not end now, required. */
export function moment(description: string, hints: Hints = {}): Field<string> {
  return field('text', `${description}: an ISO-8601 date and time.`, {
    pattern: /^\d{4}-\d\d-\d\d[Tt ][\d:.,]+(?:[Zz]|[+-][\d:]+)?$/,
    ...hints,
  })
}

/** The address of a server, required. */
export function address(description: string, hints: Hints = {}): Field<string> {
  return { ...prose(description, hints), documented: '^https?://[^\\s\\u0000]+$' }
}

/** A SHA-256 in lowercase hex, required. */
export function checksum(description: string): Field<string> {
  return field('text', description, { pattern: /^[0-9a-f]{64}$/ })
}

/** The name of a suite of evaluations, as scores are named; required. */
export function suite(description: string): Field<string> {
  return field('text', description, { pattern: /^[a-z0-9][a-z0-9_.-]{0,63}$/, example: 'regression' })
}

/** Makes a field optional; in a JSON body null means the same as leaving it out. */
export function optional<T>(inner: Field<T>): Field<T | undefined> {
  return { ...inner, required: false, nullable: true }
}

/** Makes a field optional in which null says something else than leaving it out. */
export function optionalOrNull<T>(inner: Field<T>): Field<T | null | undefined> {
  return { ...optional(inner), keepsNull: true }
}

export function integer(
  description: string,
  range: { default?: number; min: number; max: number; clamp?: boolean },
): Field<number> {
  return field('integer', description, { ...range, required: range.default === undefined })
}

/** A boolean that is false where it is left out. */
export function flag(description: string): Field<boolean> {
  return field('flag', description, { required: false, default: false })
}

/** A boolean that may be left out, which is neither. */
export function optionalFlag(description: string): Field<boolean | undefined> {
  return field('flag', description, { required: false, nullable: true })
}

export function choice<const V extends readonly string[]>(description: string, values: V): Field<V[number]> {
  return field('text', description, { values }) as Field<V[number]>
}

/** A list of names from a table, at least one; required. */
export function list<const V extends readonly string[]>(
  description: string,
  values: V,
  hints: Hints = {},
): Field<V[number][]> {
  return field<V[number][]>('list', description, { values, ...hints })
}

/** Names that people gave, at least one and at most 20; required. */
export function names(description: string, hints: Hints = {}): Field<string[]> {
  return field<string[]>('list', description, {
    maxBytes: ID_BYTES,
    filled: true,
    plain: true,
    most: 20,
    ...hints,
  })
}

/** A text of a fixed form, required. */
export function formed(description: string, pattern: RegExp, hints: Hints = {}): Field<string> {
  return field('text', description, { pattern, ...hints })
}

/** A whole document of the specification. */
export function document<N extends CheckedName>(model: N, description: string): Field<ModelValue<N>> {
  return field('document', description, { model })
}

export type FieldSource = 'body' | 'query' | 'path'

/** Reads raw values by a table. Texts of a query are read as what the field is. */
export async function readFields<F extends Fields>(
  fields: F,
  source: FieldSource,
  raw: Readonly<Record<string, unknown>>,
): Promise<{ values: Values<F>; problems: FieldProblem[] }> {
  const problems: FieldProblem[] = []
  const values: Record<string, unknown> = {}
  for (const [name, spec] of Object.entries(fields)) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined
    const result = await readField(spec, source, given)
    if ('value' in result) values[name] = result.value
    else
      for (const problem of result.problems)
        problems.push({ ...problem, loc: [source, name, ...problem.loc] })
  }
  const unknown = source === 'body' ? unknownFields(fields, raw) : []
  return { values: values as Values<F>, problems: problems.concat(unknown) }
}

/** Most entries of a list, unless it says otherwise. */
const MOST_LISTED = 100

type Read = { readonly value: unknown } | { readonly problems: readonly FieldProblem[] }

async function readField(spec: Field<unknown>, source: FieldSource, given: unknown): Promise<Read> {
  if (given === null && spec.keepsNull === true) return { value: null }
  const blank = source === 'query' && given === '' && !spec.required && spec.filled !== true
  if (given === undefined || blank || (given === null && spec.nullable)) {
    return spec.required ? wrong('is required', 'missing') : { value: spec.default }
  }
  if (spec.kind === 'document') return readDocument(spec.model!, given)
  if (spec.kind === 'integer') return readInteger(spec, source, given)
  if (spec.kind === 'flag') return readFlag(source, given)
  if (spec.kind === 'list') return readList(spec, given)
  return readText(spec, given)
}

function readText(
  { values, maxBytes, pattern, example, filled, plain }: Field<unknown>,
  given: unknown,
): Read {
  if (typeof given !== 'string') return wrong('must be a string', 'string_type')
  const bad = findBadText(given)
  if (bad !== undefined) return wrong(bad.message, 'text')
  if (values !== undefined && !values.includes(given)) {
    return wrong(`must be one of ${values.join(', ')}`, 'enum')
  }
  if (filled === true && given === '') return wrong('must not be empty', 'too_short')
  if (plain === true && isDisguised(given)) {
    return wrong('must not hold invisible characters, nor begin or end with a blank', 'text')
  }
  if (maxBytes !== undefined && !fitsBytes(given, maxBytes)) {
    return wrong(`must be at most ${maxBytes} bytes long`, 'string_too_long')
  }
  if (pattern?.test(given) === false) {
    const like = typeof example === 'string' ? `, as ${example} does` : ''
    return wrong(`must match ${pattern.source}${like}`, 'string_pattern')
  }
  return { value: given }
}

function readInteger(spec: Field<unknown>, source: FieldSource, given: unknown): Read {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, clamp = false } = spec
  const number = source === 'body' ? given : parseInteger(String(given))
  if (typeof number !== 'number' || !Number.isInteger(number))
    return wrong('must be an integer', 'int_parsing')
  if (clamp) return { value: Math.min(max, Math.max(min, number)) }
  if (number < min) return wrong(`must be at least ${min}`, 'greater_than_equal')
  if (number > max) return wrong(`must be at most ${max}`, 'less_than_equal')
  return { value: number }
}

/** More digits than a number holds make the largest one: an integer all the same, and out of every range. */
function parseInteger(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text.trim())) return undefined
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, Number(text)))
}

function readFlag(source: FieldSource, given: unknown): Read {
  const value = source === 'body' ? given : { true: true, '1': true, false: false, '0': false }[String(given)]
  return typeof value === 'boolean' ? { value } : wrong('must be true or false', 'bool_parsing')
}

function readList(spec: Field<unknown>, given: unknown): Read {
  if (!Array.isArray(given)) return wrong('must be an array', 'list_type')
  if (given.length === 0) return wrong('must hold at least one', 'too_short')
  const { most = MOST_LISTED } = spec
  if (given.length > most) return wrong(`must hold at most ${most}`, 'too_long')
  const problems = given.flatMap((item: unknown, index) => {
    const read = readText(spec, item)
    return 'value' in read ? [] : read.problems.map(problem => ({ ...problem, loc: [index, ...problem.loc] }))
  })
  return problems.length > 0 ? { problems } : { value: given }
}

async function readDocument(model: CheckedName, given: unknown): Promise<Read> {
  const checked = await checkDocument(model, given)
  if (checked.ok) return { value: checked.value }
  return {
    problems: checked.problems.map(({ path, message, type }) => ({ loc: [...path], msg: message, type })),
  }
}

function unknownFields(fields: Fields, raw: Readonly<Record<string, unknown>>): FieldProblem[] {
  const msg = `is not a field of this request; it has ${Object.keys(fields).join(', ')}`
  return Object.keys(raw)
    .filter(name => !Object.hasOwn(fields, name))
    .map(name => ({ loc: ['body', name], msg, type: 'unknown_field' }))
}

function wrong(msg: string, type: string): Read {
  return { problems: [{ loc: [], msg, type }] }
}
