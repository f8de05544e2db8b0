import { safe } from '../../base/shown.ts'
import type { PowerChange } from '../../models/answers/surface.ts'
import { EFFECTS, type Effect } from '../../models/names.ts'
import type { Power, PowerTool } from '../../rules/power.ts'

/**
 * What a release may do that another may not, and the other way round, the widest first.
 *
 * A power is a set: tools, each with its effects, scopes and schema; MCP servers; sub-agents; providers. `after` is within
 * `before` exactly where no change widens, and that is a partial order: reflexive, transitive, and antisymmetric up to
 * versions and models of a provider, which are told and widen nothing. Names are compared as they are. A tool with another
 * name is another tool, so renaming hides nothing. What a tool doesn't say of its effects, scopes or schema may be anything.
 */
export function powerChanges(before: Power, after: Power): PowerChange[] {
  return [
    ...serverChanges(before, after),
    ...toolChanges(before, after),
    ...namedChanges(
      'agent',
      before.agents.map(({ agent_id, version }) => ({ name: agent_id, version })),
      after.agents.map(({ agent_id, version }) => ({ name: agent_id, version })),
    ),
    ...modelChanges(before, after),
  ].sort((a, b) => RANKS[a.change] - RANKS[b.change] || Number(b.widens) - Number(a.widens))
}

/** How a policy says that it blocks for that. */
export const WIDER = 'may do more than the live release: '

export function isWideningReason(reason: string): boolean {
  return reason.startsWith(WIDER)
}

const RANKS = { added: 0, widened: 1, changed: 2, narrowed: 3, removed: 4 } as const

type Thing = PowerChange['of']

function change(
  of: Thing,
  name: string,
  what: PowerChange['change'],
  words: string,
  widens = what === 'added' || what === 'widened',
): PowerChange {
  return { change: what, of, name, widens, words }
}

/** A name as it stands in a sentence. */
function shown(name: string): string {
  const chars = Array.from(safe(name))
  return `\`${chars.length > MOST_CHARS ? `${chars.slice(0, MOST_CHARS).join('')}…` : chars.join('')}\``
}

const MOST_CHARS = 80

