import { betaQuantile, logBetaKernel } from './distributions.ts'
import { type Estimate, meanDifference, relativeChange, squareAndAdd } from './intervals.ts'
import type { MeanVariances } from './variances.ts'

/** So many of so many runs; fractions are fine, which dividing both by a design effect brings. */
export interface Count {
  readonly events: number
  readonly runs: number
}

export const NO_COUNT: Count = { events: 0, runs: 0 }

export function addCounts(a: Count, b: Count): Count {
  return { events: a.events + b.events, runs: a.runs + b.runs }
}

/** The rate; 0 without runs. */
export function rateOf({ events, runs }: Count): number {
  return runs === 0 ? 0 : events / runs
}

/** Runs as if they were independent: of clustered ones each counts less. */
export function deflated({ events, runs }: Count, designEffect: number): Count {
  return { events: events / designEffect, runs: runs / designEffect }
}

/** A rate with its interval (Wilson 1927) for `z` standard errors; `runs` > 0. */
export function wilson({ events, runs }: Count, z: number): Estimate {
  const estimate = events / runs
  const share = 1 + (z * z) / runs
  const centre = (estimate + (z * z) / (2 * runs)) / share
  const margin = (z / share) * Math.sqrt((estimate * (1 - estimate)) / runs + (z / (2 * runs)) ** 2)
  return {
    estimate,
    low: events === 0 ? 0 : Math.max(0, centre - margin),
    high: events === runs ? 1 : Math.min(1, centre + margin),
  }
}

/** Difference of two rates, candidate less baseline (Newcombe 1998, method 10). */
export function rateDifference(baseline: Count, candidate: Count, z: number): Estimate {
  return squareAndAdd(wilson(baseline, z), wilson(candidate, z))
}

/**
 * Change of a rate as a fraction of the baseline's, from Wilson's limits of both (Donner & Zou 2012, MOVER-R); undefined
 * where the baseline's rate is 0. Both ends are written so that no difference of near equals is divided by.
 */
export function rateChange(baseline: Count, candidate: Count, z: number): Estimate | undefined {
  if (baseline.events === 0) return undefined
  const [b, c] = [bounds(wilson(baseline, z)), bounds(wilson(candidate, z))]
  const product = b.estimate * c.estimate
  const twoSided = (own: number, end: number): number => end * (2 * own - end)
  const [cLow, cHigh] = [twoSided(c.estimate, c.low), twoSided(c.estimate, c.high)]
  const [bLow, bHigh] = [twoSided(b.estimate, b.low), twoSided(b.estimate, b.high)]
  const downward = Math.sqrt(Math.max(0, product * product - cLow * bHigh))
  const upward = Math.sqrt(Math.max(0, product * product - cHigh * bLow))
  return {
    estimate: c.estimate / b.estimate - 1,
    low: (cLow === 0 ? 0 : cLow / (product + downward)) - 1,
    high: bLow > 0 ? (product + upward) / bLow - 1 : null,
  }
}

/** What two rates differ by, `factor` standard errors to each side; sequential ones by the variances of means. */
export function rateIntervals(
  b: Count,
  c: Count,
  { factor, df, sequential }: { readonly factor: number; readonly df: number; readonly sequential: boolean },
): {
  readonly difference: Estimate
  readonly relative_change: Estimate | undefined
  readonly variances: MeanVariances
} {
  const variances = { baseline: rateVariance(b), candidate: rateVariance(c), covariance: 0, df, df_ratio: df }
  const rates = [rateOf(b), rateOf(c)] as const
  return sequential
    ? {
        difference: meanDifference(...rates, variances, factor),
        relative_change: relativeChange(...rates, variances, factor),
        variances,
      }
    : { difference: rateDifference(b, c, factor), relative_change: rateChange(b, c, factor), variances }
}

function bounds({ estimate, low, high }: Estimate): { estimate: number; low: number; high: number } {
  return { estimate, low: low!, high: high! }
}

/** Upper bound of a rate that at most `alpha` of all samples miss, exactly (Clopper & Pearson 1934). */
export function clopperPearsonUpper({ events, runs }: Count, alpha: number): number {
  return events >= runs ? 1 : betaQuantile(1 - alpha, events + 1, runs - events)
}

/** Lower bound of a rate that at most `alpha` of all samples miss. */
export function clopperPearsonLower({ events, runs }: Count, alpha: number): number {
  return events <= 0 ? 0 : betaQuantile(alpha, events, runs - events + 1)
}

/**
 * A rate with an interval that holds at all times and sizes (Robbins 1970): every p under which the runs are not 1/alpha
 * times less likely than under the Beta(½, ½) mixture of all p.
 */
export function sequentialRate({ events, runs }: Count, alpha: number): Estimate {
  const [a, b] = [events + 0.5, runs - events + 0.5]
  const threshold = Math.log(alpha / Math.PI)
  const isWithin = (p: number): boolean =>
    logBetaKernel(a, b, p, 1 - p) - Math.log(p * (1 - p)) / 2 > threshold
  const estimate = runs === 0 ? 0.5 : events / runs
  return {
    estimate,
    low: events === 0 ? 0 : boundary(estimate, 0, isWithin),
    high: events === runs ? 1 : boundary(estimate, 1, isWithin),
  }
}

/** Where between a point that is within and one that isn't the edge is. */
function boundary(inside: number, outside: number, isWithin: (p: number) => boolean): number {
  let [within, without] = [inside, outside]
  for (let i = 0; i < 200; i++) {
    const middle = (within + without) / 2
    if (middle === within || middle === without) break
    if (middle > 0 && middle < 1 && isWithin(middle)) within = middle
    else without = middle
  }
  return without
}

/** Variance of a rate as a mean of `runs` runs, above 0 even where none or all of them failed. */
export function rateVariance({ events, runs }: Count): number {
  const smoothed = (events + 0.5) / (runs + 1)
  return (smoothed * (1 - smoothed)) / runs
}
