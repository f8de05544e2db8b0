import type { PricingEntry, PricingTable } from '../models/documents/pricing.ts'
import type { StoredEvent } from '../models/documents/stored_event.ts'
import { ModelPrices } from './price_names.ts'
import type { Sums, VariantSums } from './rollup.ts'
import type { Comparison } from '../models/answers/diff.ts'
import { incompleteRuns, isIncomplete } from './statistics/incomplete.ts'
import { round12 } from '../base/numbers.ts'
import { firstFew } from '../base/text.ts'
import { DAY_MS, parseTimestamp } from '../base/time.ts'

/** USD per 1,000 tokens; a null cached rate leaves cached tokens out of the cost. */
export type Rates = Pick<
  PricingEntry,
  | 'input_usd_per_1k_tokens'
  | 'output_usd_per_1k_tokens'
  | 'cached_input_usd_per_1k_tokens'
  | 'cache_write_input_usd_per_1k_tokens'
>

type Tokens = Pick<
  Sums,
  'input_tokens' | 'output_tokens' | 'cached_input_tokens' | 'cache_write_input_tokens'
>

/**
 * Cost in USD (specification, POST /v1/diff, computation rule 1); linear, so it serves sums as well. Tokens that were
 * written to a cache are input tokens, and have a rate of their own where the table says one.
 */
export function costUsd(tokens: Tokens, rates: Rates): number {
  return (
    (tokens.input_tokens / 1000) * rates.input_usd_per_1k_tokens +
    (tokens.output_tokens / 1000) * rates.output_usd_per_1k_tokens +
    (tokens.cached_input_tokens / 1000) * (rates.cached_input_usd_per_1k_tokens ?? 0) +
    ((tokens.cache_write_input_tokens ?? 0) / 1000) * writeSurcharge(rates)
  )
}

/** What 1,000 tokens cost more for being written to a cache, USD; less than 0 where that is cheaper. */
export function writeSurcharge(rates: Rates): number {
  const { input_usd_per_1k_tokens: input, cache_write_input_usd_per_1k_tokens: written } = rates
  return (written ?? input) - input
}

/** The cost of one event, USD; null where a model that it used has no price. */
export function eventCostUsd(event: StoredEvent, rates: ReadonlyMap<string, Rates>): number | null {
  let cost = 0
  for (const usage of [event.usage.model, ...(event.usage.models ?? [])]) {
    const price = rates.get(usage.model)
    if (price === undefined) return null
    if (event.type === 'run_end') cost += costUsd(usage, price)
  }
  return cost
}

/** One side of a diff, measured. */
export interface SideMetrics {
  readonly runs: number
  readonly cost_per_run_usd: number
  /** Whether any token has a price: without one the cost is 0 and not measured. */
  readonly has_tokens?: boolean
  /** Runs that the cost leaves out because their usage isn't all known; absent where there are none. */
  readonly incomplete_runs?: number
  /** Null when no event of the side carries a latency. */
  readonly latency_ms_avg: number | null
  readonly error_rate: number
}

/**
 * Means over all events of a side, priced by model name. A side without events has zero runs, cost and
 * error rate. The cost leaves out runs whose model has no entry in `rates`: refuse or tell of them beforehand.
 */
export function sideMetrics(
  variants: readonly VariantSums[],
  rates: ReadonlyMap<string, Rates>,
): SideMetrics {
  const incomplete = incompleteRuns(variants)
  let [runs, errors, latencyCount, latencySum, cost, pricedRuns] = [0, 0, 0, 0, 0, 0]
  for (const variant of variants) {
    const price = rates.get(variant.model)
    runs += variant.runs
    errors += variant.errors
    latencyCount += variant.latency_count
    latencySum += variant.latency_sum_ms
    if (price === undefined) continue
    cost += costUsd(variant, price)
    pricedRuns += variant.runs
  }
  return {
    runs,
    cost_per_run_usd: pricedRuns === 0 ? 0 : cost / pricedRuns,
    ...(incomplete === 0 ? {} : { incomplete_runs: incomplete }),
    has_tokens: variants.some(variant => rates.has(variant.model) && hasTokens(variant)),
    latency_ms_avg: latencyCount === 0 ? null : latencySum / latencyCount,
    error_rate: runs === 0 ? 0 : errors / runs,
  }
}

function hasTokens({ input_tokens, output_tokens, cached_input_tokens }: Sums): boolean {
  return input_tokens + output_tokens + cached_input_tokens > 0
}

/** The models of a side that its price table has no entry for. */
export function unpricedModels(
  variants: readonly Pick<VariantSums, 'model'>[],
  rates: ReadonlyMap<string, Rates>,
): string[] {
  const models = variants.map(variant => variant.model)
  return [...new Set(models)].filter(model => !rates.has(model) && !isIncomplete(model))
}