/** A server that comes or goes does so with its tools, which are told together. */
function serverChanges(before: Power, after: Power): PowerChange[] {
  const toolsOf = (power: Power, name: string) => (power.tools ?? []).filter(({ server }) => server === name)
  const changes = namedChanges('mcp_server', before.mcp_servers, after.mcp_servers)
  return changes.map(one => {
    if (one.change !== 'added') return one
    const tools = toolsOf(after, one.name)
    const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`
    return { ...one, words: `${may(tools)}: MCP server ${shown(one.name)} (${count})${holding(tools)}` }
  })
}

function toolChanges(before: Power, after: Power): PowerChange[] {
  const { tools: old } = before
  const { tools: now } = after
  if (old === null && now === null) return []
  if (now === null) {
    return [change('tools', '*', 'widened', 'no longer says which tools it may call')]
  }
  const known = new Map((old ?? []).map(tool => [keyOf(tool), tool]))
  const [servers, left] = [namesOf(before.mcp_servers), namesOf(after.mcp_servers)]
  const changes = now.flatMap(tool => {
    const was = known.get(keyOf(tool))
    known.delete(keyOf(tool))
    if (was !== undefined) return toolChange(was, tool)
    if (tool.server !== null && !servers.has(tool.server)) return []
    return [change('tool', nameOf(tool), 'added', `${may([tool])}: tool ${called(tool)}${holding([tool])}`)]
  })
  const gone = Array.from(known.values(), tool => tool).filter(
    ({ server }) => server === null || left.has(server),
  )
  return [
    ...changes,
    ...gone.map(tool => change('tool', nameOf(tool), 'removed', `may no longer call tool ${called(tool)}`)),
    ...(old === null && now.length === 0
      ? [change('tools', '*', 'narrowed', 'now says that it calls no tools')]
      : []),
  ]
}

function namesOf(all: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(all.map(({ name }) => name))
}

/** Neither part holds a NUL. */
function keyOf({ server, name }: PowerTool): string {
  return `${server ?? ''}\0${name}`
}

/** A tool by one name: that of its server stands before it. */
export function nameOf({ server, name }: Pick<PowerTool, 'server' | 'name'>): string {
  return server === null ? name : `${server}/${name}`
}

function called({ server, name }: PowerTool): string {
  return server === null ? shown(name) : `${shown(name)} of MCP server ${shown(server)}`
}

/** A tool that both have. */
function toolChange(was: PowerTool, is: PowerTool): PowerChange[] {
  const more = (EFFECTS as readonly Effect[]).filter(
    effect => is.effects?.includes(effect) === true && was.effects?.includes(effect) === false,
  )
  const scopes = (is.scopes ?? []).filter(scope => was.scopes?.includes(scope) === false)
  const open = [
    ...(is.effects === null && was.effects !== null ? ['effects'] : []),
    ...(is.scopes === null && was.scopes !== null ? ['scopes'] : []),
    ...(is.schema_sha256 === null && was.schema_sha256 !== null ? ['schema'] : []),
  ]
  const isOtherSchema =
    is.schema_sha256 !== null && was.schema_sha256 !== null && is.schema_sha256 !== was.schema_sha256
  const wider = [
    ...(more.length === 0 ? [] : [`may now also ${verbs(more)}`]),
    ...(scopes.length === 0 ? [] : [`has the ${plural(scopes, 'further scope')}`]),
    ...(open.length === 0 ? [] : [`no longer says its ${open.join(' and ')}`]),
    ...(isOtherSchema ? ['takes another input (schema)'] : []),
  ]
  const tool = `tool ${called(is)}`
  if (wider.length > 0) {
    return [change('tool', nameOf(is), 'widened', `${tool} ${wider.join(', ')}`)]
  }
  const less = (was.effects ?? EFFECTS).filter(effect => is.effects?.includes(effect) === false)
  const dropped = (was.scopes ?? []).filter(scope => is.scopes?.includes(scope) === false)
  const isNarrower =
    less.length > 0 ||
    dropped.length > 0 ||
    (was.effects === null && is.effects !== null) ||
    (was.scopes === null && is.scopes !== null) ||
    (was.schema_sha256 === null && is.schema_sha256 !== null)
  if (isNarrower) {
    const narrower = [
      ...(was.effects === null && is.effects !== null ? [`now says that it ${doing(is.effects)}`] : []),
      ...(was.effects !== null && less.length > 0 ? [`may no longer ${verbs(less)}`] : []),
      ...(was.scopes === null && is.scopes !== null
        ? [
            is.scopes.length === 0
              ? 'now says that it has no scopes'
              : `now says its ${plural(is.scopes, 'scope')}`,
          ]
        : []),
      ...(dropped.length === 0 ? [] : [`no longer has the ${plural(dropped, 'scope')}`]),
      ...(was.schema_sha256 === null && is.schema_sha256 !== null ? ['now has a known input (schema)'] : []),
    ]
    return [change('tool', nameOf(is), 'narrowed', `${tool} ${narrower.join(', ')}`)]
  }
  return versionChange('tool', nameOf(is), tool, was.version, is.version)
}

/** Things that are known by a name and a version alone. */
function namedChanges(
  of: 'mcp_server' | 'agent',
  before: readonly Versioned[],
  after: readonly Versioned[],
): PowerChange[] {
  const [old, now] = [byName(before), byName(after)]
  const label = (name: string): string => `${LABELS[of]} ${shown(name)}`
  return [
    ...after.flatMap(({ name, version }) => {
      const was = old.get(name)
      return was === undefined
        ? [change(of, name, 'added', `may now hand work to ${label(name)}`)]
        : versionChange(of, name, label(name), was.version, version)
    }),
    ...before
      .filter(({ name }) => !now.has(name))
      .map(({ name }) => change(of, name, 'removed', `may no longer use ${label(name)}`)),
  ]
}

interface Versioned {
  readonly name: string
  readonly version: string | null
}

const LABELS = { mcp_server: 'MCP server', agent: 'agent' } as const

function byName(all: readonly Versioned[]): ReadonlyMap<string, Versioned> {
  return new Map(all.map(one => [one.name, one]))
}

function versionChange(
  of: Thing,
  name: string,
  label: string,
  was: string | null,
  is: string | null,
): PowerChange[] {
  if (was === is) return []
  const from = was === null ? 'no version' : `version ${shown(was)}`
  return [change(of, name, 'changed', `${label}: ${from} → ${is === null ? 'none' : shown(is)}`)]
}

/** Another provider sees what the agent works on; another model of the same one does no more than the one before. */
function modelChanges(before: Power, after: Power): PowerChange[] {
  const providers = (power: Power) => new Set(power.models.map(({ provider }) => provider))
  const [old, now] = [providers(before), providers(after)]
  const keys = (power: Power) => new Set(power.models.map(({ provider, model }) => `${provider}\0${model}`))
  const [had, has] = [keys(before), keys(after)]
  return [
    ...[...now]
      .filter(provider => !old.has(provider))
      .map(provider =>
        change('provider', provider, 'added', `may now call models of provider ${shown(provider)}`),
      ),
    ...[...old]
      .filter(provider => !now.has(provider))
      .map(provider =>
        change('provider', provider, 'removed', `may no longer call models of provider ${shown(provider)}`),
      ),
    ...after.models
      .filter(({ provider, model }) => !had.has(`${provider}\0${model}`))
      .map(({ model, role }) =>
        change('model', model, 'added', `may now call model ${shown(model)}${ROLES[role]}`, false),
      ),
    ...before.models
      .filter(({ provider, model }) => !has.has(`${provider}\0${model}`))
      .map(({ model, role }) =>
        change('model', model, 'removed', `may no longer call model ${shown(model)}${ROLES[role]}`),
      ),
  ]
}

const ROLES = { runtime: '', fallback: ' (fallback)', further: '' } as const

const VERBS: Readonly<Record<Effect, string>> = {
  reads: 'read',
  writes: 'write',
  spends: 'spend money',
  sends: 'send',
}

function verbs(effects: readonly Effect[]): string {
  const words = effects.map(effect => VERBS[effect])
  const last = words.pop()!
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`
}

function doing(effects: readonly Effect[]): string {
  return effects.length === 0 ? 'does nothing outside the agent' : `may ${verbs(effects)}`
}

/** What these tools together may do, as the beginning of a sentence. */
function may(tools: readonly PowerTool[]): string {
  const effects = EFFECTS.filter(effect => tools.some(tool => tool.effects?.includes(effect) === true))
  return effects.length === 0 ? 'may now call' : `may now ${verbs(effects)}`
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
