import type { FieldProblem } from '../../base/errors.ts'
import { findBadText, similarNames } from '../../base/text.ts'
import { type CheckedName, checkDocument } from '../../models/all/check.ts'
import type { Problem } from '../../models/checks.ts'
import { INPUTS } from '../../models/shapes/inputs.ts'
import { Faults, type InputShapes, type Plain, type Shape, fits } from '../../models/shape.ts'

export type Source = 'path' | 'query' | 'body'

/** What is read of a part of a request: values with their defaults, and all that is wrong. */
interface ReadPart {
  readonly values: Readonly<Record<string, unknown>>
  readonly problems: readonly FieldProblem[]
}

export function shapesOf({ takes }: { readonly takes?: string | undefined }): InputShapes {
  if (takes === undefined) return {}
  const shapes = INPUTS[takes]
  if (shapes === undefined) throw new Error(`${takes} has no shape yet: run \`npm run generate\``)
  return shapes
}

/** The fields of a body that are documents, with their models. */
export function documentsIn({ documents = {} }: InputShapes): [field: string, model: CheckedName][] {
  return Object.entries(documents) as [string, CheckedName][]
}

/** The names of a part, those that have to be given first. */
export function namesIn({ required = {}, optional = {} }: Plain = {}): string[] {
  return [...Object.keys(required), ...Object.keys(optional)]
}

/**
 * The only way in for what is in paths, queries and flat bodies: reads it by the shape of an input, which is generated from
 * its model. Texts of a path and a query are read as what the field is.
 */
export async function readPart(
  shapes: InputShapes,
  source: Source,
  raw: Readonly<Record<string, unknown>>,
): Promise<ReadPart> {
  const shape = shapes[source]
  if (shape === undefined) return { values: {}, problems: [] }
  const bad = source === 'body' ? undefined : findBadText(raw)
  if (bad !== undefined)
    return { values: {}, problems: [{ loc: [source, ...bad.path], msg: bad.message, type: 'text' }] }
  const given = givenIn(shape, source, raw)
  const problems: FieldProblem[] = []
  if (!fits(shape, given)) {
    const faults = new Faults()
    fits(shape, given, faults)
    problems.push(...faults.all().map(problem => said(problem, source, shape)))
  }
  const values = { ...shape.defaults, ...given }
  if (source !== 'body') return { values, problems }
  for (const [name, model] of documentsIn(shapes)) {
    if (values[name] === undefined) continue
    const checked = await checkDocument(model, values[name])
    if (checked.ok) values[name] = checked.value
    else problems.push(...problemsIn(checked.problems, source, name))
  }
  return { values, problems: [...problems, ...unknownFields(shape, raw)] }
}

/** Problems of a document at a place of a request. */
export function problemsIn(problems: readonly Problem[], ...at: readonly string[]): FieldProblem[] {
  return problems.map(({ path, message, type }) => ({ loc: [...at, ...path], msg: message, type }))
}

/** What counts as given. Null, and nothing between `=` and `&`, are the same as leaving out what may be left out. */
function givenIn(
  { required = {}, optional = {}, defaults = {} }: Plain,
  source: Source,
  raw: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [name, shape] of Object.entries({ ...required, ...optional })) {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined
    const isOptional = Object.hasOwn(optional, name)
    const isBlank = source === 'query' && value === '' && isOptional && !mustBeFilled(shape)
    const isNull = value === null && isOptional && !Object.hasOwn(defaults, name) && !takesNull(shape)
    if (value === undefined || isBlank || isNull) continue
    given[name] = source === 'body' ? value : typed(shape, value as string)
  }
  return given
}

function mustBeFilled(shape: Shape): boolean {
  return 'limits' in shape && shape.limits.some(([rule]) => rule === 'minLength')
}

function takesNull(shape: Shape): boolean {
  return 'kinds' in shape && shape.kinds.null !== undefined
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

/** A text of a query as what it is; as it came where it is nothing of the kind. */
function typed(shape: Shape, text: string): unknown {
  if ('is' in shape && shape.is === 'number') return parseInteger(text) ?? text
  return 'oneOf' in shape && typeof shape.oneOf[0] === 'boolean' ? (FLAGS[text] ?? text) : text
}

/** More digits than a number holds make the largest one: an integer all the same, and out of every range. */
function parseInteger(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text.trim())) return undefined
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, Number(text)))
}

function unknownFields(shape: Plain, raw: Readonly<Record<string, unknown>>): FieldProblem[] {
  const names = namesIn(shape)
  const msg = `is not a field of this request; it has ${names.join(', ') || 'none'}`
  return Object.keys(raw)
    .filter(name => !names.includes(name))
    .map(name => ({ loc: ['body', name], msg, type: 'unknown_field' }))
}

