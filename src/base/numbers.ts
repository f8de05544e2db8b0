/** Rounds to 12 significant digits: what survives summing in another order, on another database. */
export function round12(value: number): number {
  return Number(value.toPrecision(12))
}

/**
 * Two amounts as decimal text with `digits` decimals, or as many more as it takes to tell them apart.
 * A limit of 0.0000001 must not read as "0.000000 exceeds 0.000000".
 */
export function distinctDecimals(a: number, b: number, digits: number): [string, string] {
  for (let places = digits; places < 20; places += 2) {
    const texts: [string, string] = [a.toFixed(places), b.toFixed(places)]
    if (texts[0] !== texts[1] || a === b) return texts
  }
  return [String(a), String(b)]
}
