import { type ModelName, loadModel } from '../../models/index.ts'
import { type JsonSchema, jsonSchemaOf } from '../../models/schemas.ts'

/** How deep an answer is described. All of a diff is 67 kB, which an assistant would carry through its whole conversation. */
const DEPTH = 2

/** The JSON Schema of an answer of the service, in outline: what lies deep is only said to be an object or a list. */
export async function answerOf(name: ModelName): Promise<JsonSchema> {
  const { model, docs } = await loadModel(name)
  return outline(jsonSchemaOf(model, docs), DEPTH)
}

/** An object with the fields of all of them, and some more of plain types. */
export function allOf(schemas: readonly JsonSchema[], more: Readonly<Record<string, string>>): JsonSchema {
  const plain = Object.entries(more).map(([name, type]) => [name, { type }])
  return {
    type: 'object',
    properties: Object.assign({}, ...schemas.map(schema => schema.properties), Object.fromEntries(plain)),
    required: [...schemas.flatMap(schema => schema.required as string[]), ...Object.keys(more)],
  }
}

/** An object that is one of them. */
export function eitherOf(schemas: readonly JsonSchema[]): JsonSchema {
  return { type: 'object', anyOf: schemas }
}

function outline(schema: JsonSchema, depth: number): JsonSchema {
  const { properties, items, anyOf } = schema
  const kept = depth === 0 ? KEPT : (['description', ...KEPT] as const)
  const plain = kept.filter(keyword => keyword in schema).map(keyword => [keyword, schema[keyword]])
  return {
    ...Object.fromEntries(plain),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(branch => outline(branch, depth)) }),
    ...(items === undefined || depth === 0 ? {} : { items: outline(items, depth) }),
    ...(properties === undefined || depth === 0
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, outline(property, depth - 1)]),
          ),
          required: schema.required,
        }),
  }
}

const KEPT = ['type', 'enum', 'const'] as const
