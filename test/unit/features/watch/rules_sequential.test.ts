import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sequentialFactorOneSided, sequentialRuns } from '../../../../src/rules/statistics/intervals.ts'
import { clopperPearsonUpper, rateVariance, sequentialRate } from '../../../../src/rules/statistics/rates.ts'
import { WATCH_ALPHA, watchMean, watchRate } from '../../../../src/features/watch/rules_sequential.ts'
import { momentsOf, numbersIn } from '../../rules/statistics/samples_of.ts'

const cost = { baseline: momentsOf(1000, 0.01, 0.01), design_effect: 1, limit: 0.1 }
const errors = { baseline: { events: 10, runs: 1000 }, design_effect: 1, limit: 0.02 }

test('three metrics share false alarms of 5 %', () => {
  expect(3 * WATCH_ALPHA).toBeCloseTo(0.05, 12)
})

describe('a mean', () => {
  test('raises the alarm where the rise is beyond the limit by k standard errors', () => {
    // N = 4 · 1000 · 1000 / 2000 = 2000.
    const { low, smallest_detectable } = watchMean(cost, momentsOf(1000, 0.013, 0.01))
    const rise = (mean: number) => watchMean(cost, momentsOf(1000, mean, 0.01)).alarm
    const atLimit = 0.01 * (1 + smallest_detectable!)
    expect([rise(atLimit * 0.999), rise(atLimit * 1.001)]).toEqual([null, 'sequential'])
    expect(low).toBeGreaterThan(0.1)
    expect(watchMean(cost, momentsOf(1000, atLimit, 0.01)).low).toBeCloseTo(0.1, 8)
    expect(watchMean(cost, momentsOf(1000, 0.013, 0.01)).change).toBe(0.3)
  })

  test.each([
    [999, 49, null],
    [199, 5000, null],
    [200, 50, 'sequential'],
  ])('of a baseline of %d and a candidate of %d runs ten times as dear: %s', (baselineRuns, runs, alarm) => {
    const watched = { ...cost, baseline: momentsOf(baselineRuns, 0.01, 0.01) }
    const reading = watchMean(watched, momentsOf(runs, 0.1, 0.01))
    expect(reading.alarm).toBe(alarm)
    if (alarm === null) expect(reading).toMatchObject({ low: null, smallest_detectable: null })
  })

  test('the bound and the alarm agree, and a larger design effect never raises one', () => {
    const candidate = fc.tuple(
      fc.integer({ min: 50, max: 100_000 }),
      fc.double({ min: 0.5, max: 3, noNaN: true }),
    )
    fc.assert(
      fc.property(candidate, fc.double({ min: 1, max: 20, noNaN: true }), ([runs, ratio], design_effect) => {
        const moments = momentsOf(runs, 0.01 * ratio, 0.01)
        const [plain, clustered] = [watchMean(cost, moments), watchMean({ ...cost, design_effect }, moments)]
        if (plain.low !== null && Math.abs(plain.low - 0.1) > 1e-6) {
          expect(plain.alarm !== null).toBe(plain.low > 0.1)
        }
        if (clustered.alarm !== null) expect(plain.alarm).not.toBeNull()
        expect(clustered.smallest_detectable).toBeGreaterThanOrEqual(plain.smallest_detectable!)
      }),
    )
  })

  test('of a baseline of 0 is alarmed by what is surely above', () => {
    const free = { ...cost, baseline: momentsOf(500, 0, 0) }
    expect(watchMean(free, momentsOf(500, 0, 0))).toMatchObject({ alarm: null, change: null })
    expect(watchMean(free, momentsOf(500, 0.01, 0.01))).toMatchObject({ alarm: 'sequential', low: null })
  })
})

