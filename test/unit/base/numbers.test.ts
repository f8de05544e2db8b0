import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { distinctDecimals, round12 } from '../../../src/base/numbers.ts'

const amounts = fc.oneof(fc.constant(0), fc.double({ min: 1e-12, max: 1e15, noNaN: true }))

describe('round12', () => {
  test.for([
    [0, 0],
    [0.1 + 0.2, 0.3],
    [1 / 3, 0.333333333333],
    [2 / 3, 0.666666666667],
    [-1 / 3, -0.333333333333],
    [123_456_789_012_345, 123_456_789_012_000],
    [999_999_999_999.9, 1_000_000_000_000],
    [0.1 * 3 - 0.3, 5.55111512313e-17],
    [1e-300, 1e-300],
    [1500, 1500],
  ] as const)('%d becomes %d', ([value, rounded]) => {
    expect(round12(value)).toBe(rounded)
  })

  test('rounding again changes nothing', () => {
    fc.assert(
      fc.property(amounts, value => {
        expect(round12(round12(value))).toBe(round12(value))
      }),
    )
  })

  test('it keeps order and is off by half a unit of the twelfth digit at most', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        expect(round12(Math.min(a, b))).toBeLessThanOrEqual(round12(Math.max(a, b)))
        expect(Math.abs(round12(a) - a)).toBeLessThanOrEqual(a * 5.1e-12)
      }),
    )
  })

  test('what summing in another order leaves behind is rounded away', () => {
    const values = [0.1, 0.2, 0.3]
    const [forth, back] = [values, values.toReversed()].map(list => list.reduce((sum, value) => sum + value))
    expect(forth).not.toBe(back)
    expect(round12(forth!)).toBe(round12(back!))
  })
})

describe('distinctDecimals', () => {
  test.for([
    [0.012, 0.01, 6, '0.012000', '0.010000'],
    [0.1, 0.05, 4, '0.1000', '0.0500'],
    [1200, 1000, 2, '1200.00', '1000.00'],
    [0.0000002, 0.0000001, 6, '0.00000020', '0.00000010'],
    [0.05001, 0.05, 4, '0.050010', '0.050000'],
    [1e-9, 0, 6, '0.0000000010', '0.0000000000'],
    [2e-25, 1e-25, 6, '2e-25', '1e-25'],
    [0.5, 0.5, 4, '0.5000', '0.5000'],
  ] as const)('%d and %d with %d decimals read %s and %s', ([a, b, digits, first, second]) => {
    expect(distinctDecimals(a, b, digits)).toEqual([first, second])
  })

  test('different amounts always read differently, equal ones alike', () => {
    fc.assert(
      fc.property(amounts, amounts, fc.constantFrom(2, 4, 6), (a, b, digits) => {
        const [first, second] = distinctDecimals(a, b, digits)
        expect(first === second).toBe(a === b)
        expect(new Set(distinctDecimals(a, a, digits)).size).toBe(1)
      }),
    )
  })

  test('amounts that are next to each other read differently', () => {
    fc.assert(
      fc.property(amounts, amount => {
        const [first, second] = distinctDecimals(amount, amount + Math.max(amount, 1e-12) * Number.EPSILON, 6)
        expect(first).not.toBe(second)
      }),
    )
  })
})
