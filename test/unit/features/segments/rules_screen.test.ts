import { expect, test } from 'vitest'
import { groupSums } from '../../../../src/features/segments/rules_group_sums.ts'
import { segmentRegressions } from '../../../../src/features/segments/rules_segment_regressions.ts'
import { screen } from '../../../../src/features/segments/rules_screen.ts'
import { PARTS, SEGMENT_KINDS } from '../../../../src/features/segments/rules_segments.ts'
import { samplesOf } from '../../../../src/rules/diff_statistics.ts'
import { SEGMENT_LIMITS } from '../../../../src/rules/limits.ts'
import { compareMeans, compareRates } from '../../../../src/rules/statistics/compare.ts'
import { UNCHANGED, WORSE_FOR_ONE, drawer } from '../../../../tools/calibration/segment_worlds.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'
import { scaled } from '../../../support/scale.ts'

test.each([false, true])('leaves out nothing that exact intervals find worse, sequential: %s', sequential => {
  let worse = 0
  for (const world of [...UNCHANGED, ...WORSE_FOR_ONE].slice(scaled(-6, 0))) {
    // Of few runs, and at intervals that many miss.
    const small = { ...world, runs: [1500, 1500] as const }
    for (const alpha of [0.5, 0.05]) {
      const [baseline, candidate] = drawer(small)(randomOf(5, world.name))
      for (const kind of SEGMENT_KINDS) {
        const [b, c] = [
          { ...baseline.segments.get(kind)!, rates: baseline.rates },
          { ...candidate.segments.get(kind)!, rates: candidate.rates },
        ]
        const mayBeWorse = screen(groupSums(b, true), groupSums(c, true), { alpha, sequential })
        for (const segment of new Set(c.aggregates.map(aggregate => aggregate.segment))) {
          const of = (side: typeof b) =>
            samplesOf(
              { ...side, aggregates: side.aggregates.filter(aggregate => aggregate.segment === segment) },
              true,
            )
          const [own, other] = [of(b), of(c)]
          for (const { metric } of SEGMENT_LIMITS) {
            const compare = metric === 'error_rate' ? compareRates : compareMeans
            const match = { by: 'common_time', blocks: PARTS } as const
            const { verdict } = compare(own[metric], other[metric], { alpha, sequential, match })
            if (verdict !== 'worse') continue
            worse += 1
            expect(mayBeWorse(segment, metric)).toBe(true)
          }
        }
      }
    }
  }
  expect(worse).toBeGreaterThanOrEqual(sequential ? 5 : 10)
})

test('what was found of the same sums is kept, and found again where prices or the policy are others', () => {
  const [baseline, candidate] = drawer(WORSE_FOR_ONE[0]!)(randomOf(5, 'kept'))
  const found = segmentRegressions(baseline, candidate, { min_runs: 50 })
  expect(segmentRegressions({ ...baseline }, { ...candidate }, { min_runs: 50 })).toBe(found)
  expect(segmentRegressions(baseline, candidate, { min_runs: 5000 })).not.toEqual(found)
  const [model, rate] = [...candidate.rates][0]!
  const dearer = new Map([[model, { ...rate, input_usd_per_1k_tokens: 2 * rate.input_usd_per_1k_tokens }]])
  expect(segmentRegressions(baseline, { ...candidate, rates: dearer }, { min_runs: 50 })).not.toEqual(found)
})
