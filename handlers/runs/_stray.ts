import { badRequest } from '../../src/base/errors.ts'
import { MINUTE_MS, isoTime } from '../../src/base/time.ts'
import type { Called } from '../../src/http/access/context.ts'
import { agentsOfReleases } from '../../src/ledger/registry/release_facts.ts'
import { mistypedEnvironments } from '../../src/ledger/registry/places.ts'
import { activePolicy } from '../../src/ledger/registry/policies.ts'
import { type UnpricedModels, unpricedModels } from '../../src/ledger/registry/priced_models.ts'
import type { Policy } from '../../src/models/documents/policy.ts'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'
import { resolveOverrides } from '../../src/rules/scope.ts'
import { runName } from './_events.ts'
import { mayReadAll } from './_scope.ts'

/** Most releases of which each slip is told one by one. */
const MOST_NAMED = 20

/** Most places whose policy is resolved once. */
const MOST_PLACES = 1000

/** How far clocks may differ, milliseconds, before a time that lies ahead is taken for one of another zone. */
const MOST_AHEAD_MS = 10 * MINUTE_MS

/** A slip that events share. */
interface Slip {
  readonly text: string
  readonly events: readonly StoredEvent[]
}

/** What is odd about sound events as they meet the ledger. */
export interface Strays {
  /** What a strict workspace refuses: no release of that id, a release of another agent, a model without a price. */
  readonly slips: readonly Slip[]
  /** What is only told, a sentence each: clocks differ, and an environment may be new. */
  readonly notes: readonly string[]
}

/** Finds what is odd about sound events. */
export async function findStrays(context: Called, events: readonly StoredEvent[]): Promise<Strays> {
  const agents = await agentsOfReleases(context, new Set(events.map(event => event.release_id)))
  return {
    slips: [
      ...unregistered(events, agents),
      ...foreign(events, agents, context),
      ...(await unpriced(events, agents, context)),
    ],
    notes: [...aheadText(events, context.now()), ...(await environmentTexts(events, context))],
  }
}

/** The same as sentences. Throws 400 for a slip where the workspace is strict. */
export async function strayEvents(context: Called, events: readonly StoredEvent[]): Promise<string[]> {
  const { slips, notes } = await findStrays(context, events)
  if (slips.length > 0 && context.workspace.strict) {
    throw badRequest(`Invalid RunEvent: ${slips[0]!.text} (this workspace is strict). Nothing was stored.`)
  }
  return [...slips.map(({ text }) => text), ...notes]
}

function unregistered(events: readonly StoredEvent[], agents: ReadonlyMap<string, string>): Slip[] {
  const groups = Map.groupBy(
    events.filter(({ release_id }) => !agents.has(release_id)),
    ({ release_id }) => release_id,
  )
  const all = Array.from(groups, ([id, of]) => ({
    text: `release ${JSON.stringify(id)} is not registered: its events are kept, but no diff shows them`,
    events: of,
  }))
  return firstSlips(all, 'further releases are not registered either')
}

/** The slips that are told one by one, and one for all others. */
function firstSlips(slips: readonly Slip[], others: string): Slip[] {
  const more = slips.slice(MOST_NAMED)
  const rest = { text: `${more.length} ${others}`, events: more.flatMap(({ events }) => events) }
  return [...slips.slice(0, MOST_NAMED), ...(more.length === 0 ? [] : [rest])]
}

/** Of events that name another agent than their release is of: a diff refuses runs of two agents on one side. */
function foreign(
  events: readonly StoredEvent[],
  agents: ReadonlyMap<string, string>,
  { caller }: Called,
): Slip[] {
  const strange = events.filter(({ release_id, agent_id }) => {
    const owner = agents.get(release_id)
    return owner !== undefined && owner !== agent_id
  })
  const groups = Map.groupBy(strange, ({ release_id, agent_id }) => JSON.stringify([release_id, agent_id]))
  const all = Array.from(groups.values(), group => {
    const { release_id, agent_id } = group[0]!
    const owner = mayReadAll(caller) ? JSON.stringify(agents.get(release_id)!.slice(0, 80)) : 'another agent'
    const which = `${count(group)} ${group.length === 1 ? 'names' : 'name'} agent ${quoted(agent_id)}`
    const text =
      `release ${JSON.stringify(release_id)} is of ${owner}, but ${which} (first: run_id ${runName(group[0]!)}): ` +
      'a diff refuses a window that has both'
    return { text, events: group }
  })
  return firstSlips(all, 'further pairs of a release and an agent do not belong together either')
}

