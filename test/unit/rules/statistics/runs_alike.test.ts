import { describe, expect, test } from 'vitest'
import { compareArmMeans } from '../../../../src/rules/statistics/arms.ts'
import { compareMeans, compareSteps } from '../../../../src/rules/statistics/compare.ts'
import { decideChange } from '../../../../src/rules/statistics/decide.ts'
import type { MetricStatistics } from '../../../../src/rules/statistics/metric.ts'
import type { Sample } from '../../../../src/rules/statistics/samples.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'
import { valuesSample } from './samples_of.ts'

const DRAWS = 300
const VALUE = 1000

/** The ways in which the product compares means. */
const COMPARED = {
  'over the window': (b: Sample, c: Sample) => compareMeans(b, c),
  'by blocks of time': (b: Sample, c: Sample) =>
    compareMeans(b, c, { match: { by: 'common_time', blocks: 12 } }),
  'in arms of a split': (b: Sample, c: Sample) => compareArmMeans({ baseline: b, candidate: c }),
} satisfies Record<string, (b: Sample, c: Sample) => MetricStatistics>

/** Runs of a side in 12 blocks, all alike but a share that takes double. */
function alike(runs: number, share: number, uniform: () => number): Sample {
  return valuesSample(
    Array.from({ length: runs }, () => (uniform() < share ? 2 * VALUE : VALUE)),
    index => String(index % 12),
  )
}

describe.each(Object.entries(COMPARED))('runs that are all alike, %s', (way, compare) => {
  test.each([
    [12, 12],
    [24, 24],
    [48, 48],
    [24, 5000],
    [60, 5000],
  ])('%i of a candidate beside %i prove no more than their number does', (candidate, baseline) => {
    const { uniform } = randomOf(7, `${way} ${candidate} ${baseline}`)
    for (const share of [0.05, 0.1, 0.2]) {
      let [covers, passes] = [0, 0]
      for (let draw = 0; draw < DRAWS; draw++) {
        const change = compare(alike(baseline, 0, uniform), alike(candidate, share, uniform))
        const { low, high } = change.relative_change!
        covers += Number(low! <= share && share <= high!)
        const { outcome } = decideChange(change, { limit: 0.1, of: 'relative_change' }, 'block')
        passes += Number(outcome === 'pass')
      }
      expect(covers / DRAWS, `holds +${share}`).toBeGreaterThanOrEqual(0.9)
      if (share > 0.1) expect(passes / DRAWS, `+${share} passes`).toBeLessThanOrEqual(0.05)
    }
  })

  test('are unchanged, and pass, from enough of them on', () => {
    const side = (runs: number): Sample => alike(runs, 0, () => 1)
    const passes = (runs: number): boolean =>
      decideChange(compare(side(runs), side(runs)), { limit: 0.1, of: 'relative_change' }, 'block').passed
    expect([12, 24, 48, 96].map(passes)).toEqual([false, false, true, true])
    expect(compare(side(480), side(480)).verdict).toBe('no_difference')
  })

  test('take as many runs to pass, however few there are, and pass with them', () => {
    const side = (runs: number): Sample => alike(runs, 0, () => 1)
    const needed = (runs: number): number => compare(side(runs), side(runs)).runs_needed.runs_per_side!
    const runs = needed(12)
    expect([24, 48, 96, 480].map(needed)).toEqual([runs, runs, runs, runs])
    expect(runs).toBeLessThan(60)
    const withThem = compare(side(runs), side(runs))
    expect(decideChange(withThem, { limit: 0.1, of: 'relative_change' }, 'block').passed).toBe(true)
  })
})

test('that none called any tool is no proof that none does', () => {
  const none = (runs: number): Sample =>
    valuesSample(Array<number>(runs).fill(0), index => String(index % 12))
  const { difference, verdict } = compareSteps(none(12), none(12))
  expect(verdict).toBe('inconclusive')
  expect(difference!.high!).toBeGreaterThan(0.1)
})
