import { normalQuantile } from '../../rules/statistics/distributions.ts'
import { type Count, rateDifference, rateVariance } from '../../rules/statistics/rates.ts'
import { SPREAD_FLOOR } from '../../rules/statistics/samples.ts'
import { FEW_VALUES, overlapWeight } from '../../rules/statistics/stratified.ts'
import { AT, type GroupSums, type GroupsOfSums, type SegmentMetric, WIDTH } from './rules_group_sums.ts'

/** A little less than it takes, for what doubles lose: whatever is left in is worked out exactly. */
const SAFE = 0.99
const LOST = 1e-9

/**
 * Says which metrics of which segments may be worse, by sums in doubles. No interval is narrower than that of independent runs
 * with the normal distribution, so one that does not leave out 0 is left out of no exact comparison either.
 */
export function screen(
  baseline: GroupsOfSums,
  candidate: GroupsOfSums,
  { alpha, sequential }: { readonly alpha: number; readonly sequential: boolean },
): (segment: number, metric: SegmentMetric) => boolean {
  const factor = SAFE * normalQuantile(1 - alpha / 2)
  return (segment, metric) => {
    const [b, c] = [baseline.get(segment), candidate.get(segment)]
    if (b === undefined || c === undefined) return false
    return metric === 'error_rate'
      ? mayRateRise(b, c, factor, sequential)
      : mayMeanRise(b, c, AT[metric], factor)
  }
}

function mayMeanRise(b: GroupSums, c: GroupSums, first: number, factor: number): boolean {
  let [weight, mb, mc, pairs] = [0, 0, 0, 0]
  const [own, other] = [new MeanVariance(), new MeanVariance()]
  for (let at = first; at < b.length; at += WIDTH) {
    const [n, m] = [b[at]!, c[at]!]
    if (n < 1 || m < 1) continue
    const w = overlapWeight(n, m)
    pairs += 1
    weight += w
    mb += (w * b[at + 1]!) / n
    mc += (w * c[at + 1]!) / m
    own.add(b, at, w)
    other.add(c, at, w)
  }
  if (weight === 0) return false
  const isFew = own.isFew(pairs) || other.isFew(pairs)
  const [vb, vc] = [own.of(pairs), other.of(pairs)]
  return isFew && mb > 0 && mc > 0
    ? Math.log(mc / mb) >= factor * Math.sqrt(vb / mb ** 2 + vc / mc ** 2) - LOST
    : (mc - mb) / weight >= (factor * Math.sqrt(vb + vc)) / weight - LOST * (mb / weight)
}

/** Variance of a weighted mean as exact comparisons have it, times the square of the weights: of few values that of them all. */
class MeanVariance {
  #within = 0
  #weights = 0
  #n = 0
  #sum = 0
  #squares = 0

  add(sums: GroupSums, at: number, weight: number): void {
    const n = sums[at]!
    this.#within += weight * weight * varianceOf(sums, at)
    this.#weights += (weight * weight) / n
    this.#n += n
    this.#sum += sums[at + 1]!
    this.#squares += sums[at + 2]!
  }

  isFew(pairs: number): boolean {
    return this.#n < FEW_VALUES * pairs
  }

  of(pairs: number): number {
    return this.isFew(pairs)
      ? this.#weights * this.#n * varianceOf([this.#n, this.#sum, this.#squares], 0)
      : this.#within
  }
}

/** Variance of a mean of independent values, at least: that of a single one is taken from others. */
function varianceOf(sums: ArrayLike<number>, at: number): number {
  const [n, sum, squares] = [sums[at]!, sums[at + 1]!, sums[at + 2]!]
  const m2 = squares - (sum * sum) / n
  return n < 2 || m2 < 4 * SPREAD_FLOOR * squares ? 0 : m2 / (n - 1) / n
}

function mayRateRise(b: GroupSums, c: GroupSums, factor: number, sequential: boolean): boolean {
  let [weight, mb, mc, wb, wc] = [0, 0, 0, 0, 0]
  for (let at = AT.error_rate; at < b.length; at += WIDTH) {
    const [n, m] = [b[at]!, c[at]!]
    if (n < 1 || m < 1) continue
    const w = overlapWeight(n, m)
    weight += w
    mb += (w * b[at + 1]!) / n
    mc += (w * c[at + 1]!) / m
    wb += (w * w) / n
    wc += (w * w) / m
  }
  if (weight === 0 || mc <= mb * (1 - LOST)) return false
  const [runsB, runsC] = [(weight * weight) / wb, (weight * weight) / wc]
  const [own, other]: [Count, Count] = [
    { events: (mb / weight) * runsB, runs: runsB },
    { events: (mc / weight) * runsC, runs: runsC },
  ]
  return sequential
    ? (mc - mb) / weight > factor * Math.sqrt(rateVariance(own) + rateVariance(other)) - LOST
    : rateDifference(own, other, factor).low! > -LOST
}
