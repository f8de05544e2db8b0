import { describe, expect, test } from 'vitest'
import { adjustedChange, armVariances, compareArmMeans } from '../../../../src/rules/statistics/arms.ts'
import { type Sample, momentsOfSums } from '../../../../src/rules/statistics/samples.ts'

type Sums = readonly [n: number, sum: number, squares: number]

/** Buckets, and what the formulas give, worked out by another program. */
const NOW = {
  baseline: arm([
    [50, 5200, 560000],
    [48, 5000, 540000],
    [55, 5600, 598000],
    [44, 4700, 520000],
    [52, 5500, 602000],
    [49, 5000, 534000],
    [51, 5300, 571000],
    [47, 4800, 514000],
  ]),
  candidate: arm([
    [6, 690, 81000],
    [5, 560, 64000],
    [7, 800, 94000],
    [4, 430, 47000],
    [6, 700, 83500],
    [5, 610, 75000],
    [6, 640, 70000],
    [5, 590, 71000],
  ]),
}
const BEFORE = {
  baseline: arm([
    [51, 5250, 555000],
    [46, 5010, 563000],
    [54, 5500, 587000],
    [46, 4700, 500000],
    [50, 5400, 601000],
    [50, 5000, 523000],
    [49, 5150, 560000],
    [48, 4700, 482000],
  ]),
  candidate: arm([
    [6, 650, 74000],
    [6, 610, 66000],
    [6, 680, 80000],
    [5, 480, 48500],
    [6, 690, 82500],
    [5, 560, 66000],
    [5, 520, 57000],
    [5, 600, 75000],
  ]),
}

function arm(buckets: readonly Sums[]): Sample {
  const total = (index: 0 | 1 | 2): number => buckets.reduce((sum, bucket) => sum + bucket[index], 0)
  return {
    moments: momentsOfSums(total(0), BigInt(total(1)), BigInt(total(2))),
    clusters: new Map(buckets.map(([n, sum], bucket) => [String(bucket), { n, sum }])),
  }
}

describe('two arms by bucket', () => {
  test('have the variances that the formulas give', () => {
    const { baseline, candidate, df_ratio } = armVariances(NOW)
    expect(baseline).toBeCloseTo(1.1080308261, 9)
    expect(candidate).toBeCloseTo(6.74610801461, 9)
    expect(df_ratio).toBeCloseTo(9.41417047907, 9)
  })

  test('less what they differed by before', () => {
    const found = adjustedChange(NOW, BEFORE, { alpha: 0.05, sequential: false, tuned_for_runs: 1000 })!
    expect(found.theta).toBeCloseTo(0.401011002158, 9)
    expect(found.standard_error).toBeCloseTo(0.0126619578822, 9)
    expect(found.df).toBeCloseTo(8.79121842467, 9)
    expect(found.relative_change.estimate).toBeCloseTo(0.0764907309079, 9)
    expect(found.relative_change.low!).toBeCloseTo(0.0459850350531, 9)
    expect(found.relative_change.high!).toBeCloseTo(0.107886112034, 9)
  })

  test('what can be proved goes by what is left once that is taken off', () => {
    // Units differ by half, and go on to.
    const units = (first: number, off: number): Sample =>
      arm(
        Array.from({ length: 40 }, (_, bucket) => {
          const mean = 1000 + 500 * Math.sin(first + bucket) + off * Math.cos(7 * (first + bucket))
          return [100, 100 * mean, 100 * (mean * mean + 40_000)].map(Math.round) as unknown as Sums
        }),
      )
    const [now, before] = [10, -10].map(off => ({ baseline: units(0, off), candidate: units(100, off) }))
    const [plain, adjusted] = [compareArmMeans(now!), compareArmMeans(now!, {}, before)]
    expect(plain.smallest_provable_limit).toBeGreaterThan(0.2)
    expect(plain.runs_needed.runs_per_side).toBeGreaterThan(4000)
    expect(adjusted.relative_change!.high! - adjusted.relative_change!.low!).toBeLessThan(0.05)
    expect(adjusted.smallest_provable_limit).toBeLessThan(0.05)
    expect(adjusted.runs_needed.candidate_runs_missing).toBe(0)
  })

  test('of fewer than ten buckets claim nothing', () => {
    expect(compareArmMeans(NOW).relative_change).toMatchObject({ low: null, high: null })
  })
})
