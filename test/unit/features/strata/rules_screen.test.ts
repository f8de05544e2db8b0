import { expect, test } from 'vitest'
import { groupSums } from '../../../../src/features/strata/rules_group_sums.ts'
import { hotSpots } from '../../../../src/features/strata/rules_hot_spots.ts'
import { screen } from '../../../../src/features/strata/rules_screen.ts'
import { PARTS, STRATA_KINDS } from '../../../../src/features/strata/rules_strata.ts'
import { samplesOf } from '../../../../src/rules/diff_statistics.ts'
import { HOT_SPOT_LIMITS } from '../../../../src/rules/limits.ts'
import { compareMeans, compareRates } from '../../../../src/rules/statistics/compare.ts'
import { UNCHANGED, WORSE_FOR_ONE, drawn } from '../../../../tools/calibration/segment_worlds.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'
import { scaled } from '../../../support/scale.ts'

test.each([false, true])('leaves out nothing that exact intervals find worse, sequential: %s', sequential => {
  let worse = 0
  for (const world of [...UNCHANGED, ...WORSE_FOR_ONE].slice(scaled(-6, 0))) {
    // Of few runs, and at intervals that many miss.
    const small = { ...world, runs: { baseline: 1500, candidate: 1500 } }
    for (const alpha of [0.5, 0.05]) {
      const [baseline, candidate] = drawn(small, randomOf(5, world.name))
      for (const kind of STRATA_KINDS) {
        const [b, c] = [
          { ...baseline.strata.get(kind)!, rates: baseline.rates },
          { ...candidate.strata.get(kind)!, rates: candidate.rates },
        ]
        const mayBeWorse = screen(groupSums(b, true), groupSums(c, true), { alpha, sequential })
        for (const stratum of new Set(c.cells.map(cell => cell.stratum))) {
          const of = (side: typeof b) =>
            samplesOf({ ...side, cells: side.cells.filter(cell => cell.stratum === stratum) }, true)
          const [own, other] = [of(b), of(c)]
          for (const { metric } of HOT_SPOT_LIMITS) {
            const compare = metric === 'error_rate' ? compareRates : compareMeans
            const match = { by: 'common_time', blocks: PARTS } as const
            const { verdict } = compare(own[metric], other[metric], { alpha, sequential, match })
            if (verdict !== 'worse') continue
            worse += 1
            expect(mayBeWorse(stratum, metric)).toBe(true)
          }
        }
      }
    }
  }
  expect(worse).toBeGreaterThanOrEqual(sequential ? 5 : 10)
})

test('what was found of the same sums is kept, and found again where prices or the policy are others', () => {
  const [baseline, candidate] = drawn(WORSE_FOR_ONE[0]!, randomOf(5, 'kept'))
  const found = hotSpots(baseline, candidate, { min_runs: 50 })
  expect(hotSpots({ ...baseline }, { ...candidate }, { min_runs: 50 })).toBe(found)
  expect(hotSpots(baseline, candidate, { min_runs: 5000 })).not.toEqual(found)
  const [model, rate] = [...candidate.rates][0]!
  const dearer = new Map([[model, { ...rate, input_usd_per_1k_tokens: 2 * rate.input_usd_per_1k_tokens }]])
  expect(hotSpots(baseline, { ...candidate, rates: dearer }, { min_runs: 50 })).not.toEqual(found)
})
