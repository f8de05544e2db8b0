import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bucketMinutes } from '../../../../src/features/explore/series.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 0, 31, 12)

describe('the width of buckets', () => {
  test.each([
    [1, 1],
    [96, 1],
    [97, 2],
    [960, 10],
    [24 * 60, 30],
    [7 * 24 * 60, 120],
    [96 * 1440, 1440],
    [97 * 1440, 2880],
  ])('of %i minutes is %i', (minutes, width) => {
    expect(bucketMinutes({ since: NOW - minutes * MINUTE, until: NOW })).toBe(width)
  })

  test('is whole hours or divides one, whole days past a day, and never makes more than 96 buckets', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40_000 * 1440 }), minutes => {
        const window = { since: NOW - minutes * MINUTE, until: NOW }
        const width = bucketMinutes(window)
        expect(width <= 60 ? 60 % width : width % 60).toBe(0)
        if (width > 1440) expect(width % 1440).toBe(0)
        const span = window.until - Math.max(0, window.since)
        expect(Math.ceil(span / (width * MINUTE))).toBeLessThanOrEqual(96)
      }),
    )
  })

  test('starts with the epoch, however far back a window reaches', () => {
    expect(bucketMinutes({ since: -8.64e15, until: NOW })).toBe(1440 * Math.ceil(NOW / 96 / (1440 * MINUTE)))
  })
})
