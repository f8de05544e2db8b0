import { badRequest } from '../../base/errors.ts'
import { DAY_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { mistypedEnvironments } from '../registry/places.ts'
import { activePolicy } from '../registry/policies.ts'
import { type UnpricedModels, unpricedModels } from '../registry/priced_models.ts'
import { agentsOfReleases } from '../registry/release_facts.ts'
import type { Ledger } from '../world/ledger.ts'
import { type Scope, coversAgent, coversEnvironment, isLimited, outOfScope } from '../world/scope.ts'

/** Who sends events. */
export interface Sender {
  readonly scope: Scope
  /** Whether warnings may name what others registered: the agent and the price table of a release. */
  readonly readsAll: boolean
}

/** Most warnings of one kind that name a release; one more counts the rest. */
const MOST_NAMED = 20

/** Most places whose resolved policy is remembered for one request. */
const MOST_PLACES = 1000

/** How far clocks may differ, milliseconds, before a later time is taken for a wrong time zone. */
const MOST_AHEAD_MS = 10 * MINUTE_MS

/** Older ones are more likely of a wrong unit or clock than of an archive. */
const MOST_PAST_MS = 366 * DAY_MS

/** A mistake that some events share. */
interface Mistake {
  readonly text: string
  readonly events: readonly StoredEvent[]
}

/** What may be wrong with valid events, given what is registered. */
interface Findings {
  /** What a strict workspace refuses: an unregistered release, a release of another agent, a model without a price. */
  readonly mistakes: readonly Mistake[]
  /** Warnings only, a sentence each: times in the future or long past, first tokens after the end, and environments that may be mistyped. */
  readonly notes: readonly string[]
}

/**
 * What may be wrong with events, as sentences. Throws 403 for events outside the sender's scope, and 400 for a mistake
 * where the workspace is strict.
 */
export async function checkEvents(
  ledger: Ledger,
  events: readonly StoredEvent[],
  sender: Sender,
): Promise<string[]> {
  const { mistakes, notes } = await findMistakes(ledger, events, sender)
  if (mistakes.length > 0 && ledger.workspace.strict) {
    throw badRequest(`Invalid RunEvent: ${mistakes[0]!.text} (this workspace is strict). Nothing was stored.`)
  }
  return [...mistakes.map(({ text }) => text), ...notes]
}

/** The same, with the events of each mistake. Throws 403 for events outside the sender's scope. */
export async function findMistakes(
  ledger: Ledger,
  events: readonly StoredEvent[],
  sender: Sender,
): Promise<Findings> {
  const agents = await agentsOfReleases(ledger, new Set(events.map(event => event.release_id)))
  requireInScope(events, agents, sender)
  return {
    mistakes: [
      ...unregistered(events, agents),
      ...foreign(events, agents, sender),
      ...(await unpriced(events, { agents, ledger, sender })),
    ],
    notes: [
      ...aheadTexts(events, ledger.now()),
      ...longPastTexts(events, ledger.now()),
      ...lateTokenTexts(events),
      ...(await environmentTexts(events, ledger, sender)),
    ],
  }
}

/** An event of another agent would count in, or block, that agent's next comparison: so its release is checked too. */
function requireInScope(
  events: readonly StoredEvent[],
  agents: ReadonlyMap<string, string>,
  { scope }: Sender,
): void {
  if (!isLimited(scope)) return
  for (const { run_id, agent_id, environment, release_id } of events) {
    const owner = agents.get(release_id)
    const problem = !coversAgent(scope, agent_id)
      ? `agent ${JSON.stringify(agent_id)}`
      : !coversEnvironment(scope, environment)
        ? `environment ${JSON.stringify(environment)}`
        : owner === undefined || !coversAgent(scope, owner)
          ? `release ${JSON.stringify(release_id)}, which no agent of it has`
          : undefined
    if (problem === undefined) continue
    throw outOfScope(scope, `run ${JSON.stringify(run_id.slice(0, 80))} is of ${problem}; nothing was stored`)
  }
}

function unregistered(events: readonly StoredEvent[], agents: ReadonlyMap<string, string>): Mistake[] {
  const groups = Map.groupBy(
    events.filter(({ release_id }) => !agents.has(release_id)),
    ({ release_id }) => release_id,
  )
  const all = Array.from(groups, ([id, of]) => ({
    text: `release ${JSON.stringify(id)} is not registered, so no diff shows its events`,
    events: of,
  }))
  return firstMistakes(all, 'further releases are not registered either')
}

/** The first mistakes, and one that counts the others. */
function firstMistakes(mistakes: readonly Mistake[], others: string): Mistake[] {
  const more = mistakes.slice(MOST_NAMED)
  const rest = { text: `${more.length} ${others}`, events: more.flatMap(({ events }) => events) }
  return [...mistakes.slice(0, MOST_NAMED), ...(more.length === 0 ? [] : [rest])]
}

/** Events that name another agent than that of their release: a diff refuses runs of two agents on one side. */
function foreign(
  events: readonly StoredEvent[],
  agents: ReadonlyMap<string, string>,
  { readsAll }: Sender,
): Mistake[] {
  const strange = events.filter(({ release_id, agent_id }) => {
    const owner = agents.get(release_id)
    return owner !== undefined && owner !== agent_id
  })
  const groups = Map.groupBy(strange, ({ release_id, agent_id }) => JSON.stringify([release_id, agent_id]))
  const all = Array.from(groups.values(), group => {
    const { release_id, agent_id } = group[0]!
    const owner = readsAll ? JSON.stringify(agents.get(release_id)!.slice(0, 80)) : 'another agent'
    const which = `${count(group)} ${group.length === 1 ? 'names' : 'name'} agent ${quoted(agent_id)}`
    const text =
      `release ${JSON.stringify(release_id)} is of ${owner}, but ${which} (first: run_id ${runName(group[0]!)}): ` +
      'a diff refuses a window that has both'
    return { text, events: group }
  })
  return firstMistakes(all, 'further pairs of a release and an agent do not belong together either')
}

/** Events of a model that their release's price table lacks, unless the policy leaves such runs out of the cost. */
async function unpriced(
  events: readonly StoredEvent[],
  {
    agents,
    ledger,
    sender,
  }: { readonly agents: ReadonlyMap<string, string>; readonly ledger: Ledger; readonly sender: Sender },
): Promise<Mistake[]> {
  const used = new Map<string, Set<string>>()
  for (const event of events) {
    if (!agents.has(event.release_id)) continue
    const models = used.get(event.release_id) ?? new Set()
    for (const model of modelsOf(event)) models.add(model)
    used.set(event.release_id, models)
  }
  const lacking = await unpricedModels(ledger, used)
  if (lacking.size === 0) return []
  const mayLackPrice = excludedModels(await activePolicy(ledger.sql))
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
    const table = sender.readsAll ? `${release.provider}/${release.pricing_version}` : 'its price table'
    const which = `${quoted(model)}, which ${count(of)} used (first: run_id ${runName(of[0]!)})`
    const text =
      `release ${JSON.stringify(release.release_id)}: ${table} has no price for ${which}: a diff refuses a window that ` +
      'has such runs; add the model and import that with `svc pricing import PATH --replace --reason WHY`'
    return { text, events: of }
  })
  return firstMistakes(all, 'further models have no price either')
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

