import { HOUR_MS } from '../../../src/base/time.ts'
import type { ClusterAggregate } from '../../../src/rules/diff_statistics.ts'
import { type Aggregate, NO_FAILED, NO_SUMS } from '../../../src/rules/rollup.ts'
import { UNDER_WAY } from '../../../src/rules/statistics/match.ts'
import type { Range } from '../../../src/rules/window.ts'
import { type SegmentSums, stretchHours } from '../../../src/features/segments/rules_segments.ts'
import type { Blocks } from './plan.ts'
import type { Runs } from './runs.ts'

/** What all runs have in common. */
export const VARIANT = { agent_id: 'agent', provider: 'maker', model: 'model' } as const

/** Runs, errors, Σ latency, Σ latency², Σ tokens, Σ tokens², and of failed runs Σ latency, Σ latency², Σ tokens. */
const COLUMNS = 9

/** Sums of runs by a number that is at least `least`; runs of a lower one are left out. */
function summed(runs: Runs, numberOf: (run: number) => number, least: number, most: number): Float64Array {
  const sums = new Float64Array((most - least + 1) * COLUMNS)
  const { n, latency_ms, tokens, failed } = runs
  for (let run = 0; run < n; run++) {
    const number = numberOf(run)
    if (number < least) continue
    const at = (number - least) * COLUMNS
    const [latency, used] = [latency_ms[run]!, tokens[run]!]
    sums[at]! += 1
    sums[at + 1]! += failed[run]!
    sums[at + 2]! += latency
    sums[at + 3]! += latency * latency
    sums[at + 4]! += used
    sums[at + 5]! += used * used
    if (failed[run] === 0) continue
    sums[at + 6]! += latency
    sums[at + 7]! += latency * latency
    sums[at + 8]! += used
  }
  return sums
}

function aggregateAt(sums: Float64Array, at: number, block: number): Aggregate {
  const [runs, errors] = [sums[at]!, sums[at + 1]!]
  return {
    ...NO_SUMS,
    ...NO_FAILED,
    ...VARIANT,
    block,
    runs,
    errors,
    latency_count: runs,
    latency_sum_ms: sums[at + 2]!,
    latency_sum_ms2: sums[at + 3]!,
    input_tokens: sums[at + 4]!,
    token_products: [sums[at + 5]!, 0, 0, 0, 0, 0],
    failed_count: errors,
    failed_latency_count: errors,
    failed_latency_sum_ms: sums[at + 6]!,
    failed_latency_sum_ms2: sums[at + 7]!,
    failed_input_tokens: sums[at + 8]!,
  }
}

export function aggregatesOf(runs: Runs, { of, count }: Blocks): Aggregate[] {
  const sums = summed(runs, of, UNDER_WAY, count)
  const aggregates: Aggregate[] = []
  for (let block = UNDER_WAY; block <= count; block++) {
    const at = (block - UNDER_WAY) * COLUMNS
    if (sums[at]! > 0) aggregates.push(aggregateAt(sums, at, block))
  }
  return aggregates
}

export function addAggregates(block: number, aggregates: readonly Aggregate[]): Aggregate {
  const sums = new Float64Array(COLUMNS)
  for (const aggregate of aggregates) {
    const failed = { ...NO_FAILED, ...aggregate }
    const own = [
      aggregate.runs,
      aggregate.errors,
      aggregate.latency_sum_ms,
      aggregate.latency_sum_ms2,
      aggregate.input_tokens,
      aggregate.token_products[0]!,
      failed.failed_latency_sum_ms,
      failed.failed_latency_sum_ms2,
      failed.failed_input_tokens,
    ]
    for (let column = 0; column < COLUMNS; column++) sums[column]! += own[column]!
  }
  return aggregateAt(sums, 0, block)
}

/** Sums by tenant or task in stretches of whole hours. */
export function segmentsOf(runs: Runs, kind: 'tenant' | 'task', hours: Range, { of }: Blocks): SegmentSums {
  const numbers = runs[kind]
  let segments = 0
  for (let run = 0; run < runs.n; run++) segments = Math.max(segments, numbers[run]!)
  const [length, first] = [stretchHours(hours), Math.floor(hours.from / stretchHours(hours))]
  const stretches = Math.max(0, Math.floor((hours.to - 1) / length) - first + 1)
  const sums = summed(
    runs,
    run => {
      const hour = Math.floor(runs.ended[run]! / HOUR_MS)
      if (hour < hours.from || hour >= hours.to || of(run) === UNDER_WAY) return -1
      return numbers[run]! * stretches + Math.floor(hour / length) - first
    },
    0,
    (segments + 1) * stretches,
  )
  const aggregates: (Aggregate & { segment: number })[] = []
  for (let number = stretches; number < (segments + 1) * stretches; number++) {
    const at = number * COLUMNS
    if ((sums[at] ?? 0) === 0) continue
    const segment = Math.floor(number / stretches)
    aggregates.push({ ...aggregateAt(sums, at, first + (number % stretches)), segment })
  }
  return { aggregates, parts: [] }
}

/** Sums by session in the blocks of a cut; undefined of more runs than are looked up. */
export function clustersOf(runs: Runs, { of, count }: Blocks): ClusterAggregate[] | undefined {
  const aggregates = new Map<string, Writable<ClusterAggregate>>()
  let taken = 0
  for (let run = 0; run < runs.n; run++) {
    const own = of(run)
    if (own === -1 || own >= count) continue
    taken += 1
    const cluster = `of s${runs.session[run]}`
    const key = `${own} ${cluster}`
    const aggregate = aggregates.get(key) ?? {
      ...NO_SUMS,
      cluster,
      block: own,
      model: VARIANT.model,
      is_part: false,
      failed_latency_count: 0,
      failed_latency_sum_ms: 0,
    }
    aggregates.set(key, aggregate)
    aggregate.runs += 1
    aggregate.errors += runs.failed[run]!
    aggregate.latency_count += 1
    aggregate.latency_sum_ms += runs.latency_ms[run]!
    aggregate.input_tokens += runs.tokens[run]!
    if (runs.failed[run] === 0) continue
    aggregate.failed_latency_count += 1
    aggregate.failed_latency_sum_ms += runs.latency_ms[run]!
  }
  return taken > MOST_CLUSTERED ? undefined : [...aggregates.values()]
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
const MOST_CLUSTERED = 10_000
