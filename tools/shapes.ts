import { importsOfChecks, nameOfCheck } from './checks.ts'
import type { Narrowing } from '../src/models/checks.ts'
import type { CheckedName } from '../src/models/all/check.ts'
import type { AnyModel, Said } from '../src/models/model.ts'
import type { Input } from '../src/models/all/input.ts'

/** The files of the shapes in src/models/shapes: short ones that are loaded for the same requests share one. */
export const SHAPE_FILES = {
  BundleFiles: 'release',
  CaseTries: 'scores',
  Policy: 'policy',
  PricingCatalog: 'pricing',
  PricingTable: 'pricing',
  Release: 'release',
  RunEvent: 'run_event',
  ScoreCases: 'scores',
  Capabilities: 'capabilities',
  WorkspaceConfig: 'workspace',
} as const satisfies Readonly<Record<CheckedName, string>>

/** What arktype says of a model in JSON Schema, with what that has no words for. */
interface Schema extends Said {
  readonly type?: 'integer' | 'number' | 'string' | 'boolean' | 'null' | 'object' | 'array'
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | false
  readonly default?: unknown
  readonly checks?: readonly Partial<Narrowing<unknown>>[]
}

/**
 * The shapes of models as TypeScript (`src/models/shape.ts`), by their names: arktype takes longer to load than most
 * commands take, and is an eighth of a Worker. Throws where a model holds what a shape can't say.
 */
export function shapesSource(models: Readonly<Record<string, AnyModel>>): string {
  const writer = new Writer()
  const roots = Object.entries(models).map(([name, model]) => [name, writer.shape(schemaOf(model))])
  return `${writer.head('Shape')}
${roots.map(([name, root]) => `export const ${name}: Shape = ${root}\n`).join('')}`
}

/** The shapes of what endpoints take, by the name of the input. */
export function inputsSource(inputs: Readonly<Record<string, Input>>): string {
  const writer = new Writer()
  const entries = Object.entries(inputs).map(([name, { parts, documents }]) => {
    const shapes = Object.entries(parts).map(([part, model]) => [part, writer.shape(schemaOf(model))])
    const named = Object.keys(documents).length === 0 ? undefined : JSON.stringify(documents)
    return `  ${name}: ${objectText({ ...Object.fromEntries(shapes), documents: named })},`
  })
  return `${writer.head('InputShapes')}

export const INPUTS: Readonly<Record<string, InputShapes>> = {
${entries.join('\n')}
}
`
}

function schemaOf(model: AnyModel): Schema {
  return model.toJsonSchema({
    dialect: null,
    fallback: {
      predicate: ({ base, predicate }) => ({
        ...base,
        checks: [...((base as Schema).checks ?? []), predicate],
      }),
    },
  }) as Schema
}

/** Longest text of a shape that is repeated. */
const SHORT = 24

class Writer {
  readonly checks = new Set<string>()
  readonly constants: string[] = []
  readonly #names = new Map<string, string>()

  /** What comes before the shapes. */
  head(type: 'Shape' | 'InputShapes'): string {
    return `// Generated from the models by \`npm run generate\`, and never edited.
${importsOfChecks(this.checks)}import type { ${type} } from '../shape.ts'

${this.constants.join('\n')}`
  }

  shape(schema: Schema): string {
    const text = this.#text(schema)
    if (text.length <= SHORT) return text
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const name = `s${this.#names.size + 1}`
    this.#names.set(text, name)
    this.constants.push(`const ${name} = ${text} as const`)
    return name
  }

