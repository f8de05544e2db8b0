import { readFileSync, readdirSync } from 'node:fs'
import { tags } from '../../../handlers/index.ts'
import { parseArguments } from '../../../src/cli/arguments/parse.ts'
import { openApiDocument } from '../../../src/http/openapi/openapi.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { COMMANDS } from '../../commands.ts'

const SCHEMAS = `${ROOT_PATH}schemas/v1/`

/** Reads what describes the service: `/openapi.json` by path and schema, `schemas/v1`, and the help of each command. */
export async function documents(): Promise<Set<string>> {
  const { paths, components, ...head } = (await openApiDocument(tags, '', [])) as unknown as {
    readonly paths: object
    readonly components: { readonly schemas: object }
  }
  const { schemas, ...others } = components
  const described = { ...paths, ...schemas, components: others, head }
  const entries = [
    ...Object.entries(described).map(([name, value]) => ['openapi', name, JSON.stringify(value)]),
    ...readdirSync(SCHEMAS).map(name => ['schema', name, readFileSync(SCHEMAS + name, 'utf8')]),
    ...[[], ['all'], ...COMMANDS.map(({ name }) => name.split(' '))].map(words => [
      'help',
      ['svc', 'help', ...words].join(' '),
      JSON.stringify(parseArguments(['help', ...words], COMMANDS, 80)),
    ]),
  ]
  return new Set(entries.map(entry => JSON.stringify(['documents', ...entry])))
}
