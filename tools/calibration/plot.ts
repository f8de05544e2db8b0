const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 280, 46, 150, 34, 236]
const COLOURS = ['#2563eb', '#dc2626', '#059669', '#7c3aed', '#d97706']

/** A line of a plot: shares, drawn in percent, against x. */
export interface Line {
  readonly name: string
  readonly points: readonly { readonly x: number; readonly share: number }[]
}

/** Lines of shares from 0 to `most` as an SVG, with a name at the end of each and a dashed line at `mark`. */
export function plot(
  title: string,
  xTitle: string,
  lines: readonly Line[],
  {
    most,
    step,
    mark,
    ticks,
  }: { most: number; step: number; mark: number; ticks: readonly [number, string][] },
): string {
  const xs = lines.flatMap(line => line.points.map(point => point.x))
  const [first, last] = [Math.min(...xs), Math.max(...xs)]
  const x = (value: number): string =>
    (LEFT + ((value - first) / (last - first)) * (WIDTH - LEFT - RIGHT)).toFixed(1)
  const y = (share: number): string => (BOTTOM - (share / most) * (BOTTOM - TOP)).toFixed(1)
  const grid = Array.from({ length: Math.round(most / step) + 1 }, (_, i) => i * step).map(
    share =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(share)}" y2="${y(share)}" stroke="#ddd"/>` +
      `<text x="${LEFT - 6}" y="${Number(y(share)) + 4}" text-anchor="end">${Math.round(100 * share)}</text>`,
  )
  const axis = ticks.map(
    ([value, text]) => `<text x="${x(value)}" y="${BOTTOM + 18}" text-anchor="middle">${text}</text>`,
  )
  const labels = spread(lines.map(({ points }) => Number(y(points.at(-1)!.share))))
  const drawn = lines.map(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length]!
    const path = points.map(point => `${x(point.x)},${y(point.share)}`).join(' ')
    return (
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>` +
      `<text x="${WIDTH - RIGHT + 8}" y="${(labels[index]! + 4).toFixed(1)}" fill="${colour}">${name}</text>`
    )
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${LEFT}" y="18" font-size="13">${title}</text>
${grid.join('\n')}
<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(mark)}" y2="${y(mark)}" stroke="#555" stroke-dasharray="4 4"/>
${axis.join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${BOTTOM + 36}" text-anchor="middle">${xTitle}</text>
${drawn.join('\n')}
</svg>
`
}

/** Moves labels apart that would stand on one another. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((height, index) => ({ height, index })).sort((a, b) => a.height - b.height)
  const placed = [...heights]
  let last = -Infinity
  for (const { height, index } of order) {
    last = Math.max(height, last + 15)
    placed[index] = last
  }
  return placed
}
