/** Maps a domain onto a range, linearly. */
export function scale(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  const span = to - from || 1
  return function position(value) {
    return Math.round((start + ((value - from) / span) * (end - start)) * 100) / 100
  }
}

/** Three to five round numbers from 0 to at least `max`. */
export function niceTicks(max: number): number[] {
  if (!(max > 0)) return [0, 1]
  const rough = max / 3
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * magnitude).find(size => size >= rough)!
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  )
}
