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
