import type { Narrowing } from '../src/models/checks.ts'
import * as checks from '../src/models/checks.ts'
import { type ModelName, loadModel } from '../src/models/index.ts'
import type { JsonSchema } from '../src/models/schemas.ts'

/**
 * Documents that commands and requests bring: the file of the model, which the acceptor is called after, and its type.
 * Of events, which come in thousands, the search for unknown fields is written out too.
 */
export const ACCEPTED = {
  BundleFiles: { file: 'bundle_files', type: 'BundleFiles' },
  PricingCatalog: { file: 'catalog', type: 'PricingCatalog' },
  Policy: { file: 'policy', type: 'Policy' },
  PricingTable: { file: 'pricing', type: 'PricingTableInput' },
  Release: { file: 'release', type: 'Release' },
  RunEvent: { file: 'run_event', type: 'RunEvent', comesInThousands: true },
  WorkspaceConfig: { file: 'workspace', type: 'WorkspaceConfig' },
} as const satisfies { readonly [N in ModelName]?: AcceptedModel }

interface AcceptedModel {
  readonly file: string
  readonly type: string
  readonly comesInThousands?: boolean
}

const CHECK = 'x-check'

/**
 * The acceptor of a document as TypeScript: arktype takes longer to load than most commands take, and where code
 * can't be made at run time it is slow. The acceptor says yes where a document plainly fits the model; for anything
 * else the model is asked. Throws where the model holds what this can't write.
 */
export async function acceptorSource(name: keyof typeof ACCEPTED): Promise<string> {
  const { file, type, comesInThousands = false }: AcceptedModel = ACCEPTED[name]
  const { model } = await loadModel(name)
  const schema = model.toJsonSchema({ dialect: null, fallback: { predicate: withCheck } }) as JsonSchema
  const writer = new Writer()
  const root = writer.object(schema)
  const defaults = defaultsOf(schema)
  const accepted = defaults === undefined ? 'value' : 'withDefaults(value, DEFAULTS)'
  const parts = ['type Fields', 'type Known', 'everyValue', 'hasOnly', 'isFields', 'withDefaults']
  const body = [
    `/** The document with its defaults where this plainly is one; for anything else undefined, and the model's word counts. */
export function accept(value: unknown): ${type} | undefined {
  return isFields(value) && ${root}(value) ? (${accepted} as unknown as ${type}) : undefined
}`,
    ...(knownOf(schema) === true
      ? []
      : [`/** The fields that the model knows. */\nexport const KNOWN: Known = ${knownText(schema)}`]),
    ...(comesInThousands ? unknownFieldFunctions(schema) : []),
    ...writer.constants,
    ...(defaults === undefined ? [] : [`const DEFAULTS = ${JSON.stringify(defaults)}`]),
    ...writer.functions,
  ].join('\n\n')
  const used = (names: readonly string[]): string =>
    names.filter(part => new RegExp(`\\b${part.replace('type ', '')}\\b`).test(body)).join(', ')
  const imported = used(Object.keys(checks))
  return `// Generated from src/models/documents by \`npm run generate\`, and never edited.
${imported === '' ? '' : `import { ${imported} } from '../checks.ts'\n`}import type { ${type} } from '../documents/${file}.ts'
import { ${used(parts)} } from '../acceptor_parts.ts'

${body}
`
}

function withCheck({ base, predicate }: { base: object; predicate: object }): object {
  const check = (predicate as Partial<Narrowing<unknown>>).check
  const name = Object.entries(checks).find(([, value]) => value === check)?.[0]
  if (name === undefined) throw new Error('a model has a narrowing that is no check of src/models/checks.ts')
  return { ...base, [CHECK]: [...(((base as JsonSchema)[CHECK] as string[] | undefined) ?? []), name] }
}

/** Writes conditions that a value fits a schema; a function for each object. */
class Writer {
  readonly functions: string[] = []
  readonly constants: string[] = []

  /** The name of a function that takes Fields. */
  object({ properties = {}, required = [], additionalProperties, ...rest }: JsonSchema): string {
    const { type: _type, default: _default, [CHECK]: named = [], ...unknown } = rest
    refuseUnknown(unknown)
    const number = this.functions.push('')
    const name = `fits${number}`
    const fields = properties as Record<string, JsonSchema>
    const conditions = Object.entries(fields).map(([key, schema]) => {
      const place = `value.${key}`
      const condition = this.condition(schema, place)
      return (required as string[]).includes(key) ? condition : `(${place} === undefined || ${condition})`
    })
    if (additionalProperties === false) {
      this.constants.push(`const KNOWN${number} = new Set(${JSON.stringify(Object.keys(fields))})`)
      conditions.push(`hasOnly(value, KNOWN${number})`)
    } else if (typeof additionalProperties === 'object') {
      const condition = this.condition(additionalProperties, 'field')
      conditions.push(`everyValue(value, field => ${condition})`)
    }
    // What is Fields is no array.
    const others = (named as string[]).filter(check => check !== 'noArray')
    conditions.push(...checked(others, 'value', ' as never'))
    this.functions[number - 1] = `function ${name}(value: Fields): boolean {
  return (
    ${conditions.length === 0 ? 'true' : conditions.join(' &&\n    ')}
  )
}`
    return name
  }

