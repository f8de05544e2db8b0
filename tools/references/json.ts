import { loadModel } from '../models.ts'
import type { ModelName } from '../../src/models/all/models.ts'
import { type JsonSchema, jsonSchemaOf } from '../../src/models/schemas.ts'
import { COMMANDS } from '../commands.ts'
import { routes } from '../../handlers/index.ts'
import { JSON_ANSWERS } from './json_answers.ts'

/** The models of which each command prints one with `--output json`, by its name. */
async function answersByCommand(): Promise<readonly (readonly [string, readonly ModelName[]])[]> {
  const ofRoutes = COMMANDS.map(async ({ name, load }): Promise<[string, readonly ModelName[]]> => {
    const { sends } = await load()
    if (name in JSON_ANSWERS || sends === undefined) return [name, JSON_ANSWERS[name] ?? []]
    const { answers } = (await routes[sends.route]()).default.spec
    const good = Object.entries(answers).filter(([status]) => status.startsWith('2'))
    return [name, good.flatMap(([, answer]) => (typeof answer === 'string' ? [answer as ModelName] : []))]
  })
  return (await Promise.all(ofRoutes)).filter(([, models]) => models.length > 0).toSorted(byName)
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** schemas/cli/v1/commands.schema.json: a definition per answer, and a property per command that refers to its own. */
export async function commandsSchema(): Promise<string> {
  const commands = await answersByCommand()
  const definitions: [string, JsonSchema][] = []
  for (const name of new Set(commands.flatMap(([, models]) => models).toSorted())) {
    definitions.push([name, jsonSchemaOf(await loadModel(name), name)])
  }
  const properties = commands.map(([command, models]): [string, JsonSchema] => {
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
