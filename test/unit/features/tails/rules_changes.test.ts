import { describe, expect, test } from 'vitest'
import { type Failed, tailChanges, tailWarnings } from '../../../../src/features/tails/rules_changes.ts'
import { type BinCounts, binOf } from '../../../../src/rules/statistics/bins.ts'
import { type Random, randomOf } from '../../../../tools/calibration/traffic.ts'
import { scaled } from '../../../support/scale.ts'
import { lasting } from '../../../support/statistics/run_worlds.ts'

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

describe('percentiles where a share of the runs fails', () => {
  const BLOCKS = 24
  /** 200 runs in each block, of which a share fails after so long; the others take 5 s, or more by a fraction. */
  const drawn = (random: Random, rise: number, fails: number, failsAfter: number) => {
    const blocks = new Map<number, Map<number, number>>()
    const failed = new Map<number, Failed>()
    for (let block = 0; block < BLOCKS; block++) {
      const [bins, own] = [new Map<number, number>(), { runs: 0, square: 0 }]
      for (let run = 0; run < 200; run++) {
        const isFailed = random.uniform() < fails
        const latency = isFailed ? failsAfter : lasting(5000 * (1 + rise), 0.3, random)
        bins.set(binOf(latency), (bins.get(binOf(latency)) ?? 0) + 1)
        if (!isFailed) continue
        own.runs += 1
        own.square += latency ** 2
      }
      blocks.set(block, bins)
      failed.set(block, own)
    }
    return { blocks, failed }
  }
  /** What becomes of a limit on a rise, in shares of draws. */
  const outcomes = (
    rise: number,
    [ofBaseline, ofCandidate]: readonly [number, number],
    failsAfter = 100,
    limit = 0.1,
  ) => {
    const draws = scaled(10, 300)
    const shares = { passes: 0, fails: 0, unknown: 0 }
    let warnings = 0
    for (let draw = 0; draw < draws; draw++) {
      const random = randomOf(draw, `failing fast ${rise} ${ofBaseline} ${failsAfter}`)
      const b = drawn(random, 0, ofBaseline, failsAfter)
      const c = drawn(random, rise, ofCandidate, failsAfter)
      const tails = {
        sides: { baseline: b.blocks, candidate: c.blocks },
        all: { baseline: 200 * BLOCKS, candidate: 200 * BLOCKS },
        failed: { baseline: b.failed, candidate: c.failed },
      }
      const options = { match: { by: 'common_time', blocks: BLOCKS } } as const
      const { p95 } = tailChanges(tails, options)
      warnings += tailWarnings(tails, options).length / draws
      const { relative_change: change, inconclusive_because } = p95
      if (inconclusive_because !== null) shares.unknown += 1 / draws
      else if (change!.low! > limit) shares.fails += 1 / draws
      else if (change!.high! <= limit) shares.passes += 1 / draws
    }
    return { ...shares, warnings }
  }

  test('a fix beside a release that fails fast is no rise', () => {
    for (const fails of [0.15, 0.6]) {
      const found = outcomes(0, [fails, 0.02])
      expect([found.fails, found.unknown]).toEqual([0, 0])
      expect(found.passes).toBeGreaterThanOrEqual(0.9)
    }
  })

  test('a candidate that fails fast does not hide that it is slower', () => {
    const found = outcomes(0.25, [0.02, 0.3])
    expect([found.passes, found.unknown]).toEqual([0, 0])
    expect(found.fails).toBeGreaterThanOrEqual(0.9)
  })

  test('nothing is said where one side fails more, and its failures are as slow as its other runs', () => {
    const found = outcomes(0, [0.3, 0.02], 9000)
    expect([found.unknown, found.warnings].map(share => Math.round(share))).toEqual([1, 1])
    expect(outcomes(0, [0.06, 0.06], 9000)).toMatchObject({ fails: 0 })
  })
})
