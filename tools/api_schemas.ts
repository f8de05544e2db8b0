import { routes } from '../handlers/index.ts'
import { modelOf } from '../src/http/endpoint/bodies.ts'
import { documentsIn, shapesOf } from '../src/http/endpoint/read_input.ts'
import { answersOf } from '../src/http/openapi/openapi.ts'
import { loadInputs, loadModel, loadPartNames } from './models.ts'
import type { Input } from '../src/models/all/input.ts'
import type { ModelName } from '../src/models/all/models.ts'
import { type JsonSchema, jsonSchemaOf } from '../src/models/schemas.ts'

/**
 * The JSON Schemas of all models that endpoints name, as TypeScript. A part or text that is in several places is written once,
 * which is a third of the text.
 */
export async function apiSchemasSource(): Promise<string> {
  const schemas: Record<string, JsonSchema> = {}
  for (const name of await namesInRoutes()) {
    schemas[name] = withFormats(jsonSchemaOf(await loadModel(name), name))
  }
  const inputs = Object.fromEntries(
    Object.entries(await loadInputs()).map(([name, input]) => [name, partSchemas(input)]),
  )
  const uses = new Map<string, number>()
  countUses(schemas, uses)
  countUses(inputs, uses)
  const constants: string[] = []
  const names = new Map<string, string>()

  function textOf(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`
    const json = JSON.stringify(value)
    const known = names.get(json)
    if (known !== undefined) return known
    const text = isObject(value)
      ? `{ ${Object.entries(value)
          .map(([key, part]) => `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${textOf(part)}`)
          .join(', ')} }`
      : json
    if (uses.get(json) === 1 || json.length <= SHORT) return text
    const name = `s${names.size + 1}`
    names.set(json, name)
    constants.push(`const ${name} = ${text}`)
    return name
  }

  const entries = Object.entries(schemas).map(([name, schema]) => `  ${name}: ${textOf(schema)},`)
  const inputEntries = Object.entries(inputs).map(([name, parts]) => `  ${name}: ${textOf(parts)},`)
  const partNames = Object.entries(await loadPartNames()).map(([place, name]) => `  '${place}': '${name}',`)
  return `// Generated from the models by \`npm run generate\`, and never edited.
/* oxlint-disable unicorn/no-thenable -- that is what JSON Schema calls it */
import type { InputSchemas, JsonSchema } from './schemas.ts'

${constants.join('\n')}

/** The JSON Schemas of all models that endpoints name. */
export const API_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
${entries.join('\n')}
}

/** The same of what endpoints take, part by part. */
export const INPUT_SCHEMAS: Readonly<Record<string, InputSchemas>> = {
${inputEntries.join('\n')}
}

/** Names of objects that several places have, by one of the places. */
export const PART_NAMES: Readonly<Record<string, string>> = {
${partNames.join('\n')}
}
`
}

/** Longest schema or text that is repeated. */
const SHORT = 24

async function namesInRoutes(): Promise<ModelName[]> {
  const names = new Set<ModelName>()
  for (const load of Object.values(routes)) {
    const { spec } = (await load()).default
    for (const answer of Object.values(answersOf(spec))) if (typeof answer === 'string') names.add(answer)
    for (const [, name] of documentsIn(shapesOf(spec))) names.add(name)
    if (spec.body !== undefined && spec.body.kind !== 'fields') names.add(modelOf(spec.body))
  }
  return [...names].sort()
}

/** The schemas of the parts of an input. What may be left out may be null, which says the same. */
function partSchemas({ parts, documents }: Input): Record<string, JsonSchema> {
  const schemas = Object.entries(parts).map(([part, model]) => {
    const { properties = {}, required = [], ...rest } = withFormats(jsonSchemaOf(model, part))
    const entries = Object.entries(properties).map(([name, property]) => {
      const document = part === 'body' ? documents[name] : undefined
      const { description, ...own } =
        document === undefined
          ? withTexts(property)
          : { ...property, $ref: `#/components/schemas/${document}` }
      const mayBeNull = !(required as string[]).includes(name) && !('default' in own) && !takesNull(own)
      return [name, { description, ...(mayBeNull ? { anyOf: [own, { type: 'null' }] } : own) }]
    })
    const { additionalProperties } = rest
    return [part, { type: 'object', properties: Object.fromEntries(entries), required, additionalProperties }]
  })
  return Object.fromEntries(schemas) as Record<string, JsonSchema>
}

/** Says of listed texts that they are texts: some generators of clients take an enum without a type for any value. */
function withTexts(schema: JsonSchema): JsonSchema {
  const { items } = schema
  return {
    ...(schema.enum === undefined ? {} : { type: 'string' }),
    ...schema,
    ...(items === undefined ? {} : { items: withTexts(items) }),
  }
}

function takesNull({ anyOf = [] }: JsonSchema): boolean {
  return anyOf.some(({ type }) => type === 'null')
}

function countUses(value: unknown, uses: Map<string, number>): void {
  const json = JSON.stringify(value)
  const before = uses.get(json) ?? 0
  uses.set(json, before + 1)
  if (before === 0 && isObject(value)) for (const part of Object.values(value)) countUses(part, uses)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Says of integers how wide they are: generators for Go, Java and C# take them for 32 bits otherwise. */
function withFormats(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, additionalProperties } = schema
  return {
    ...schema,
    ...(schema.type === 'integer' ? { format: 'int64' } : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, withFormats(property)]),
          ),
        }),
    ...(items === undefined ? {} : { items: withFormats(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(withFormats) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withFormats(additionalProperties) }
      : {}),
  }
}
