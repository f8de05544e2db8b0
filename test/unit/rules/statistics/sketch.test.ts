import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { decideValue } from '../../../../src/rules/statistics/decide.ts'
import { type Sketch, ZERO_BIN, binOf, edgesOfBin } from '../../../../src/rules/statistics/bins.ts'
import {
  compareQuantiles,
  dependenceAbove,
  quantile,
  quantileRanks,
} from '../../../../src/rules/statistics/sketch.ts'

function sketchOf(values: readonly number[]): Sketch {
  const bins = Map.groupBy(values.map(binOf), bin => bin)
  return {
    counts: new Map(Array.from(bins, ([bin, same]) => [bin, same.length])),
    largest: Math.max(0, ...values),
    sum: values.reduce((sum, value) => sum + value, 0),
  }
}

describe('bins', () => {
  test.each([
    [1, 0, [1, 1]],
    [123, 241, [122, 123]],
    [3000, 401, [2982, 3041]],
    [60_000, 551, [59_897, 61_106]],
  ])('%d is in bin %d, which holds the whole numbers from %o', (value, bin, edges) => {
    expect(binOf(value)).toBe(bin)
    expect(edgesOfBin(bin)).toEqual(edges)
  })

  test('hold a whole number between their edges, which are in the bin and at most 2 % apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e10 }), value => {
        const [low, high] = edgesOfBin(binOf(value))
        expect(low).toBeLessThanOrEqual(value)
        expect(high).toBeGreaterThanOrEqual(value)
        expect([low, high].map(binOf)).toEqual([binOf(value), binOf(value)])
        expect(binOf(high + 1)).toBeGreaterThan(binOf(value))
        expect(binOf(low - 1)).toBeLessThan(binOf(value))
        expect(high - low).toBeLessThanOrEqual(0.0203 * low)
      }),
    )
  })

  test('keep 0 apart', () => {
    expect([binOf(0), edgesOfBin(ZERO_BIN)]).toEqual([ZERO_BIN, [0, 0]])
    expect(binOf(Number.MIN_VALUE)).toBeGreaterThanOrEqual(ZERO_BIN)
    expect(binOf(1e10)).toBeLessThan(2 ** 15)
  })
})

