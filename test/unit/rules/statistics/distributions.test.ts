import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  betaQuantile,
  incompleteBeta,
  logGamma,
  normalCdf,
  normalQuantile,
  studentCdf,
  studentQuantile,
} from '../../../../src/rules/statistics/distributions.ts'

/** Within so much of the larger of the two. */
function expectClose(found: number, wanted: number, relative = 1e-12): void {
  expect(Math.abs(found - wanted)).toBeLessThanOrEqual(relative * Math.max(Math.abs(wanted), 1e-300))
}

describe('logGamma', () => {
  test.each([
    [0.5, Math.log(Math.PI) / 2],
    [5, Math.log(24)],
    [0.001, 6.907178885383853],
    [10.5, 13.940625219403763],
    [171, 706.5730622457874],
    [1e6, 12815504.569147611],
  ])('of %d', (x, wanted) => {
    expectClose(logGamma(x), wanted, 1e-13)
  })

  test.each([1, 2])('of %d is 0', x => {
    expect(logGamma(x)).toBeCloseTo(0, 13)
  })

  test('Γ(x + 1) = x Γ(x)', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e4, noNaN: true }), x => {
        expect(Math.abs(logGamma(x + 1) - logGamma(x) - Math.log(x))).toBeLessThan(
          1e-15 * (20 + 20 * logGamma(x + 3)),
        )
      }),
    )
  })
})

describe('normal', () => {
  // Φ as tabled by Abramowitz & Stegun 26.1, and its tails as computed to 30 digits.
  test.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [1.959963984540054, 0.975],
    [2.5, 0.993790334674224],
    [3.1, 0.999032396786782],
    [-1, 0.158655253931457],
    [-2.9, 0.00186581330038404],
    [-3.1, 0.000967603213218358],
    [-6, 9.86587645037698e-10],
    [-10, 7.61985302416053e-24],
    [-37, 5.72557122252459e-300],
  ])('Φ(%d) = %d', (z, p) => {
    expectClose(normalCdf(z), p, 1e-12)
  })

  test.each([
    [0.975, 1.959963984540054],
    [0.995, 2.5758293035489],
    [0.8, 0.841621233572914],
    [0.5, 0],
    [0.025, -1.959963984540054],
    [1e-10, -6.361340902404056],
    [1e-100, -21.273453560965322],
  ])('the quantile at %d is %d', (p, z) => {
    expectClose(normalQuantile(p), z, 1e-13)
  })

  test('quantile and cdf undo one another', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 0.5, noNaN: true }), p => {
        expectClose(normalCdf(normalQuantile(p)), p, 1e-11)
        expectClose(normalQuantile(1 - p), -normalQuantile(1 - (1 - p)), 1e-9)
      }),
    )
  })
})

describe("Student's t", () => {
  test.each([
    [0.975, 3.7, 2.86752],
    [0.975, 12.34, 2.17217],
  ])('quantile at %d with %d degrees, to six digits', (p, df, t) => {
    expect(studentQuantile(p, df)).toBeCloseTo(t, 5)
  })

  // Two-sided 95 and 99.9 %, as in every table (NIST/SEMATECH e-Handbook 1.3.6.7.2).
  test.each([
    [0.975, 1, 12.706],
    [0.975, 2, 4.303],
    [0.975, 3, 3.182],
    [0.975, 5, 2.571],
    [0.975, 10, 2.228],
    [0.975, 23, 2.069],
    [0.975, 30, 2.042],
    [0.975, 100, 1.984],
    [0.999, 4, 7.173],
    [0.999, 60, 3.232],
    [0.9, 7, 1.415],
  ])('quantile at %d with %d degrees is %d in tables', (p, df, t) => {
    expect(Math.abs(studentQuantile(p, df) - t)).toBeLessThanOrEqual(0.0006)
  })

  test.each([0.6, 0.9, 0.975, 0.9999, 1 - 1e-9])('closed forms at %d', p => {
    expectClose(studentQuantile(p, 1), Math.tan(Math.PI * (p - 0.5)), 1e-6)
    expectClose(studentQuantile(p, 2), (2 * p - 1) / Math.sqrt(2 * p * (1 - p)), 1e-9)
    const quartic = Math.cos(Math.acos(Math.sqrt(4 * p * (1 - p))) / 3) / Math.sqrt(4 * p * (1 - p))
    expectClose(studentQuantile(p, 4), 2 * Math.sqrt(quartic - 1), 1e-9)
  })

  test('quantile and cdf undo one another, for degrees that are not whole', () => {
    const df = fc.double({ min: -1, max: 6, noNaN: true }).map(exponent => 10 ** exponent)
    const tail = fc.double({ min: -9, max: -0.31, noNaN: true }).map(exponent => 10 ** exponent)
    fc.assert(
      fc.property(tail, df, (p, degrees) => {
        const t = studentQuantile(p, degrees)
        expectClose(studentCdf(t, degrees), p, 1e-9)
        expect(studentCdf(-t, degrees)).toBeCloseTo(1 - p, 11)
      }),
    )
  })

  test('meets its expansion without a step, and the normal distribution at the end', () => {
    expectClose(studentQuantile(0.975, 4999.999), studentQuantile(0.975, 5000.001), 1e-9)
    expectClose(studentQuantile(0.99999, 4999.999), studentQuantile(0.99999, 5000.001), 1e-8)
    expectClose(studentQuantile(0.975, 1e15), normalQuantile(0.975), 1e-13)
  })
})

describe('incomplete beta', () => {
  // I_x(a, b) for whole a and b is a binomial tail.
  test.each([
    [2, 3, 0.4],
    [5, 1, 0.9],
    [1, 7, 0.02],
    [20, 30, 0.5],
    [30, 20, 0.35],
  ])('I(%d, %d) at %d is a binomial tail', (a, b, x) => {
    const n = a + b - 1
    let [tail, coefficient] = [0, 1]
    for (let k = 0; k <= n; k++) {
      if (k >= a) tail += coefficient * x ** k * (1 - x) ** (n - k)
      coefficient *= (n - k) / (k + 1)
    }
    expectClose(incompleteBeta(a, b, x), tail, 1e-12)
  })

  test('is symmetric, 0 and 1 at the ends, and its quantile undoes it', () => {
    const shape = fc.double({ min: 0.05, max: 1e5, noNaN: true })
    fc.assert(
      fc.property(shape, shape, fc.double({ min: 0.001, max: 0.999, noNaN: true }), (a, b, p) => {
        expect(incompleteBeta(a, b, 0)).toBe(0)
        expect(incompleteBeta(a, b, 1)).toBe(1)
        const x = betaQuantile(p, a, b)
        if (x < 1e-9 || x > 1 - 1e-9) return
        expectClose(incompleteBeta(a, b, x), p, 1e-6)
        expect(incompleteBeta(b, a, 1 - x)).toBeCloseTo(1 - p, 5)
      }),
    )
  })

  test('takes a billion runs', () => {
    // Half of a symmetric distribution is below a half; its standard deviation is 1 / √(4 (2a + 1)).
    const a = 5e8
    expect(incompleteBeta(a, a, 0.5)).toBeCloseTo(0.5, 8)
    const deviation = 1 / Math.sqrt(4 * (2 * a + 1))
    expect(incompleteBeta(a, a, 0.5 + deviation)).toBeCloseTo(normalCdf(1), 8)
  })
})
