import { expect, test } from 'vitest'
import { quantileChange } from '../../../../src/rules/statistics/relative_quantile.ts'
import type { BinCounts } from '../../../../src/rules/statistics/bins.ts'

const sketch = (bins: readonly number[], counts: readonly number[]): BinCounts =>
  new Map(bins.map((bin, index) => [bin, counts[index] ?? 0] as const).filter(([, count]) => count > 0))

const BASELINE = [
  [42, 28, 14, 9, 5, 2],
  [40, 30, 13, 10, 4, 3],
  [44, 27, 14, 8, 5, 2],
  [41, 29, 13, 10, 5, 2],
  [43, 27, 15, 9, 4, 2],
  [40, 28, 16, 8, 6, 2],
].map(counts => sketch([350, 356, 362, 368, 374, 380], counts))
const CANDIDATE = [
  [20, 14, 8, 5, 2, 1],
  [19, 15, 9, 4, 2, 1],
  [22, 13, 7, 4, 3],
  [18, 15, 9, 5, 2, 1],
  [20, 14, 8, 4, 3, 1],
  [21, 15, 7, 5, 1, 1],
].map(counts => sketch([352, 358, 366, 371, 376, 383], counts))

test('the relative change of the p90, worked out by another program', () => {
  const pairs = BASELINE.map((baseline, index) => ({ baseline, candidate: CANDIDATE[index]! }))
  const found = quantileChange(pairs, 0.9, 'time', { alpha: 0.05, sequential: false, tuned_for_runs: 1000 })!
  expect(found.bin).toBe(368)
  expect(found.part).toBeCloseTo(0.333250311333, 9)
  expect(found.shift.low).toBeCloseTo(2.10558265561, 8)
  expect(found.shift.high).toBeCloseTo(3.98688785098, 8)
  expect(found.relative_change.low).toBeCloseTo(0.0430123918519, 9)
  expect(found.relative_change.high).toBeCloseTo(0.0830058992096, 9)
})

test('a quantile that moves further than is looked at is known to, by as much as that', () => {
  const interval = { alpha: 0.05, sequential: false, tuned_for_runs: 1000 }
  const moved = (bins: number) => {
    const candidate = BASELINE.map(own => new Map(Array.from(own, ([bin, runs]) => [bin + bins, runs])))
    const pairs = BASELINE.map((baseline, index) => ({ baseline, candidate: candidate[index]! }))
    const { shift, relative_change } = quantileChange(pairs, 0.9, 'time', interval)!
    return { ...shift, change: relative_change.estimate }
  }
  // 60 s in place of 1.5 s is no change of 0 %.
  expect(moved(184)).toEqual({ low: 160, high: null, change: expect.closeTo(23.535, 3) })
  expect(moved(-184)).toEqual({ low: null, high: -120, change: expect.closeTo(-0.909, 3) })
})
