import { safe } from '../../base/text.ts'
import type { PowerChange } from '../../models/answers/capabilities.ts'
import { EFFECTS, type Effect } from '../../models/names.ts'
import type { Power, PowerTool } from '../../rules/power.ts'

/**
 * Capabilities of a release that another lacks, and the other way round, the widest first.
 *
 * A power is a set: tools, each with its effects, scopes and schema; MCP servers; sub-agents; providers. `after` is within
 * `before` exactly where no change widens, and that is a partial order: reflexive, transitive, and antisymmetric up to
 * versions and models of a provider, which are listed and widen nothing. Names are compared as they are. A tool with another
 * name is another tool, so renaming hides nothing. What a tool doesn't say of its effects, scopes or schema may be anything.
 */
export function powerChanges(before: Power, after: Power): PowerChange[] {
  const servers = matched(before.mcp_servers, after.mcp_servers, ({ name }) => name)
  const agents = matched(before.agents, after.agents, ({ agent_id }) => agent_id)
  const providers = matched(before.models, after.models, ({ provider }) => provider)
  const models = matched(before.models, after.models, ({ provider, model }) => `${provider}\0${model}`)
  return [
    ...servers.came.map(({ name }) => serverCame(name, after)),
    ...servers.both.flatMap(([was, is]) => versionChange('mcp_server', is.name, server(is.name), was, is)),
    ...servers.went.map(({ name }) => gone('mcp_server', name, `use ${server(name)}`)),
    ...toolChanges(before, after),
    ...agents.came.map(({ agent_id }) => came('agent', agent_id, `hand work to ${agent(agent_id)}`)),
    ...agents.both.flatMap(([was, is]) => versionChange('agent', is.agent_id, agent(is.agent_id), was, is)),
    ...agents.went.map(({ agent_id }) => gone('agent', agent_id, `use ${agent(agent_id)}`)),
    // Another provider sees what the agent works on; another model of the same one does no more than the one before.
    ...providers.came.map(({ provider }) => came('provider', provider, `call ${modelsOf(provider)}`)),
    ...providers.went.map(({ provider }) => gone('provider', provider, `call ${modelsOf(provider)}`)),
    ...models.came.map(one => came('model', one.model, `call ${modelText(one)}`, false)),
    ...models.went.map(one => gone('model', one.model, `call ${modelText(one)}`)),
  ].sort((a, b) => RANKS[a.change] - RANKS[b.change] || Number(b.widens) - Number(a.widens))
}

/** What of two lists is in one alone, and what is in both, by a key; each key once. */
function matched<T>(before: readonly T[], after: readonly T[], keyOf: (one: T) => string) {
  const [old, now] = [before, after].map(all => new Map(all.map(one => [keyOf(one), one])))
  return {
    came: Array.from(now!).flatMap(([key, one]) => (old!.has(key) ? [] : [one])),
    both: Array.from(now!).flatMap(([key, is]) => (old!.has(key) ? [[old!.get(key)!, is] as const] : [])),
    went: Array.from(old!).flatMap(([key, one]) => (now!.has(key) ? [] : [one])),
  }
}

/** How a policy says that it blocks for that. */
export const WIDER = 'has capabilities that the live release lacks: '

export function isWideningReason(reason: string): boolean {
  return reason.startsWith(WIDER)
}

const RANKS = { added: 0, widened: 1, changed: 2, narrowed: 3, removed: 4 } as const

type Thing = PowerChange['of']

function came(of: Thing, name: string, what: string, widens = true): PowerChange {
  return { change: 'added', of, name, widens, words: `may now ${what}` }
}

function gone(of: Thing, name: string, what: string): PowerChange {
  return { change: 'removed', of, name, widens: false, words: `may no longer ${what}` }
}

function versionChange(of: Thing, name: string, label: string, was: Versioned, is: Versioned): PowerChange[] {
  if (was.version === is.version) return []
  const from = was.version === null ? 'no version' : `version ${shown(was.version)}`
  const words = `${label}: ${from} → ${is.version === null ? 'none' : shown(is.version)}`
  return [{ change: 'changed', of, name, widens: false, words }]
}

interface Versioned {
  readonly version: string | null
}

/** A tool of a server that comes or goes does so with it. */
function toolChanges(before: Power, after: Power): PowerChange[] {
  if (after.tools === null) {
    if (before.tools === null) return []
    const words = 'no longer says which tools it may call'
    return [{ change: 'widened', of: 'tools', name: '*', widens: true, words }]
  }
  const tools = matched(before.tools ?? [], after.tools, toolKey)
  const has = (power: Power, name: string | null): boolean =>
    name === null || power.mcp_servers.some(one => one.name === name)
  const changes = [
    ...tools.came
      .filter(tool => has(before, tool.server))
      .map(tool => came('tool', nameOf(tool), `${doing([tool])}: tool ${called(tool)}${holding([tool])}`)),
    ...tools.both.flatMap(([was, is]) => toolChange(was, is)),
    ...tools.went
      .filter(tool => has(after, tool.server))
      .map(tool => gone('tool', nameOf(tool), `call tool ${called(tool)}`)),
  ]
  if (before.tools !== null || after.tools.length > 0) return changes
  const words = 'now says that it calls no tools'
  return [{ change: 'narrowed', of: 'tools', name: '*', widens: false, words }]
}

