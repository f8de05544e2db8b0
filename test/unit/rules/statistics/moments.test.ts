import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ExactSum,
  type Moments,
  NO_MOMENTS,
  centredProduct,
  mergeMoments,
  momentsOfSums,
  sumOfParts,
  varianceOf,
  variationOf,
} from '../../../../src/rules/statistics/samples.ts'

/** Moments by the definition, of values that doubles hold exactly. */
function defined(values: readonly number[]): Moments {
  if (values.length === 0) return NO_MOMENTS
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    n: values.length,
    mean,
    m2: values.reduce((sum, value) => sum + (value - mean) ** 2, 0),
  }
}

function ofSums(values: readonly number[]): Moments {
  const [sum, squares] = [new ExactSum(), new ExactSum()]
  for (const value of values) {
    sum.add(value)
    squares.add(value * value)
  }
  return momentsOfSums(values.length, sum.exact, squares.exact)
}

const values = fc.array(fc.nat(100_000), { maxLength: 30 })

describe('mergeMoments', () => {
  test('merges as it does on paper', () => {
    expect(mergeMoments({ n: 3, mean: 10, m2: 8 }, { n: 2, mean: 20, m2: 2 })).toEqual({
      n: 5,
      mean: 14,
      m2: 130,
    })
  })

  test('gives the moments of all values, in whatever order parts are merged', () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 6 }), parts => {
        const whole = defined(parts.flat())
        const [forward, backward] = [parts, parts.toReversed()].map(order =>
          order.map(defined).reduce(mergeMoments, NO_MOMENTS),
        )
        for (const merged of [forward!, backward!]) {
          expect(merged.n).toBe(whole.n)
          expect(merged.mean).toBeCloseTo(whole.mean, 6)
          expect(merged.m2).toBeGreaterThanOrEqual(whole.m2 * (1 - 1e-12))
          expect(merged.m2).toBeLessThanOrEqual(whole.m2 * (1 + 1e-12) + 1e-6)
        }
      }),
    )
  })
})

describe('momentsOfSums', () => {
  test('is the definition, and 0 exactly where all values are equal', () => {
    fc.assert(
      fc.property(values, given => {
        const [found, whole] = [ofSums(given), defined(given)]
        expect(found.n).toBe(whole.n)
        expect(found.mean).toBeCloseTo(whole.mean, 8)
        expect(found.m2).toBeCloseTo(whole.m2, 2)
        if (new Set(given).size <= 1) expect(found.m2).toBe(0)
      }),
    )
  })

  test('keeps digits that doubles lose', () => {
    const given = Array.from({ length: 1000 }, (_, index) => 999_983 + (index % 2 === 0 ? 3 : -3))
    expect(ofSums(given)).toEqual({ n: 1000, mean: 999_983, m2: 9000 })
    const [sum, squares] = [999_983_000, given.reduce((total, value) => total + value * value, 0)]
    expect(squares - (sum * sum) / 1000).not.toBe(9000)
  })

  test.each([
    ['latencies of 10^10 ms give or take 1', [1e10 - 1, 1e10, 1e10 + 1]],
    ['10^12 tokens give or take 1', [1e12 - 1, 1e12, 1e12 + 1]],
    ['one value', [1e12]],
    ['constant values', Array.from({ length: 1000 }, () => 9_999_999_999)],
  ])('takes what is smaller than rounding for 0: %s', (_, given) => {
    expect(ofSums(given).m2).toBe(0)
  })

  test('leave one value without a variance, and none without a product', () => {
    expect(varianceOf({ n: 1, mean: 5, m2: 0 })).toBe(0)
    expect(varianceOf(NO_MOMENTS)).toBe(0)
    expect(centredProduct(0, 0n, 0n, 0n)).toBe(0)
  })

  test('has no moments of no values', () => {
    expect(ofSums([])).toEqual(NO_MOMENTS)
    expect(variationOf(NO_MOMENTS)).toBe(0)
  })
})

describe('ExactSum', () => {
  test('is the sum of BigInts, and the same in any order', () => {
    const large = fc.oneof(fc.maxSafeNat(), fc.nat(10), fc.constant(2 ** 53), fc.constant(1e24))
    fc.assert(
      fc.property(fc.array(large), given => {
        const [forward, backward] = [new ExactSum(), new ExactSum()]
        for (const value of given) forward.add(value)
        for (const value of given.toReversed()) backward.add(value)
        expect(forward.exact).toBe(given.reduce((sum, value) => sum + BigInt(value), 0n))
        expect(backward.exact).toBe(forward.exact)
        expect(forward.rounded).toBe(Number(forward.exact))
      }),
    )
  })

  test('comes back from beyond 2^53', () => {
    const sum = new ExactSum()
    for (const value of [2 ** 53, 1, -(2 ** 53)]) sum.add(value)
    expect(sum.exact).toBe(1n)
  })

  test.each([Number.NaN, Infinity, 0.5])('refuses %s', value => {
    expect(() => new ExactSum().add(value)).toThrow(RangeError)
  })
})

describe('sumOfParts', () => {
  const pairs = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { minLength: 1, maxLength: 30 })

  test('has the mean of the sums and bounds their spread', () => {
    fc.assert(
      fc.property(pairs, given => {
        const [first, second] = [0, 1].map(index => defined(given.map(pair => pair[index]!)))
        const whole = defined(given.map(([a, b]) => a + b))
        const bound = sumOfParts(given.length, [first!, second!])
        expect(bound.mean).toBeCloseTo(whole.mean, 8)
        expect(bound.m2).toBeGreaterThanOrEqual(whole.m2 * (1 - 1e-9) - 1e-6)
      }),
    )
  })

  test('is exact where parts rise together, and counts runs without a part as 0', () => {
    const whole = defined([10, 20, 0, 0])
    const own = defined([10, 20])
    expect(sumOfParts(4, [own]).m2).toBeCloseTo(whole.m2, 10)
    expect(sumOfParts(4, [own, own]).m2).toBeCloseTo(defined([20, 40, 0, 0]).m2, 10)
  })
})
