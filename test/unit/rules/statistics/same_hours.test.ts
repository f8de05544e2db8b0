import { expect, test } from 'vitest'
import { momentsOfSums } from '../../../../src/rules/statistics/samples.ts'
import {
  daysAlike,
  expectedMean,
  riseMargin,
  sameHoursChange,
} from '../../../../src/rules/statistics/same_hours.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/base/time.ts'

type Sums = readonly [n: number, sum: number, squares: number]
const momentsOf = ([n, sum, squares]: Sums) => momentsOfSums(n, BigInt(sum), BigInt(squares))

const DAYS: readonly (readonly Sums[])[] = [
  [
    [60, 6200, 662000],
    [70, 7700, 869000],
  ],
  [
    [55, 5500, 567000],
    [65, 6900, 752000],
  ],
  [
    [62, 6700, 746000],
    [72, 8200, 958000],
  ],
  [
    [58, 5700, 577000],
    [68, 7000, 742000],
  ],
  [
    [61, 6300, 671000],
    [0, 0, 0],
  ],
]
const CANDIDATE: readonly Sums[] = [
  [30, 3300, 372000],
  [25, 2900, 346000],
]

test('the same hours of earlier days, worked out by another program', () => {
  const found = expectedMean({
    days: DAYS.map(day => day.map(momentsOf)),
    candidate: CANDIDATE.map(momentsOf),
    alike: [],
  })!
  const change = sameHoursChange(found, { alpha: 0.05, sequential: false, tuned_for_runs: 1000 })
  const shown = {
    Mb: found.baseline_mean,
    Mc: found.candidate_mean,
    Ib: found.baseline_variance,
    Ic: found.candidate_variance,
    q_variance: found.day_variance,
    tau2: found.true_day_variance,
    r: change.estimate,
    rl: change.low!,
    rh: change.high!,
    watch_bound:
      1.1 * found.baseline_mean + riseMargin(found, { scale: 1.1, alpha: 0.05 / 3, day_alpha: 0.05 / 3 }),
  }
  const expected = {
    Mb: 105.275854367,
    Mc: 112.727272727,
    Ib: 0.578046359194,
    Ic: 6.42791551882,
    q_variance: 0.00138580912039,
    tau2: 0.00109761444686,
    r: 0.0707799371977,
    rl: -0.0525064132349,
    rh: 0.210108110409,
    watch_bound: 132.140800811,
  }
  for (const [name, value] of Object.entries(expected)) {
    const error = Math.abs(shown[name as keyof typeof shown] - value) / Math.max(1, Math.abs(value))
    expect(error, `${name} ${shown[name as keyof typeof shown]}`).toBeLessThan(1e-9)
  }
})

test.each([
  ['a Thursday', 0, 2, [1, 1, 1, 0, 0, 1, 1]],
  ['a Saturday', 48, 50, [0, 0, 0, 0, 0, 1, 1]],
  ['a night to Saturday', 44, 52, [0, 0, 0, 0, 0, 0, 1]],
  ['a Monday and a Tuesday', 96, 144, [0, 0, 1, 1, 1, 1, 1]],
])('days like %s', (_, from, to, alike) => {
  // The epoch began on a Thursday, as the day 700 does.
  const start = 700 * DAY_MS
  const found = daysAlike({ since: start + from * HOUR_MS, until: start + to * HOUR_MS }, 7)
  expect(found.map(Number)).toEqual(alike)
})