describe('errors', () => {
  test.each([
    [9, 9, null],
    [10, 2, null],
    [10, 5, 'exact'],
    [49, 20, 'exact'],
    [200, 40, 'exact'],
    [4000, 190, 'sequential'],
    [5000, 50, null],
    [5000, 155, null],
  ])('of %d runs %d failed: %s', (runs, events, alarm) => {
    expect(watchRate(errors, { events, runs }).alarm).toBe(alarm)
  })

  test('the exact bound shares a quarter of alpha with the baseline', () => {
    const candidate = { events: 8, runs: 30 }
    const low =
      sequentialRate(candidate, WATCH_ALPHA / 4).low! - clopperPearsonUpper(errors.baseline, WATCH_ALPHA / 4)
    expect(watchRate(errors, candidate).low).toBeCloseTo(low, 10)
  })

  test.each([
    [2, null],
    [3, 'known'],
  ])('of ten runs bound the rate from three on: %d', (events, known) => {
    expect(watchRate(errors, { events, runs: 10 }).low !== null).toBe(known !== null)
  })

  test.each([
    [4000, 200, 'sequential'],
    [50, 10, 'exact'],
  ] as const)(
    'of %d runs %d failed: the higher of both bounds counts, the %s one',
    (runs, events, higher) => {
      const c = { events, runs }
      const exact =
        sequentialRate(c, WATCH_ALPHA / 4).low! - clopperPearsonUpper(errors.baseline, WATCH_ALPHA / 4)
      const k = sequentialFactorOneSided(sequentialRuns(1000, runs), WATCH_ALPHA / 2)
      const sequential = events / runs - 0.01 - k * Math.sqrt(rateVariance(errors.baseline) + rateVariance(c))
      expect(sequential > exact ? 'sequential' : 'exact').toBe(higher)
      expect(watchRate(errors, c).low).toBeCloseTo(Math.max(sequential, exact), 10)
    },
  )

  test('at the limit exactly raise no alarm', () => {
    const candidate = { events: 200, runs: 4000 }
    const limit = watchRate(errors, candidate).low!
    expect(watchRate({ ...errors, limit }, candidate).alarm).toBeNull()
    expect(watchRate({ ...errors, limit: limit * 0.999 }, candidate).alarm).toBe('sequential')
  })

  test('beyond what is said to be detectable raise the alarm, and just below do not', () => {
    const runs = 2_000_000
    const watched = { ...errors, baseline: { events: 20_000, runs } }
    const read = (rate: number) => watchRate(watched, { events: Math.round(rate * runs), runs })
    // The margin is that of the candidate's own rate: it is looked up where the alarm begins.
    const at = 0.01 + read(0.0303).smallest_detectable!
    expect([read(at - 2e-5).alarm, read(at + 2e-5).alarm]).toEqual([null, 'sequential'])
    expect(read(at).change).toBeCloseTo(at - 0.01, 6)
    expect(at).toBeGreaterThan(0.03)
  })

  test('of a candidate without runs are no change', () => {
    expect(watchRate(errors, { events: 0, runs: 0 }).change).toBeNull()
    expect(watchMean(cost, momentsOf(0, 0, 0)).change).toBeNull()
  })

  test.each([
    [200, true, 'exact'],
    [199, false, 'exact'],
    [10, false, 'exact'],
    [9, false, null],
  ])('of a baseline of %i runs: by its spread %s, alarm %s', (runs, isKnown, alarm) => {
    const reading = watchRate({ ...errors, baseline: { events: 0, runs } }, { events: 50, runs: 50 })
    expect(reading).toMatchObject({ alarm, change: 1 })
    expect(reading.smallest_detectable !== null).toBe(isKnown)
  })
})

test('readings are plain JSON without NaN, whatever they are of', () => {
  const runs = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000_000_000 }))
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const mean = fc.oneof(fc.constant(0), fc.double({ min: 1e-12, max: 1e12, noNaN: true }))
  fc.assert(
    fc.property(
      runs,
      runs,
      share,
      share,
      mean,
      mean,
      fc.double({ min: 1, max: 50, noNaN: true }),
      (b, c, p, q, x, y, design_effect) => {
        const [events, failed] = [Math.round(b * p), Math.round(c * q)]
        const readings = [
          watchRate(
            { baseline: { events, runs: b }, design_effect, limit: 0.02 },
            { events: failed, runs: c },
          ),
          watchMean(
            {
              baseline: { n: b, mean: b === 0 ? 0 : x, m2: b < 2 ? 0 : x * x * b * p },
              design_effect,
              limit: 0.1,
            },
            { n: c, mean: c === 0 ? 0 : y, m2: c < 2 ? 0 : y * y * c * q },
          ),
        ]
        expect(JSON.parse(JSON.stringify(readings))).toEqual(readings)
        expect(numbersIn(readings).every(Number.isFinite)).toBe(true)
      },
    ),
  )
})
