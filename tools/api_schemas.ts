import { routes } from '../handlers/index.ts'
import type { Body } from '../src/http/endpoint/bodies.ts'
import { answersOf } from '../src/http/openapi/openapi.ts'
import { loadModel } from './models.ts'
import type { ModelName } from '../src/models/all/models.ts'
import { type JsonSchema, jsonSchemaOf } from '../src/models/schemas.ts'

/**
 * The JSON Schemas of all models that endpoints name, as TypeScript. A part that is in several places is written once, which
 * is a third of the text.
 */
export async function apiSchemasSource(): Promise<string> {
  const schemas: Record<string, JsonSchema> = {}
  for (const name of await namesInRoutes()) {
    const { model, docs } = await loadModel(name)
    schemas[name] = withFormats(jsonSchemaOf(model, docs))
  }
  const uses = new Map<string, number>()
  countUses(schemas, uses)
  const constants: string[] = []
  const names = new Map<string, string>()

  function textOf(value: unknown): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`
    const json = JSON.stringify(value)
    const known = names.get(json)
    if (known !== undefined) return known
    const text = `{ ${Object.entries(value)
      .map(([key, part]) => `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${textOf(part)}`)
      .join(', ')} }`
    if (uses.get(json) === 1 || json.length <= SHORT) return text
    const name = `s${names.size + 1}`
    names.set(json, name)
    constants.push(`const ${name} = ${text}`)
    return name
  }

  const entries = Object.entries(schemas).map(([name, schema]) => `  ${name}: ${textOf(schema)},`)
  return `// Generated from the models by \`npm run generate\`, and never edited.
/* oxlint-disable unicorn/no-thenable -- that is what JSON Schema calls it */
import type { JsonSchema } from './schemas.ts'

${constants.join('\n')}

/** The JSON Schemas of all models that endpoints name. */
export const API_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
${entries.join('\n')}
}
`
}

/** Longest schema that is repeated. */
const SHORT = 24

async function namesInRoutes(): Promise<ModelName[]> {
  const names = new Set<ModelName>()
  for (const load of Object.values(routes)) {
    const { spec } = (await load()).default
    for (const answer of Object.values(answersOf(spec))) if (typeof answer === 'string') names.add(answer)
    if (spec.body !== undefined) for (const name of namesInBody(spec.body)) names.add(name)
  }
  return [...names].sort()
}

function namesInBody(body: Body<unknown>): ModelName[] {
  if (body.kind === 'document') return [body.model]
  if (body.kind !== 'fields') return [body.shape]
  return Object.values(body.fields).flatMap(({ model }) => (model === undefined ? [] : [model]))
}

function countUses(value: unknown, uses: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return
  const json = JSON.stringify(value)
  const before = uses.get(json) ?? 0
  uses.set(json, before + 1)
  if (before === 0) for (const part of Object.values(value)) countUses(part, uses)
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
