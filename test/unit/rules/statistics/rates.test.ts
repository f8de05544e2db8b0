import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Estimate, normalFactor } from '../../../../src/rules/statistics/intervals.ts'
import {
  type Count,
  clopperPearsonLower,
  clopperPearsonUpper,
  deflated,
  rateChange,
  rateDifference,
  rateVariance,
  sequentialRate,
  wilson,
} from '../../../../src/rules/statistics/rates.ts'

const Z = normalFactor()
const six = (value: number | null): string => value!.toPrecision(6)
const ends = ({ low, high }: Estimate): string[] => [six(low), six(high)]
const of = (events: number, runs: number): Count => ({ events, runs })

const count: fc.Arbitrary<Count> = fc
  .tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([runs, share]) => of(Math.round(runs * share), runs))

test('of no runs nothing is known of a rate', () => {
  expect(sequentialRate(of(0, 0), 0.05)).toEqual({ estimate: 0.5, low: 0, high: 1 })
})

describe('wilson', () => {
  test.each([
    [3, 200, 0.00511424, 0.0431657],
    [0, 50, 0, 0.0713476],
  ])('%d of %d', (events, runs, low, high) => {
    expect(ends(wilson(of(events, runs), Z))).toEqual([six(low), six(high)])
  })

  test('is within 0 and 1 and holds the rate', () => {
    fc.assert(
      fc.property(count, counted => {
        const { estimate, low, high } = wilson(counted, Z)
        expect(low).toBeGreaterThanOrEqual(0)
        expect(low).toBeLessThanOrEqual(estimate)
        expect(high).toBeGreaterThanOrEqual(estimate)
        expect(high).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('rateDifference', () => {
  test.each([
    [of(48, 80), of(56, 70), 0.0524315, 0.333873],
    [of(0, 200), of(0, 150), -0.0188453, 0.0249702],
    // Newcombe 1998, table II, method 10.
    [of(9, 10), of(3, 10), -0.809065, -0.170535],
    [of(5, 56), of(0, 29), -0.19256, 0.0381],
  ])('%o and %o', (baseline, candidate, low, high) => {
    const found = rateDifference(baseline, candidate, Z)
    expect(Math.abs(found.low! - low)).toBeLessThan(0.00006)
    expect(Math.abs(found.high! - high)).toBeLessThan(0.00006)
  })

  test('without errors on either side a rise of 2 points is excluded from 189 runs on', () => {
    expect(rateDifference(of(0, 188), of(0, 188), Z).high).toBeGreaterThan(0.02)
    expect(rateDifference(of(0, 189), of(0, 189), Z).high).toBeLessThanOrEqual(0.02)
    expect(rateDifference(of(0, 189), of(0, 189), Z).high).toBeCloseTo(Z ** 2 / (189 + Z ** 2), 12)
  })

  test('swapped sides give the same interval with the signs flipped', () => {
    fc.assert(
      fc.property(count, count, (a, b) => {
        const [there, back] = [rateDifference(a, b, Z), rateDifference(b, a, Z)]
        expect(there.low).toBeCloseTo(-back.high!, 12)
        expect(there.high).toBeCloseTo(-back.low!, 12)
      }),
    )
  })

  test('widens with the design effect', () => {
    const [b, c] = [of(10, 500), of(20, 500)]
    const [plain, clustered] = [rateDifference(b, c, Z), rateDifference(deflated(b, 3), deflated(c, 3), Z)]
    expect(clustered.estimate).toBeCloseTo(plain.estimate, 12)
    expect(clustered.low).toBeLessThan(plain.low!)
    expect(clustered.high).toBeGreaterThan(plain.high!)
  })
})

describe('rateChange', () => {
  test('agrees with the difference on whether there is one', () => {
    fc.assert(
      fc.property(count, count, (b, c) => {
        const [change, difference] = [rateChange(b, c, Z), rateDifference(b, c, Z)]
        if (change === undefined) {
          expect(b.events).toBe(0)
          return
        }
        expect(change.low).toBeLessThanOrEqual(change.estimate + 1e-9)
        expect(change.high).toBeGreaterThanOrEqual(change.estimate - 1e-9)
        expect(change.low).toBeGreaterThanOrEqual(-1)
        if (Math.abs(difference.low!) > 1e-9) expect(change.low! > 0).toBe(difference.low! > 0)
        if (Math.abs(difference.high!) > 1e-9) expect(change.high! < 0).toBe(difference.high! < 0)
      }),
    )
  })
})

describe('Clopper and Pearson', () => {
  // Their own example of 1934 and the rule of three in its exact form.
  test('as published', () => {
    expect(clopperPearsonUpper(of(0, 100), 0.05)).toBeCloseTo(1 - 0.05 ** 0.01, 12)
    expect(clopperPearsonLower(of(100, 100), 0.05)).toBeCloseTo(0.05 ** 0.01, 12)
    expect(clopperPearsonLower(of(4, 20), 0.025)).toBeCloseTo(0.0573, 4)
    expect(clopperPearsonUpper(of(4, 20), 0.025)).toBeCloseTo(0.4366, 4)
    expect(clopperPearsonLower(of(0, 20), 0.025)).toBe(0)
    expect(clopperPearsonUpper(of(20, 20), 0.025)).toBe(1)
  })
})

describe('sequentialRate', () => {
  test.each([
    [3, 100, 0.00187906, 0.122949],
    [0, 50, 0, 0.104642],
  ])('%d of %d', (events, runs, low, high) => {
    expect(ends(sequentialRate(of(events, runs), 0.05))).toEqual([six(low), six(high)])
  })

  test('holds what the exact interval of one look holds', () => {
    fc.assert(
      fc.property(count, counted => {
        const { low, high } = sequentialRate(counted, 0.05)
        expect(low).toBeLessThanOrEqual(clopperPearsonLower(counted, 0.025) + 1e-12)
        expect(high).toBeGreaterThanOrEqual(clopperPearsonUpper(counted, 0.025) - 1e-12)
      }),
    )
  })

  // Ville's inequality, checked by adding up every way that 60 runs can go.
  test.each([0.02, 0.1, 0.5])('misses a rate of %d in at most 5 %% of all sequences of 60 runs', rate => {
    let alive = new Map([[0, 1]])
    let missed = 0
    for (let runs = 1; runs <= 60; runs++) {
      const next = new Map<number, number>()
      for (const [events, weight] of alive) {
        next.set(events, (next.get(events) ?? 0) + weight * (1 - rate))
        next.set(events + 1, (next.get(events + 1) ?? 0) + weight * rate)
      }
      for (const [events, weight] of next) {
        const { low, high } = sequentialRate(of(events, runs), 0.05)
        if (rate >= low! && rate <= high!) continue
        missed += weight
        next.delete(events)
      }
      alive = next
    }
    expect(missed).toBeLessThanOrEqual(0.05)
  })

  test('knows nothing without runs', () => {
    expect(sequentialRate(of(0, 0), 0.05)).toMatchObject({ low: 0, high: 1 })
  })
})

test('the variance of a rate is above 0 even without errors', () => {
  expect(rateVariance(of(0, 100))).toBeCloseTo(((0.5 / 101) * (100.5 / 101)) / 100, 15)
  expect(rateVariance(of(100, 100))).toBeGreaterThan(0)
})
