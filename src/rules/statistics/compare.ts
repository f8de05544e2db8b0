import { isIncomplete } from './incomplete.ts'
import { round12 } from '../../base/numbers.ts'
import { type Estimate, factorAt, meanDifference, relativeChange } from './intervals.ts'
import {
  type CompareOptions,
  type Findings,
  type MetricStatistics,
  SKEW,
  type Settings,
  reported,
  settingsOf,
} from './metric.ts'
import { type Blocks, type Shared, sharedMeans, sharedRates } from './match.ts'
import { meanProvable, nothingProvable, rateProvable } from './plan.ts'
import { type Count, deflated, rateIntervals } from './rates.ts'
import {
  type ClusterSum,
  ExactSum,
  type Moments,
  NO_MOMENTS,
  type Sample,
  type Spread,
  type UsageAggregate,
  atLeastByTwo,
  byEnds,
  centredProduct,
  errorSample,
  getOrAdd,
  latencySample,
  mergeMoments,
  orNothing,
  pairIndex,
  sampled,
  sortedByKey,
  sumOfParts,
  tokenSample,
  spreadBy,
  varianceOf,
} from './samples.ts'
import { type CountingVariances, countingVariances, designEffectOf } from './variances.ts'

/** The runs of one side, and USD per token of each model by kind, in the order of the aggregates' kinds. */
export interface UsageSide {
  readonly aggregates: readonly UsageAggregate[]
  /** The same runs cut into other clusters, as far as sums tell; products don't count. Those of `aggregates` unless given. */
  readonly clustered?: readonly UsageAggregate[]
  readonly usd_per_token: ReadonlyMap<string, readonly number[]>
}

/** Statistics of a diff; what a metric is called says its unit. */
interface UsageStatistics {
  readonly cost_per_run_usd: MetricStatistics
  readonly latency_ms: MetricStatistics
  readonly error_rate: MetricStatistics
  /** By the caller's names of kinds, say `input_tokens`. */
  readonly tokens_per_run: Readonly<Record<string, MetricStatistics>>
}

/** Options per metric precede those for all. */
interface UsageOptions extends CompareOptions {
  readonly metrics?: Readonly<
    Partial<Record<'cost_per_run_usd' | 'latency_ms' | 'error_rate', CompareOptions>>
  >
}

/** Compares all that the aggregates of two sides hold. `kinds` names the kinds of tokens in the aggregates' order. */
export function compareUsage(
  baseline: UsageSide,
  candidate: UsageSide,
  kinds: readonly string[],
  { metrics = {}, ...options }: UsageOptions = {},
): UsageStatistics {
  const both = (of: (aggregates: readonly UsageAggregate[], side: UsageSide) => Sample): [Sample, Sample] => [
    sampleOfSide(baseline, of),
    sampleOfSide(candidate, of),
  ]
  const tokens = kinds.map((name, kind): [string, MetricStatistics] => [
    name,
    compareMeans(...both(aggregates => tokenSample(aggregates.filter(isWhole), kind)), options),
  ])
  return {
    cost_per_run_usd: compareMeans(...both(pricedSample), {
      ...options,
      ...metrics.cost_per_run_usd,
    }),
    latency_ms: compareMeans(...both(latencySample), { ...options, ...metrics.latency_ms }),
    error_rate: compareRates(...both(errorSample), { ...options, ...metrics.error_rate }),
    tokens_per_run: Object.fromEntries(tokens),
  }
}

function isWhole({ model }: UsageAggregate): boolean {
  return !isIncomplete(model)
}

/** Cost leaves out models without a price, which is refused beforehand unless it is wanted. */
export function pricedSample(aggregates: readonly UsageAggregate[], { usd_per_token }: UsageSide): Sample {
  return costSample(
    aggregates.filter(({ model }) => usd_per_token.has(model)),
    usd_per_token,
  )
}

/** A metric of one side, with the clusters that its runs are cut into. */
export function sampleOfSide(
  side: UsageSide,
  of: (aggregates: readonly UsageAggregate[], side: UsageSide) => Sample,
): Sample {
  const { clustered } = side
  const own = of(side.aggregates, side)
  if (clustered === undefined) return own
  const { moments, blocks } = own
  return {
    moments,
    blocks,
    clusters: of(clustered, side).clusters,
    members: () =>
      new Map(
        Array.from(
          Map.groupBy(clustered, ({ block = 0 }) => block),
          ([block, aggregates]) => [block, of(aggregates, side).clusters],
        ),
      ),
  }
}

