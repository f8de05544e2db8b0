import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { similarNames } from '../../base/text.ts'
import { readModel, readText } from '../../cli/files.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { PricingTableInput } from '../../models/documents/pricing.ts'
import { ROLES, WEBHOOK_EVENTS } from '../../models/names.ts'
import { reasonOf } from '../../runtime/node/files.ts'
import { parseYaml } from '../../runtime/yaml.ts'

/** A webhook as webhooks.yaml has it, known by its URL. Those of chats are not here: their URL is a secret. */
export interface WantedWebhook {
  readonly url: string
  readonly events: readonly string[]
  readonly description?: string
  readonly enabled?: boolean
}

/** A token as tokens.yaml has it. */
export interface WantedToken {
  readonly name: string
  readonly role: string
  readonly agents?: readonly string[]
  readonly environments?: readonly string[]
  readonly expires?: string
}

/** What a folder says; undefined where it has no such file, which leaves things as they are. */
export interface Wanted {
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
export async function readWanted(folder: string, cwd: string): Promise<Wanted> {
  const names = await namesIn(folder, cwd)
  for (const name of names) {
    if (NAMES.includes(name) || name.startsWith('.') || name === 'README.md') continue
    const [meant] = similarNames(name, NAMES, 1)
    throw badRequest(
      `${folder}/${name} is not something that can be applied: a folder has ${NAMES.slice(0, 3).join(', ')} and prices/*.yaml.` +
        (meant === undefined ? '' : ` Did you mean ${meant}?`),
    )
  }
  if (!names.some(name => NAMES.includes(name))) {
    throw badRequest(
      `${folder} has nothing to apply: it needs ${NAMES.slice(0, 3).join(', ')} or prices/*.yaml.`,
    )
  }
  const has = (name: string): boolean => names.includes(name)
  const tables = has('prices')
    ? (await namesIn(`${folder}/prices`, cwd)).filter(name => /\.(?:ya?ml|json)$/.test(name)).toSorted()
    : []
  const prices: PricingTableInput[] = []
  for (const name of tables) {
    prices.push((await readModel(`${folder}/prices/${name}`, cwd, 'PricingTable')) as PricingTableInput)
  }
  requireOnce(
    `${folder}/prices`,
    prices.map(table => `${table.provider}/${table.pricing_version}`),
  )
  return {
    prices,
    ...(has('policy.yaml')
      ? { policy: (await readModel(`${folder}/policy.yaml`, cwd, 'Policy')) as Partial<Policy> }
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

type Check = (value: unknown) => string | undefined

interface Fields {
  /** The field that an entry is known by. */
  readonly key: string
  readonly required: Readonly<Record<string, Check>>
  readonly optional: Readonly<Record<string, Check>>
}

const text: Check = value => (typeof value === 'string' && value !== '' ? undefined : 'must be a text')
/** As the service takes it, so that it is refused before anything is changed. */
const howLong: Check = value =>
  typeof value === 'string' && /^[1-9]\d{0,4}[dhm]$/.test(value)
    ? undefined
    : 'must be a number and d, h or m, such as 90d'
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

const WEBHOOK: Fields = {
  key: 'url',
  required: { url: text, events: listOf(oneOf(WEBHOOK_EVENTS)) },
  optional: { description: text, enabled: yesOrNo },
}
const TOKEN: Fields = {
  key: 'name',
  required: { name: text, role: oneOf(ROLES) },
  optional: { agents: listOf(text), environments: listOf(text), expires: howLong },
}

async function readList<T>(path: string, cwd: string, { key, required, optional }: Fields): Promise<T[]> {
  const document = await parseYaml(await readText(path, cwd), path)
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
    for (const [name, check] of Object.entries(known)) {
      if (given[name] === undefined && !Object.hasOwn(required, name)) continue
      const problem = given[name] === undefined ? 'is required' : check(given[name])
      if (problem !== undefined) throw badRequest(`${where}: ${name} ${problem}.`)
    }
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
