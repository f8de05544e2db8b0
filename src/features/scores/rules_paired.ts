import { incompleteBeta } from '../../rules/statistics/distributions.ts'
import {
  type Estimate,
  factorAt,
  factorFor,
  normalFactor,
  relativeChange,
  sequentialRuns,
} from '../../rules/statistics/intervals.ts'
import { isMeanUnchanged, isRateUnchanged } from '../../rules/statistics/compare.ts'
import type { Findings, Settings } from '../../rules/statistics/metric.ts'
import { nothingProvable, provingFactor, runsNeeded } from '../../rules/statistics/plan.ts'
import { sequentialRate, wilson } from '../../rules/statistics/rates.ts'
import type { Sample } from '../../rules/statistics/samples.ts'

/** A score of cases that both sides have: the mean of each case's tries. */
export interface Pairs {
  readonly before: Float64Array
  readonly after: Float64Array
  /** Candidate less baseline. */
  readonly differences: Float64Array
  /** The cluster of each, null for one that is alone; null where all do. */
  readonly clusters: readonly (number | null)[] | null
  /** Whether all tries are 0 or 1. */
  readonly isBinary: boolean
  /** Tries of a case, the median. */
  readonly epochs: number
}

/** Where a mean lies, how far it may be off, and by how many degrees of freedom; in the unit of the values. */
interface Spread {
  readonly centre: number
  readonly variance: number
  readonly df: number
  /** At least 1: what clusters add. Null where nothing is known of how they differ. */
  readonly design_effect: number | null
}

/** Compares the cases that both sides have, each with itself. */
export function pairedFindings(pairs: Pairs, settings: Settings): Findings {
  const { differences } = pairs
  const cases = differences.length
  const spread = differenceSpread(pairs)
  const mean = meanOf(differences)
  const factor = factorFor(settings, sequentialRuns(cases, cases), spread.df)
  const isBounded = cases > 1 && spread.design_effect !== null
  const margin = factor * Math.sqrt(spread.variance)
  const difference: Estimate = isBounded
    ? {
        estimate: mean,
        low: ofDifference(spread.centre - margin, pairs),
        high: ofDifference(spread.centre + margin, pairs),
      }
    : { estimate: mean, low: null, high: null }
  const relative_change = isBounded ? relativeOf(pairs, settings, spread.df) : null
  const change = { difference, relative_change }
  return {
    ...change,
    design_effect: spread.design_effect,
    is_skewed_small_candidate: false,
    is_skewed_small_baseline: false,
    is_unchanged: pairs.isBinary ? isRateUnchanged(change) : isMeanUnchanged(change),
    ...(isBounded ? provable(pairs, spread, settings) : nothingProvable(settings)),
  }
}

/** Rates differ by 1 at most. */
function ofDifference(value: number, { isBinary }: Pairs): number {
  return isBinary ? Math.max(-1, Math.min(1, value)) : value
}

/** How the differences of cases spread; of cases in clusters the larger of two variances counts. */
export function differenceSpread(pairs: Pairs): Spread {
  const { differences, clusters } = pairs
  const [n, sum, squares] = [differences.length, sumOf(differences), sumOfSquares(differences)]
  const alone = spreadOf(n + 2, sum, squares + 2 * pseudoSquare(differencesOf(pairs), n))
  return clusters === null ? alone : clusteredSpread(differences, clusters, alone)
}

/** What the differences of cases say of a case more. */
interface Differences {
  /** The largest difference that the scale allows, as far as its values show it. */
  readonly range: number
  /** Share of the cases that differ, and the mean square of all differences. */
  readonly changed: number
  readonly square: number
}

function differencesOf({ before, after, differences }: Pairs): Differences {
  const n = differences.length
  const [low, high] = endsOf(before, after)
  return {
    range: high - low,
    changed: differences.filter(d => d !== 0).length / n,
    square: sumOfSquares(differences) / n,
  }
}

/**
 * The square of the difference of two more cases, one that rose and one that fell (Bonett & Price 2012), so that no change
 * in all of `n` cases is no proof that there never is one: the mean square of the cases that differ and of one that differs
 * by the whole scale. Of cases that pass or fail in one try it is 1.
 */
function pseudoSquare({ range, changed, square }: Differences, n: number): number {
  return (range * range + n * square) / (1 + n * changed)
}

