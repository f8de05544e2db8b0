import type { RunSeries } from '../../features/explore/models.ts'
import { wilson } from '../../rules/statistics/rates.ts'
import type { Line } from '../ui/charts/series.ts'

type Bucket = RunSeries['buckets'][number]
type Points = Line['points']
export type Figure = 'cost_per_run_usd' | 'latency_ms_avg' | 'error_rate' | 'tokens_per_run'

/** Most points of a line whose intervals are to be read. */
const MOST_POINTS = 24
/** What of 100 intervals 95 hold, in standard errors. */
const Z = 1.96

/** A rate of so few runs says next to nothing, unless that leaves fewer points than show a course. */
const [LEAST_RUNS, LEAST_POINTS] = [150, 6]

/** Buckets that are over, as few wide ones: of those that are not, the runs are too few to compare. */
export function mergedBuckets(series: RunSeries, figure: Figure): readonly Bucket[] {
  const { buckets, bucket_ms, until } = series
  const isOver = ({ start }: Bucket): boolean => Date.parse(start) + bucket_ms <= Date.parse(until)
  const over = buckets.filter(isOver)
  const known = over.length > 0 ? over : buckets
  const width =
    bucket_ms * Math.max(widthByTime(series, known), figure === 'error_rate' ? widthByRuns(known) : 1)
  const groups = Map.groupBy(known, ({ start }) => Math.floor(Date.parse(start) / width))
  return Array.from(groups.values(), group => ({
    start: group[0]!.start,
    runs: group.reduce((sum, { runs }) => sum + runs, 0),
    cost_per_run_usd: meanOf(group, 'cost_per_run_usd'),
    latency_ms_avg: meanOf(group, 'latency_ms_avg'),
    error_rate: meanOf(group, 'error_rate') ?? 0,
    tokens_per_run: meanOf(group, 'tokens_per_run') ?? 0,
  }))
}

/** How many buckets make one, so that there are not too many. */
function widthByTime({ bucket_ms, since, until }: RunSeries, known: readonly Bucket[]): number {
  const first = Math.max(Date.parse(since), Date.parse(known[0]?.start ?? since))
  return Math.max(1, Math.ceil((Date.parse(until) - first) / bucket_ms / MOST_POINTS))
}

/** The same, so that one holds enough runs. */
function widthByRuns(known: readonly Bucket[]): number {
  const runs = known.reduce((sum, bucket) => sum + bucket.runs, 0)
  const wanted = Math.ceil((LEAST_RUNS * known.length) / Math.max(1, runs))
  return Math.max(1, Math.min(wanted, Math.floor(known.length / LEAST_POINTS)))
}

/** The mean over buckets by their runs; null where one of them has none. */
function meanOf(buckets: readonly Bucket[], figure: Figure): number | null {
  let [sum, all] = [0, 0]
  for (const { runs, [figure]: value } of buckets) {
    if (value === null) continue
    sum += value * runs
    all += runs
  }
  return all === 0 ? null : sum / all
}

/** A figure over time with what it may really be: of a rate by Wilson, of a mean by how far neighbours differ. */
export function pointsOf(buckets: readonly Bucket[], figure: Figure): Points {
  const spread = figure === 'error_rate' ? errorSpread : meanSpread(buckets, figure)
  return buckets.map(bucket => {
    const point = { at: Date.parse(bucket.start), value: bucket[figure] }
    const known = spread(bucket)
    return known === undefined ? point : { ...point, spread: known }
  })
}

type Spread = readonly [low: number, high: number]

function errorSpread({ runs, error_rate }: Bucket): Spread | undefined {
  if (runs === 0) return undefined
  const { low, high } = wilson({ runs, events: error_rate * runs }, Z)
  return [low ?? 0, high ?? 1]
}

/** Fewest differences of neighbours that a variance is made of. */
const FEWEST = 4

/**
 * The variance of one run from the differences of neighbouring buckets (von Neumann, 1941): runs of one time that are alike
 * count in it, and a slow drift doesn't.
 */
function meanSpread(buckets: readonly Bucket[], figure: Figure): (bucket: Bucket) => Spread | undefined {
  const known = buckets.filter(bucket => bucket.runs > 0 && bucket[figure] !== null)
  const pairs = known.slice(1).map((bucket, index) => [known[index]!, bucket] as const)
  const squares = pairs.map(([a, b]) => (b[figure]! - a[figure]!) ** 2 / (1 / a.runs + 1 / b.runs))
  const variance = squares.reduce((sum, square) => sum + square, 0) / squares.length
  return function spread({ runs, [figure]: value }) {
    if (squares.length < FEWEST || value === null || runs === 0) return undefined
    const half = Z * Math.sqrt(variance / runs)
    return [Math.max(0, value - half), value + half]
  }
}
