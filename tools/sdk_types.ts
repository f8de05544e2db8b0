import { tags } from '../handlers/index.ts'
import { openApiDocument } from '../src/http/openapi/openapi.ts'
import { loadModel } from './models.ts'
import type { ModelName } from '../src/models/all/models.ts'
import { PART_NAMES } from '../src/models/api_schemas.ts'
import { type JsonSchema, jsonSchemaOf } from '../src/models/schemas.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { content: Record<string, { schema: JsonSchema }> }
}

/** Documents that users write and the client takes whole, in addition to those that the API description names. */
const DOCUMENTS: readonly ModelName[] = ['RunEvent', 'Release', 'PricingTable']

/**
 * The types of the SDK as TypeScript: one interface per document, one per operation for what it takes, and one for each
 * object that is in several places. They are written out, so that users of the SDK need neither arktype nor its types.
 */
export async function sdkTypes(): Promise<string> {
  const { paths, components } = (await openApiDocument(tags, '', [])) as unknown as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, JsonSchema> }
  }
  const schemas = { ...components.schemas }
  for (const name of DOCUMENTS) schemas[name] = jsonSchemaOf(await loadModel(name), name)
  const documents = Object.keys(schemas)
    .sort()
    .map((name): Declared => [name, schemas[name]!])
  const inputs = Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .flatMap(inputsOf)
  const declared = [...documents, ...inputs]
  const names = new Map(documents.map(([name, schema]) => [shapeOf(schema), name]))
  const places = placesIn(declared, names)
  const bases = basesOf([...declared.map(([, schema]) => schema), ...places.map(({ schema }) => schema)])
  const inherited = new Set([...bases].flat())
  const shared = withNames(places.filter(place => place.paths.length > 1 || inherited.has(place.schema)))
  for (const [name, schema] of [...declared, ...shared]) {
    if (!names.has(keyOf(schema))) names.set(keyOf(schema), name)
  }
  return [
    '// Generated from src/models and handlers by `npm run generate`, and never edited.\n',
    ...declared.map(one => declaration(one, bases.get(one[1]), names)),
    '// Objects that stand in several of the types above.\n',
    // A description of such an object may not fit its other places.
    ...shared.map(([name, schema]) =>
      declaration([name, { ...schema, description: undefined }], bases.get(schema), names),
    ),
  ].join('\n')
}

type Declared = readonly [name: string, schema: JsonSchema]

/** The name of an operation as the types of its query and body begin with it. */
export function titleOf(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1)
}

