import { loadModel } from '../models.ts'
import type { ModelName } from '../../src/models/all/models.ts'
import { type JsonSchema, jsonSchemaOf } from '../../src/models/schemas.ts'
import { JSON_ANSWERS } from './json_answers.ts'

const ANSWERS = Object.entries(JSON_ANSWERS)

/** schemas/cli/v1/commands.schema.json: a definition per answer, and a property per command that refers to its own. */
export async function commandsSchema(): Promise<string> {
  const definitions: [string, JsonSchema][] = []
  for (const name of modelNames()) {
    definitions.push([name, jsonSchemaOf(await loadModel(name), name)])
  }
  const properties = ANSWERS.map(([command, models]): [string, JsonSchema] => {
    const refs = models.map(name => ({ $ref: `#/$defs/${name}` }))
    return [command, refs.length === 1 ? refs[0]! : { anyOf: refs }]
  })
  const schema: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'commands.schema.json',
    title: 'Commands',
    description: 'What commands of svc print with --output json, by command.',
    properties: Object.fromEntries(properties),
    $defs: Object.fromEntries(definitions),
  }
  // A line per definition: indented it would be three times as long.
  const lines = Object.entries(schema).map(([key, value]) => `  ${JSON.stringify(key)}: ${linesOf(value)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

function linesOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const lines = Object.entries(value).map(
    ([key, inner]) => `    ${JSON.stringify(key)}: ${JSON.stringify(inner)}`,
  )
  return `{\n${lines.join(',\n')}\n  }`
}

function modelNames(): ModelName[] {
  return [...new Set(ANSWERS.flatMap(([, models]) => models))].toSorted((a, b) => (a < b ? -1 : 1))
}
