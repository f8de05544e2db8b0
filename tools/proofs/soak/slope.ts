/** What a server was like at one moment, and the requests since the one before. */
export interface Sample {
  readonly minute: number
  readonly rss_mb: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly handles: number
  readonly requests: number
  readonly failed: number
}

type Field = 'rss_mb' | 'p50_ms' | 'p99_ms' | 'handles'

interface Slope {
  readonly perHour: number
  /** Standard error of the slope. */
  readonly error: number
  /** Means of the first and of the last third. */
  readonly first: number
  readonly last: number
}

/** Least squares of a field against time. */
export function slopeOf(samples: readonly Sample[], field: Field): Slope {
  const xs = samples.map(({ minute }) => minute / 60)
  const ys = samples.map(sample => sample[field])
  const [x, y] = [mean(xs), mean(ys)]
  const spread = xs.reduce((sum, value) => sum + (value - x) ** 2, 0)
  const perHour = xs.reduce((sum, value, index) => sum + (value - x) * (ys[index]! - y), 0) / spread
  const rest = xs.reduce((sum, value, index) => sum + (ys[index]! - y - perHour * (value - x)) ** 2, 0)
  const third = Math.max(1, Math.floor(ys.length / 3))
  return {
    perHour,
    error: Math.sqrt(rest / Math.max(1, xs.length - 2) / spread),
    first: mean(ys.slice(0, third)),
    last: mean(ys.slice(-third)),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
