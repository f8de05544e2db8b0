import { milliseconds, usd } from '../base/shown.ts'
import type { MetricStatistics } from './statistics/metric.ts'

/** Share of a sum that one of its terms must have for the sum to be that one's. */
const MOST = 0.5

/**
 * Says where one run has more than half of a side's cost or latency: its interval is too wide for any limit then, and no
 * number of runs mends that soon. Of values from 0 on the largest is at least Σx²/Σx, so the share is at least
 * Σx²/(Σx)². `exactCost` says of each side whether the spread of its cost is known exactly.
 */
export function dominantRuns(
  { cost_per_run_usd, latency_ms }: Pick<Measured, 'cost_per_run_usd' | 'latency_ms'>,
  exactCost: { readonly baseline: boolean; readonly candidate: boolean },
): string[] {
  return (['baseline', 'candidate'] as const).flatMap(side => [
    ...dominantRun(side, latency_ms, 'latency', milliseconds),
    ...(exactCost[side] ? dominantRun(side, cost_per_run_usd, 'cost', usd) : []),
  ])
}

type Measured = Readonly<Record<'cost_per_run_usd' | 'latency_ms', MetricStatistics>>

function dominantRun(
  side: 'baseline' | 'candidate',
  metric: MetricStatistics,
  what: string,
  written: (value: number) => string,
): string[] {
  const [n, mean, deviation] = [metric[`${side}_runs`], metric[`${side}_mean`], metric[`${side}_stddev`]]
  if (n < metric.min_runs || mean === null || mean === 0 || deviation === null) return []
  const meanOfSquares = ((n - 1) / n) * deviation * deviation + mean * mean
  const share = meanOfSquares / (n * mean * mean)
  if (share <= MOST) return []
  return [
    `${side}: one run of ${written(meanOfSquares / mean)} or more has over ${Math.floor(100 * share)} % of the ${what} of ` +
      `all ${n}: no limit on a change of the mean is decided while it is in the window`,
  ]
}