/** Of events that used a model that their release's price table lacks, unless the policy leaves such runs out of the cost. */
async function unpriced(
  events: readonly StoredEvent[],
  agents: ReadonlyMap<string, string>,
  context: Called,
): Promise<Slip[]> {
  const used = new Map<string, Set<string>>()
  for (const event of events) {
    if (!agents.has(event.release_id)) continue
    const models = used.get(event.release_id) ?? new Set()
    for (const model of modelsOf(event)) models.add(model)
    used.set(event.release_id, models)
  }
  const lacking = await unpricedModels(context, used)
  if (lacking.size === 0) return []
  const mayLackPrice = excludedModels(await activePolicy(context.sql))
  const strange = events.flatMap(event => {
    const found = lacking.get(event.release_id)
    const model =
      found &&
      modelsOf(event).find(each => found.models.has(each) && !mayLackPrice(each, event, found.release))
    return model === undefined ? [] : [{ event, model, release: found!.release }]
  })
  const groups = Map.groupBy(strange, ({ event, model }) => JSON.stringify([event.release_id, model]))
  const all = Array.from(groups.values(), group => {
    const { model, release } = group[0]!
    const of = group.map(({ event }) => event)
    const table = mayReadAll(context.caller)
      ? `${release.provider}/${release.pricing_version}`
      : 'its price table'
    const which = `${quoted(model)}, which ${count(of)} used (first: run_id ${runName(of[0]!)})`
    const text =
      `release ${JSON.stringify(release.release_id)}: ${table} has no price for ${which}: a diff refuses a window that ` +
      'has such runs; add the model and import that with `svc pricing import PATH --replace --reason WHY`'
    return { text, events: of }
  })
  return firstSlips(all, 'further models have no price either')
}

function modelsOf({ usage: { model, models = [] } }: StoredEvent): string[] {
  return [model.model, ...models.map(part => part.model)]
}

/** Whether a policy leaves runs of a model out of the cost: never those of the release's own. Each place is resolved once. */
function excludedModels(
  document: Policy,
): (model: string, event: StoredEvent, release: UnpricedModels['release']) => boolean {
  const places = new Map<string, boolean>()
  return (model, { environment }, { agent_id, model: own }) => {
    if (model === own) return false
    const place = `${agent_id}\0${environment}`
    const excludes =
      places.get(place) ?? resolveOverrides(document, { agent_id, environment }).policy.unpriced === 'exclude'
    if (places.size < MOST_PLACES) places.set(place, excludes)
    return excludes
  }
}

function aheadText(events: readonly StoredEvent[], now: number): readonly string[] {
  // Stored times are UTC in one form, so their texts compare as they do.
  const latest = isoTime(now + MOST_AHEAD_MS)
  const ahead = events.filter(({ timestamp }) => timestamp > latest)
  if (ahead.length === 0) return []
  const [first] = ahead
  const which = `${count(ahead)} ${ahead.length === 1 ? 'lies' : 'lie'} ahead of the service's clock`
  return [
    `${which} (first: run_id ${runName(first!)} at ${first!.timestamp}): no window holds a run before its time; is it of another zone?`,
  ]
}

/** Of events in an environment that nothing is registered for or promoted in, but in one of a similar name. */
async function environmentTexts(events: readonly StoredEvent[], context: Called): Promise<string[]> {
  const names = new Set(events.map(({ environment }) => environment))
  const slips = await mistypedEnvironments(context, names, context.caller.scope)
  return Array.from(slips, ([name, meant]) => {
    const of = events.filter(({ environment }) => environment === name)
    const which = `${count(of)} ${of.length === 1 ? 'names' : 'name'} environment ${quoted(name)}`
    return `${which} (first: run_id ${runName(of[0]!)}), which nothing is registered for or promoted in; did you mean ${meant}?`
  })
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 80))
}

function count({ length }: readonly StoredEvent[]): string {
  return `${length} ${length === 1 ? 'event' : 'events'}`
}
