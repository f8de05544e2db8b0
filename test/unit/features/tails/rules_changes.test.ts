import { describe, expect, test } from 'vitest'
import { tailChanges } from '../../../../src/features/tails/rules_changes.ts'

import { type BinCounts, binOf } from '../../../../src/rules/statistics/bins.ts'

const match = { by: 'common_time', blocks: 12 } as const
/** 100 runs in each of so many blocks: 80 of 100 ms and 20 of more. */
const side = (slow: number, blocks = 12): ReadonlyMap<number, BinCounts> =>
  new Map(
    Array.from({ length: blocks }, (_, block) => [
      1000 + block,
      new Map([
        [binOf(100), 80],
        [binOf(slow), 20],
      ]),
    ]),
  )
const all = { baseline: 1200, candidate: 1200 }

describe('a percentile that is limited by its rise', () => {
  test('is compared over the blocks of both', () => {
    const { p95, p99 } = tailChanges({ sides: { baseline: side(200), candidate: side(400) }, all }, { match })
    expect(p95).toMatchObject({ inconclusive_because: null, candidate_runs: 1200, candidate_share: 1 })
    for (const { relative_change } of [p95, p99]) {
      // Bins are 2 % wide.
      expect(relative_change!.estimate).toBeGreaterThan(0.9)
      expect(relative_change!.estimate).toBeLessThan(1.1)
      expect(relative_change!.low).toBeGreaterThan(0.5)
    }
    const same = tailChanges({ sides: { baseline: side(200), candidate: side(200) }, all }, { match })
    expect(same.p99.relative_change!.low).toBeLessThanOrEqual(0)
    expect(same.p99.relative_change!.high).toBeGreaterThanOrEqual(0)
  })

  test.each([
    ['few blocks', { sides: { baseline: side(200, 4), candidate: side(200, 4) }, all }, 'not_comparable'],
    [
      'few of the runs',
      { sides: { baseline: side(200), candidate: side(200) }, all: { ...all, candidate: 2500 } },
      'not_comparable',
    ],
    ['the window as it is', { sides: undefined, all }, 'not_comparable'],
    ['no latencies', { sides: undefined, all: { baseline: 0, candidate: 10 } }, 'no_data'],
    ['few latencies', { sides: undefined, all: { baseline: 5, candidate: 10 } }, 'too_few_runs'],
  ] as const)('is not known of %s', (_, given, doubt) => {
    expect(tailChanges(given, { match }).p95.inconclusive_because).toBe(doubt)
  })

  test('is not known of the same hours of earlier days', () => {
    const sides = { baseline: side(200), candidate: side(200) }
    const hours = { by: 'same_hours', first: 24, end: 30, slots: 6, alike: [] } as const
    expect(tailChanges({ sides, all }, { match: hours }).p95).toMatchObject({
      relative_change: null,
      inconclusive_because: 'not_comparable',
    })
  })
})
