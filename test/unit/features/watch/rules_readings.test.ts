import { describe, expect, test } from 'vitest'
import { type Sample, sampleOf } from '../../../../src/rules/statistics/samples.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/base/time.ts'
import { DAY_STRIDE, readWatch, slotKind } from '../../../../src/features/watch/rules_readings.ts'
import { valuesSample } from '../../rules/statistics/samples_of.ts'

/** Two hours of a Saturday: of the seven days before it two are of a weekend. */
const SATURDAY = { since: 702 * DAY_MS, until: 702 * DAY_MS + 2 * HOUR_MS }

/** 400 runs in 8 blocks of time. */
const RUNS = Array.from({ length: 400 }, (_, index) => index)
const inBlocks = (value: (index: number) => number): Sample =>
  valuesSample(RUNS.map(value), index => String(index % 8))

/** Runs of 90 and 110 that don't depend on each other, and ones of which each block has its own. */
const even = inBlocks(index => (index % 16 < 8 ? 90 : 110))
const uneven = inBlocks(index => (index % 2 === 0 ? 90 : 110))
const rises = { cost_per_run_usd: 0.05, latency_ms: 0.1, error_rate: 0.02 }
const rarely = inBlocks(index => (index % 41 === 0 ? 1 : 0))
const often = inBlocks(index => (index % 3 === 0 ? 1 : 0))

const NOTHING = { moments: { n: 0, mean: 0, m2: 0 }, clusters: new Map(), blocks: () => new Map() }
type Side = Parameters<typeof readWatch>[0]['baseline']
const readAlone = (b: Side, c: Side) =>
  readWatch(
    {
      baseline: b,
      candidate: c,
      earlier: { cost_per_run_usd: NOTHING, latency_ms: NOTHING, error_rate: NOTHING },
      slots: slotKind(SATURDAY),
    },
    rises,
  )

describe('a watch without earlier days reads', () => {
  const baseline = { cost_per_run_usd: even, latency_ms: even, error_rate: rarely }

  test('each metric against its own limit', () => {
    const readings = readAlone(baseline, { ...baseline, error_rate: often })
    const runs = { baseline_runs: 400, candidate_runs: 400 }
    expect(readings).toMatchObject({
      cost_per_run_usd: { ...runs, alarm: null, limit: 0.05, change: 0 },
      latency_ms: { ...runs, alarm: null, limit: 0.1, change: 0 },
      error_rate: { ...runs, alarm: 'exact', limit: 0.02, change: 0.31 },
    })
  })

  test.each(['cost_per_run_usd', 'latency_ms', 'error_rate'] as const)('a rise of %s alone', metric => {
    const risen = metric === 'error_rate' ? often : inBlocks(index => (index % 16 < 8 ? 190 : 210))
    const readings = readAlone(baseline, { ...baseline, [metric]: risen })
    const alarmed = Object.entries(readings).flatMap(([name, { alarm }]) => (alarm === null ? [] : [name]))
    expect(alarmed).toEqual([metric])
  })

  test('as far off as the side whose runs depend on each other more, whichever that is', () => {
    const seen = (b: Sample, c: Sample) =>
      readAlone({ ...baseline, latency_ms: b }, { ...baseline, latency_ms: c }).latency_ms
        .smallest_detectable!
    const [both, first, second, neither] = [
      seen(uneven, uneven),
      seen(uneven, even),
      seen(even, uneven),
      seen(even, even),
    ]
    expect(first).toBeCloseTo(both, 2)
    expect(second).toBeCloseTo(both, 2)
    expect(both).toBeGreaterThan(2 * neither)
  })

  test('runs of too few blocks as if they did not depend on each other', () => {
    const whole = valuesSample(RUNS.map(index => (index % 16 < 8 ? 90 : 110)))
    const seen = (sample: Sample) =>
      readAlone({ ...baseline, latency_ms: sample }, { ...baseline, latency_ms: sample }).latency_ms
    expect(seen(whole)).toEqual(seen(even))
  })
})

