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

const [WIDTH, PANEL, LEFT] = [560, 130, 60]
const PANELS: readonly (readonly [field: Field, title: string])[] = [
  ['rss_mb', 'resident memory of the server, MB'],
  ['p99_ms', 'latency of all requests, p99, ms'],
  ['handles', 'open file handles of the server'],
]

/** Memory, latency and file handles over time as an SVG; each axis begins at 0. */
export function plot(samples: readonly Sample[]): string {
  const panels = PANELS.map(([field, title], index) => panel(samples, field, title, index * PANEL)).join('\n')
  const height = PANELS.length * PANEL + 20
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${panels}
<text x="${WIDTH - 20}" y="${height - 6}" text-anchor="end">minutes: 0 to ${samples.at(-1)!.minute.toFixed(0)}</text>
</svg>
`
}

function panel(samples: readonly Sample[], field: Field, title: string, top: number): string {
  const most = Math.max(...samples.map(sample => sample[field]), 1) * 1.15
  const lasts = samples.at(-1)!.minute
  const [bottom, room] = [top + PANEL - 10, PANEL - 40]
  const x = (minute: number): string => (LEFT + (minute / lasts) * (WIDTH - LEFT - 20)).toFixed(1)
  const y = (value: number): string => (bottom - (value / most) * room).toFixed(1)
  const path = samples.map(sample => `${x(sample.minute)},${y(sample[field])}`).join(' ')
  const grid = [0, most / 2, most].map(
    value =>
      `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${Number(y(value)) + 4}" text-anchor="end">${value.toFixed(0)}</text>`,
  )
  return [
    `<text x="${LEFT}" y="${top + 18}">${title}</text>`,
    ...grid,
    `<polyline points="${path}" fill="none" stroke="#2563eb" stroke-width="2"/>`,
  ].join('\n')
}
