import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { settingsOf } from '../../../../src/rules/statistics/metric.ts'
import {
  type Pairs,
  caseEstimate,
  cohensKappa,
  differenceSpread,
  kappaEstimate,
  mcnemar,
  pairedFindings,
} from '../../../../src/features/scores/rules_paired.ts'
import { wilson } from '../../../../src/rules/statistics/rates.ts'
import { pairsOf } from '../../../support/statistics/pairs.ts'

const found = (given: Pairs, options = {}) =>
  pairedFindings(given, settingsOf({ better: 'higher', ...options }, given.isBinary ? 0.02 : 0.1))

describe('cases in pairs', () => {
  test('that pass or fail: 14 of 300 broken, 2 mended', () => {
    const before = Array.from({ length: 300 }, (_, n) => (n < 2 ? 0 : 1))
    const after = Array.from({ length: 300 }, (_, n) => (n >= 2 && n < 16 ? 0 : 1))
    const given = pairsOf(before, after, { isBinary: true })
    expect(differenceSpread(given)).toMatchObject({ centre: expect.closeTo(-0.0397350993377, 12), df: 301 })
    const { difference } = found(given)
    expect(difference).toEqual({
      estimate: -0.04,
      low: expect.closeTo(-0.0670121461936, 9),
      high: expect.closeTo(-0.0124580524819, 9),
    })
    expect(mcnemar(14, 2)).toBeCloseTo(0.00418090820312, 12)
  })

  test('that are graded, in clusters', () => {
    const groups = [
      [-0.05, -0.02, 0.01],
      [-0.04, -0.06],
      [0.03, 0.01, 0.02, -0.01],
      [-0.08, -0.03],
      [-0.01, 0, -0.02],
      [-0.05, -0.04],
      [0.02, -0.03, -0.02],
    ]
    const differences = groups.flat().map(d => 5 * d)
    const clusters = groups.flatMap((values, index) => values.map(() => index))
    const given = pairsOf(
      differences.map(() => 0.5),
      differences.map(d => 0.5 + d),
      { clusters },
    )
    const spread = differenceSpread(given)
    expect([spread.centre, Math.sqrt(spread.variance), spread.df + 1]).toEqual([
      expect.closeTo(-0.0973684210526, 12),
      expect.closeTo(0.0544066672075, 12),
      expect.closeTo(6.56363636364, 10),
    ])
    expect(found(given).difference).toMatchObject({
      low: expect.closeTo(-0.2330692099005, 9),
      high: expect.closeTo(0.0383323677953, 9),
    })
    // One cluster says nothing of how clusters differ.
    expect(found({ ...given, clusters: clusters.map(() => 0) }).difference).toMatchObject({
      low: null,
      high: null,
    })
  })

  test('as many of them as are needed prove the limit, and one less does not', () => {
    const alternating = (cases: number): Pairs => {
      const before = Array.from({ length: cases }, (_, n) => 0.7 + 0.01 * (n % 7))
      return pairsOf(
        before,
        before.map((value, n) => value + (n % 2 === 0 ? 0.03 : -0.03)),
      )
    }
    const { runs_needed, smallest_provable_limit } = found(alternating(40), { planned_limit: 0.02 })
    const mean = alternating(40).before.reduce((a, b) => a + b, 0) / 40
    const reach = (n: number): number =>
      (1.98 + 0.8416) * Math.sqrt(differenceSpread(alternating(Math.round(n))).variance)
    expect(reach(runs_needed.runs_per_side!)).toBeLessThanOrEqual(0.02 * mean * 1.02)
    expect(reach(runs_needed.runs_per_side! * 0.9)).toBeGreaterThan(0.02 * mean)
    expect(smallest_provable_limit).toBeGreaterThan(0.01)
    // That nothing changed in ten cases is no proof that nothing ever does.
    const same = Array.from({ length: 10 }, () => 1)
    expect(found(pairsOf(same, same, { isBinary: true })).difference!.low!).toBeLessThan(-0.2)
    expect(
      found(pairsOf(same, same, { isBinary: true }), { planned_limit: 0.02 }).runs_needed.runs_per_side,
    ).toBeGreaterThan(150)
  })

  test('a difference lies within its interval, and changes its sign with the sides', () => {
    const score = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(fc.tuple(score, score), { minLength: 3, maxLength: 40 }), rows => {
        const [b, c] = [rows.map(([x]) => x), rows.map(([, y]) => y)]
        const [there, back] = [found(pairsOf(b, c)).difference!, found(pairsOf(c, b)).difference!]
        expect(there.low!).toBeLessThanOrEqual(there.estimate + 1e-12)
        expect(there.high!).toBeGreaterThanOrEqual(there.estimate - 1e-12)
        expect(back.low!).toBeCloseTo(-there.high!, 9)
      }),
    )
  })
})

describe('the mean over cases', () => {
  const settings = settingsOf({}, 0)
  const means = (values: readonly number[], tries = 1) => ({
    means: Float64Array.from(values),
    tries: Float64Array.from(values, () => tries),
    clusters: null,
    isBinary: true,
  })

  test('of single tries is their rate', () => {
    const values = Array.from({ length: 60 }, (_, n) => (n < 57 ? 1 : 0))
    expect(caseEstimate(means(values), settings)).toEqual(wilson({ events: 57, runs: 60 }, 1.959963985))
    expect(caseEstimate(means(values.map(() => 1)), settings)).toMatchObject({ estimate: 1, high: 1 })
  })

  test('of several tries counts those as far as cases differ', () => {
    // Cases that always pass or always fail: five tries say no more than one.
    const alike = Array.from({ length: 60 }, (_, n) => (n < 48 ? 1 : 0))
    const [one, five] = [caseEstimate(means(alike), settings), caseEstimate(means(alike, 5), settings)]
    expect(five.low!).toBeCloseTo(one.low!, 2)
    // Cases that are all the same coin: they say five times as much.
    const coins = Array.from({ length: 60 }, (_, n) => [0.6, 0.8, 1][n % 3]!)
    expect(caseEstimate(means(coins, 5), settings).low!).toBeGreaterThan(one.low! + 0.04)
    expect(
      caseEstimate(
        means(
          coins.map(() => 1),
          5,
        ),
        settings,
      ).low,
    ).toBeCloseTo(0.94, 2)
  })
})

describe("Cohen's kappa", () => {
  test('is 0 by chance, 1 where all agree, and unknown where all are the same', () => {
    expect(cohensKappa([25, 25, 25, 25])).toMatchObject({ kappa: 0, expected: 0.5 })
    expect(cohensKappa([10, 0, 0, 10])).toMatchObject({ kappa: 1, standard_error: 0 })
    expect(cohensKappa([20, 0, 0, 0])).toBeUndefined()
    expect(cohensKappa([0, 0, 0, 0])).toBeUndefined()
  })

  test('of a few that all agree proves little', () => {
    expect(kappaEstimate([5, 0, 0, 5])).toMatchObject({ estimate: 1, low: expect.closeTo(0.445, 3), high: 1 })
    expect(kappaEstimate([20, 5, 10, 15])!.low).toBeCloseTo(0.4 - 1.96 * 0.126996, 3)
  })
})
