import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import { decideChange } from '../../../src/rules/statistics/decide.ts'
import { randomOf } from '../../../tools/calibration/traffic.ts'
import { scaled } from '../../support/scale.ts'
import {
  type RunSides,
  comparedRuns,
  hoursBefore,
  lasting,
  runsOf,
} from '../../support/statistics/run_worlds.ts'

const NOW = 1000 * 24 * HOUR_MS

interface World {
  /** Mean length of runs, minutes. */
  readonly minutes: number
  /** Hours since the candidate began, which takes half of the runs from then on. */
  readonly hours: number
  readonly change: number
  readonly perMinute?: number
  /** How long a run takes that fails, ms; as long as others unless given. */
  readonly failsAfter?: number
}

function drawn({ minutes, hours, change, perMinute = 10, failsAfter }: World, seed: number): RunSides {
  const random = randomOf(seed, `long runs ${minutes} ${hours} ${change} ${failsAfter ?? ''}`)
  const began = NOW - hours * HOUR_MS
  const run = (rise: number) => () => {
    const failed = random.uniform() < 0.05
    return {
      latency_ms:
        failed && failsAfter !== undefined
          ? failsAfter
          : lasting(minutes * MINUTE_MS * (1 + rise), 1, random),
      failed,
    }
  }
  const rate = (at: number): number => (at < began ? perMinute : perMinute / 2)
  const from = NOW - 30 * HOUR_MS
  return {
    baseline: runsOf({ from, to: NOW, perMinute: rate, run: run(0) }, NOW, random),
    candidate: runsOf({ from: began, to: NOW, perMinute: perMinute / 2, run: run(change) }, NOW, random),
  }
}

/** Shares of draws: of those with a claim the truth is within the interval, and the limits of +10 % and no errors. */
async function outcomes(world: World, draws: number) {
  let [claims, covers, passes, fails, errors] = [0, 0, 0, 0, 0]
  for (let draw = 0; draw < draws; draw++) {
    const { latency_ms, error_rate } = await comparedRuns(drawn(world, draw), hoursBefore(NOW, 24))
    const { outcome } = decideChange(latency_ms, { limit: 0.1, of: 'relative_change' }, 'block')
    if (latency_ms.comparability_doubt === null) {
      claims += 1
      const { low, high } = latency_ms.relative_change!
      if (low! <= world.change && high! >= world.change) covers += 1
    }
    if (outcome === 'pass') passes += 1
    if (outcome === 'fail') fails += 1
    if (error_rate.verdict === 'worse') errors += 1
  }
  const of = (count: number) => count / draws
  return {
    claims: of(claims),
    covers: claims === 0 ? 1 : covers / claims,
    passes: of(passes),
    fails: of(fails),
    errors: of(errors),
  }
}

const DRAWS = scaled(12, 300)

describe('runs that last minutes', () => {
  test.each([
    [5, 1],
    [15, 2],
    [15, 6],
  ])(
    'of %d min, %d h after the candidate began: no release that is 20 percent slower passes',
    async (minutes, hours) => {
      const same = await outcomes({ minutes, hours, change: 0 }, DRAWS)
      const slower = await outcomes({ minutes, hours, change: 0.2 }, DRAWS)
      expect(same.fails).toBeLessThanOrEqual(scaled(0.1, 0.05))
      expect(slower.passes).toBeLessThanOrEqual(scaled(0, 0.05))
      // Of 12 draws 9 are seen where the truth is 95 %.
      for (const { covers } of [same, slower]) expect(covers).toBeGreaterThanOrEqual(scaled(0.75, 0.93))
    },
  )

  test('of 15 min, 6 h after: a release that is 40 percent slower fails', async () => {
    expect((await outcomes({ minutes: 15, hours: 6, change: 0.4 }, DRAWS)).fails).toBeGreaterThanOrEqual(0.9)
  })

  test('of 30 min, an hour after, are not comparable yet, but for their errors', async () => {
    const sides = drawn({ minutes: 30, hours: 1, change: 0.2, perMinute: 20 }, 3)
    const { latency_ms, error_rate } = await comparedRuns(sides, hoursBefore(NOW, 24))
    expect([latency_ms.inconclusive_because, error_rate.comparability_doubt]).toEqual([
      'not_comparable',
      null,
    ])
  })

  test.each([15, 30])('of %d min that fail after seconds are no rise of errors', async minutes => {
    const { errors } = await outcomes({ minutes, hours: 2, change: 0, failsAfter: 5000 }, DRAWS)
    expect(errors).toBeLessThanOrEqual(scaled(0.17, 0.05))
  })
})