function aheadTexts(events: readonly StoredEvent[], now: number): readonly string[] {
  // Stored times are UTC in one form, so their texts compare as they do.
  const latest = isoTime(now + MOST_AHEAD_MS)
  const ahead = events.filter(({ timestamp }) => timestamp > latest)
  if (ahead.length === 0) return []
  const [first] = ahead
  const which = `${count(ahead)} ${ahead.length === 1 ? 'lies' : 'lie'} ahead of the service's clock`
  return [
    `${which} (first: run_id ${runName(first!)} at ${first!.timestamp}): no window contains a run before its time; is its time zone wrong?`,
  ]
}

function longPastTexts(events: readonly StoredEvent[], now: number): readonly string[] {
  const earliest = isoTime(Math.max(0, now - MOST_PAST_MS))
  const past = events.filter(({ timestamp }) => timestamp < earliest)
  if (past.length === 0) return []
  const [first] = past
  const which = `${count(past)} ${past.length === 1 ? 'is' : 'are'} more than a year old`
  return [
    `${which} (first: run_id ${runName(first!)} at ${first!.timestamp}): is the unit of its time right?`,
  ]
}

function lateTokenTexts(events: readonly StoredEvent[]): readonly string[] {
  const late = events.filter(
    ({ metrics: { ttft_ms, latency_ms } }) => (ttft_ms ?? 0) > (latency_ms ?? Number.POSITIVE_INFINITY),
  )
  if (late.length === 0) return []
  const which = `${count(late)} ${late.length === 1 ? 'has' : 'have'} a ttft_ms above latency_ms`
  return [`${which} (first: run_id ${runName(late[0]!)}): is it in milliseconds from the start of the run?`]
}

/** Events in an environment that nothing is registered for or promoted in, where one of a similar name is used. */
async function environmentTexts(
  events: readonly StoredEvent[],
  ledger: Ledger,
  { scope }: Sender,
): Promise<string[]> {
  const names = new Set(events.map(({ environment }) => environment))
  const mistyped = await mistypedEnvironments(ledger, names, scope)
  return Array.from(mistyped, ([name, meant]) => {
    const of = events.filter(({ environment }) => environment === name)
    const which = `${count(of)} ${of.length === 1 ? 'names' : 'name'} environment ${quoted(name)}`
    return `${which} (first: run_id ${runName(of[0]!)}), where nothing is registered or promoted; did you mean ${meant}?`
  })
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 80))
}

function count({ length }: readonly StoredEvent[]): string {
  return `${length} ${length === 1 ? 'event' : 'events'}`
}

/** The run_id as a message shows it: quoted, and at most 80 characters long. */
function runName({ run_id }: StoredEvent): string {
  return quoted(run_id)
}
