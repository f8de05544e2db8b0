import { keywordsOf } from './checks.ts'
import type { AnyModel, Said } from './model.ts'

/** The pattern of a text that we take: we keep no NUL. */
const NO_NUL = '^[^\\u0000]*$'

/** A JSON Schema (2020-12) object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
}

export type InputSchemas = { readonly [P in 'path' | 'query' | 'body']?: JsonSchema }

/**
 * The JSON Schema of a model with titles, descriptions, formats, defaults and examples merged in, and properties in the
 * order they are written in: arktype sorts them by name. Throws where a field is not described.
 */
export function jsonSchemaOf(model: AnyModel, title: string): JsonSchema {
  const bare = model.toJsonSchema({ dialect: null, fallback: { predicate: withKeywords } }) as Bare
  const { about, written, examples } = bare
  return {
    title,
    description: about,
    ...document(written === true ? withoutNul(bare) : bare, title, '', {}),
    ...(examples === undefined ? {} : { examples }),
  }
}

/** As arktype writes it, with what is said of the model and of each field. */
type Bare = JsonSchema & Said

/** A check has no JSON Schema, but JSON Schema may have words for it. */
function withKeywords({ base, predicate }: { base: object; predicate: object }): object {
  return { ...base, ...keywordsOf(predicate) }
}

/** The same schema, in which every text that may be any says that it holds no NUL. */
function withoutNul(schema: JsonSchema): JsonSchema {
  const inner = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'properties') {
      const properties = Object.entries(value as Record<string, JsonSchema>)
      return [keyword, Object.fromEntries(properties.map(([name, one]) => [name, withoutNul(one)]))]
    }
    if (keyword === 'anyOf') return [keyword, (value as JsonSchema[]).map(withoutNul)]
    const isSchema = ['items', 'additionalProperties'].includes(keyword) && typeof value === 'object'
    return [keyword, isSchema ? withoutNul(value as JsonSchema) : value]
  })
  const isAny = schema.type === 'string' && !('pattern' in schema) && !('format' in schema)
  return { ...Object.fromEntries(inner), ...(isAny ? { pattern: NO_NUL } : {}) }
}

function document(schema: Bare, title: string, path: string, defaults: Defaults): JsonSchema {
  const { properties, items, anyOf, additionalProperties, ...rest } = withTypes(schema) as Bare
  const {
    about: _about,
    rank: _rank,
    form: _form,
    drops: _drops,
    written: _written,
    examples: _examples,
    ...more
  } = rest
  const { defaults: own, ...said } = more
  const known = own === undefined ? defaults : { ...defaults, ...under(path, own) }
  const inner = (child: JsonSchema, childPath: string) => document(child, title, childPath, known)
  return {
    ...said,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(branch => inner(branch, path)) }),
    ...(items === undefined ? {} : { items: inner(items, `${path}[]`) }),
    ...(properties === undefined ? {} : { properties: documentProperties(properties, title, path, known) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: inner(additionalProperties, `${path}.*`) }
      : additionalProperties === undefined
        ? {}
        : { additionalProperties }),
  }
}

/** Defaults that a model states by behaviour rather than by value, by path. */
type Defaults = Readonly<Record<string, unknown>>

function under(path: string, defaults: Defaults): Defaults {
  if (path === '') return defaults
  return Object.fromEntries(Object.entries(defaults).map(([key, value]) => [`${path}.${key}`, value]))
}

/**
 * The same schema in words that generators of clients understand: openapi-python-client writes broken code for a constant
 * `true` without a type, openapi-generator for several constant texts that are no enum.
 */
function withTypes(schema: JsonSchema): JsonSchema {
  if (['boolean', 'string'].includes(typeof schema.const)) return { type: typeof schema.const, ...schema }
  const { anyOf = [], ...rest } = schema
  const isText = (branch: JsonSchema): boolean => typeof branch.const === 'string'
  const texts = anyOf.filter(isText)
  if (texts.length < 2) return schema
  const choice = { type: 'string', enum: texts.map(text => text.const) }
  const others = anyOf.filter(branch => !isText(branch))
  return others.length === 0 ? { ...rest, ...choice } : { ...rest, anyOf: [choice, ...others] }
}

function documentProperties(
  properties: Readonly<Record<string, Bare>>,
  title: string,
  path: string,
  defaults: Defaults,
): Record<string, JsonSchema> {
  const entries = Object.entries(properties).map(([key, child]) => {
    const here = path === '' ? key : `${path}.${key}`
    const { rank = 0 } = child
    const description = aboutOf(child)
    if (description === undefined) throw new Error(`${title}: ${here} is not described`)
    const fallback = here in defaults ? { default: defaults[here] } : {}
    const documented = { description, ...document(child, title, here, defaults), ...fallback }
    return { key, rank, documented }
  })
  return Object.fromEntries(
    entries.sort((a, b) => a.rank - b.rank).map(({ key, documented }) => [key, documented]),
  )
}

/** What is said of a field: by itself, or by the object that it holds, lists or may be. */
function aboutOf({ about, items, anyOf = [] }: Bare): string | undefined {
  return about ?? [items, ...anyOf].flatMap(inner => (inner === undefined ? [] : (aboutOf(inner) ?? [])))[0]
}
