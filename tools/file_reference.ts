import { stringify } from 'yaml'
import { loadModel } from './models.ts'
import type { ModelName } from '../src/models/all/models.ts'
import { type JsonSchema, jsonSchemaOf } from '../src/models/schemas.ts'
import { HEAD, table } from './markdown.ts'

/** A file that users write, and the page about it: docs/reference/files/<page>. */
interface UserFile {
  readonly page: string
  readonly title: string
  readonly model: ModelName
  /** Who reads it, and what goes beyond the fields. */
  readonly about: string
  readonly as: 'yaml' | 'json'
}

export const USER_FILES: readonly UserFile[] = [
  {
    page: 'release.md',
    title: 'release.yaml',
    model: 'Release',
    about:
      '`svc release register` and `POST /v1/releases` take it, `svc release validate` says what is wrong with one, ' +
      '`svc init --release DIR` and, in a workspace, `svc release init DIR` write one to fill in. What stands in it and the files beside it is covered by the ' +
      '[checksum](../../project/checksum.md).',
    as: 'yaml',
  },
  {
    page: 'run_event.md',
    title: 'Run events',
    model: 'RunEvent',
    about:
      '`svc runs ingest` reads them one to a line (JSONL) or as a JSON array, `POST /v1/events` as `{"events": […]}`.',
    as: 'json',
  },
  {
    page: 'prices.md',
    title: 'Price tables',
    model: 'PricingTable',
    about: '`svc pricing import` and `POST /v1/pricing` take them.',
    as: 'yaml',
  },
  {
    page: 'catalog.md',
    title: 'The pricing catalog',
    model: 'PricingCatalog',
    about: '`pricing_catalog_path` in service.yaml names it; a change counts from the next diff on.',
    as: 'yaml',
  },
  {
    page: 'policy.md',
    title: 'Policies',
    model: 'Policy',
    about:
      '`svc policy set` and `PUT /v1/policy` take them, `svc policy validate` says what is wrong with one. ' +
      '[Policy](../../policy.md) says how they decide.',
    as: 'yaml',
  },
  {
    page: 'service.md',
    title: 'service.yaml',
    model: 'WorkspaceConfig',
    about: '`svc init` writes it; commands and `svc serve` read it in the folder that they run in.',
    as: 'yaml',
  },
]

/** The page about a file: what it is for, an example, and every field with its type and default. */
export async function fileReference({ title, model: name, about, as }: UserFile): Promise<string> {
  const schema = jsonSchemaOf(await loadModel(name), name)
  const examples = ((schema.examples ?? []) as unknown[]).map(
    value => `\`\`\`${as}\n${textOf(value, as)}\`\`\``,
  )
  return [
    `# ${title}`,
    HEAD,
    `${String(schema.description)} ${about}`,
    ...examples,
    table(['field', 'type', 'default', 'meaning'], rowsOf(schema, '')),
    '',
  ].join('\n\n')
}

function textOf(value: unknown, as: UserFile['as']): string {
  return as === 'yaml' ? stringify(value) : `${JSON.stringify(value, null, 2)}\n`
}

/** A row for each property (path, type, whether it is required or its default, meaning), and below it those of what it holds. */
function rowsOf(schema: JsonSchema, path: string): string[][] {
  const required = (schema.required ?? []) as readonly string[]
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    const here = path === '' ? key : `${path}.${key}`
    const initial = 'default' in child ? `\`${JSON.stringify(child.default)}\`` : ''
    const row = [
      `\`${here}\``,
      typeText(child),
      required.includes(key) ? 'required' : initial,
      String(child.description),
    ]
    return [row, ...rowsOf(child, here)]
  })
  const { items, additionalProperties: any, anyOf = [] } = schema
  return [
    ...own,
    ...anyOf.flatMap(branch => rowsOf(branch, path)),
    ...(items === undefined ? [] : rowsOf(items, `${path}[]`)),
    ...(typeof any === 'object' ? rowsOf(any, `${path}.*`) : []),
  ]
}

function typeText(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeText))].join(' or ')
  if (schema.enum !== undefined) return (schema.enum as unknown[]).map(inCode).join(' or ')
  if ('const' in schema) return inCode(schema.const)
  const { type, items, format, minimum, maximum, minLength, maxLength, additionalProperties: any } = schema
  if (type === 'array') return `list of ${items === undefined ? 'values' : typeText(items)}`
  if (type === 'object') return typeof any === 'object' ? `map of ${typeText(any)}` : 'object'
  const bounds = [
    rangeText(minimum, maximum),
    minLength === undefined ? '' : 'not empty',
    maxLength === undefined ? '' : `at most ${inWords(maxLength)} characters`,
  ]
  const name = (type ?? 'any') as string
  return [format === undefined ? name : `${name} (${format as string})`, ...bounds]
    .filter(part => part !== '')
    .join(', ')
}

function rangeText(minimum: unknown, maximum: unknown): string {
  if (minimum === undefined) return ''
  if (maximum === undefined || maximum === Number.MAX_SAFE_INTEGER) return `at least ${inWords(minimum)}`
  return `${inWords(minimum)} to ${inWords(maximum)}`
}

function inCode(value: unknown): string {
  return `\`${JSON.stringify(value)}\``
}

function inWords(value: unknown): string {
  return Number(value).toLocaleString('en-US')
}