/** Within it a mean counts as unchanged, as a fraction. */
const MEAN_MARGIN = 0.05
/** Within it a rate counts as unchanged. */
const RATE_MARGIN = 0.01

type Changed = Pick<Findings, 'difference' | 'relative_change'>

/** Whether a mean counts as unchanged. */
export function isMeanUnchanged({ difference, relative_change }: Changed): boolean {
  return isWithin(relative_change, MEAN_MARGIN) || isWithin(difference, 0)
}

/** Whether a rate counts as unchanged. */
export function isRateUnchanged({ difference }: Pick<Changed, 'difference'>): boolean {
  return isWithin(difference, RATE_MARGIN)
}

/** Compares the mean of a metric that is never negative: cost, latency, tokens or calls per run. */
export function compareMeans(
  baseline: Sample,
  candidate: Sample,
  options: CompareOptions = {},
): MetricStatistics {
  const settings = settingsOf(options, 0.1)
  const found = meansOf(baseline, candidate, settings, atLeastByTwo)
  return reportMeans(baseline, candidate, settings, possible(found))
}

/** A metric that is never negative can't fall by more than all of it. */
function possible(found: MetricChange): MetricChange {
  const { relative_change: change } = found
  if (change?.low == null || change.low >= -1) return found
  return { ...found, relative_change: { ...change, low: -1 } }
}

/**
 * Compares the mean of a metric that moves by steps, a score or calls of a tool: by one value more at each end of its scale on
 * either side, so that values that are all alike are no proof that none ever differs.
 */
export function compareSteps(
  baseline: Sample,
  candidate: Sample,
  options: CompareOptions = {},
): MetricStatistics {
  const settings = settingsOf(options, 0.1)
  const found = meansOf(baseline, candidate, settings, byEnds(baseline, candidate))
  return reportMeans(baseline, candidate, settings, found)
}

/** What is found of a mean as it is answered, with the verdict. */
export function reportMeans(
  baseline: Sample,
  candidate: Sample,
  settings: Settings,
  found: MetricChange,
): MetricStatistics {
  const [b, c] = [baseline.moments, candidate.moments]
  const { baseline_runs: ofB, candidate_runs: ofC } = found.shared?.overlap ?? {
    baseline_runs: b.n,
    candidate_runs: c.n,
  }
  return reported(baseline, candidate, settings, {
    ...found,
    is_skewed_small_candidate: isSkewedSmall(c, ofC, ofB),
    // Of what is better when higher, a small baseline hides a fall rather than showing one.
    is_skewed_small_baseline: settings.better === 'lower' && isSkewedSmall(b, ofB, ofC),
    is_unchanged: isMeanUnchanged(found),
  })
}

function meansOf(baseline: Sample, candidate: Sample, settings: Settings, spread: Spread): MetricChange {
  const blocks = blocksOf(baseline, candidate, settings)
  if (blocks !== undefined) {
    return ofShared(sharedMeans(blocks, settings, spread), settings)
  }
  const [b, c] = bothSpread(baseline.moments, candidate.moments, spread)
  const counting = countingVariances(
    { moments: b, clusters: baseline.clusters },
    { moments: c, clusters: candidate.clusters },
    settings.clusters,
  )
  if (counting !== undefined) {
    return {
      ...boundedMeans(b, c, counting, settings),
      ...meanProvable(baseline.moments, candidate.moments, counting, settings, spread),
      design_effect: counting.design_effect,
    }
  }
  return {
    difference: withoutBounds(c.mean - b.mean),
    relative_change: b.mean > 0 ? withoutBounds(c.mean / b.mean - 1) : null,
    ...nothingProvable(settings),
    design_effect: null,
  }
}

export function bothSpread(b: Moments, c: Moments, spread: Spread): readonly [b: Moments, c: Moments] {
  return [spreadBy(b, spread(b, c)), spreadBy(c, spread(c, b))]
}