/** The ends of the scale that values are on: 0 to 1, and as far beyond as they reach. */
function endsOf(...sides: readonly Float64Array[]): readonly [low: number, high: number] {
  let [low, high] = [0, 1]
  for (const value of sides.flatMap(side => [...side])) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return [low, high]
}

/** The spread of the mean of so many values. */
function spreadOf(n: number, sum: number, squares: number): Spread {
  const centre = sum / n
  return { centre, variance: (squares / n - centre ** 2) / n, df: n - 1, design_effect: 1 }
}

/** The delete-one jackknife over clusters (Cameron & Miller 2015), where it says more than cases alone do. */
function clusteredSpread(values: Float64Array, clusters: readonly (number | null)[], alone: Spread): Spread {
  const [n, mean] = [values.length, meanOf(values)]
  const sums = new Map<string | number, { n: number; sum: number }>()
  for (const [index, value] of values.entries()) {
    const cluster = clusters[index] ?? `alone ${index}`
    const found = sums.get(cluster) ?? { n: 0, sum: 0 }
    sums.set(cluster, { n: found.n + 1, sum: found.sum + value - mean })
  }
  if (sums.size < 2) return { ...alone, design_effect: null }
  let [variance, squares] = [0, 0]
  for (const cluster of sums.values()) {
    variance += (cluster.sum / (n - cluster.n)) ** 2
    squares += cluster.n ** 2
  }
  if (!(variance > alone.variance)) return alone
  return { centre: mean, variance, df: n ** 2 / squares - 1, design_effect: variance / alone.variance }
}

function meanOf(values: Float64Array): number {
  return values.length === 0 ? 0 : sumOf(values) / values.length
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function sumOfSquares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0)
}

/** Fieller's interval of the ratio, by how both means vary together over the cases, and two more that differ. */
function relativeOf(pairs: Pairs, settings: Settings, df: number): Estimate | null {
  const { before, after } = pairs
  const [n, b, c] = [before.length, meanOf(before), meanOf(after)]
  let [bb, cc, bc] = [0, 2 * pseudoSquare(differencesOf(pairs), n), 0]
  for (let index = 0; index < n; index++) {
    const [x, y] = [before[index]! - b, after[index]! - c]
    bb += x * x
    cc += y * y
    bc += x * y
  }
  const unit = n * (n - 1)
  const variances = { baseline: bb / unit, candidate: cc / unit, covariance: bc / unit, df, df_ratio: df }
  return relativeChange(b, c, variances, factorFor(settings, sequentialRuns(n, n), df)) ?? null
}

/** How many cases it takes if they go on to differ as these do; of a mean the limit is a fraction of the baseline's. */
function provable(
  pairs: Pairs,
  { df, design_effect }: Spread,
  settings: Settings,
): Pick<Findings, 'smallest_provable_limit' | 'runs_needed'> {
  const { before, isBinary } = pairs
  const cases = before.length
  const unit = isBinary ? 1 : meanOf(before)
  if (!(unit > 0)) return nothingProvable(settings)
  const found = differencesOf(pairs)
  const proves = (n: number): number => {
    const { variance } = spreadOf(n + 2, 0, n * found.square + 2 * pseudoSquare(found, n))
    const factor = factorAt(settings, n, n, design_effect! > 1 ? df : n + 1)
    return provingFactor(factor, settings.limits) * Math.sqrt(variance * design_effect!)
  }
  const suffices = (_: number, n: number): boolean => proves(n) <= settings.planned_limit * unit
  return {
    smallest_provable_limit: proves(cases) / unit,
    runs_needed: runsNeeded(suffices, cases, cases, settings),
  }
}

/** The means of cases as a sample. */
export function sampleOfCases(means: Float64Array): Sample {
  const [n, mean] = [means.length, meanOf(means)]
  const m2 = means.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { moments: { n, mean, m2 }, clusters: new Map([['', { n, sum: mean * n }]]) }
}

/** McNemar's exact p: how likely cases that fell and cases that rose differ so much in number by chance. */
export function mcnemar(fell: number, rose: number): number {
  const [few, many] = [Math.min(fell, rose), Math.max(fell, rose)]
  return few === many ? 1 : Math.min(1, 2 * incompleteBeta(many, few + 1, 0.5))
}

