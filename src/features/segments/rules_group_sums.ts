import { type MeasuredSide, usdByModel } from '../../rules/diff_statistics.ts'
import type { SEGMENT_LIMITS } from '../../rules/limits.ts'
import type { FailedSums } from '../../rules/rollup.ts'
import { overlapWeight } from '../../rules/statistics/stratified.ts'
import { PARTS, type SegmentSums } from './rules_segments.ts'

export type SegmentMetric = (typeof SEGMENT_LIMITS)[number]['metric']

/** Where the number of values, their sum and the sum of their squares are in each part of {@link GroupSums}. */
export const AT: Readonly<Record<SegmentMetric, number>> = {
  cost_per_run_usd: 0,
  latency_ms: 3,
  error_rate: 6,
}
export const WIDTH = 9

/** Sums of one segment in doubles, {@link WIDTH} numbers for each part of the time: cost in USD, latency in ms, errors. */
export type GroupSums = Float64Array

/**
 * The sums of each segment in doubles, which are quick, and close to the exact ones; with `knowsFailed` latencies of runs
 * that succeeded, and costs by their number.
 */
export function groupSums(
  { aggregates, parts, rates }: SegmentSums & Pick<MeasuredSide, 'rates'>,
  knowsFailed: boolean,
): GroupsOfSums {
  const usd = usdByModel(rates, [...aggregates, ...parts])
  const groups = new Map<number, GroupSums>()
  const sumsOf = (segment: number): GroupSums => {
    let own = groups.get(segment)
    if (own === undefined) groups.set(segment, (own = new Float64Array(WIDTH * PARTS)))
    return own
  }
  for (const aggregate of aggregates) {
    const own = sumsOf(aggregate.segment)
    const {
      failed_count = 0,
      failed_latency_count = 0,
      failed_latency_sum_ms = 0,
      failed_latency_sum_ms2 = 0,
    }: Partial<FailedSums> = knowsFailed ? aggregate : {}
    const at = WIDTH * aggregate.block
    const price = usd.get(aggregate.model)
    if (price !== undefined) {
      const [input, output, cached] = price
      const p = aggregate.token_products
      own[at]! += aggregate.runs - failed_count
      own[at + 1]! +=
        aggregate.input_tokens * input +
        aggregate.output_tokens * output +
        aggregate.cached_input_tokens * cached
      own[at + 2]! +=
        p[0]! * input * input +
        p[3]! * output * output +
        p[5]! * cached * cached +
        2 * (p[1]! * input * output + p[2]! * input * cached + p[4]! * output * cached)
    }
    own[at + 3]! += aggregate.latency_count - failed_latency_count
    own[at + 4]! += aggregate.latency_sum_ms - failed_latency_sum_ms
    own[at + 5]! += aggregate.latency_sum_ms2 - failed_latency_sum_ms2
    own[at + 6]! += aggregate.runs
    own[at + 7]! += aggregate.errors
    own[at + 8]! += aggregate.errors
  }
  for (const part of parts) {
    const [input, output, cached, written] = usd.get(part.model) ?? [0, 0, 0, 0]
    sumsOf(part.segment)[WIDTH * part.block + 1]! +=
      part.input_tokens * input +
      part.output_tokens * output +
      part.cached_input_tokens * cached +
      (part.cache_write_input_tokens ?? 0) * written
  }
  return groups
}

export type GroupsOfSums = ReadonlyMap<number, GroupSums>

/** How a mean changed over all segments, each compared with itself in each part of the time. */
export interface WholeChange {
  readonly difference: number
  readonly relative_change: number
}

/** Both are NaN where no segment was served by both sides at once. */
export function wholeChange(
  baseline: GroupsOfSums,
  candidate: GroupsOfSums,
  metric: SegmentMetric,
): WholeChange {
  let [weight, b, c] = [0, 0, 0]
  for (const [segment, own] of baseline) {
    const other = candidate.get(segment)
    if (other === undefined) continue
    for (let at = AT[metric]; at < own.length; at += WIDTH) {
      const [n, m] = [own[at]!, other[at]!]
      if (n < 1 || m < 1) continue
      const w = overlapWeight(n, m)
      weight += w
      b += (w * own[at + 1]!) / n
      c += (w * other[at + 1]!) / m
    }
  }
  return { difference: (c - b) / weight, relative_change: c / b - 1 }
}
