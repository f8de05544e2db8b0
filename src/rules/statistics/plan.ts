import { normalQuantile } from './distributions.ts'
import { type IntervalKind, factorAt, steady } from './intervals.ts'
import { type Moments, type Spread, spreadBy, varianceOf, variationOf } from './samples.ts'
import { type Count, rateDifference, rateVariance } from './rates.ts'
import type { CountingVariances } from './variances.ts'

/** Runs with which an unchanged release passes a limit in 80 of 100 cases. */
interface RunsNeeded {
  /** The limit that is planned for: of a mean a fraction, of a rate a difference. */
  readonly limit: number
  /** Of each side, where both have as many. */
  readonly runs_per_side: number | null
  /** Of the candidate compared with the baseline's runs as they are; null where the baseline has too few for any. */
  readonly candidate_runs: number | null
  /** What of that the candidate lacks. */
  readonly candidate_runs_missing: number | null
}

/** What samples can prove. */
export interface Provable {
  readonly smallest_provable_limit: number | null
  readonly runs_needed: RunsNeeded
}

/** What intervals are for: a limit, one of so many that must hold at once, with so many runs per side at least. */
export interface Planned extends IntervalKind {
  readonly planned_limit: number
  readonly limits: number
  readonly min_runs: number
}

/**
 * What two samples of a metric can prove about the change of its mean. What their values spread by as if others were among
 * them, `spread`, is in the variances already; of more runs it is less.
 */
export function meanProvable(
  baseline: Moments,
  candidate: Moments,
  { variances, design_effect }: CountingVariances,
  planned: Planned,
  spread: Spread,
): Provable {
  if (!(baseline.mean > 0)) return nothingProvable(planned)
  const [unitB, unitC] = [1 / baseline.mean, candidate.mean > 0 ? 1 / candidate.mean : 0]
  const relative = {
    baseline: variances.baseline * unitB * unitB,
    candidate: variances.candidate * unitC * unitC,
    covariance: variances.covariance * unitB * unitC,
  }
  const effect = design_effect ?? 1
  const trafficOf = (b: number, c: number): MeanTraffic => {
    const [ofB, ofC] = [extended(baseline, b), extended(candidate, c)]
    return {
      baseline_variation: variationOf(spreadBy(ofB, spread(ofB, ofC))),
      candidate_variation: variationOf(spreadBy(ofC, spread(ofC, ofB))),
      design_effect: effect,
    }
  }
  // More runs bring no more clusters, but without any the normal distribution is near.
  const factor = factorsAt(planned, effect > 1 ? variances.df_ratio : Infinity)
  const unlucky = provingFactor(0, planned.limits)
  const suffices = (b: number, c: number): boolean =>
    isMeanProved(trafficOf(b, c), planned.planned_limit, b, c, factor(b, c) + unlucky)
  const now = factorAt(planned, baseline.n, candidate.n, variances.df_ratio)
  return {
    smallest_provable_limit: smallestMeanLimit(relative, provingFactor(now, planned.limits)),
    runs_needed: runsNeeded(suffices, baseline.n, candidate.n, planned),
  }
}

/** Moments of so many values, two at least, that vary as these do. */
function extended(moments: Moments, runs: number): Moments {
  const n = Math.max(2, runs)
  return { n, mean: moments.mean, m2: varianceOf(moments) * (n - 1) }
}

/** How single runs vary: standard deviation by mean on each side; and how many of them count for one. */
export interface MeanTraffic {
  readonly baseline_variation: number
  readonly candidate_variation: number
  readonly design_effect: number
}

/**
 * Whether so many runs prove a relative limit on a mean with `factor` standard errors (see {@link provingFactor}), of a
 * release that has changed by `trueChange`.
 */
export function isMeanProved(
  { baseline_variation, candidate_variation, design_effect }: MeanTraffic,
  limit: number,
  baselineRuns: number,
  candidateRuns: number,
  factor: number,
  trueChange = 0,
): boolean {
  const baseline = ((1 + limit) * baseline_variation) ** 2 / baselineRuns
  const candidate = ((1 + trueChange) * candidate_variation) ** 2 / candidateRuns
  const error = Math.sqrt(design_effect * (baseline + candidate))
  return limit - trueChange >= factor * error
}

