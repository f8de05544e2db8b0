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

/**
 * The number that a decimal text says, with its point moved by so many places. It is moved in the text: of doubles the
 * product with a power of ten is often not the one nearest to the decimal. Throws RangeError for other text.
 */
export function shifted(text: string, places: number): number {
  const [, digits, exponent = '0'] = /^(\d+(?:\.\d+)?)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  if (digits === undefined) throw new RangeError(`${text.slice(0, 40)} is no price`)
  return Number(`${digits}e${Number(exponent) + places}`)
}

/** Parses JSON and leaves its numbers the texts that they are. Throws SyntaxError. */
export function parseDecimals(text: string): unknown {
  return JSON.parse(text, keepSource as (this: unknown, key: string, value: unknown) => unknown)
}

function keepSource(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' ? source : value
}

/** Numbers from 0 to 1 that depend on the seed only (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return function next() {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
