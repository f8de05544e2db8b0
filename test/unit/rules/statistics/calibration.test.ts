import { describe, expect, test } from 'vitest'
import {
  RARE_ERRORS,
  alone,
  bySession,
  coverage,
  inTime,
  quantileCoverage,
  unchanged,
} from '../../../../tools/calibration/coverage.ts'
import { falseDifferences, oneCheck, polled } from '../../../../tools/calibration/decisions.ts'
import { SHAPES, isKept } from '../../../../tools/calibration/effort.ts'
import { EVALUATIONS, comparedEvaluations, floorCoverage } from '../../../../tools/calibration/evaluations.ts'
import { meanPower, ratePower } from '../../../../tools/calibration/power.ts'
import { SECTIONS } from '../../../../tools/calibration/sections.ts'
import { byLabel, sessions } from '../../../../tools/calibration/traffic.ts'
import { meanWatches, rateWatches } from '../../../../tools/calibration/watches.ts'

// The short form of `npm run calibrate`. Bounds are about four standard errors from what the long form measures.
const trials = { reps: 500, seed: 17 }
const some = { reps: 200, seed: 17 }
const few = { reps: 80, seed: 17 }

describe('95 % intervals', () => {
  test.each(['normal', 'log-normal', 'zeros'] as const)('of %s runs hold the truth', name => {
    const found = coverage(name, unchanged(SHAPES[name]!, 500, 500, alone), trials)
    for (const share of [found.difference, found.relative]) {
      expect(share).toBeGreaterThan(0.925)
      expect(share).toBeLessThan(0.975)
    }
  })

  test('of errors hold the truth', () => {
    const { difference, relative } = coverage('errors', unchanged(RARE_ERRORS, 1000, 1000, alone), {
      ...trials,
      rate: true,
    })
    expect(difference).toBeGreaterThan(0.925)
    expect(relative).toBeGreaterThan(0.925)
  })

  test('need to know of sessions', () => {
    const shape = sessions(0.2)
    const [ignored, blocks] = [alone, inTime].map(
      cut => coverage('sessions', unchanged(shape, 500, 500, cut), some).difference,
    )
    const bySessions = coverage('by session', bySession(shape, 500), {
      ...some,
      options: { clusters: 'units' },
    }).difference
    expect(ignored).toBeLessThan(0.83)
    expect(blocks).toBeGreaterThan(0.84)
    expect(bySessions).toBeGreaterThan(0.92)
  })

  test('of percentiles hold the truth', () => {
    const { quantile, difference } = quantileCoverage('p95', 200, 0.95, 1000 * Math.exp(1.644853627), 300, 17)
    expect(quantile).toBeGreaterThan(0.92)
    expect(difference).toBeGreaterThan(0.92)
  })
})

describe('a limit of +10 %', () => {
  test('is decided by the interval in the right direction', () => {
    const at = (change: number) => oneCheck(SHAPES.normal!, 'normal', 500, change, ['interval', 'worse'], few)
    expect(at(0).interval).toEqual({ pass: expect.closeTo(1, 1), fail: 0 })
    expect(at(0).worse.fail).toBeLessThan(0.08)
    expect(at(0.2).interval).toEqual({ pass: 0, fail: expect.closeTo(1, 1) })
    const skewed = oneCheck(SHAPES['log-normal']!, 'log-normal', 500, 0.2, ['point', 'interval'], few)
    expect(skewed.interval.pass).toBeLessThan(0.03)
    expect(skewed.point.pass).toBeGreaterThan(0)
  })

  test('holds when it is asked a hundred times by sequential intervals, not by a point', () => {
    const found = polled(SHAPES['log-normal']!, 'polled', 500, 0.2, ['point', 'sequential'], few)
    expect(found.point.pass).toBeGreaterThan(0.4)
    expect(found.sequential.pass).toBeLessThan(0.03)
  })

  test.each([
    ['normal', 0.3],
    ['log-normal', Math.sqrt(Math.E - 1)],
  ] as const)('is proved by the runs that a plan names: %s', (name, variation) => {
    const power = meanPower(SHAPES[name]!, name, variation, 0.2, some)
    expect(power.alone).toBeGreaterThan(0.72)
    expect(power.alone).toBeLessThan(0.9)
  })

  test('of errors too', () => {
    expect(ratePower(0.01, 0.02, some).alone).toBeGreaterThan(0.7)
  })
})