function serverCame(name: string, { tools }: Power): PowerChange {
  const own = (tools ?? []).filter(tool => tool.server === name)
  const count = own.length === 1 ? '1 tool' : `${own.length} tools`
  return came('mcp_server', name, `${doing(own)}: ${server(name)} (${count})${holding(own)}`)
}

/** Neither part holds a NUL. */
function toolKey({ server: of, name }: PowerTool): string {
  return `${of ?? ''}\0${name}`
}

/** A tool by one name: that of its server precedes it. */
export function nameOf({ server: of, name }: Pick<PowerTool, 'server' | 'name'>): string {
  return of === null ? name : `${of}/${name}`
}

function called({ server: of, name }: PowerTool): string {
  return of === null ? shown(name) : `${shown(name)} of ${server(of)}`
}

function server(name: string): string {
  return `MCP server ${shown(name)}`
}

function agent(name: string): string {
  return `agent ${shown(name)}`
}

function modelsOf(provider: string): string {
  return `models of provider ${shown(provider)}`
}

function modelText({ model: name, role }: Power['models'][number]): string {
  return `model ${shown(name)}${role === 'fallback' ? ' (fallback)' : ''}`
}

/** A part of what a tool may do: values, or null where it may be any. */
interface Facet {
  readonly name: string
  readonly of: (tool: PowerTool) => readonly string[] | null
  readonly more: (values: readonly string[]) => string
  readonly less: (values: readonly string[]) => string
  /** Said for the first time. */
  readonly said: (values: readonly string[]) => string
}

/** The order of tools: one is within another where each part of it is. */
const FACETS: readonly Facet[] = [
  {
    name: 'effects',
    of: ({ effects }) => effects,
    more: values => `may now also ${verbs(values)}`,
    less: values => `may no longer ${verbs(values)}`,
    said: values =>
      values.length === 0
        ? 'now says that it does nothing outside the agent'
        : `now says that it may ${verbs(values)}`,
  },
  {
    name: 'scopes',
    of: ({ scopes }) => scopes,
    more: values => `has the ${plural(values, 'further scope')}`,
    less: values => `no longer has the ${plural(values, 'scope')}`,
    said: values =>
      values.length === 0 ? 'now says that it has no scopes' : `now says its ${plural(values, 'scope')}`,
  },
  {
    name: 'schema',
    of: ({ schema_sha256: hash }) => (hash === null ? null : [hash]),
    more: () => 'takes another input (schema)',
    less: () => 'takes another input (schema)',
    said: () => 'now has a known input (schema)',
  },
]

/** A tool that both have. */
function toolChange(was: PowerTool, is: PowerTool): PowerChange[] {
  const [wider, open, narrower]: [string[], string[], string[]] = [[], [], []]
  for (const { name, of, more, less, said } of FACETS) {
    const [old, now] = [of(was), of(is)]
    if (now === null && old !== null) open.push(name)
    if (now === null) continue
    if (old === null) {
      narrower.push(said(now))
      continue
    }
    const [added, dropped] = [now.filter(one => !old.includes(one)), old.filter(one => !now.includes(one))]
    if (added.length > 0) wider.push(more(added))
    if (dropped.length > 0) narrower.push(less(dropped))
  }
  if (open.length > 0) wider.push(`no longer says its ${open.join(' and ')}`)
  const label = `tool ${called(is)}`
  const parts = wider.length > 0 ? wider : narrower
  if (parts.length === 0) return versionChange('tool', nameOf(is), label, was, is)
  const isWider = wider.length > 0
  return [
    {
      change: isWider ? 'widened' : 'narrowed',
      of: 'tool',
      name: nameOf(is),
      widens: isWider,
      words: `${label} ${parts.join(', ')}`,
    },
  ]
}

/** A name as a sentence has it. */
function shown(name: string): string {
  // No more of it is looked at than may be shown, in halves of characters.
  const chars = Array.from(safe(name.slice(0, 2 * (MOST_CHARS + 1))))
  return `\`${chars.length > MOST_CHARS ? `${chars.slice(0, MOST_CHARS).join('')}…` : chars.join('')}\``
}

const MOST_CHARS = 80

const VERBS = {
  reads: 'read',
  writes: 'write',
  spends: 'spend money',
  sends: 'send',
} as const satisfies Readonly<Record<Effect, string>>

function verbs(effects: readonly string[]): string {
  const words: string[] = effects.map(effect => VERBS[effect as Effect])
  const last = words.pop()!
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`
}

/** What these tools together do. */
function doing(tools: readonly PowerTool[]): string {
  const effects = EFFECTS.filter(effect => tools.some(tool => tool.effects?.includes(effect) === true))
  return effects.length === 0 ? 'call' : verbs(effects)
}

const MOST_SCOPES = 5

/** The scopes of tools, and how many don't say what they do, as the end of a sentence. */
function holding(tools: readonly PowerTool[]): string {
  const scopes = [...new Set(tools.flatMap(tool => tool.scopes ?? []))]
  const open = tools.filter(({ effects }) => effects === null).length
  const of = tools.length === 1 ? '' : ` of ${open}`
  return [
    scopes.length === 0 ? '' : `, ${plural(scopes, 'scope')}`,
    open === 0 ? '' : `, effects${of} not declared`,
  ].join('')
}

function plural(names: readonly string[], word: string): string {
  const few = names.slice(0, MOST_SCOPES).map(shown).join(', ')
  const more = names.length > MOST_SCOPES ? ` and ${names.length - MOST_SCOPES} more` : ''
  return `${word}${names.length === 1 ? '' : 's'} ${few}${more}`
}