describe('a watch of earlier days reads', () => {
  /** So many runs a slot of two values around a level, which may differ by day and slot. */
  const inSlots = (
    level: (day: number, slot: number) => number,
    days: readonly number[],
    stride = DAY_STRIDE,
  ): Sample =>
    sampleOf(
      days.flatMap(day =>
        Array.from({ length: 12 }, (_, slot) => {
          const mean = Math.round(level(day, slot))
          return {
            cluster: String(day * stride + slot),
            n: 50,
            sum: 50 * mean,
            sum_of_squares: 50 * (mean * mean + 400),
          }
        }),
      ),
    )
  const week = [1, 2, 3, 4, 5, 6, 7]
  const daily = (day: number, slot: number): number => 100 + 20 * Math.sin(slot) + (day % 3)
  const side = (latency_ms: Sample, error_rate = NOTHING as Sample) => ({
    cost_per_run_usd: latency_ms,
    latency_ms,
    error_rate,
  })
  const watched = (rise: number, days = week, lasts = SATURDAY) =>
    readWatch(
      {
        // Of other hours: a third slower.
        baseline: side(inSlots(() => 75, [0])),
        candidate: side(inSlots((_, slot) => daily(1, slot) * (1 + rise), [0])),
        earlier: side(inSlots(daily, days)),
        slots: slotKind(lasts),
      },
      rises,
    ).latency_ms

  test('no rise where the hour explains it, and one where it does not', () => {
    expect(watched(0)).toMatchObject({ by: 'same_hours', days: 7, alarm: null, candidate_runs: 600 })
    expect(watched(0).change).toBeCloseTo(0, 1)
    expect(watched(0.3)).toMatchObject({ by: 'same_hours', alarm: 'sequential' })
    expect(watched(0.3).low).toBeGreaterThan(0.1)
    expect(watched(0.3).low).toBeLessThan(0.3)
    expect(watched(0).smallest_detectable).toBeGreaterThan(0.1)
  })

  test('days of the kind of its own where there are four of them', () => {
    const monday = { since: 704 * DAY_MS, until: 704 * DAY_MS + 2 * HOUR_MS }
    expect(watched(0, week, monday)).toMatchObject({ by: 'same_hours', days: 5 })
    expect(watched(0, [1, 2, 3, 4, 5], monday)).toMatchObject({ by: 'same_hours', days: 5 })
  })

  test('the baseline as it is where there are fewer than four days', () => {
    expect(watched(0, [1, 2, 3])).toMatchObject({ by: 'window', alarm: 'sequential' })
  })

  test('errors by day, and a release that fails at once', () => {
    const errors = (share: (day: number) => number, days: readonly number[], runs = 50): Sample =>
      sampleOf(
        days.flatMap(day =>
          Array.from({ length: 12 }, (_, slot) => {
            const events = Math.round(runs * share(day))
            return { cluster: String(day * DAY_STRIDE + slot), n: runs, sum: events, sum_of_squares: events }
          }),
        ),
      )
    const read = (earlier: Sample, candidate: Sample) =>
      readWatch(
        {
          baseline: side(NOTHING, NOTHING),
          candidate: side(NOTHING, candidate),
          earlier: side(NOTHING, earlier),
          slots: slotKind(SATURDAY),
        },
        rises,
      ).error_rate
    const never = errors(() => 0, week)
    expect(
      read(
        never,
        errors(() => 0, [0]),
      ),
    ).toMatchObject({ by: 'same_hours', alarm: null, change: 0 })
    expect(
      read(
        never,
        errors(() => 0.2, [0]),
      ).alarm,
    ).toBe('exact')
    const few = sampleOf([{ cluster: '0', n: 12, sum: 12, sum_of_squares: 12 }])
    expect(read(never, few).alarm).toBe('exact')
    // One day failed as often as the release does now.
    expect(
      read(
        errors(day => (day === 3 ? 1 : 0), week),
        few,
      ).alarm,
    ).toBeNull()
  })

  test('early failures of runs that last, against those of a single day at the same age', () => {
    const errors = (share: number, day: number, slots: number): Sample =>
      sampleOf(
        Array.from({ length: slots }, (_, slot) => ({
          cluster: String(day * DAY_STRIDE + slot),
          n: 100,
          sum: 100 * share,
          sum_of_squares: 100 * share,
        })),
      )
    // Half an hour each, of which failures end at once: nearly all end in three hours.
    const lasting = valuesSample(Array.from({ length: 400 }, (_, index) => (index % 10 === 0 ? 12e6 : 6e5)))
    const read = (share: number, day?: number) =>
      readWatch(
        {
          baseline: side(lasting, errors(0.05, 0, 12)),
          candidate: side(lasting, errors(share, 0, 6)),
          earlier: side(NOTHING, day === undefined ? NOTHING : errors(0.3, day, 6)),
          slots: slotKind(SATURDAY),
        },
        rises,
      ).error_rate
    expect(read(0.3, 1)).toMatchObject({ by: 'window', alarm: null, baseline_runs: 600, change: 0 })
    expect(read(0.6, 1)).toMatchObject({ by: 'window', alarm: 'exact', candidate_runs: 600 })
    // Without a day before nothing is known of that age.
    expect(read(0.6)).toMatchObject({ alarm: null, candidate_runs: 0 })
  })
})
