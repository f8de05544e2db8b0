/** What was measured and what that may really be, on an axis with the limit. The figures next to it say the same. */
export function Axis({
  value,
  low,
  high,
  limit,
}: {
  value: number | null
  low: number | null
  high: number | null
  limit: number | null
}) {
  if (value === null || limit === null) return <span class="range axis" aria-hidden="true" />
  const ends = [0, value, limit]
  // An interval may reach so far that nothing else could be seen apart.
  const reach = 3 * Math.max(...ends.map(Math.abs))
  const [left, right] = [Math.max(-reach, low ?? value), Math.min(reach, high ?? value)]
  const [from, to] = [Math.min(...ends, left), 1.1 * Math.max(...ends, right)]
  const at = (point: number): string => `${(100 * (point - from)) / (to - from || 1)}%`
  const width = `${(100 * (right - left)) / (to - from || 1)}%`
  return (
    <span class="range axis" aria-hidden="true">
      {from < 0 && <span class="zero-line" style={{ left: at(0) }} />}
      <span class="range-line" style={{ left: at(left), width }} />
      <span class="range-dot" style={{ left: at(value) }} />
      <span class="limit-line" style={{ left: at(limit) }} />
    </span>
  )
}
