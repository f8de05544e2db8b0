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

/** Three to six round numbers from 0, or from at most `min` where that lies below, to at least `max`. */
export function niceTicks(max: number, min = 0): number[] {
  if (!(max > min)) return [0, 1]
  const rough = (max - min) / 3
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * magnitude).find(size => size >= rough)!
  const first = Math.floor(min / step + 1e-9)
  return Array.from({ length: Math.ceil(max / step - 1e-9) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  )
}
