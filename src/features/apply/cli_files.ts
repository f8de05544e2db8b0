import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { similarNames } from '../../base/text.ts'
import { readModel, readText } from '../../cli/files.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { PricingTableInput } from '../../models/documents/pricing.ts'
import { check } from '../../models/all/check.ts'
import { pathText } from '../../models/checks.ts'
import { ROLES, WEBHOOK_EVENTS } from '../../models/names.ts'
import { INPUTS } from '../../models/shapes/inputs.ts'
import { grantProblem } from '../../rules/token_grant.ts'
import { urlProblem } from '../../rules/webhook_target.ts'
import { reasonOf } from '../../runtime/node/files.ts'
import { parseYaml } from '../../runtime/yaml.ts'

/** A webhook as webhooks.yaml has it, known by its URL. Those of chats are not here: their URL is a secret. */
export interface WantedWebhook {
  readonly url: string
  readonly events: readonly string[]
  readonly description?: string
  readonly enabled?: boolean
}

export interface WantedToken {
  readonly name: string
  readonly role: string
  readonly agents?: readonly string[]
  readonly environments?: readonly string[]
  readonly expires?: string
}

/** What a folder says; undefined where it has no such file, which leaves things as they are. */
export interface FolderContent {
  readonly policy?: Partial<Policy>
  readonly prices: readonly PricingTableInput[]
  readonly webhooks?: readonly WantedWebhook[]
  readonly tokens?: readonly WantedToken[]
}

const NAMES = ['policy.yaml', 'webhooks.yaml', 'tokens.yaml', 'prices']

/**
 * Reads `policy.yaml`, `prices/*.yaml`, `webhooks.yaml` and `tokens.yaml` of a folder. Throws 400 for a file of another
 * name, which would otherwise be left out without a word, and for what can't be applied.
 */
export async function readWanted(folder: string, cwd: string): Promise<FolderContent> {
  const names = await namesIn(folder, cwd)
  for (const name of names) {
    if (NAMES.includes(name) || name.startsWith('.') || name === 'README.md') continue
    const [meant] = similarNames(name, NAMES, 1)
    throw badRequest(
      `${folder}/${name} can't be applied: a folder has ${NAMES.slice(0, 3).join(', ')} and prices/*.yaml.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    )
  }
  if (!names.some(name => NAMES.includes(name))) {
    throw badRequest(
      `${folder} has no file to apply: it needs ${NAMES.slice(0, 3).join(', ')} or prices/*.yaml.`,
    )
  }
  const has = (name: string): boolean => names.includes(name)
  const tables = has('prices')
    ? (await namesIn(`${folder}/prices`, cwd)).filter(name => /\.(?:ya?ml|json)$/.test(name)).toSorted()
    : []
  const prices: PricingTableInput[] = []
  for (const name of tables) {
    prices.push((await readModel(`${folder}/prices/${name}`, { cwd }, 'PricingTable')) as PricingTableInput)
  }
  requireOnce(
    `${folder}/prices`,
    prices.map(table => `${table.provider}/${table.pricing_version}`),
  )
  return {
    prices,
    ...(has('policy.yaml')
      ? { policy: (await readModel(`${folder}/policy.yaml`, { cwd }, 'Policy')) as Partial<Policy> }
      : {}),
    ...(has('webhooks.yaml')
      ? { webhooks: await readList<WantedWebhook>(`${folder}/webhooks.yaml`, cwd, WEBHOOK) }
      : {}),
    ...(has('tokens.yaml')
      ? { tokens: await readList<WantedToken>(`${folder}/tokens.yaml`, cwd, TOKEN) }
      : {}),
  }
}

async function namesIn(folder: string, cwd: string): Promise<string[]> {
  return readdir(resolve(cwd, folder)).catch((error: NodeJS.ErrnoException) => {
    throw badRequest(`${folder} can't be read: ${reasonOf(error)}.`, error)
  })
}

/** What is wrong with a value, as it follows the name of its field. */
type Check = (value: unknown) => string | undefined

interface Fields {
  readonly key: string
  readonly required: Readonly<Record<string, Check>>
  readonly optional: Readonly<Record<string, Check>>
  /** What is wrong with an entry whose fields are right, as a sentence. */
  readonly whole?: (entry: never) => string | undefined
}

const yesOrNo: Check = value => (typeof value === 'boolean' ? undefined : 'must be true or false')
const oneOf =
  (values: readonly string[]): Check =>
  value =>
    values.includes(value as string) ? undefined : `must be one of ${values.join(', ')}`
const listOf =
  (item: Check): Check =>
  value =>
    !Array.isArray(value) || value.length === 0
      ? 'must be a list with at least one entry'
      : value.map(item).find(problem => problem !== undefined)

/** As the service takes the field of a request, so that it is refused before anything is changed. */
const fieldOf = (input: string, field: string): Check => {
  const { required, optional } = INPUTS[input]!.body!
  const shape = { ...required, ...optional }[field]!
  return value => {
    const checked = check(shape, value)
    if (checked.ok) return undefined
    const { path, message } = checked.problems[0]!
    return `${pathText(path)} ${message.replace(/ \(was [^]*\)$/, '')}`.trim()
  }
}
/** Whether a service refuses private addresses, the plan learns from it. */
const receiver: Check = value =>
  typeof value === 'string' ? urlProblem(value, false) : 'must be an http or https URL'

const WEBHOOK: Fields = {
  key: 'url',
  required: { url: receiver, events: listOf(oneOf(WEBHOOK_EVENTS)) },
  optional: { description: fieldOf('WebhooksAdd', 'description'), enabled: yesOrNo },
}
const TOKEN: Fields = {
  key: 'name',
  required: { name: fieldOf('TokensCreate', 'name'), role: oneOf(ROLES) },
  optional: {
    agents: fieldOf('TokensCreate', 'agents'),
    environments: fieldOf('TokensCreate', 'environments'),
    expires: fieldOf('TokensCreate', 'expires'),
  },
  whole: (token: WantedToken) => grantProblem(token),
}

async function readList<T>(path: string, cwd: string, fields: Fields): Promise<T[]> {
  const { key, required, optional, whole } = fields
  const document = await parseYaml(await readText(path, { cwd }), path)
  if (!Array.isArray(document))
    throw badRequest(`${path} must be a list; each entry begins with "- ${key}:".`)
  document.forEach((entry: unknown, index) => {
    const where = `${path}, entry ${index + 1}`
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      throw badRequest(`${where} must have ${Object.keys(required).join(' and ')}.`)
    }
    const given = entry as Record<string, unknown>
    const known = { ...required, ...optional }
    for (const name of Object.keys(given)) {
      if (Object.hasOwn(known, name)) continue
      const [meant] = similarNames(name, Object.keys(known), 1)
      throw badRequest(
        `${where}: ${name} is not a known field${meant === undefined ? '' : ` (did you mean ${meant}?)`}.`,
      )
    }
    for (const [name, fails] of Object.entries(known)) {
      if (given[name] === undefined && !Object.hasOwn(required, name)) continue
      const problem = given[name] === undefined ? 'is required' : fails(given[name])
      if (problem !== undefined)
        throw badRequest(`${where}: ${name}${problem.startsWith('[') ? '' : ' '}${problem}.`)
    }
    const problem = whole?.(given as never)
    if (problem !== undefined) throw badRequest(`${where}: ${problem}`)
  })
  requireOnce(
    path,
    document.map((entry: Record<string, string>) => entry[key]!),
  )
  return document as T[]
}

function requireOnce(path: string, keys: readonly string[]): void {
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw badRequest(`${path} names ${twice} twice.`)
}