/** The blocks of time to be compared; undefined where the window is compared as it is. */
function blocksOf(
  baseline: Sample,
  candidate: Sample,
  { match, clusters, over_window }: Settings,
): Blocks<Moments> | undefined {
  if (match === undefined || over_window) return undefined
  const [b, c] = [baseline.blocks?.(), candidate.blocks?.()]
  if (b === undefined || c === undefined) return undefined
  if (clusters === 'blocks') return { baseline: b, candidate: c, match }
  const [ofBaseline, ofCandidate] = [baseline.members?.(), candidate.members?.()]
  if (ofBaseline === undefined || ofCandidate === undefined) return undefined
  return {
    baseline: b,
    candidate: c,
    match,
    members: { baseline: ofBaseline, candidate: ofCandidate },
    design_effects: {
      baseline: designEffectOf(baseline, 'units') ?? undefined,
      candidate: designEffectOf(candidate, 'units') ?? undefined,
    },
  }
}

function ofShared(shared: Shared, settings: Settings): MetricChange {
  const { found } = shared
  return {
    shared,
    difference: found?.difference ?? null,
    relative_change: found?.relative_change ?? null,
    design_effect: found?.design_effect ?? null,
    ...(found?.provable ?? nothingProvable(settings)),
  }
}

/** What is found of a change, before it is judged. */
export type MetricChange = Omit<
  Findings,
  'is_skewed_small_candidate' | 'is_skewed_small_baseline' | 'is_unchanged'
>
type Bounded = Omit<MetricChange, 'design_effect' | 'shared'>
type Intervals = Pick<MetricChange, 'difference' | 'relative_change'>

/**
 * Whether a side is too small for how skewed it is: its standard deviation s is above its mean m, under 100 (s/m)² of its
 * runs are compared, and more than 4 times as many of the other side. Its mean is mostly too low then.
 */
function isSkewedSmall(side: Moments, runs: number, otherRuns: number): boolean {
  const [variance, square] = [varianceOf(side), side.mean * side.mean]
  return variance > square && runs * square < SKEW.runs * variance && otherRuns > SKEW.others * runs
}

function boundedMeans(
  b: Moments,
  c: Moments,
  { variances }: CountingVariances,
  settings: Settings,
): Intervals {
  const factor = (df: number): number => factorAt(settings, b.n, c.n, df)
  return {
    difference: meanDifference(b.mean, c.mean, variances, factor(variances.df)),
    relative_change: relativeChange(b.mean, c.mean, variances, factor(variances.df_ratio)) ?? null,
  }
}

/** Compares a rate, say of errors, from samples of 0 and 1. */
export function compareRates(
  baseline: Sample,
  candidate: Sample,
  options: CompareOptions = {},
): MetricStatistics {
  const settings = settingsOf(options, 0.02)
  return reportRates(baseline, candidate, settings, ratesOf(baseline, candidate, settings))
}

/** The same of a rate. */
export function reportRates(
  baseline: Sample,
  candidate: Sample,
  settings: Settings,
  found: MetricChange,
): MetricStatistics {
  return reported(baseline, candidate, settings, {
    ...found,
    is_skewed_small_candidate: false,
    is_skewed_small_baseline: false,
    is_unchanged: isRateUnchanged(found),
  })
}

function ratesOf(baseline: Sample, candidate: Sample, settings: Settings): MetricChange {
  const blocks = blocksOf(baseline, candidate, settings)
  if (blocks !== undefined) {
    const counts = (side: ReadonlyMap<number, Moments>): Map<number, Count> =>
      new Map(Array.from(side, ([block, moments]) => [block, countOf(moments)]))
    const counted = { ...blocks, baseline: counts(blocks.baseline), candidate: counts(blocks.candidate) }
    return ofShared(sharedRates(counted, settings), settings)
  }
  const [b, c] = [countOf(baseline.moments), countOf(candidate.moments)]
  const counting = countingVariances(baseline, candidate, settings.clusters)
  if (counting !== undefined) {
    return { ...boundedRates(b, c, counting, settings), design_effect: counting.design_effect }
  }
  return {
    difference: withoutBounds(candidate.moments.mean - baseline.moments.mean),
    relative_change: null,
    ...nothingProvable(settings),
    design_effect: null,
  }
}

function countOf({ n, mean }: Moments): Count {
  return { events: Math.round(mean * n), runs: n }
}

function boundedRates(
  baseline: Count,
  candidate: Count,
  counting: CountingVariances,
  settings: Settings,
): Bounded {
  const designEffect = counting.design_effect ?? 1
  // Few clusters are as uncertain for rates as for means: without it 24 blocks cover 92 % where they cover 94 %.
  const df = designEffect > 1 ? counting.variances.df : Infinity
  const [b, c] = [deflated(baseline, designEffect), deflated(candidate, designEffect)]
  const provable = rateProvable(b, c, designEffect, df, settings)
  const factor = factorAt(settings, baseline.runs, candidate.runs, df)
  const { difference, relative_change } = rateIntervals(b, c, { factor, df, sequential: settings.sequential })
  return { difference, relative_change: relative_change ?? null, ...provable }
}