/** Both sides and candidate minus baseline, rounded to 12 significant digits. */
export function compareSides(baseline: SideMetrics, candidate: SideMetrics): Comparison {
  const costDelta = difference(candidate.cost_per_run_usd, baseline.cost_per_run_usd)
  return {
    baseline_cost_per_run_usd: round12(baseline.cost_per_run_usd),
    candidate_cost_per_run_usd: round12(candidate.cost_per_run_usd),
    delta_cost_per_run_usd: costDelta,
    delta_cost_per_run_pct:
      baseline.cost_per_run_usd === 0 ? null : round12(costDelta / baseline.cost_per_run_usd),
    baseline_latency_ms_avg: roundOrNull(baseline.latency_ms_avg),
    candidate_latency_ms_avg: roundOrNull(candidate.latency_ms_avg),
    delta_latency_ms_avg:
      baseline.latency_ms_avg === null || candidate.latency_ms_avg === null
        ? null
        : difference(candidate.latency_ms_avg, baseline.latency_ms_avg),
    baseline_error_rate: round12(baseline.error_rate),
    candidate_error_rate: round12(candidate.error_rate),
    delta_error_rate: difference(candidate.error_rate, baseline.error_rate),
  }
}

/** Differences of rounded values: equal sides give exactly 0, whatever the order their sums were taken in. */
function difference(a: number, b: number): number {
  return round12(round12(a) - round12(b))
}

function roundOrNull(value: number | null): number | null {
  return value === null ? null : round12(value)
}

/** Above this many USD per 1,000 input tokens a price is likely one per million: no vendor charges 1,000 USD per million. */
const MOST_LIKELY_USD = 1

/** A price table as far as it can be odd. */
type PricedEntries = Pick<PricingTable, 'provider' | 'pricing_version'> & {
  readonly entries: readonly (Pick<PricingEntry, 'model' | 'input_usd_per_1k_tokens'> &
    Partial<Pick<PricingEntry, 'aliases' | 'cached_input_usd_per_1k_tokens'>>)[]
}

/** What is odd about a price table, a sentence each: it has no entries, or prices that are likely per million tokens. */
export function oddPrices({ provider, pricing_version, entries }: PricedEntries): string[] {
  const table = `price table ${provider}/${pricing_version}`
  if (entries.length === 0) {
    return [`${table} has no entries: a diff of a release that names it is refused as soon as there are runs`]
  }
  const [first, ...others] = entries.filter(entry => entry.input_usd_per_1k_tokens > MOST_LIKELY_USD)
  if (first === undefined) return []
  const { model, input_usd_per_1k_tokens: usd } = first
  const more =
    others.length === 0
      ? ''
      : `, and ${firstFew(others.map(entry => entry.model))} cost more than ${MOST_LIKELY_USD} too`
  return [
    `${table}: ${model} costs ${usd} USD per 1,000 input tokens, which is ${short(1000 * usd)} USD per million${more}; ` +
      `if ${usd} is the price per million, write ${short(usd / 1000)}, and divide its other prices by 1,000 too`,
  ]
}

/** What a release has to mind of its price table, which is undefined where none is imported. */
export function modelWarnings(
  {
    provider,
    pricing_version,
    model,
  }: Pick<PricingTable, 'provider' | 'pricing_version'> & { readonly model: string },
  table: PricedEntries | undefined,
): string[] {
  const name = `price table ${provider}/${pricing_version}`
  if (table === undefined) {
    return [`${name} is not imported yet; a diff needs it (svc pricing import PATH)`]
  }
  const own = new ModelPrices(table).get(model)
  if (own !== undefined) {
    const free = own.cached_input_usd_per_1k_tokens === null ? [own.model] : []
    return [...oddPrices({ ...table, entries: [own] }), ...freeCaches(table, free)]
  }
  return [
    `${name} has no price for ${model}, the model of this release; a diff needs one ` +
      '(svc pricing import PATH --replace --reason WHY)',
  ]
}

/** Says of models without a rate for cached input that it costs nothing. */
export function freeCaches(
  { provider, pricing_version }: Pick<PricingTable, 'provider' | 'pricing_version'>,
  models: readonly string[],
): string[] {
  if (models.length === 0) return []
  return [
    `price table ${provider}/${pricing_version}: cached input of ${firstFew(models)} costs nothing; ` +
      'give cached_input_usd_per_1k_tokens, the input rate where a provider gives no discount',
  ]
}

function short(usd: number): string {
  return String(Number(usd.toPrecision(12)))
}

/** Price tables whose version starts so are snapshots that ship with the service. */
export const BUNDLED_PREFIX = 'svc-bundled-'

/** Age in days after which a bundled snapshot is stale, unless the caller names another. */
export const STALE_AFTER_DAYS = 90

/**
 * Age in whole days of a bundled table, from the date its version ends with; undefined for a table that
 * is not bundled, null for a bundled one whose version names no date.
 */
export function bundledAgeDays(pricingVersion: string, now: number): number | null | undefined {
  if (!pricingVersion.startsWith(BUNDLED_PREFIX)) return undefined
  const date = parseTimestamp(`${pricingVersion.slice(BUNDLED_PREFIX.length)}T00:00:00Z`)
  return date === undefined ? null : Math.floor((now - date.ms) / DAY_MS)
}

/** Whether a bundled table is older than `maxAgeDays`, or of unknown age. */
export function isStale(ageDays: number | null, maxAgeDays: number): boolean {
  return ageDays === null || ageDays > maxAgeDays
}
