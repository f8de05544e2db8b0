/** What aggregates of each kind add up, in the order of the columns of their rollups. */
export const SUMS = {
  runs: [
    'runs',
    'errors',
    'latency_count',
    'latency_sum',
    'latency_sq',
    'input_sum',
    'output_sum',
    'cached_sum',
    'input_sq',
    'output_sq',
    'cached_sq',
    'input_output',
    'input_cached',
    'output_cached',
  ],
  parts: [
    'parts',
    'input_sum',
    'output_sum',
    'cached_sum',
    'write_sum',
    'input_sq',
    'output_sq',
    'cached_sq',
    'write_sq',
    'input_output',
    'input_cached',
    'input_write',
    'output_cached',
    'output_write',
    'cached_write',
  ],
  scores: ['runs', 'score_sum', 'score_sq'],
} as const
export type SumKind = keyof typeof SUMS
export const SUM_KINDS = Object.keys(SUMS) as SumKind[]

/** A field whose value can't be that of any runs, and why. */
interface Impossible {
  readonly field: string
  readonly msg: string
}

/** Where a count, a sum of values and the sum of their squares are among the sums of a kind. */
type Moment = readonly [count: number, sum: number, squares: number]
/** Where a sum of products is, and the sums of squares of both factors. */
type Product = readonly [product: number, squares: number, others: number]

const RULES: Readonly<Record<SumKind, { readonly moments: Moment[]; readonly products: Product[] }>> = {
  runs: rulesOf('runs', { runs: ['input', 'output', 'cached'], latency_count: ['latency'] }),
  parts: rulesOf('parts', { parts: ['input', 'output', 'cached', 'write'] }),
  scores: rulesOf('scores', { runs: ['score'] }),
}

function rulesOf(kind: SumKind, counted: Readonly<Record<string, readonly string[]>>) {
  const at = (name: string): number => (SUMS[kind] as readonly string[]).indexOf(name)
  const values = Object.values(counted).flat()
  return {
    moments: Object.entries(counted).flatMap(([count, of]) =>
      of.map((name): Moment => [at(count), at(`${name}_sum`), at(`${name}_sq`)]),
    ),
    products: values.flatMap(one =>
      values
        .filter(other => at(`${one}_${other}`) >= 0)
        .map((other): Product => [at(`${one}_${other}`), at(`${one}_sq`), at(`${other}_sq`)]),
    ),
  }
}

/** Sums past 2^53 were rounded once. */
const ROUNDING = 1 + 1e-12

/**
 * What no runs can add up to; undefined where there is nothing of that. Values are whole, so a square is no less than its
 * root and as odd as it; the rest is the inequality of Cauchy and Schwarz.
 */
export function impossible(kind: SumKind, sums: readonly number[]): Impossible | undefined {
  const names = SUMS[kind]
  if (sums[0]! < 1) return { field: names[0], msg: 'must be at least 1: an empty aggregate is left out' }
  if (kind === 'runs') {
    for (const at of [1, 2]) {
      if (sums[at]! > sums[0]!) return { field: names[at]!, msg: 'is more than runs' }
    }
  }
  const { moments, products } = RULES[kind]
  for (const [count, sum, squares] of moments) {
    const [n, x, xx] = [sums[count]!, sums[sum]!, sums[squares]!]
    const [field, of] = [names[squares]!, names[sum]!]
    if (xx < Math.abs(x))
      return { field, msg: `is less than ${of}, but squares of whole numbers are never less` }
    if (x * x > n * xx * ROUNDING)
      return { field, msg: `is too small for ${of}: ${of}² is more than ${names[count]} × ${field}` }
    const isExact = xx <= Number.MAX_SAFE_INTEGER && Math.abs(x) <= Number.MAX_SAFE_INTEGER
    if (isExact && (x + xx) % 2 !== 0)
      return {
        field,
        msg: `is ${xx % 2 === 0 ? 'even' : 'odd'} and ${of} is not, but a square of an odd number is odd, and of an even number even`,
      }
  }
  for (const [product, one, other] of products) {
    const value = sums[product]!
    if (value * value > sums[one]! * sums[other]! * ROUNDING)
      return {
        field: names[product]!,
        msg: `is too large: its square is more than ${names[one]} × ${names[other]}`,
      }
  }
  return undefined
}

/** A whole number, or a text of its digits, as engines write wide ones. Undefined for anything else. */
export function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined
  if (typeof value !== 'string' || !/^-?\d{1,39}$/.test(value)) return undefined
  return Number(value)
}