function inputsOf({ operationId, parameters, requestBody }: Operation): Declared[] {
  const query = parameters.filter(parameter => parameter.in === 'query')
  const body = requestBody?.content['application/json']?.schema
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(
      // Null in a query is what the client leaves out anyway.
      query.map(({ name, schema: type, description }) => [name, { ...notNull(type), description }]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  }
  const title = titleOf(operationId)
  return [
    ...(query.length === 0 ? [] : [[`${title}Query`, schema] as const]),
    ...(body?.type === 'object' && Object.keys(body.properties as object).length > 0
      ? [[`${title}Body`, body] as const]
      : []),
  ]
}

/** An object inside of types: its paths, such as `Watch.last_check.metrics`. */
interface Place {
  readonly schema: JsonSchema
  readonly paths: string[]
}

/** The objects inside of types, each once, also where one is in several places. */
function placesIn(declared: readonly Declared[], documents: Names): Place[] {
  const places = new Map<string, Place>()
  function visit(schema: JsonSchema, path: string): void {
    if (documents.has(shapeOf(schema))) return
    if (schema.properties !== undefined) {
      const shape = keyOf(schema)
      const place = places.get(shape) ?? { schema, paths: [] }
      places.set(shape, place)
      place.paths.push(path)
      if (place.paths.length > 1) return
    }
    visitInside(schema, path)
  }
  function visitInside(schema: JsonSchema, path: string): void {
    const { properties = {}, items, anyOf = [], additionalProperties } = schema
    for (const [name, property] of Object.entries(properties)) visit(property, `${path}.${name}`)
    for (const one of [...anyOf, items, additionalProperties]) if (typeof one === 'object') visit(one, path)
  }
  for (const [name, schema] of declared) visitInside(schema, name)
  return [...places.values()]
}

/** Fewest fields of an object that another extends. It has to be half of that, too: fewer are alike by chance. */
const BASE_FIELDS = 5

/** For each object that has all fields of another one, word for word, the largest of those. */
function basesOf(schemas: readonly JsonSchema[]): ReadonlyMap<JsonSchema, JsonSchema> {
  const objects = schemas
    .map(schema => ({ schema, fields: fieldsOf(schema) }))
    .toSorted((a, b) => a.fields.length - b.fields.length)
  return new Map(
    objects.flatMap(({ schema, fields }, index) => {
      const base = objects
        .slice(0, index)
        .findLast(
          ({ fields: others }) =>
            others.length >= Math.max(BASE_FIELDS, fields.length / 2) &&
            others.every(field => fields.includes(field)),
        )
      return base === undefined ? [] : [[schema, base.schema] as const]
    }),
  )
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): string[] {
  return Object.entries(properties).map(([name, property]) =>
    JSON.stringify([name, property.description, (required as string[]).includes(name), keyOf(property)]),
  )
}

function withNames(places: readonly Place[]): Declared[] {
  const named = places.map(({ schema, paths }) => ({
    schema,
    paths,
    name: paths.map(path => PART_NAMES[path]).find(Boolean),
  }))
  const nameless = named.filter(({ name }) => name === undefined).map(({ paths }) => paths[0])
  if (nameless.length > 0)
    throw new Error(`objects of several types; name them in PART_NAMES: ${nameless.join(', ')}`)
  return named.map(({ schema, name }): Declared => [name!, schema])
}

/** Names of PART_NAMES that no type has. */
export function idleNames(types: string): string[] {
  return [...new Set(Object.values(PART_NAMES))].filter(
    name => !types.includes(`\nexport interface ${name} `),
  )
}

function notNull(schema: JsonSchema): JsonSchema {
  const [first, second] = (schema.anyOf ?? []) as JsonSchema[]
  return first !== undefined && second?.type === 'null' ? first : schema
}

/** Named types by the shape of their schema, or by its shape and the words of its fields. */
type Names = ReadonlyMap<string, string>

/** Longest line of a field with its comment; a longer one has its comment above it. */
const LINE = 140

function declaration([name, schema]: Declared, base: JsonSchema | undefined, names: Names): string {
  const comment = typeof schema.description === 'string' ? `/** ${schema.description} */\n` : ''
  if (base !== undefined) {
    const baseName = names.get(keyOf(base))
    const own = Object.entries(schema.properties!).filter(([field]) => !(field in base.properties!))
    if (own.length === 0) return `${comment}export type ${name} = ${baseName}\n`
    const rest = objectType({ ...schema, properties: Object.fromEntries(own) }, names, '')
    return `${comment}export interface ${name} extends ${baseName} ${rest}\n`
  }
  const shape = schema.type === 'array' ? listType(schema, names, '') : objectType(schema, names, '')
  return shape.startsWith('{')
    ? `${comment}export interface ${name} ${shape}\n`
    : `${comment}export type ${name} = ${shape}\n`
}

function typeOf(schema: JsonSchema, names: Names, indent: string): string {
  const named = names.get(shapeOf(schema)) ?? names.get(keyOf(schema))
  if (named !== undefined) return named
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!
  if ('const' in schema) return JSON.stringify(schema.const).replaceAll('"', "'")
  if (Array.isArray(schema.enum))
    return schema.enum.map(value => JSON.stringify(value).replaceAll('"', "'")).join(' | ')
  if (Array.isArray(schema.anyOf)) return union(schema.anyOf as JsonSchema[], names, indent)
  if (Array.isArray(schema.type))
    return union(
      schema.type.map(type => ({ ...schema, type })),
      names,
      indent,
    )
  if (schema.type === 'array') return listType(schema, names, indent)
  if (schema.type === 'object') return objectType(schema, names, indent)
  return PLAIN[String(schema.type)] ?? 'unknown'
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function listType({ items = {} }: JsonSchema, names: Names, indent: string): string {
  const item = typeOf(items, names, indent)
  const isOne = !/[ |]/.test(item) || (item.startsWith('{') && item.endsWith('}'))
  return `readonly ${isOne ? item : `(${item})`}[]`
}

function union(members: readonly JsonSchema[], names: Names, indent: string): string {
  const types = [...new Set(members.map(member => typeOf(member, names, indent)))]
  return types.filter(type => !(type.startsWith("'") && types.includes('string'))).join(' | ')
}

function objectType(schema: JsonSchema, names: Names, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  if (properties.length === 0) {
    const values =
      typeof schema.additionalProperties === 'object'
        ? typeOf(schema.additionalProperties, names, indent)
        : 'unknown'
    return `Readonly<Record<string, ${values}>>`
  }
  const required = new Set((schema.required ?? []) as string[])
  const deeper = `${indent}  `
  const lines = properties.map(([name, property]) => {
    const type = typeOf(property, names, deeper)
    // Unknown holds undefined too.
    const optional = type === 'unknown' ? type : `${type} | undefined`
    const field = required.has(name) ? `readonly ${name}: ${type}` : `readonly ${name}?: ${optional}`
    const { description } = property
    if (typeof description !== 'string') return `${deeper}${field}`
    const comment = `${deeper}/** ${description} */`
    const isShort = comment.length + field.split('\n')[0]!.length < LINE
    return isShort ? `${comment} ${field}` : `${comment}\n${deeper}${field}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** What a schema says that a type can say too, in one order. */
function shapeOf(schema: JsonSchema): string {
  return JSON.stringify(shapeIn(schema, false))
}

/** The same with the words of its fields, but not with its own. */
function keyOf(schema: JsonSchema): string {
  return JSON.stringify(shapeIn(schema, true))
}

function shapeIn(schema: JsonSchema, withWords: boolean): unknown {
  const { type, enum: values, const: value, $ref, required = [], properties = {}, anyOf = [], items } = schema
  const { additionalProperties: others } = schema
  const inner = (one: JsonSchema): unknown => shapeIn(one, withWords)
  return [
    [type, values, value, $ref, (required as string[]).toSorted()],
    Object.entries(properties)
      .map(([name, property]) => [name, inner(property), withWords ? property.description : ''])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    anyOf.map(inner),
    items === undefined ? [] : inner(items),
    typeof others === 'object' ? inner(others) : [],
  ]
}
