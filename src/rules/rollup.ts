import { countedModel } from './statistics/incomplete.ts'
import { compareTexts } from '../base/text.ts'
import { parseTimestamp } from '../base/time.ts'
import type { StoredEvent } from '../models/documents/stored_event.ts'

/** Scores are added up as integers, so that sums are exact and the same on every database: six decimals count. */
export const MILLION = 1_000_000

export function toMillionths(score: number): number {
  return Math.round(score * MILLION)
}

/** How many values, Σ and Σ² of them, in millionths. */
export interface ScoreSums {
  readonly n: number
  readonly sum: number
  readonly sum_of_squares: number
}

/** The sums of one score over the cases that have it. */
export function sumsOf(scores: readonly number[]): ScoreSums {
  const values = scores.map(toMillionths)
  return {
    n: values.length,
    sum: values.reduce((total, value) => total + value, 0),
    sum_of_squares: values.reduce((total, value) => total + value * value, 0),
  }
}

/** What rollups keep of a set of run events. Sums are doubles: exact up to 2^53. */
export interface Sums {
  readonly runs: number
  readonly errors: number
  /** Events that carry a latency. */
  readonly latency_count: number
  readonly latency_sum_ms: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_input_tokens: number
  /** Those of the input tokens that were written to a cache; absent in evidence from before they were counted. */
  readonly cache_write_input_tokens?: number
}

/** The sums of one variant: events of one agent that name one provider and model. */
export interface VariantSums extends Sums {
  readonly agent_id: string
  readonly provider: string
  readonly model: string
}

/** Sums of failed runs alone; all 0 unless given. */
export interface FailedSums {
  /** How many of the errors the others count: older rows and imported ones lack the sums of theirs. */
  readonly failed_count: number
  readonly failed_latency_count: number
  readonly failed_latency_sum_ms: number
  readonly failed_latency_sum_ms2: number
  readonly failed_input_tokens: number
  readonly failed_output_tokens: number
  readonly failed_cached_input_tokens: number
}

export const NO_FAILED: FailedSums = {
  failed_count: 0,
  failed_latency_count: 0,
  failed_latency_sum_ms: 0,
  failed_latency_sum_ms2: 0,
  failed_input_tokens: 0,
  failed_output_tokens: 0,
  failed_cached_input_tokens: 0,
}

/** The sums of one variant in one block of time of a window. */
export interface Aggregate extends VariantSums, Partial<FailedSums> {
  readonly block: number
  /** Σ latency² of the events that carry one. */
  readonly latency_sum_ms2: number
  /** Σ of the products of input, output and cached tokens: (0,0), (0,1), (0,2), (1,1), (1,2), (2,2). */
  readonly token_products: readonly number[]
}

/** What runs used of a variant besides the tokens of their own model, in one block of time; `runs` is 0, for they are counted already. */
export interface PartSums extends VariantSums {
  readonly block: number
  /** How many runs have such a part. */
  readonly parts: number
  /** Σ of the products of input, output, cached and written tokens: (0,0), (0,1) … (0,3), (1,1) … (3,3). */
  readonly token_products: readonly number[]
}

export const NO_SUMS = {
  runs: 0,
  errors: 0,
  latency_count: 0,
  latency_sum_ms: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  cache_write_input_tokens: 0,
} satisfies Sums

const SUM_KEYS = Object.keys(NO_SUMS) as readonly (keyof Sums)[]

/** Adds sums of any number of disjoint sets of events. */
export function addSums(parts: readonly Sums[]): Sums {
  const total = { ...NO_SUMS }
  for (const part of parts) {
    for (const key of SUM_KEYS) total[key] += part[key] ?? 0
  }
  return total
}

/** Sums of parts of variants, say by block of time, as those of the variants, in the order they come in. */
export function sumsByVariant(parts: readonly VariantSums[]): VariantSums[] {
  return Array.from(ofVariants(parts).values(), group => {
    const { agent_id, provider, model } = group[0]!
    return { agent_id, provider, model, ...addSums(group) }
  })
}

function ofVariants<T extends VariantSums>(parts: readonly T[]): Map<string, T[]> {
  return Map.groupBy(parts, ({ agent_id, provider, model }) => `${agent_id}\0${provider}\0${model}`)
}

