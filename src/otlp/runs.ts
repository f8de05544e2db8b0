import { isoTime } from '../base/time.ts'
import { firstFew } from '../base/text.ts'
import { type PricedPart, type RunFacts, type RunUsage, factsOf, usageOf } from '../sdk/spans/event.ts'
import { type Gathered, mayBeEmpty } from '../sdk/spans/gather.ts'
import { OWN_AGENT } from '../sdk/spans/names.ts'
import { isSameProvider } from '../sdk/spans/provider.ts'
import type { Part } from '../sdk/spans/use.ts'
import { sumCounts } from '../sdk/usage/counts.ts'
import { type KnownRelease, type Named, Releases } from './releases.ts'
import type { Run } from './tree.ts'

/** A run that can be stored: a run event but for its usage, and what was used by model. */
export interface RunDraft extends RunFacts {
  readonly release_id: string
  readonly agent_id: string
  readonly environment: string
  readonly tenant_id: string
  readonly task_id: string
  /** The release's own model, which leads the list of a run's models. */
  readonly model: string
  /** At least one. */
  readonly parts: readonly PricedPart[]
}

export interface RuleOptions {
  /** Of runs that name none. */
  readonly environment: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** How far ahead of ours the clock of an agent may be. */
const MOST_AHEAD_MS = 600_000
/** Most tokens of a kind, and longest latency, that a run event may have. */
const MOST_TOKENS = 1e12
const MOST_LATENCY_MS = 1e10

/** The draft of a run, or the reason why there is none. */
export function draftOf(run: Run, named: Named, releases: Releases, options: RuleOptions): RunDraft | string {
  const { root, gathered } = run
  if (gathered.problem !== undefined) return gathered.problem
  if (root.endMs > options.now + MOST_AHEAD_MS) {
    return `it ends in the future (${isoTime(root.endMs)}): set the clock of the agent's machine`
  }
  if (root.latencyMs > MOST_LATENCY_MS) return `it took longer than ${MOST_LATENCY_MS} ms`
  const release = releases.find(named)
  if (typeof release === 'string') return release
  if (run.isCutOff && !isNamedAgent(run, release)) {
    return (
      `its parent is not in this request, so it may be a part of another run: set gen_ai.agent.name to ` +
      `${release.agent_id}, or send whole traces (groupbytrace of the Collector, or the span processor of the SDK)`
    )
  }
  const parts = pricedParts(run, release)
  if (typeof parts === 'string') return parts
  return {
    environment: options.environment,
    tenant_id: '',
    task_id: '',
    ...factsOf(root),
    release_id: release.release_id,
    agent_id: release.agent_id,
    model: release.model,
    parts,
  }
}

function isNamedAgent({ root }: Run, { agent_id }: KnownRelease): boolean {
  return OWN_AGENT.some(name => root.attributes[name] === agent_id)
}

/** What a run used, by the names of its release's price table. */
function pricedParts({ root, gathered }: Run, release: KnownRelease): PricedPart[] | string {
  // A run without tokens would be a free one. But a failed one has to count as failed.
  if (gathered.parts.length === 0) {
    return mayBeEmpty(root, gathered) ? [emptyPart(gathered, release)] : 'no span of it reports tokens'
  }
  const parts: PricedPart[] = []
  for (const part of gathered.parts) {
    const model = part.models.find(name => release.models.has(name))
    if (model === undefined) return unpriced(part, release)
    parts.push({ provider: providerOf(part, release), model, counts: part.counts })
  }
  return tooMany(parts) ?? parts
}

function emptyPart({ models }: Gathered, release: KnownRelease): PricedPart {
  const model = models.find(name => release.models.has(name)) ?? release.model
  return { provider: release.pricing.provider, model, counts: sumCounts([]) }
}

function unpriced({ models }: Part, { pricing }: KnownRelease): string {
  const { provider, pricing_version } = pricing
  if (models.length === 0) return 'a span reports tokens, but not of which model'
  return (
    `the price table ${provider}/${pricing_version} of its release has no entry for ${firstFew(models)}: ` +
    'add it with `svc pricing import --replace`'
  )
}

function providerOf({ provider }: Part, { pricing }: KnownRelease): string {
  return provider === undefined || isSameProvider(provider, pricing.provider) ? pricing.provider : provider
}

function tooMany(parts: readonly PricedPart[]): string | undefined {
  const { model, models = [] } = usageOf(parts)
  const isTooMuch = [model, ...models].some(
    ({ input_tokens, cached_input_tokens, output_tokens }) =>
      Math.max(input_tokens, cached_input_tokens, output_tokens) > MOST_TOKENS,
  )
  return isTooMuch ? `it used more than ${MOST_TOKENS} tokens of a kind` : undefined
}

/** A run event, as POST /v1/events takes it. */
export type DraftedEvent = Omit<RunDraft, 'model' | 'parts'> & { readonly usage: RunUsage }

/** The one place where a draft becomes an event. */
export function eventOf({ model, parts, ...event }: RunDraft): DraftedEvent {
  return { ...event, usage: usageOf(parts, model) }
}
