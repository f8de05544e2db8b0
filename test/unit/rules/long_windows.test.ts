import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/time.ts'
import { randomOf } from '../../../tools/calibration/traffic.ts'
import { scaled } from '../../support/scale.ts'
import { decideChange } from '../../../src/rules/statistics/decide.ts'
import {
  type RunSides,
  comparedRuns,
  hoursBefore,
  lasting,
  planned,
  runsOf,
} from '../../support/statistics/run_worlds.ts'

const NOW = 1000 * 24 * HOUR_MS + 13 * 60_000
const DAYS = [1, 2, 3, 7, 14, 21, 30]

/** A canary next to a baseline of 30 days, which takes what is left of its runs; both take seconds. */
function canary(seed: number, hours: number, newestFails = 0.03): RunSides {
  const random = randomOf(seed, `canary of ${hours} h`)
  const run = (rate: number) => () => ({
    latency_ms: lasting(5000, 0.7, random),
    failed: random.uniform() < rate,
  })
  const began = NOW - hours * HOUR_MS
  const of = (from: number, to: number, perMinute: number, rate = 0.03) =>
    runsOf({ from, to, perMinute, run: run(rate) }, NOW, random)
  return {
    baseline: [...of(NOW - 30 * 24 * HOUR_MS, began, 0.3), ...of(began, NOW, 1)].sort((a, b) => a.ts - b.ts),
    candidate: [...of(began, NOW - HOUR_MS, 0.5), ...of(NOW - HOUR_MS, NOW, 0.5, newestFails)].sort(
      (a, b) => a.ts - b.ts,
    ),
  }
}

/** The runs of both sides that are in blocks with runs of both. */
async function comparedOf(sides: RunSides, hours: number) {
  const { plan, blocks } = await planned(sides, hoursBefore(NOW, hours))
  const of = (side: keyof RunSides) =>
    sides[side]
      .filter(({ ts }) => ts >= NOW - hours * HOUR_MS)
      .map(({ ts }, index) => ({ ts, block: blocks[side].of(index) }))
      .filter(({ block }) => block >= 0 && block < blocks[side].count)
  return { plan, baseline: of('baseline'), candidate: of('candidate') }
}

describe('a canary, whatever window holds it', () => {
  test.each([3, 6, 20])('of %d h: the same runs are compared, the newest among them', async hours => {
    const sides = canary(7, hours)
    const all = await Promise.all(DAYS.map(days => comparedOf(sides, days * 24)))
    for (const one of all) {
      expect(one.plan.match.by).toBe('common_time')
      expect(one.plan.cut).toEqual(all[0]!.plan.cut)
      expect(one.candidate.length).toBeGreaterThanOrEqual(0.99 * sides.candidate.length)
      expect(Math.max(...one.candidate.map(({ ts }) => ts))).toBe(sides.candidate.at(-1)!.ts)
      expect([one.baseline, one.candidate]).toEqual([all[0]!.baseline, all[0]!.candidate])
    }
  })

  test('that fails in the last hour does not pass', async () => {
    const sides = canary(11, 6, 0.4)
    for (const days of DAYS) {
      const { error_rate } = await comparedRuns(sides, hoursBefore(NOW, days * 24))
      expect(error_rate.matched?.by).toBe('common_time')
      expect(error_rate.difference!.estimate).toBeGreaterThan(0.04)
      const limit = { limit: 0.02, of: 'difference' } as const
      expect(decideChange(error_rate, limit, 'block').passed).toBe(false)
    }
  })

  test('has one verdict and one outcome in nearly all draws', async () => {
    const draws = scaled(25, 200)
    let same = 0
    for (let draw = 0; draw < draws; draw++) {
      const sides = canary(1000 + draw, 6)
      const found: string[] = []
      for (const days of DAYS) {
        const { latency_ms, error_rate } = await comparedRuns(sides, hoursBefore(NOW, days * 24))
        const outcome = decideChange(latency_ms, { limit: 0.1, of: 'relative_change' }, 'block').outcome
        found.push([latency_ms.verdict, error_rate.verdict, outcome].join(' '))
      }
      if (new Set(found).size === 1) same += 1
    }
    expect(same / draws).toBeGreaterThanOrEqual(0.95)
  })
})
