import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/time.ts'
import { randomOf } from '../../../tools/calibration/traffic.ts'
import { scaled } from '../../support/scale.ts'
import {
  type Run,
  type RunSides,
  comparedRuns,
  hoursBefore,
  lasting,
  planned,
  runsOf,
} from '../../support/statistics/run_worlds.ts'

const NOW = 1000 * 24 * HOUR_MS
const DAY = hoursBefore(NOW, 24)

/** A day of runs of both sides, by chance, of seconds. */
function atOnce(
  seed: number,
  runs: { readonly baseline: number; readonly candidate: number },
  change: number,
): RunSides {
  const random = randomOf(seed, `at once ${runs.candidate} ${change}`)
  const of = (count: number, rise: number): Run[] =>
    runsOf(
      {
        from: NOW - 96 * HOUR_MS,
        to: NOW,
        perMinute: count / 1440,
        run: () => ({ latency_ms: lasting(5000 * (1 + rise), 0.7, random), failed: false }),
      },
      NOW,
      random,
    )
  return { baseline: of(runs.baseline, 0), candidate: of(runs.candidate, change) }
}

test.each([0, 0.2, 1])('a canary of 30 runs a day beside 3,000, changed by %d, is compared', async change => {
  const draws = scaled(25, 400)
  let [comparable, covers, worse] = [0, 0, 0]
  for (let draw = 0; draw < draws; draw++) {
    const { latency_ms } = await comparedRuns(atOnce(draw, { baseline: 3000, candidate: 30 }, change), DAY)
    if (latency_ms.comparability_doubt !== null) continue
    comparable += 1
    const { low, high } = latency_ms.relative_change!
    if (low! <= change && high! >= change) covers += 1
    if (latency_ms.verdict === 'worse') worse += 1
  }
  expect(comparable / draws).toBeGreaterThanOrEqual(0.9)
  expect(covers / comparable).toBeGreaterThanOrEqual(scaled(0.8, 0.92))
  if (change === 0) expect(worse / draws).toBeLessThanOrEqual(scaled(0.12, 0.05))
  if (change === 1) expect(worse / draws).toBeGreaterThanOrEqual(scaled(0.6, 0.7))
})

test('releases that take the hours in turn are compared', async () => {
  const random = randomOf(3, 'in turn')
  const inTurn = (odd: number, change: number): Run[] =>
    runsOf(
      {
        from: NOW - 48 * HOUR_MS,
        to: NOW,
        perMinute: at => (Math.floor(at / HOUR_MS) % 2 === odd ? 2 : 0),
        run: () => ({ latency_ms: lasting(5000 * (1 + change), 0.7, random), failed: false }),
      },
      NOW,
      random,
    )
  const sides = { baseline: inTurn(0, 0), candidate: inTurn(1, 0.2) }
  for (const hours of [24, 48]) {
    const { latency_ms } = await comparedRuns(sides, hoursBefore(NOW, hours))
    expect([latency_ms.comparability_doubt, latency_ms.verdict]).toEqual([null, 'worse'])
    expect(latency_ms.matched!.candidate_share).toBeGreaterThan(0.8)
  }
})

test('a few runs that are left of a baseline do not keep its earlier days out', async () => {
  const random = randomOf(5, 'left')
  const of = (from: number, to: number, perMinute: number): Run[] =>
    runsOf(
      { from, to, perMinute, run: () => ({ latency_ms: lasting(5000, 0.7, random), failed: false }) },
      NOW,
      random,
    )
  const sides = {
    baseline: [...of(NOW - 7 * 24 * HOUR_MS, NOW - 6 * HOUR_MS, 1), ...of(NOW - 6 * HOUR_MS, NOW, 1 / 40)],
    candidate: of(NOW - 6 * HOUR_MS, NOW, 1),
  }
  expect((await planned(sides, hoursBefore(NOW, 7 * 24))).plan.match.by).toBe('same_hours')
})
