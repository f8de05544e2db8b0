import type { AnyModel, ModelDocs } from './docs.ts'
import { keywordsOf } from './checks.ts'

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

/** The schemas of the parts of an input. */
export type InputSchemas = { readonly [P in 'path' | 'query' | 'body']?: JsonSchema }

/**
 * The JSON Schema of a model with titles, descriptions, formats, defaults and examples merged in, and
 * properties in the order of the docs: arktype sorts them by name and knows no descriptions.
 * Throws when docs and model disagree about which paths there are.
 */
export function jsonSchemaOf(model: AnyModel, docs: ModelDocs): JsonSchema {
  const bare = model.toJsonSchema({ dialect: null, fallback: { predicate: withKeywords } })
  const seen = new Set<string>()
  const documented = document(
    docs.written === true ? withoutNul(bare as JsonSchema) : (bare as JsonSchema),
    '',
    docs,
    seen,
  )
  const unknown = Object.keys(docs.fields).filter(path => !seen.has(path))
  if (unknown.length > 0)
    throw new Error(`${docs.title}: documented, but not in the model: ${unknown.join(', ')}`)
  return {
    title: docs.title,
    description: docs.description,
    ...documented,
    ...(docs.examples === undefined ? {} : { examples: docs.examples }),
  }
}

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

function document(schema: JsonSchema, path: string, docs: ModelDocs, seen: Set<string>): JsonSchema {
  const { properties, items, anyOf, additionalProperties, ...rest } = withTypes(schema)
  const inner = (child: JsonSchema, childPath: string) => document(child, childPath, docs, seen)
  return {
    ...rest,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(branch => inner(branch, path)) }),
    ...(items === undefined ? {} : { items: inner(items, `${path}[]`) }),
    ...(properties === undefined ? {} : { properties: documentProperties(properties, path, docs, seen) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: inner(additionalProperties, `${path}.*`) }
      : additionalProperties === undefined
        ? {}
        : { additionalProperties }),
  }
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
  properties: Readonly<Record<string, JsonSchema>>,
  path: string,
  docs: ModelDocs,
  seen: Set<string>,
): Record<string, JsonSchema> {
  const order = Object.keys(docs.fields)
  const entries = Object.entries(properties).map(([key, child]) => {
    const here = path === '' ? key : `${path}.${key}`
    const description = docs.fields[here]
    if (description === undefined) throw new Error(`${docs.title}: ${here} is not documented`)
    seen.add(here)
    const inner = document(child, here, docs, seen)
    const documented = {
      description,
      ...inner,
      ...(docs.defaults !== undefined && here in docs.defaults ? { default: docs.defaults[here] } : {}),
    }
    return { key, rank: order.indexOf(here), documented }
  })
  return Object.fromEntries(
    entries.sort((a, b) => a.rank - b.rank).map(({ key, documented }) => [key, documented]),
  )
}