describe('a hundred looks at unchanged sides', () => {
  const sequential = { sequential: true, tuned_for_runs: 1000 }
  const falseAlarms = (name: string, cut: typeof alone, options: object, reps = 50): number =>
    falseDifferences(SHAPES[name]!, name, 500, { cut, options }, { reps, seed: 17 }).total

  test('claim a difference of a fixed interval, and nearly never of a sequential one', () => {
    expect(falseAlarms('log-normal', alone, {})).toBeGreaterThan(0.15)
    expect(falseAlarms('log-normal', alone, sequential)).toBeLessThanOrEqual(0.05)
    expect(falseAlarms('normal', alone, sequential)).toBeLessThanOrEqual(0.05)
  })

  test('claim none of sessions that are known', () => {
    expect(falseAlarms('sessions', alone, sequential)).toBeGreaterThan(0.1)
    expect(falseAlarms('sessions', byLabel, { ...sequential, clusters: 'units' }, 20)).toBeLessThanOrEqual(
      0.05,
    )
  })
})

describe('evaluations case by case', () => {
  test.each(EVALUATIONS.map(evaluation => [evaluation.name, evaluation] as const))(
    '%s',
    (_name, evaluation) => {
      const worse = comparedEvaluations(evaluation, evaluation.drop, some)
      const same = comparedEvaluations(evaluation, 0, some)
      expect(worse.paired.worse).toBeGreaterThan(worse.unpaired.worse + 0.1)
      expect(same.paired.worse).toBeLessThan(0.06)
      for (const { covers } of [worse.paired, same.paired]) expect(covers).toBeGreaterThan(0.91)
    },
  )

  test('a pass rate knows that tries belong to their case', () => {
    const { cases, tries } = floorCoverage(trials)
    expect(cases).toBeGreaterThan(0.93)
    expect(tries).toBeLessThan(0.82)
  })
})

describe('a watch', () => {
  test('raises few false alarms and sees what is large', () => {
    expect(meanWatches(SHAPES['log-normal']!, 'log-normal', 0.1, 'ignored', few).alarms).toBeLessThan(0.03)
    expect(meanWatches(SHAPES['log-normal']!, 'log-normal', 1, 'ignored', few)).toMatchObject({ alarms: 1 })
    expect(rateWatches(0.01, 0.03, { reps: 20, seed: 17 }).alarms).toBe(0)
    expect(rateWatches(0.01, 0.5, few)).toEqual({ alarms: 1, median_runs: 10 })
  })
})

test('every section has figures, the same ones for the same seed', async () => {
  const effort = { reps: 1, seed: 17 }
  for (const section of Object.values(SECTIONS)) {
    const { text, bounds = [] } = await section(effort)
    for (const { of, share } of bounds) expect(share >= 0 && share <= 1, of).toBe(true)
    expect(text).not.toMatch(/NaN|undefined|Infinity/)
    expect(text).toMatch(/^## /)
  }
  expect(await SECTIONS.clusters!(effort)).toEqual(await SECTIONS.clusters!(effort))
})

test('a share that is not kept is one below or above what is claimed', () => {
  expect([0.92, 0.93, 1].map(share => isKept({ of: 'truth', share, atLeast: 0.93 }))).toEqual([
    false,
    true,
    true,
  ])
  expect([0, 0.01, 0.02].map(share => isKept({ of: 'alarms', share, atMost: 0.01 }))).toEqual([
    true,
    true,
    false,
  ])
})