function isWithin(estimate: Estimate | null | undefined, margin: number): boolean {
  if (estimate?.low == null || estimate.high === null) return false
  return round12(estimate.low) >= -margin && round12(estimate.high) <= margin
}

export function withoutBounds(estimate: number): Estimate {
  return { estimate, low: null, high: null }
}

/**
 * USD per run that succeeded under any prices, what failed runs cost included: for rates w and tokens τ the mean is
 * w·Σ(τ) by their number, and the spread wᵀMw, M from the sums of products. `usdPerToken` has the rates of each model in
 * the aggregates' order of kinds; a model without is a mistake.
 */
export function costSample(
  aggregates: readonly UsageAggregate[],
  usdPerToken: ReadonlyMap<string, readonly number[]>,
): Sample {
  const rates = (model: string): readonly number[] => {
    const found = usdPerToken.get(model)
    if (found === undefined) throw new Error(`no price for the model ${model}`)
    return found
  }
  let whole: ModelTotal[] | undefined
  const totals = (own: readonly UsageAggregate[]): ModelTotal[] =>
    own === aggregates ? (whole ??= totalsOf(own)) : totalsOf(own)
  return sampled(
    aggregates,
    own => costMoments(totals(own), rates),
    own => costByCluster(totals(own), rates),
  )
}

/** The exact sums of each model, in an order of their own. */
function totalsOf(aggregates: readonly UsageAggregate[]): ModelTotal[] {
  const models = new Map<string, ModelTotal>()
  for (const aggregate of aggregates) {
    const { model, is_further_model = false } = aggregate
    const kinds = aggregate.token_sums.length
    getOrAdd(
      models,
      `${is_further_model ? 1 : 0} ${model}`,
      () => new ModelTotal(model, kinds, is_further_model),
    ).add(aggregate)
  }
  return sortedByKey(models).map(([, total]) => total)
}

function costMoments(totals: readonly ModelTotal[], rates: (model: string) => readonly number[]): Moments {
  if (totals.some(total => total.hasFailed)) return costBySuccess(totals, rates)
  const of = (isFurther: boolean): Moments[] =>
    totals.filter(total => total.isFurther === isFurther).map(total => total.cost(rates(total.model)))
  const own = of(false).reduce(mergeMoments, NO_MOMENTS)
  const further = of(true)
  return further.length === 0 ? own : sumOfParts(own.n, [own, ...further])
}

/**
 * Moments of a ratio: of the cost x of all runs by how many succeeded, y of each being 0 or 1. m2 is the sum of squares of
 * x − R·y, so that its variance follows as that of a mean does (Cochran 1977, 6.4). Of further models it isn't known which
 * of their runs failed: as many as of all. Their spreads add up, as in {@link sumOfParts}.
 */
function costBySuccess(totals: readonly ModelTotal[], rates: (model: string) => readonly number[]): Moments {
  const own = totals.filter(({ isFurther }) => !isFurther)
  const n = sumOver(own, ({ succeeded }) => succeeded)
  if (n === 0) return NO_MOMENTS
  const costs = own.map(total => total.costs(rates(total.model)))
  const [sum, squares] = [sumOver(costs, ({ all }) => all), sumOver(costs, cost => cost.squares)]
  const [mean, ofSucceeded] = [sum / n, sum - sumOver(costs, ({ failed }) => failed)]
  const parts = totals
    .filter(({ isFurther }) => isFurther)
    .map(total => {
      const part = total.costs(rates(total.model))
      const share = 1 / n - 2 / sumOver(own, ({ runs }) => runs)
      return { mean: part.all / n, m2: Math.max(0, part.squares + share * part.all * part.all) }
    })
  const m2 = orNothing(Math.max(0, squares - 2 * mean * ofSucceeded + mean * mean * n), squares)
  const deviation = sumOver(parts, part => Math.sqrt(part.m2))
  return { n, mean: mean + sumOver(parts, part => part.mean), m2: (Math.sqrt(m2) + deviation) ** 2 }
}

function sumOver<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0)
}

