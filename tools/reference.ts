import { optionText } from '../src/cli/arguments/help.ts'
import { routes } from '../handlers/index.ts'
import type { CommandSpec } from '../src/cli/arguments/command.ts'
import { EXIT_CODES } from '../src/cli/arguments/parse.ts'
import { COMMANDS } from './commands.ts'
import type { Access } from '../src/http/access/access.ts'
import type { Endpoint } from '../src/http/endpoint/endpoint.ts'
import type { EndpointSpec } from '../src/http/endpoint/spec.ts'
import { bodyOf, modelOf } from '../src/http/endpoint/bodies.ts'
import { inputSchemas } from '../src/http/openapi/openapi.ts'
import type { JsonSchema } from '../src/models/schemas.ts'
import { aboutOf, loadModel } from './models.ts'
import { HEAD, table } from './markdown.ts'

/** docs/reference/cli.md: every command with its options and an example. */
export function cliReference(): string {
  return [
    '# Commands',
    HEAD,
    'What `--output json` prints is a JSON Schema, a property per command: [commands.schema.json](../../schemas/cli/v1/commands.schema.json).',
    '## Exit codes',
    table(
      ['command', 'exit code'],
      EXIT_CODES.map(([commands, codes]) => [commands, codes]),
    ),
    ...COMMANDS.map(commandText),
    '',
  ].join('\n\n')
}

function commandText({ name, args, summary, options = [], example }: CommandSpec): string {
  const rows = options.map(option => [`\`${option.flags}\``, optionText(option)])
  return [
    `## svc ${[name, args].filter(Boolean).join(' ').replaceAll('<', '\\<')}`,
    `${summary}.`,
    ...(rows.length === 0 ? [] : [table(['option', 'meaning'], rows)]),
    example
      .split('\n')
      .map(line => `    ${line}`)
      .join('\n'),
  ].join('\n\n')
}

/** docs/reference/http.md: every route with what it takes and answers. */
export async function httpReference(): Promise<string> {
  const endpoints: Endpoint[] = []
  for (const load of Object.values(routes)) endpoints.push((await load()).default)
  const overview = endpoints.map(({ route, spec }) => [`\`${route}\``, spec.access, spec.summary])
  const sections: string[] = []
  for (const endpoint of endpoints) sections.push(await endpointText(endpoint))
  return [
    '# HTTP API',
    HEAD,
    'A running service shows the same with examples to try at `/docs`, and as OpenAPI 3.1 at `/openapi.json`. Errors ' +
      'are `{"detail": …}`: a sentence, a list of `{loc, msg, type}` for 422, an object for 409. Beside the `detail` of a ' +
      'path that is no route stands `"type": "no_route"`.',
    table(['access', 'without a token on the server', 'with one'], ACCESS),
    table(['route', 'access', ''], overview),
    ...sections,
    '',
  ].join('\n\n')
}

const ACCESS: readonly string[][] = (
  [
    ['open', 'everybody', 'everybody'],
    ['read', 'everybody', 'the main or the read token'],
    ['ingest', "the server's own machine", 'the main or the ingest token'],
    ['write', "the server's own machine", 'the main token'],
  ] satisfies [Access, string, string][]
).map(row => [...row])

async function endpointText({ route, spec }: Endpoint): Promise<string> {
  const rows = [
    ...Object.entries(inputSchemas(spec)).flatMap(([where, schema]) => fieldRows(where, schema)),
    ...(await bodyRows(spec)),
  ]
  const headers = [
    ...(spec.recordsActor === true ? ['`X-Service-Actor` or `X-Forwarded-User` says who asks.'] : []),
    ...(spec.idempotent === true
      ? ['A repeated `Idempotency-Key` answers with what was answered first.']
      : []),
  ]
  const answers: string[] = []
  for (const [status, answer] of Object.entries(spec.answers)) {
    const text =
      typeof answer === 'string' ? `\`${answer}\`: ${aboutOf(await loadModel(answer))}` : answer.about
    answers.push(`- ${status}: ${text}`)
  }
  return [
    `## ${route}`,
    `${spec.summary}.${spec.description === undefined ? '' : ` ${spec.description}`}`,
    ...(headers.length === 0 ? [] : [headers.join(' ')]),
    ...(rows.length === 0 ? [] : [table(['', 'in', 'type', 'meaning'], rows)]),
    answers.join('\n'),
  ].join('\n\n')
}

async function bodyRows(spec: EndpointSpec): Promise<string[][]> {
  const body = bodyOf(spec)
  if (body === undefined || body.kind === 'fields') return []
  const name = modelOf(body)
  return [['', 'body', `\`${name}\``, aboutOf(await loadModel(name))]]
}

function fieldRows(where: string, { properties = {}, required = [] }: JsonSchema): string[][] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => [
    `\`${name}\``,
    where,
    typeText(schema),
    `${String(description)}${where !== 'path' && (required as string[]).includes(name) ? ' Required.' : ''}`,
  ])
}

/** A type by the words of the table, such as `integer, 1 to 500, default 50`. */
function typeText(schema: JsonSchema): string {
  const { anyOf: [first = {}] = [], $ref } = schema
  if (typeof $ref === 'string') return `\`${$ref.split('/').at(-1)!}\``
  if (schema.anyOf !== undefined) return typeText(first)
  const { type, items, minimum, maximum, default: fallback } = schema
  const values = (schema.enum ?? items?.enum ?? (schema.const === undefined ? undefined : [schema.const])) as
    | readonly string[]
    | undefined
  if (values !== undefined) return values.map(value => `\`${value}\``).join(', ')
  if (type === 'array') return 'list'
  if (type !== 'integer') return type === 'boolean' ? 'flag' : 'text'
  const range =
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
      ? ''
      : `, ${Number(minimum)} to ${Number(maximum)}`
  return `integer${range}${fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`}`
}
