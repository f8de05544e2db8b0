const [WIDTH, HEIGHT, LEFT, BOTTOM] = [560, 240, 50, 200]
/** Milliseconds at the top of the axis. */
const MOST_MS = 6

/** Latency against events as an SVG; the events are on a logarithmic axis. */
export function plot(points: readonly { readonly events: number; readonly ms: number }[]): string {
  const first = Math.log10(points[0]!.events)
  const decades = Math.max(1, Math.log10(points.at(-1)!.events) - first)
  const x = (events: number): number => LEFT + 20 + ((Math.log10(events) - first) / decades) * (WIDTH - 110)
  const y = (ms: number): number => BOTTOM - (Math.min(ms, MOST_MS) / MOST_MS) * (BOTTOM - 30)
  const path = points.map(({ events, ms }) => `${x(events).toFixed(1)},${y(ms).toFixed(1)}`).join(' ')
  const grid = Array.from({ length: MOST_MS + 1 }, (_, ms) =>
    [
      `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(ms)}" y2="${y(ms)}" stroke="#ddd"/>`,
      `<text x="${LEFT - 8}" y="${y(ms) + 4}" text-anchor="end">${ms}</text>`,
    ].join(''),
  )
  const marks = points.map(({ events, ms }) =>
    [
      `<circle cx="${x(events).toFixed(1)}" cy="${y(ms).toFixed(1)}" r="4" fill="#2563eb"/>`,
      `<text x="${x(events).toFixed(1)}" y="${(y(ms) - 10).toFixed(1)}" text-anchor="middle">${ms.toFixed(2)}</text>`,
      `<text x="${x(events).toFixed(1)}" y="${BOTTOM + 18}" text-anchor="middle">${short(events)}</text>`,
    ].join(''),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${LEFT}" y="16">POST /v1/diff over 7 days, p50 in ms, against events per side (target: 5)</text>
${grid.join('\n')}
<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(5)}" y2="${y(5)}" stroke="#dc2626" stroke-dasharray="4 4"/>
<polyline points="${path}" fill="none" stroke="#2563eb" stroke-width="2"/>
${marks.join('\n')}
</svg>
`
}

function short(events: number): string {
  return events >= 1e6 ? `${events / 1e6} M` : `${events / 1000} k`
}
