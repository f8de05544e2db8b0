import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/random.ts'
import {
  type Sketch,
  ZERO_BIN,
  binOf,
  compareQuantiles,
  mergeSketches,
  quantile,
  quantileRanks,
  valueOfBin,
} from '../../../../src/rules/statistics/sketch.ts'

function sketchOf(values: readonly number[]): Sketch {
  return mergeSketches(values.map(value => new Map([[binOf(value), 1]])))
}

describe('bins', () => {
  test.each([
    [1, 0, 0.99],
    [123.4, 241, 122.745],
    [60_000, 551, 60_495.1],
  ])('%d is in bin %d, which stands for %d', (value, bin, stands) => {
    expect(binOf(value)).toBe(bin)
    expect(valueOfBin(bin).toPrecision(6)).toBe(stands.toPrecision(6))
  })

  test('stand for values within 1 %, in order', () => {
    const value = fc.oneof(
      fc.integer({ min: 1, max: 1e10 }),
      fc.double({ min: 1e-200, max: 1e200, noNaN: true }),
    )
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(Math.abs(valueOfBin(binOf(a)) / a - 1)).toBeLessThanOrEqual(0.01 + 1e-9)
        if (a <= b) expect(binOf(a)).toBeLessThanOrEqual(binOf(b))
      }),
    )
  })

  test('keep 0 apart', () => {
    expect([binOf(0), valueOfBin(ZERO_BIN)]).toEqual([ZERO_BIN, 0])
    expect(binOf(Number.MIN_VALUE)).toBeGreaterThanOrEqual(ZERO_BIN)
    expect(binOf(1e10)).toBeLessThan(2 ** 15)
  })
})

describe('quantileRanks', () => {
  test.each([
    [500, 0.5, { low: 228, high: 272 }],
    [500, 0.95, { low: 465, high: 485 }],
    [381, 0.99, { low: 373, high: 381 }],
    [380, 0.99, undefined],
    [73, 0.95, { low: 65, high: 73 }],
    [72, 0.95, undefined],
    [20, 0.5, { low: 5, high: 15 }],
    [19, 0.5, undefined],
    [0, 0.5, undefined],
  ])('of %d values at %d', (n, p, ranks) => {
    expect(quantileRanks(n, p)).toEqual(ranks)
  })
})

describe('quantile', () => {
  test('is within 1 % of the exact one on 1,000 random sets, in whatever order parts are merged', () => {
    const random = seededRandom(17)
    const kinds: readonly (() => number)[] = [
      () => Math.round(1e10 * random()),
      () => Math.round(Math.exp(20 * random())),
      () => (random() < 0.3 ? 0 : Math.ceil(1000 * -Math.log(1 - random()))),
      () => 777,
      () => (random() < 0.5 ? 1 : 1e10),
    ]
    for (let set = 0; set < 1000; set++) {
      const draw = kinds[set % kinds.length]!
      const values = Array.from({ length: 20 + Math.floor(1000 * random()) }, draw)
      const exact = values.toSorted((a, b) => a - b)
      const parts = [0, 1, 2, 3].map(part => sketchOf(values.filter((_, index) => (index * 7) % 4 === part)))
      const merged = mergeSketches([mergeSketches([parts[2]!, parts[0]!]), parts[3]!, parts[1]!])
      expect(merged).toEqual(mergeSketches(parts.toReversed()))
      for (const p of [0.5, 0.95, 0.99]) {
        const ranks = quantileRanks(values.length, p)
        const found = quantile(merged, p)
        if (ranks === undefined) {
          expect(found).toBeNull()
          continue
        }
        const wanted = [Math.ceil(values.length * p), ranks.low, ranks.high].map(rank => exact[rank - 1]!)
        for (const [index, value] of [found!.estimate, found!.low!, found!.high!].entries()) {
          expect(Math.abs(value - wanted[index]!)).toBeLessThanOrEqual((0.01 + 1e-9) * wanted[index]!)
        }
      }
    }
  })

  test('of constant values is that value on both sides, and no difference', () => {
    const constant = sketchOf(Array.from({ length: 500 }, () => 1234))
    const { baseline, difference } = compareQuantiles(constant, constant, 0.95)
    expect(baseline!.low).toBe(baseline!.high)
    expect(difference).toEqual({ estimate: 0, low: 0, high: 0 })
  })

  test('is unknown on one side and in the difference where the other has too few values', () => {
    const [many, few] = [500, 50].map(n => sketchOf(Array.from({ length: n }, (_, index) => index)))
    const found = compareQuantiles(many!, few!, 0.95)
    expect(found.baseline).not.toBeNull()
    expect(found.candidate).toBeNull()
    expect(found.difference).toBeNull()
    expect(quantile(new Map(), 0.5)).toBeNull()
  })

  test('bins without any count make no difference', () => {
    const values = Array.from({ length: 100 }, (_, index) => index + 1)
    const withEmpty = new Map([...sketchOf(values), [999, 0]])
    expect(quantile(withEmpty, 0.95)).toEqual(quantile(sketchOf(values), 0.95))
  })
})

describe('a quantile', () => {
  const hundred = sketchOf(Array.from({ length: 100 }, (_, index) => index + 1))
  test.each([
    [0.5, 50, 40, 60],
    [0.95, 95, 90, 100],
  ])('at %d of 1 to 100 is the value %d, from %d to %d', (p, estimate, low, high) => {
    const of = (value: number) => valueOfBin(binOf(value))
    expect(quantile(hundred, p)).toEqual({ estimate: of(estimate), low: of(low), high: of(high) })
  })

  test('of too few values is known of the other side alone', () => {
    const few = sketchOf([1, 2, 3])
    const known = quantile(hundred, 0.5)
    expect(compareQuantiles(few, hundred, 0.5)).toEqual({
      baseline: null,
      candidate: known,
      difference: null,
    })
    expect(compareQuantiles(hundred, few, 0.5)).toEqual({
      baseline: known,
      candidate: null,
      difference: null,
    })
  })
})
