import { tags } from '../handlers/index.ts'
import { openApiDocument } from '../src/http/openapi/openapi.ts'
import { type ModelName, loadModel } from '../src/models/index.ts'
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

/** Documents that users write and the client takes whole, beside those that the API description names. */
const DOCUMENTS: readonly ModelName[] = ['RunEvent', 'Release', 'PricingTable']

/**
 * The types of the SDK as TypeScript: one interface per document, and one per operation for what it takes. They are
 * written out, so that who uses the SDK needs neither arktype nor its types.
 */
export async function sdkTypes(): Promise<string> {
  const { paths, components } = (await openApiDocument(tags, '', [])) as unknown as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, JsonSchema> }
  }
  const schemas = { ...components.schemas }
  for (const name of DOCUMENTS) {
    const { model, docs } = await loadModel(name)
    schemas[name] = jsonSchemaOf(model, docs)
  }
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [shapeOf(schema), name]))
  const documents = Object.keys(schemas)
    .sort()
    .map(name => declaration(name, schemas[name]!, names))
  const inputs = Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .flatMap(operation => inputsOf(operation, names))
  const head = '// Generated from src/models and handlers by `npm run generate`, and never edited.\n'
  return [head, ...documents, ...inputs].join('\n')
}

function inputsOf({ operationId, parameters, requestBody }: Operation, names: Names): string[] {
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
  const title = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  return [
    ...(query.length === 0 ? [] : [declaration(`${title}Query`, schema, names)]),
    ...(body?.type === 'object' && Object.keys(body.properties as object).length > 0
      ? [declaration(`${title}Body`, body, names)]
      : []),
  ]
}

function notNull(schema: JsonSchema): JsonSchema {
  const [first, second] = (schema.anyOf ?? []) as JsonSchema[]
  return first !== undefined && second?.type === 'null' ? first : schema
}

/** Named documents by their shape: one that stands inside another is named rather than repeated. */
type Names = ReadonlyMap<string, string>

function declaration(name: string, schema: JsonSchema, names: Names): string {
  const comment = typeof schema.description === 'string' ? `/** ${schema.description} */\n` : ''
  const shape = schema.type === 'array' ? listType(schema, names, '') : objectType(schema, names, '')
  return shape.startsWith('{')
    ? `${comment}export interface ${name} ${shape}\n`
    : `${comment}export type ${name} = ${shape}\n`
}

function typeOf(schema: JsonSchema, names: Names, indent: string): string {
  const named = names.get(shapeOf(schema))
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
  return `readonly ${/[ |]/.test(item) && !item.startsWith('{') ? `(${item})` : item}[]`
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
    const { description } = property
    const comment = typeof description === 'string' ? `${deeper}/** ${description} */\n` : ''
    const type = typeOf(property, names, deeper)
    return required.has(name)
      ? `${comment}${deeper}readonly ${name}: ${type}`
      : `${comment}${deeper}readonly ${name}?: ${type} | undefined`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** A schema without its words and what a type can't say, in one order. */
function shapeOf(schema: JsonSchema): string {
  return JSON.stringify(schema, (key, value: unknown) => {
    if (WORDS.has(key) && typeof value !== 'object') return undefined
    if (key === 'examples' || key === 'default') return undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

const WORDS = new Set(['title', 'description', 'pattern', 'format'])
