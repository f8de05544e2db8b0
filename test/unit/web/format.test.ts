import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { niceTicks, scale } from '../../../src/web/ui/charts/series.ts'
import {
  ago,
  counted,
  duration,
  milliseconds,
  percent,
  points,
  rate,
  signed,
  usd,
} from '../../../src/web/format.ts'

describe('numbers', () => {
  test.each([
    [usd(0.014664), '$0.014664'],
    [usd(0), '$0.000000'],
    [usd(0.25), '$0.2500'],
    [usd(1234.5), '$1,234.50'],
    [usd(-0.0044), '−$0.004400'],
    [signed(0.0136, usd), '+$0.013600'],
    [signed(0, usd), '$0.000000'],
    [signed(-494.4, milliseconds), '−494 ms'],
    [milliseconds(2313.45), '2,313 ms'],
    [percent(0.0369), '3.7 %'],
    [percent(12.89), '1,289 %'],
    [points(-0.009), '−0.9 points'],
    [rate(0.00015), '$0.00015'],
    [rate(0), '$0'],
    [rate(null), 'none'],
    [counted(1, 'run'), '1 run'],
    [counted(10_000, 'run'), '10,000 runs'],
  ])('%s', (shown, expected) => {
    expect(shown).toBe(expected)
  })
})

describe('times', () => {
  test.each([
    [0, 'just now'],
    [9999, 'just now'],
    [12_000, '12 s ago'],
    [42 * 60_000, '42 min ago'],
    [3 * 3_600_000, '3 h ago'],
    [49 * 3_600_000, '2 d ago'],
    [-3_600_000, 'in 1 h'],
  ])('%i ms', (passed, expected) => {
    expect(ago(1_000_000_000_000 - passed, 1_000_000_000_000)).toBe(expected)
  })

  test('a duration is never nothing', () => {
    expect(duration(1)).toBe('1 s')
  })
})

describe('an axis', () => {
  test('has few round ticks that cover every value', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), max => {
        const ticks = niceTicks(max)
        expect(ticks[0]).toBe(0)
        expect(ticks.at(-1)!).toBeGreaterThanOrEqual(max * (1 - 1e-9))
        expect(ticks.length).toBeGreaterThanOrEqual(2)
        expect(ticks.length).toBeLessThanOrEqual(5)
      }),
    )
  })

  test.each([[0], [-1], [Number.NaN]])('of %d still has one', max => {
    expect(niceTicks(max)).toEqual([0, 1])
  })

  test('maps a span of nothing to its start', () => {
    expect(scale([5, 5], [10, 20])(5)).toBe(10)
  })
})