/** A score of the cases of one side: the mean of each, and of how many tries. */
export interface CaseMeans {
  readonly means: Float64Array
  readonly tries: Float64Array
  readonly clusters: readonly (number | null)[] | null
  readonly isBinary: boolean
}

/**
 * The mean of a score over cases, which their tries belong to. How cases vary is known by them and by one more at each end of
 * the scale.
 */
export function caseEstimate({ means, tries, clusters, isBinary }: CaseMeans, settings: Settings): Estimate {
  const [cases, mean] = [means.length, meanOf(means)]
  if (isBinary && clusters === null && tries.every(n => n === 1))
    return ofCases(mean, cases, Infinity, settings)
  if (cases < 2) return { estimate: mean, low: null, high: null }
  const [low, high] = endsOf(means)
  const alone = spreadOf(cases + 2, sumOf(means) + low + high, sumOfSquares(means) + low ** 2 + high ** 2)
  const spread = clusters === null ? alone : clusteredSpread(means, clusters, alone)
  if (spread.design_effect === null) return { estimate: mean, low: null, high: null }
  const { centre, variance, df } = spread
  if (!isBinary) {
    const margin = factorFor(settings, cases, df) * Math.sqrt(variance)
    return { estimate: mean, low: centre - margin, high: centre + margin }
  }
  // As many independent tries would vary as much.
  return ofCases(mean, Math.min(sumOf(tries), (centre * (1 - centre)) / variance), df, settings)
}

function ofCases(mean: number, runs: number, df: number, settings: Settings): Estimate {
  const count = { events: mean === 1 ? runs : mean * runs, runs }
  return settings.sequential
    ? sequentialRate(count, settings.alpha)
    : wilson(count, factorAt(settings, runs, runs, df))
}

/** How far two who judge agree beyond chance, and the standard error of that. */
export interface Agreement {
  readonly kappa: number
  readonly standard_error: number
  /** How often they would agree by chance. */
  readonly expected: number
}

/** Tries by what two say of them: both yes, only the first, only the second, neither. */
export type Agreed = readonly [number, number, number, number]

/** Cohen's κ of a table of two by two; the error as Fleiss, Cohen & Everitt (1969) have it. Undefined where one says always the same. */
export function cohensKappa(counts: Agreed): Agreement | undefined {
  const n = counts.reduce((sum, count) => sum + count, 0)
  if (n === 0) return undefined
  const [both, first, second, neither] = counts.map(count => count / n) as [number, number, number, number]
  const [rows, columns] = [
    [both + first, second + neither],
    [both + second, first + neither],
  ]
  const expected = rows[0]! * columns[0]! + rows[1]! * columns[1]!
  if (expected === 1) return undefined
  const kappa = (both + neither - expected) / (1 - expected)
  const off = 1 - kappa
  const diagonal =
    both * (1 - (rows[0]! + columns[0]!) * off) ** 2 + neither * (1 - (rows[1]! + columns[1]!) * off) ** 2
  const others = off ** 2 * (first * (columns[0]! + rows[1]!) ** 2 + second * (columns[1]! + rows[0]!) ** 2)
  const variance = (diagonal + others - (kappa - expected * off) ** 2) / (n * (1 - expected) ** 2)
  return { kappa, standard_error: Math.sqrt(Math.max(0, variance)), expected }
}

/** κ with its interval; tries that all agree have no standard error, and prove what their number does (Wilson 1927). */
export function kappaEstimate(counts: Agreed): Estimate | null {
  const agreement = cohensKappa(counts)
  if (agreement === undefined) return null
  const { kappa, standard_error, expected } = agreement
  const z = normalFactor()
  if (standard_error > 0) {
    const [low, high] = [kappa - z * standard_error, kappa + z * standard_error]
    return { estimate: kappa, low: Math.max(-1, low), high: Math.min(1, high) }
  }
  const runs = counts.reduce((sum, count) => sum + count, 0)
  const agreed = wilson({ events: counts[0] + counts[3], runs }, z)
  const ofRate = (rate: number): number => (rate - expected) / (1 - expected)
  return { estimate: kappa, low: ofRate(agreed.low!), high: ofRate(agreed.high!) }
}
