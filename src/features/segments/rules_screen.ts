import { normalQuantile } from '../../rules/statistics/distributions.ts'
import { type Count, rateDifference, rateVariance } from '../../rules/statistics/rates.ts'
import { SPREAD_FLOOR } from '../../rules/statistics/samples.ts'
import { overlapWeight } from '../../rules/statistics/stratified.ts'
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
  let [weight, mb, mc, variance] = [0, 0, 0, 0]
  for (let at = first; at < b.length; at += WIDTH) {
    const [n, m] = [b[at]!, c[at]!]
    if (n < 1 || m < 1) continue
    const w = overlapWeight(n, m)
    weight += w
    mb += (w * b[at + 1]!) / n
    mc += (w * c[at + 1]!) / m
    variance += w * w * (varianceOf(b, at) + varianceOf(c, at))
  }
  return weight > 0 && (mc - mb) / weight >= (factor * Math.sqrt(variance)) / weight - LOST * (mb / weight)
}

/** Variance of a mean of independent values, at least: that of a single one is taken from others. */
function varianceOf(sums: GroupSums, at: number): number {
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
