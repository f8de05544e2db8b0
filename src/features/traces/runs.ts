import { isoTime } from '../../base/time.ts'
import { firstFew } from '../../base/text.ts'
import { type PricedPart, type RunFacts, type RunUsage, factsOf, usageOf } from '../../spans/event.ts'
import { type Gathered, endedAs, isIncomplete, uncountedText } from '../../spans/gather.ts'
import { isSameProvider, modelNames, servedAs } from '../../spans/provider.ts'
import type { Part } from '../../spans/use.ts'
import { sumCounts } from '../../usage/counts.ts'
import type { KnownRelease } from './releases.ts'
import type { Group } from './tree.ts'

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
  /** Calls by tool. */
  readonly tools: ReadonlyMap<string, number>
  readonly isIncomplete: boolean
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

/** The draft of a run of a release, or the reason why there is none. `release` may be the reason why it isn't known. */
export function draftOf(
  { top, gathered, firstTokenMs, warnings }: Group,
  release: KnownRelease | string,
  options: RuleOptions,
): RunDraft | string {
  const root = endedAs(top, gathered)
  if (gathered.problem !== undefined) return gathered.problem
  if (root.endMs > options.now + MOST_AHEAD_MS) {
    return `it ends in the future (${isoTime(root.endMs)}): set the clock of the agent's machine`
  }
  if (root.latencyMs > MOST_LATENCY_MS) return `it took longer than ${MOST_LATENCY_MS} ms`
  if (typeof release === 'string') return release
  // What of a run is not counted would be free. But a failed one has to count as failed.
  const uncounted = root.hasFailed ? undefined : uncountedText(gathered)
  if (uncounted !== undefined) return uncounted
  const parts = pricedParts(gathered, release)
  if (typeof parts === 'string') return parts
  const facts = factsOf(root)
  if (facts.environment === undefined && release.environment !== options.environment) {
    warnings.add(
      `runs of ${release.release_id}, which is registered for ${release.environment}, name no environment and go to ` +
        `${options.environment}: set it on the resource (svc docs traces)`,
    )
  }
  const firstToken =
    firstTokenMs === undefined ? {} : { ttft_ms: Math.max(0, firstTokenMs - (root.endMs - root.latencyMs)) }
  return {
    environment: options.environment,
    tenant_id: '',
    task_id: '',
    ...facts,
    metrics: { ...facts.metrics, ...firstToken },
    release_id: release.release_id,
    agent_id: release.agent_id,
    model: release.model,
    parts,
    tools: gathered.tools,
    isIncomplete: isIncomplete(gathered, root),
  }
}

/** What a run used, by the names of its release's price table. */
function pricedParts(gathered: Gathered, release: KnownRelease): PricedPart[] | string {
  if (gathered.parts.length === 0) return [emptyPart(gathered, release)]
  const parts: PricedPart[] = []
  for (const part of gathered.parts) {
    const model = pricedName(part, release)
    if (model === undefined) return unpriced(part, release)
    parts.push({
      provider: providerOf(part, release),
      model,
      counts: part.counts,
      served: servedAs(model, part.served),
    })
  }
  return tooMany(parts) ?? parts
}

function emptyPart({ models }: Gathered, release: KnownRelease): PricedPart {
  const model = pricedName({ models, provider: undefined }, release) ?? release.model
  return { provider: release.pricing.provider, model, counts: sumCounts([]) }
}

/** The name of a model in the price table. */
function pricedName(
  { models, provider }: Pick<Part, 'models' | 'provider'>,
  { models: priced, pricing }: KnownRelease,
): string | undefined {
  const names = modelNames(models, [provider, pricing.provider])
  return priced.nameOf === undefined ? names.find(name => priced.has(name)) : priced.nameOf(names)
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
export type DraftedEvent = Omit<RunDraft, 'model' | 'parts' | 'tools' | 'isIncomplete'> & {
  readonly usage: RunUsage
}

/** The one place where a draft becomes an event. */
export function eventOf({ model, parts, tools, isIncomplete: isLess, ...event }: RunDraft): DraftedEvent {
  return { ...event, usage: usageOf(parts, model, tools, isLess) }
}
