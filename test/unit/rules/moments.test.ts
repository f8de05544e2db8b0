import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import { areNegligible } from '../../../src/rules/moments.ts'
import { stepsOf } from '../../../src/rules/share_steps.ts'
import { randomOf } from '../../../tools/calibration/traffic.ts'
import { poisson } from '../../../tools/calibration/world/runs.ts'
import { lasting } from '../../support/statistics/run_worlds.ts'

describe('runs that were under way at a moment', () => {
  const runsOf = (minutes: number, latency: number) =>
    Array.from({ length: minutes }, (_, bucket) => ({
      bucket,
      runs: 10,
      latency_sum: 10 * latency,
      latency_sq: 10 * latency ** 2,
    }))
  const isNegligible = (minutes: number, latency: number) => {
    const both = { since: 0, last: (minutes - 1) * MINUTE_MS, young: ['candidate'] as const }
    const sides = { baseline: runsOf(minutes, 1), candidate: runsOf(minutes, latency) }
    return areNegligible(both, sides, { since: 0, until: minutes * MINUTE_MS }, MINUTE_MS)
  }

  test('change nothing where runs take a thousandth of the time or less', () => {
    // The first minute and the last one need not be whole.
    expect([isNegligible(102, 6000), isNegligible(102, 6001)]).toEqual([true, false])
  })

  test('change nothing where both ran for too few minutes to compare anything', () => {
    expect([isNegligible(5, HOUR_MS), isNegligible(6, HOUR_MS)]).toEqual([true, false])
  })

  test('last Σl²/T ms in all, on average over the moments of a time T', () => {
    const random = randomOf(7, 'under way')
    const [until, runs] = [100 * HOUR_MS, 3000]
    const drawn = Array.from({ length: runs }, () => ({
      ts: random.uniform() * until,
      latency: lasting(MINUTE_MS, 1, random),
    }))
    const sum = (of: readonly { readonly latency: number }[], power: number): number =>
      of.reduce((all, { latency }) => all + latency ** power, 0)
    const moments = Array.from({ length: 2000 }, () => random.uniform() * until)
    const left = moments.map(at =>
      sum(
        drawn.filter(({ ts, latency }) => ts >= at && ts - latency < at),
        1,
      ),
    )
    const mean = left.reduce((all, own) => all + own / left.length, 0)
    expect(mean / (sum(drawn, 2) / until)).toBeCloseTo(1, 1)
  })
})

describe('moments at which the share of the traffic changes', () => {
  const MINUTES = 600
  /** Runs by the minute, ten a minute on both sides, of which the candidate has a share. */
  const shared = (shareAt: (minute: number) => number, perMinute = 10) => {
    const random = randomOf(3, 'shares')
    const of = (rate: (minute: number) => number) =>
      Array.from({ length: MINUTES }, (_, bucket) => ({
        bucket,
        runs: poisson(rate(bucket), random),
      })).filter(({ runs }) => runs > 0)
    return stepsOf(
      of(minute => perMinute * (1 - shareAt(minute))),
      of(minute => perMinute * shareAt(minute)),
    )
  }
  /** Times that are found within three minutes, as they are. */
  const near = (found: readonly number[], steps: readonly number[]) =>
    found.map((at, index) => (Math.abs(at - (steps[index] ?? NaN)) <= 3 ? steps[index]! : at))

  test('are those of a canary that gets more in steps', () => {
    const found = shared(minute => (minute < 200 ? 0.05 : minute < 400 ? 0.25 : 0.5))
    expect(near(found, [200, 400])).toEqual([200, 400])
  })

  test('are those of half an hour in which the canary gets more', () => {
    const found = shared(minute => (minute >= 300 && minute < 330 ? 0.6 : 0.2))
    expect(near(found, [300, 330])).toEqual([300, 330])
  })

  test('are none where it changes twofold or less, whatever the traffic does', () => {
    expect(shared(minute => (minute < 300 ? 0.4 : 0.5))).toEqual([])
    expect(shared(() => 0.05)).toEqual([])
    expect(shared(() => 0.5, 0.5)).toEqual([])
  })

  test('are no more than six', () => {
    expect(shared(minute => (Math.floor(minute / 20) % 2 === 0 ? 0.1 : 0.9)).length).toBe(6)
  })

  test('are none without runs', () => {
    expect(stepsOf([], [])).toEqual([])
    expect(stepsOf([{ bucket: 3, runs: 50 }], [])).toEqual([])
  })
})