  condition(schema: JsonSchema, place: string): string {
    const { default: _default, ...rest } = schema
    if ('const' in rest) return equal([rest.const], place)
    if ('enum' in rest) return equal(rest.enum as unknown[], place)
    if ('anyOf' in rest) {
      return `(${(rest.anyOf as JsonSchema[]).map(branch => this.condition(branch, place)).join(' || ')})`
    }
    if (rest.type === 'object') return `isFields(${place}) && ${this.object(rest)}(${place})`
    if (rest.type === 'array') return this.array(rest, place)
    return scalar(rest, place)
  }

  array({ items, type: _type, minItems, maxItems, ...rest }: JsonSchema, place: string): string {
    refuseUnknown(rest)
    const condition = this.condition(items as JsonSchema, 'item')
    const least = minItems === undefined ? '' : ` && ${place}.length >= ${JSON.stringify(minItems)}`
    const most = maxItems === undefined ? '' : ` && ${place}.length <= ${JSON.stringify(maxItems)}`
    return `Array.isArray(${place})${least}${most} && ${place}.every(item => ${condition})`
  }
}

function scalar(schema: JsonSchema, place: string): string {
  const { type, minimum, maximum, minLength, maxLength, pattern, [CHECK]: named = [], ...rest } = schema
  refuseUnknown(rest)
  const kinds: Record<string, string> = {
    string: `typeof ${place} === 'string'`,
    integer: `Number.isInteger(${place})`,
    number: `typeof ${place} === 'number' && !Number.isNaN(${place})`,
    boolean: `typeof ${place} === 'boolean'`,
    null: `${place} === null`,
  }
  const kind = kinds[type as string]
  if (kind === undefined) throw new Error(`an acceptor knows nothing of ${JSON.stringify(schema)}`)
  const number = type === 'integer' ? `(${place} as number)` : place
  const bound = (sign: string, subject: string, limit: unknown) =>
    limit === undefined ? [] : [`${subject} ${sign} ${JSON.stringify(limit)}`]
  return [
    kind,
    ...bound('>=', number, minimum),
    ...bound('<=', number, maximum),
    ...bound('>=', `${place}.length`, minLength),
    ...bound('<=', `${place}.length`, maxLength),
    ...(pattern === undefined ? [] : [`/${pattern as string}/.test(${place})`]),
    ...checked(named as string[], place, ''),
  ].join(' && ')
}

function checked(names: readonly string[], place: string, cast: string): string[] {
  return names.map(name => `${name}(${place}${cast}) === undefined`)
}

function equal(values: readonly unknown[], place: string): string {
  return `(${values.map(value => `${place} === ${JSON.stringify(value)}`).join(' || ')})`
}

function refuseUnknown(rest: object): void {
  const [keyword] = Object.keys(rest)
  if (keyword !== undefined) throw new Error(`an acceptor knows nothing of the keyword ${keyword}`)
}

/** The defaults of a schema and of its parts; undefined where it has none. */
function defaultsOf({ properties = {} }: JsonSchema): Record<string, unknown> | undefined {
  const entries = Object.entries(properties as Record<string, JsonSchema>).flatMap(([key, schema]) => {
    const own = schema.type === 'object' && 'default' in schema ? defaultsOf(schema) : schema.default
    return own === undefined ? [] : [[key, own] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** The names of a schema's fields as a tree, in which a list holds what its items may have. */
function knownText(schema: JsonSchema): string {
  return JSON.stringify(knownOf(schema), undefined, 2)
}

function knownOf(schema: JsonSchema): unknown {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, JsonSchema>
    items?: JsonSchema
    anyOf?: JsonSchema[]
  }
  if (items !== undefined) {
    const item = knownOf(items)
    return item === true ? true : [item]
  }
  if (anyOf !== undefined) return anyOf.map(knownOf).find(known => known !== true) ?? true
  if (properties === undefined) return true
  return Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, knownOf(field)]))
}

/** A function for each kind of object that says whether it, or one in it, has a field that the model doesn't know. */
function unknownFieldFunctions(schema: JsonSchema): string[] {
  const functions: string[] = []
  const names = new Map<string, string>()
  const nameOf = (known: object): string => {
    const text = JSON.stringify(known)
    const name = names.get(text) ?? `hasUnknownField${names.size === 0 ? '' : names.size}`
    if (names.has(text)) return name
    names.set(text, name)
    const place = functions.push('') - 1
    functions[place] = `function ${name}(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
${knownCases(known, nameOf).join('\n')}
      default:
        return true
    }
  }
  return false
}`
    return name
  }
  nameOf(knownOf(schema) as object)
  const [whole, ...parts] = functions
  return [`${ABOUT_UNKNOWN}\nexport ${whole}`, ...parts]
}

const ABOUT_UNKNOWN = "/** Whether an event, or an object in it, has a field that the model doesn't know. */"

function knownCases(known: object, nameOf: (known: object) => string): string[] {
  const entries = Object.entries(known) as [string, true | object | readonly [object]][]
  const plain = entries.flatMap(([key, inner]) => (inner === true ? [`      case '${key}':`] : []))
  const nested = entries.flatMap(([key, inner]) => {
    if (inner === true) return []
    const place = `value.${key}`
    const isUnknown = Array.isArray(inner)
      ? `Array.isArray(${place}) && ${place}.some(item => isFields(item) && ${nameOf(inner[0] as object)}(item))`
      : `isFields(${place}) && ${nameOf(inner)}(${place})`
    return [`      case '${key}':\n        if (${isUnknown}) return true\n        break`]
  })
  return [...(plain.length === 0 ? [] : [...plain, '        break']), ...nested]
}