describe('values of a time that resemble each other', () => {
  // Vector 7 of the method's own check: p90 of six blocks of 100, three bins above it filled unevenly.
  const blocks = [
    [69, 30, 1, 0],
    [58, 31, 8, 3],
    [64, 28, 6, 2],
    [55, 30, 12, 3],
    [42, 20, 26, 12],
    [68, 30, 2, 0],
  ].map(
    ([a, b, c, d]) =>
      new Map([
        [355, a!],
        [372, b!],
        [390, c!],
        [402, d!],
      ]),
  )

  test('widen the interval as far as blocks differ', () => {
    const dependence = dependenceAbove(blocks, { bin: 390, part: 0 }, 0.9)
    expect(dependence.design_effect).toBeCloseTo(2.64888888889, 9)
    expect(dependence.df).toBeCloseTo(12.9037132831, 9)
    expect(quantileRanks(600, 0.9, dependence)).toEqual({ low: 514, high: 566 })
  })

  test("count where they are many equal ones, too: all of the quantile's bin was slow in two blocks", () => {
    const [calm, slow] = [
      new Map([[300, 100]]),
      new Map([
        [400, 40],
        [300, 60],
      ]),
    ]
    const counts = new Map([
      [300, 520],
      [400, 80],
    ])
    const independent = quantile({ counts, largest: 3000 }, 0.9)
    expect(independent).toEqual({ estimate: 2981, low: 2923, high: 2981 })
    expect(quantile({ counts, largest: 3000, blocks: [calm, slow, calm, slow, calm, calm] }, 0.9)).toBeNull()
  })

  test('are independent where blocks are alike, or there is one alone', () => {
    const alike = [blocks[2]!, blocks[2]!, blocks[2]!]
    for (const some of [alike, [blocks[0]!], []])
      expect(dependenceAbove(some, { bin: 390, part: 0 }, 0.9)).toEqual({ design_effect: 1, df: Infinity })
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
  test('holds what the ranks of the values themselves hold, to the edges of bins, on 1,000 random sets', () => {
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
      const at = (rank: number): number => exact[rank - 1]!
      for (const p of [0.5, 0.95, 0.99]) {
        const ranks = quantileRanks(values.length, p)
        const found = quantile(sketchOf(values), p)
        if (ranks === undefined) {
          expect(found).toBeNull()
          continue
        }
        const { estimate, low, high } = found!
        const wanted = [at(ranks.low), at(Math.ceil(values.length * p)), at(ranks.high)] as const
        expect(low!).toBeLessThanOrEqual(wanted[0])
        expect(low!).toBeGreaterThanOrEqual(Math.floor(wanted[0] / 1.0203))
        expect(estimate).toBeGreaterThanOrEqual(wanted[1])
        expect(estimate).toBeLessThanOrEqual(Math.min(exact.at(-1)!, 1.0203 * wanted[1]))
        expect(high!).toBeGreaterThanOrEqual(wanted[2])
        expect(high!).toBeLessThanOrEqual(Math.min(exact.at(-1)!, 1.0203 * wanted[2]))
      }
    }
  })

  test('of constant values is that value on both sides, and no difference', () => {
    const constant = sketchOf(Array.from({ length: 500 }, () => 3000))
    const { baseline, difference } = compareQuantiles(constant, constant, 0.95)
    expect(baseline).toEqual({ estimate: 3000, low: 3000, high: 3000 })
    expect(difference).toEqual({ estimate: 0, low: 0, high: 0 })
    expect(decideValue(baseline, 3000, 'block').outcome).toBe('pass')
    expect(decideValue(baseline, 2999, 'block').outcome).toBe('fail')
  })

  test('without a sum, or without the largest value, reaches to the edges', () => {
    const { sum: _, ...unsummed } = sketchOf(Array.from({ length: 500 }, () => 3000))
    expect(quantile(unsummed, 0.95)).toEqual({ estimate: 3000, low: 2982, high: 3000 })
    const unknown = { ...unsummed, largest: null, sum: 1_500_000 }
    expect(quantile(unknown, 0.95)).toEqual({ estimate: 3041, low: 2982, high: 3041 })
  })

  test('of runs that end at a limit never breaks it, and keeps it', () => {
    const random = seededRandom(3)
    for (const n of [100, 2000]) {
      for (let set = 0; set < 100; set++) {
        // 6 % time-outs: the 95th percentile is the limit itself.
        const latencies = Array.from({ length: n }, () =>
          random() < 0.06 ? 30_000 : Math.ceil(25_000 * random()),
        )
        const p95 = quantile(sketchOf(latencies), 0.95)
        expect(decideValue(p95, 30_000, 'block').outcome).toBe('pass')
        const unknown = quantile({ ...sketchOf(latencies), largest: null }, 0.95)
        expect(decideValue(unknown, 30_000, 'block').outcome).not.toBe('fail')
      }
    }
  })

  test('is unknown on one side and in the difference where the other has too few values', () => {
    const [many, few] = [500, 50].map(n => sketchOf(Array.from({ length: n }, (_, index) => index)))
    const found = compareQuantiles(many!, few!, 0.95)
    expect(found.baseline).not.toBeNull()
    expect(found.candidate).toBeNull()
    expect(found.difference).toBeNull()
    expect(quantile({ counts: new Map(), largest: 0 }, 0.5)).toBeNull()
  })

  test('bins without any count make no difference', () => {
    const sketch = sketchOf(Array.from({ length: 100 }, (_, index) => index + 1))
    const withEmpty = { ...sketch, counts: new Map([...sketch.counts, [999, 0]]) }
    expect(quantile(withEmpty, 0.95)).toEqual(quantile(sketch, 0.95))
  })
})

describe('a quantile', () => {
  const hundred = sketchOf(Array.from({ length: 100 }, (_, index) => index + 1))
  test.each([
    [0.5, 50, 40, 60],
    [0.95, 95, 90, 100],
  ])('at %d of 1 to 100 is the value %d, from %d to %d', (p, estimate, low, high) => {
    const [smallest, upper, largest] = [
      edgesOfBin(binOf(low))[0],
      edgesOfBin(binOf(estimate))[1],
      Math.min(100, edgesOfBin(binOf(high))[1]),
    ]
    expect(quantile(hundred, p)).toEqual({ estimate: upper, low: smallest, high: largest })
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