/** Sums of one variant in one block as one, in the order of variants and blocks; what comes to no runs is left out. */
export function joinedAggregates(aggregates: readonly Aggregate[]): Aggregate[] {
  const names = Object.entries(aggregates[0] ?? {}).flatMap(([name, value]) =>
    typeof value === 'number' && name !== 'block' ? [name as keyof Sums] : [],
  )
  const added = (one: Aggregate, other: Aggregate): Aggregate => {
    const token_products = one.token_products.map((product, index) => product + other.token_products[index]!)
    const sum = { ...one, token_products }
    for (const name of names) sum[name] = one[name]! + other[name]!
    return sum
  }
  const variants = [...ofVariants(aggregates).values()].sort(
    ([one], [other]) =>
      compareTexts(one!.agent_id, other!.agent_id) ||
      compareTexts(one!.provider, other!.provider) ||
      compareTexts(one!.model, other!.model),
  )
  return variants.flatMap(variant => {
    const blocks = new Map<number, Aggregate>()
    for (const aggregate of variant) {
      const own = blocks.get(aggregate.block)
      blocks.set(aggregate.block, own === undefined ? aggregate : added(own, aggregate))
    }
    return [...blocks.values()].filter(({ runs }) => runs > 0).sort((one, other) => one.block - other.block)
  })
}

/**
 * The same sums by agent and model alone, which is all that prices go by: whoever sends events can make up any number
 * of providers. Of several the first is kept.
 */
export function byModel(variants: readonly VariantSums[]): VariantSums[] {
  const groups = Map.groupBy(variants, ({ agent_id, model }) => `${agent_id}\0${model}`)
  return Array.from(groups.values(), group => ({ ...group[0]!, ...addSums(group) }))
}

/** What times to first token are stored as among scores, in milliseconds: no score can have this name. */
export const FIRST_TOKEN = '#ttft_ms'

/** What `run_scores` has of an event, by name. A run_start has none, and a run that failed no time to its first token. */
export function scoresOf({ type, metrics, scores = {} }: StoredEvent): [name: string, stored: number][] {
  if (type !== 'run_end') return []
  const stored = Object.entries(scores).map(([name, score]): [string, number] => [name, toMillionths(score)])
  const { success, ttft_ms } = metrics
  return success && ttft_ms !== undefined ? [...stored, [FIRST_TOKEN, ttft_ms]] : stored
}

/** What a run used besides the tokens of its own model. */
interface RunPart {
  readonly provider: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_input_tokens: number
  readonly cache_write_input_tokens: number
}

/** Whether there is anything for {@link partsOf} to look at, which most events don't have. */
export function mayHaveParts({ usage: { model, models } }: StoredEvent): boolean {
  return models !== undefined || model.cache_write_input_tokens !== undefined
}

/** A part per other model, and one for what its own model wrote to a cache. A run_start has none. */
export function partsOf(event: StoredEvent): RunPart[] {
  const { type, usage } = event
  const { model, models = [] } = usage
  if (type !== 'run_end') return []
  const written = model.cache_write_input_tokens ?? 0
  const own = {
    provider: model.provider,
    model: model.model,
    ...NO_TOKENS,
    cache_write_input_tokens: written,
  }
  const parts = [
    ...(written > 0 ? [own] : []),
    ...models.map(part => ({ ...part, cache_write_input_tokens: part.cache_write_input_tokens ?? 0 })),
  ]
  const byVariant = Map.groupBy(parts, part => JSON.stringify([part.provider, part.model]))
  return Array.from(byVariant.values(), same => ({
    provider: same[0]!.provider,
    model: countedModel(event, same[0]!.model),
    input_tokens: sumOf(same, 'input_tokens'),
    output_tokens: sumOf(same, 'output_tokens'),
    cached_input_tokens: sumOf(same, 'cached_input_tokens'),
    cache_write_input_tokens: sumOf(same, 'cache_write_input_tokens'),
  }))
}

function sumOf(parts: readonly RunPart[], name: Exclude<keyof RunPart, 'provider' | 'model'>): number {
  return parts.reduce((sum, part) => sum + part[name], 0)
}

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 }

/** The numeric columns of an event. A run_start counts as a run, but its tokens and latency don't. */
export function eventNumbers(event: StoredEvent): {
  readonly ts: number
  readonly success: 0 | 1
  readonly latency_ms: number | null
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_input_tokens: number
} {
  const ended = event.type === 'run_end'
  const { model } = event.usage
  return {
    // Normalised to UTC, so what is finer than milliseconds can be cut off.
    ts: parseTimestamp(event.timestamp.length === 24 ? event.timestamp : `${event.timestamp.slice(0, 23)}Z`)!
      .ms,
    success: event.metrics.success ? 1 : 0,
    latency_ms: ended ? event.metrics.latency_ms : null,
    input_tokens: ended ? model.input_tokens : 0,
    output_tokens: ended ? model.output_tokens : 0,
    cached_input_tokens: ended ? model.cached_input_tokens : 0,
  }
}