/**
 * Smallest relative limit on a mean that an unchanged release passes in 80 of 100 cases: L with
 * L² = f² (V_c + (1 + L)² V_b − 2 (1 + L) V_bc), the variances of the means in units of each side's mean, squared. Null
 * where the baseline is too small for any.
 */
function smallestMeanLimit(
  variances: { readonly baseline: number; readonly candidate: number; readonly covariance: number },
  factor: number,
): number | null {
  const { baseline, candidate, covariance } = variances
  const square = factor * factor
  const a = 1 - square * baseline
  if (!(a > 0)) return null
  const b = square * (baseline - covariance)
  const c = square * Math.max(0, baseline + candidate - 2 * covariance)
  return (b + Math.sqrt(b * b + a * c)) / a
}

/** What two counts, deflated by the design effect, can prove about the difference of their rates. */
export function rateProvable(
  baseline: Count,
  candidate: Count,
  designEffect: number,
  df: number,
  planned: Planned,
): Provable {
  // Of an unchanged release both sides together tell the rate.
  const rate = (baseline.events + candidate.events) / (baseline.runs + candidate.runs)
  const factor = factorsAt(planned, df)
  const unlucky = provingFactor(0, planned.limits)
  // How far above no change the interval reaches in 80 of 100 cases, at most.
  const reach = (b: number, c: number): number => {
    const [runsB, runsC] = [b / designEffect, c / designEffect]
    const width = rateWidth(rate, runsB, runsC, factor(b, c), planned.sequential)
    return width + unlucky * Math.sqrt(rate * (1 - rate) * (1 / runsB + 1 / runsC))
  }
  const [b, c] = [baseline, candidate].map(({ runs }) => Math.round(runs * designEffect)) as [number, number]
  return {
    smallest_provable_limit: reach(b, c),
    runs_needed: runsNeeded((runsB, runsC) => reach(runsB, runsC) <= planned.planned_limit, b, c, planned),
  }
}

/** From the difference to the upper end of its interval, of two equal rates. */
function rateWidth(rate: number, b: number, c: number, factor: number, sequential: boolean): number {
  const counts = [
    { events: rate * b, runs: b },
    { events: rate * c, runs: c },
  ] as const
  return sequential
    ? factor * Math.sqrt(rateVariance(counts[0]) + rateVariance(counts[1]))
    : rateDifference(...counts, factor).high!
}

/** {@link factorAt}, computed once where it doesn't depend on the runs. */
function factorsAt(planned: Planned, df: number): (baselineRuns: number, candidateRuns: number) => number {
  if (planned.sequential) return (b, c) => factorAt(planned, b, c, df)
  const factor = factorAt(planned, 1, 1, df)
  return () => factor
}

export function nothingProvable({ planned_limit: limit }: Planned): Provable {
  return {
    smallest_provable_limit: null,
    runs_needed: { limit, runs_per_side: null, candidate_runs: null, candidate_runs_missing: null },
  }
}

/**
 * Standard errors that the truth must keep from a limit so that an interval of `factor` of them stays within in 80 of 100
 * cases, or where `limits` of them must hold at once, all of them in 80.
 */
export function provingFactor(factor: number, limits = 1): number {
  return factor + steady(normalQuantile(1 - 0.2 / limits))
}

/** Searches for the runs that suffice; more never do less. */
export function runsNeeded(
  suffices: (baselineRuns: number, candidateRuns: number) => boolean,
  baselineRuns: number,
  candidateRuns: number,
  { planned_limit: limit, min_runs }: Pick<Planned, 'planned_limit' | 'min_runs'>,
): RunsNeeded {
  const further =
    baselineRuns < min_runs ? null : fewest(min_runs, candidate => suffices(baselineRuns, candidate))
  return {
    limit,
    runs_per_side: fewest(min_runs, runs => suffices(runs, runs)),
    candidate_runs: further,
    candidate_runs_missing: further === null ? null : Math.max(0, further - candidateRuns),
  }
}

const MOST_RUNS = 2 ** 50

function fewest(least: number, suffices: (runs: number) => boolean): number | null {
  let enough = least
  while (!suffices(enough)) {
    if (enough > MOST_RUNS) return null
    enough *= 2
  }
  let tooFew = least - 1
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2)
    if (suffices(middle)) enough = middle
    else tooFew = middle
  }
  return enough
}