/** The names of problems of requests, which are not those of documents; the first that fits. */
const TYPES: readonly (readonly [type: string, message: RegExp, named: string])[] = [
  ['type', /^must be a string/, 'string_type'],
  ['type', /^must be an array/, 'list_type'],
  ['type', /^must be boolean/, 'bool_parsing'],
  ['type', /^must be a number/, 'int_parsing'],
  ['integer', /./, 'int_parsing'],
  ['minimum', /./, 'greater_than_equal'],
  ['maximum', /./, 'less_than_equal'],
  ['pattern', /./, 'string_pattern'],
  ['value', /bytes long/, 'string_too_long'],
  ['value', /^must be without/, 'text'],
  ['type', /^must be "/, 'enum'],
  ['value', /^must be "/, 'enum'],
  ['too_long', /./, 'string_too_long'],
]

/** What problems of one value are called where the words of documents say less. */
const WORDS: Readonly<Record<string, string>> = {
  int_parsing: 'must be an integer',
  bool_parsing: 'must be true or false',
  too_short: 'must not be empty',
}

function said({ path, message, type }: Problem, source: Source, shape: Plain): FieldProblem {
  const field = { ...shape.required, ...shape.optional }[String(path[0])]
  const isList = path.length === 1 && field !== undefined && 'is' in field && field.is === 'array'
  const known = TYPES.find(([one, pattern]) => one === type && pattern.test(message))?.[2] ?? type
  const named = isList && type === 'too_long' ? type : known
  return {
    loc: [source, ...path],
    // What was given is in the request, and may be long or a secret.
    msg: (isList ? undefined : WORDS[named]) ?? message.replace(/ \(was [^]*\)$/, ''),
    type: named,
  }
}

/** Names of query parameters that mean the same; an endpoint declares one of them, and both are taken. */
const SYNONYMS: readonly (readonly [string, string])[] = [
  ['env', 'environment'],
  ['agent', 'agent_id'],
]

/** The names that a declared parameter is taken by. */
export function namesOf(name: string): readonly string[] {
  return SYNONYMS.find(pair => pair.includes(name)) ?? [name]
}

/** The query of a request by the names that the endpoint declares. */
export function queryOf({ query }: InputShapes, { searchParams }: URL): Record<string, string> {
  const declared = namesIn(query)
  const given: Record<string, string> = Object.fromEntries(searchParams)
  for (const pair of SYNONYMS) {
    const name = pair.find(candidate => declared.includes(candidate))
    const synonym = pair.find(candidate => candidate !== name)!
    if (name === undefined || declared.includes(synonym)) continue
    if (!Object.hasOwn(given, synonym) || Object.hasOwn(given, name)) continue
    given[name] = given[synonym]!
    delete given[synonym]
  }
  return given
}

const MOST_NAMED = 5

/** What is wrong with parameters that the endpoint does not have. A read may answer as if they were not there. */
export function unknownParameters(
  { query, body }: InputShapes,
  given: Readonly<Record<string, string>>,
): FieldProblem[] {
  const [declared, inBody] = [namesIn(query), namesIn(body)]
  const unknown = Object.keys(given).filter(name => !declared.includes(name))
  return unknown.slice(0, MOST_NAMED).map(name => {
    const [meant] = similarNames(name, declared, 1)
    const guess = meant === undefined ? '' : `; did you mean ${meant}?`
    const hint = inBody.includes(name) ? '; put it into the body' : guess
    return { loc: ['query', name], msg: `is not a parameter of this request${hint}`, type: 'unknown_field' }
  })
}

const WARNING_HEADER = 'x-service-warning'

/** The warning header for unknown parameters. */
export function warningHeadersOf(problems: readonly FieldProblem[]): Record<string, string> {
  return warningHeaders(problems.map(({ loc, msg }) => `${shown(String(loc[1]))} ${msg}`))
}

/** The header of warnings, in printable ASCII; none without warnings. */
export function warningHeaders(warnings: readonly string[]): Record<string, string> {
  if (warnings.length === 0) return {}
  return { [WARNING_HEADER]: warnings.join('; ').replaceAll(/[^ -~]/g, '_') }
}

/** Headers of an answer with warnings of its request, which come behind its own. */
export function withWarnings(
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const [own, added] = [headers[WARNING_HEADER], more[WARNING_HEADER]]
  if (own === undefined || added === undefined) return { ...headers, ...more }
  return { ...headers, [WARNING_HEADER]: `${own}; ${added}` }
}

function shown(name: string): string {
  return name.slice(0, 64).replaceAll(/[^\w.[\]-]/g, '_')
}