  #text(schema: Schema): string {
    const units = unitsOf(schema)
    if (units !== undefined) return `{ oneOf: ${JSON.stringify(units)} }`
    const {
      type,
      anyOf,
      properties = {},
      required = [],
      items,
      additionalProperties: others,
      checks,
    } = schema
    if (anyOf !== undefined) return this.#union(anyOf)
    const fields = inOrder(Object.entries(properties))
    const optional = fields.filter(([key]) => !required.includes(key))
    const defaults = optional.filter(([, field]) => 'default' in field)
    return objectText({
      is: type && JSON.stringify(KINDS[type] ?? type),
      limits: listText([...(type === 'integer' ? ['["divisor", 1]'] : []), ...limitTexts(schema)]),
      required: this.#fields(fields.filter(([key]) => required.includes(key))),
      optional: this.#fields(optional),
      items: items && this.shape(items),
      values: typeof others === 'object' ? this.shape(others) : undefined,
      others: others === false ? JSON.stringify(schema.drops === true ? 'delete' : 'reject') : undefined,
      defaults:
        defaults.length === 0
          ? undefined
          : JSON.stringify(Object.fromEntries(defaults.map(([key, field]) => [key, field.default]))),
      checks: checks && listText(checks.map(check => this.#check(check))),
    })
  }

  #union(branches: readonly Schema[]): string {
    const kinds = branches.map(branch => [kindOf(branch), this.shape(branch)] as const)
    if (new Set(kinds.map(([kind]) => kind)).size < kinds.length)
      throw new Error('a shape tells the branches of a union apart by kinds alone')
    return `{ kinds: ${objectText(Object.fromEntries(kinds))} }`
  }

  #fields(fields: readonly (readonly [string, Schema])[]): string | undefined {
    if (fields.length === 0) return undefined
    return objectText(Object.fromEntries(fields.map(([key, field]) => [key, this.shape(field)])))
  }

  #check({ check }: Partial<Narrowing<unknown>>): string {
    const name = nameOfCheck(check)
    if (name === undefined) throw new Error('a model has a narrowing that is no check of src/models')
    this.checks.add(name)
    return name
  }
}

/**
 * Fields in the order of arktype, which orders them by hashes. A default that a function makes is hashed by how many functions
 * this process named before, so fields with one go by name.
 */
function inOrder(fields: readonly [string, Schema][]): (readonly [string, Schema])[] {
  const { made = [], others = [] } = Object.groupBy(fields, ([, { default: value }]) =>
    typeof value === 'object' && value !== null ? 'made' : 'others',
  )
  return [...made.toSorted(([a], [b]) => (a < b ? -1 : 1)), ...others]
}

const KINDS: Partial<Record<string, string>> = { integer: 'number' }

/** The values that a schema lists; undefined where it doesn't. */
function unitsOf(schema: Schema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema.const]
  if (schema.enum !== undefined) return schema.enum
  if (schema.type === 'null') return [null]
  if (schema.type === 'boolean') return [false, true]
  const branches = schema.anyOf?.map(unitsOf)
  if (branches?.every(branch => branch !== undefined) !== true) return undefined
  // arktype names them in this order, but JSON Schema has one word for true and false.
  return branches.flat().toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** The kind of values that a branch of a union takes. */
function kindOf(branch: Schema): string {
  const [unit, ...others] = unitsOf(branch) ?? []
  if (others.length > 0) return typeof unit
  if (unit !== undefined) return unit === null ? 'null' : typeof unit
  const { type = '' } = branch
  return type === 'array' ? 'object' : (KINDS[type] ?? type)
}

const LIMITS: Partial<Record<string, string>> = {
  maximum: 'max',
  minimum: 'min',
  maxLength: 'maxLength',
  minLength: 'minLength',
  maxItems: 'maxLength',
  minItems: 'minLength',
}

/** What is no limit: the rest of the words that a schema may have. */
const OTHER_WORDS = new Set(
  'type const enum anyOf properties required items additionalProperties default checks about rank form drops written defaults examples'.split(
    ' ',
  ),
)

function limitTexts(schema: Schema): string[] {
  return Object.entries(schema).flatMap(([word, value]) => {
    if (word === 'patternProperties') throw new Error('a shape says of keys only that they may be any')
    const limit = LIMITS[word]
    if (limit !== undefined) return [`[${JSON.stringify(limit)}, ${JSON.stringify(value)}]`]
    if (word === 'pattern') {
      const { form } = schema
      if (form === undefined) throw new Error(`a pattern needs words, as ofForm gives it: ${String(value)}`)
      return [`[${String(form[0])}, ${JSON.stringify(form[1])}]`]
    }
    if (OTHER_WORDS.has(word)) return []
    throw new Error(`a shape knows nothing of ${word}`)
  })
}

function objectText(entries: Readonly<Record<string, string | undefined>>): string {
  const texts = Object.entries(entries).flatMap(([key, text]) =>
    text === undefined ? [] : [`${key}: ${text}`],
  )
  return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`
}

function listText(items: readonly string[]): string | undefined {
  return items.length === 0 ? undefined : `[${items.join(', ')}]`
}
