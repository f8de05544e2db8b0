import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import { blocksOf, countWidthOf, timePlan } from '../../../src/rules/common_time.ts'

const DAY = 24 * HOUR_MS
const NOW = 1000 * DAY
const window = (hours: number) => ({ since: NOW - hours * HOUR_MS, until: NOW })
/** So many runs in each hour from `ago` to `until` hours before now. */
const hourly = (ago: number, until: number, runs: number) =>
  Array.from({ length: ago - until }, (_, index) => ({ bucket: NOW / HOUR_MS - ago + index, runs }))

describe('the time that is compared', () => {
  test.each([
    ['both ran all week', hourly(168, 0, 50), hourly(168, 0, 50), [168, 0, 240]],
    ['the candidate ran in the last hours', hourly(168, 0, 50), hourly(6, 0, 50), [6, 0, 10]],
    ['the baseline stopped while the candidate went on', hourly(168, 3, 50), hourly(6, 0, 50), [6, 3, 5]],
    ['few runs make few blocks', hourly(24, 0, 1), hourly(24, 0, 1), [24, 0, 120]],
  ])('%s', (_, baseline, candidate, [ago, until, minutes]) => {
    const { cut, match } = timePlan(baseline, candidate, window(168), HOUR_MS)
    expect(cut).toEqual({
      from: NOW - ago! * HOUR_MS,
      to: NOW - until! * HOUR_MS,
      width_ms: minutes! * MINUTE_MS,
    })
    expect(match).toEqual({ by: 'common_time', blocks: ((ago! - until!) * 60) / minutes! })
  })

  test('takes blocks of fewer runs where gaps in the traffic leave too few wider ones', () => {
    // Eight runs a day on five of seven days.
    const sparse = hourly(168, 0, 1).filter(({ bucket }) => bucket % 3 === 0 && (bucket / 24 + 3) % 7 < 5)
    const { cut } = timePlan(sparse, sparse, window(168), HOUR_MS)
    expect(cut.width_ms).toBe(12 * HOUR_MS)
  })

  test('a stray run at an end does not stretch it', () => {
    const outlier = { bucket: NOW / HOUR_MS - 160, runs: 1 }
    const { cut } = timePlan(hourly(168, 0, 50), [outlier, ...hourly(6, 0, 50)], window(168), HOUR_MS)
    expect(cut.from).toBe(NOW - 6 * HOUR_MS)
  })

  test('is the same hours of earlier days where both never ran at once', () => {
    const { cut, match } = timePlan(hourly(168, 6, 50), hourly(6, 0, 50), window(168), HOUR_MS)
    // From a Tuesday back, the last one first: Monday, the weekend, and four weekdays.
    const alike = [true, false, false, true, true, true, true]
    expect([match, cut.width_ms]).toEqual([
      { by: 'same_hours', first: 162, end: 168, slots: 6, alike },
      HOUR_MS,
    ])
    expect(timePlan(hourly(96, 6, 50), hourly(6, 0, 50), window(96), HOUR_MS).match.by).toBe('common_time')
  })

  test('folds more than a day of the candidate', () => {
    expect(timePlan(hourly(168, 30, 50), hourly(30, 0, 50), window(168), HOUR_MS).match).toEqual({
      by: 'same_hours',
      first: 138,
      end: 168,
      slots: 24,
      // From Monday evening on: the three days before reach into the weekend.
      alike: [false, false, false, true, true, true],
    })
  })

  test('is nothing without runs', () => {
    for (const [b, c] of [
      [[], hourly(6, 0, 5)],
      [hourly(6, 0, 5), []],
      [[], []],
    ] as const) {
      expect(timePlan(b, c, window(24), HOUR_MS).match).toEqual({ by: 'common_time', blocks: 0 })
    }
  })

  test('is counted by the minute below a day', () => {
    expect([countWidthOf(window(23)), countWidthOf(window(24))]).toEqual([MINUTE_MS, HOUR_MS])
  })
})

test('the choice does not depend on which window holds the same common time, and is bounded', () => {
  const counts = (from: number) =>
    fc
      .array(fc.integer({ min: 0, max: 400 }), { minLength: 40, maxLength: 40 })
      .map(runs => runs.map((own, index) => ({ bucket: NOW / HOUR_MS - from + index, runs: own })))
  fc.assert(
    fc.property(counts(60), counts(40), fc.integer({ min: 61, max: 800 }), (baseline, candidate, hours) => {
      const one = timePlan(baseline, candidate, window(hours), HOUR_MS)
      const other = timePlan(baseline, candidate, window(hours + 100), HOUR_MS)
      if (one.match.by === 'common_time' && other.match.by === 'common_time' && one.match.blocks > 0) {
        expect(other).toEqual(one)
      }
      const { from, to, width_ms } = one.cut
      expect(from).toBeGreaterThanOrEqual(NOW - hours * HOUR_MS)
      expect(to).toBeLessThanOrEqual(NOW)
      if (one.match.by === 'common_time') {
        expect(one.match.blocks).toBe(blocksOf({ since: from, until: to }, width_ms))
        expect(one.match.blocks).toBeLessThanOrEqual(48)
      }
    }),
  )
})