function costByCluster(
  totals: readonly ModelTotal[],
  rates: (model: string) => readonly number[],
): Map<string, ClusterSum> {
  const clusters = new Map<string, ClusterSum>()
  for (const total of totals) {
    const { isFurther } = total
    const usd = rates(total.model)
    for (const [key, { succeeded, sums }] of sortedByKey(total.clusters())) {
      const { n, sum } = clusters.get(key) ?? { n: 0, sum: 0 }
      const cost = sums.reduce((paid, kind, index) => paid + kind.rounded * usd[index]!, 0)
      clusters.set(key, { n: isFurther ? n : n + succeeded.rounded, sum: sum + cost })
    }
  }
  return clusters
}

/** The exact sums of one model's aggregates. */
class ModelTotal {
  readonly model: string
  readonly isFurther: boolean
  readonly #kinds: number
  readonly #aggregates: UsageAggregate[] = []
  readonly #runs = new ExactSum()
  readonly #succeeded = new ExactSum()
  readonly #sums: readonly ExactSum[]
  readonly #failed: readonly ExactSum[]
  readonly #products: readonly ExactSum[]

  constructor(model: string, kinds: number, isFurther: boolean) {
    this.model = model
    this.isFurther = isFurther
    this.#kinds = kinds
    this.#sums = zeros(kinds)
    this.#failed = zeros(kinds)
    this.#products = zeros((kinds * (kinds + 1)) / 2)
  }

  add(aggregate: UsageAggregate): void {
    const { runs, succeeded = runs, token_sums, token_products, failed_token_sums = [] } = aggregate
    this.#aggregates.push(aggregate)
    this.#runs.add(runs)
    this.#succeeded.add(succeeded)
    failed_token_sums.forEach((sum, kind) => this.#failed[kind]!.add(sum))
    token_sums.forEach((sum, kind) => this.#sums[kind]!.add(sum))
    token_products.forEach((sum, pair) => this.#products[pair]!.add(sum))
  }

  get runs(): number {
    return this.#runs.rounded
  }

  get succeeded(): number {
    return this.#succeeded.rounded
  }

  get hasFailed(): boolean {
    return this.#succeeded.exact !== this.#runs.exact
  }

  clusters(): Map<string, { readonly succeeded: ExactSum; readonly sums: readonly ExactSum[] }> {
    const clusters = new Map<string, { readonly succeeded: ExactSum; readonly sums: readonly ExactSum[] }>()
    for (const { cluster, runs, succeeded = runs, token_sums } of this.#aggregates) {
      const own = getOrAdd(clusters, cluster, () => ({ succeeded: new ExactSum(), sums: zeros(this.#kinds) }))
      own.succeeded.add(succeeded)
      token_sums.forEach((sum, kind) => own.sums[kind]!.add(sum))
    }
    return clusters
  }

  /** What all of its runs cost, what those that failed did, and the sum of the squares of all. */
  costs(usd: readonly number[]): { readonly all: number; readonly failed: number; readonly squares: number } {
    let [all, failed, squares] = [0, 0, 0]
    for (const [i, sum] of this.#sums.entries()) {
      all += sum.rounded * usd[i]!
      failed += this.#failed[i]!.rounded * usd[i]!
      for (let j = i; j < this.#sums.length; j++) {
        const product = this.#products[pairIndex(i, j, this.#kinds)]!.rounded
        squares += (i === j ? 1 : 2) * usd[i]! * usd[j]! * product
      }
    }
    return { all, failed, squares }
  }

  cost(usd: readonly number[]): Moments {
    const n = this.#runs.rounded
    if (n === 0) return NO_MOMENTS
    const sums = this.#sums.map(sum => sum.exact)
    let [mean, m2, squares] = [0, 0, 0]
    for (const [i, sum] of sums.entries()) {
      mean += (Number(sum) / n) * usd[i]!
      for (let j = i; j < sums.length; j++) {
        const product = this.#products[pairIndex(i, j, this.#kinds)]!.exact
        const weight = (i === j ? 1 : 2) * usd[i]! * usd[j]!
        m2 += weight * centredProduct(n, sum, sums[j]!, product)
        squares += weight * Number(product)
      }
    }
    return { n, mean, m2: orNothing(m2, squares) }
  }
}

function zeros(count: number): ExactSum[] {
  const sums: ExactSum[] = []
  while (sums.length < count) sums.push(new ExactSum())
  return sums
}
