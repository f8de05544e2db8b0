import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/base/time.ts'
import {
  DAY_STRIDE,
  type WatchReadings,
  readWatch,
  slotKind,
  WATCH_DAYS,
} from '../../../../src/features/watch/rules_readings.ts'
import {
  type Moments,
  NO_MOMENTS,
  type Sample,
  mergeMoments,
} from '../../../../src/rules/statistics/samples.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'
import { scaled } from '../../../support/scale.ts'
import { type Run, lasting, runsOf } from '../../../support/statistics/run_worlds.ts'

const START = 1000 * DAY_MS
const SLOTS = slotKind({ since: START, until: START + 2 * HOUR_MS })
const LIMITS = { cost_per_run_usd: 0, latency_ms: 0, error_rate: 0 }

interface World {
  readonly minutes: number
  readonly perMinute: number
  readonly fails: number
  /** Of the release that is watched. */
  readonly failsNow: number
  /** Earlier days of the baseline. */
  readonly days: number
}

function sampleOf(runs: readonly Run[], value: (run: Run) => number, blockOf: (run: Run) => number): Sample {
  const blocks = new Map<number, Moments>()
  let moments = NO_MOMENTS
  for (const run of runs) {
    const [block, one] = [blockOf(run), { n: 1, mean: value(run), m2: 0 }]
    blocks.set(block, mergeMoments(blocks.get(block) ?? NO_MOMENTS, one))
    moments = mergeMoments(moments, one)
  }
  return { moments, clusters: new Map(), blocks: () => blocks }
}

const samplesOf = (runs: readonly Run[], blockOf: (run: Run) => number) => {
  const of = (value: (run: Run) => number) => sampleOf(runs, value, blockOf)
  return {
    cost_per_run_usd: of(() => 1),
    latency_ms: of(({ latency_ms }) => latency_ms),
    error_rate: of(({ failed }) => (failed ? 1 : 0)),
  }
}

/** Checks of a watch, each ten minutes for two hours, of releases whose failures take 5 s and whose other runs last. */
function checks({ minutes, perMinute, fails, failsNow, days }: World, seed: number): WatchReadings[] {
  const random = randomOf(seed, `young ${minutes} ${failsNow} ${days}`)
  const of = (from: number, to: number, until: number, rate: number): Run[] =>
    runsOf(
      {
        from,
        to,
        perMinute,
        run: () => {
          const failed = random.uniform() < rate
          return { failed, latency_ms: failed ? 5000 : lasting(minutes * MINUTE_MS, 1, random) }
        },
      },
      until,
      random,
    )
  const end = START + 2 * HOUR_MS
  const now = of(START, end, end, failsNow)
  const before = of(START - 10 * HOUR_MS, START, START, fails)
  const earlier = Array.from({ length: days }, (_, day) => {
    const shift = (day + 1) * DAY_MS
    return of(START - shift - 6 * HOUR_MS, end - shift, end - shift, fails)
  })
  return Array.from({ length: 12 }, (_, check) => {
    const until = (check + 1) * 10 * MINUTE_MS
    const slotOf = (age: number, { latency_ms }: Run): number =>
      age < latency_ms ? -2 : Math.floor(age / SLOTS.width_ms)
    const days_runs = earlier.flatMap((runs, day) => {
      const start = START - (day + 1) * DAY_MS
      return runs
        .filter(({ ts }) => ts >= start && ts < start + until)
        .map(run => ({ run, block: (day + 1) * DAY_STRIDE + slotOf(run.ts - start, run) }))
    })
    const blocks = new Map(days_runs.map(({ run, block }) => [run, block]))
    return readWatch(
      {
        baseline: samplesOf(before, () => 0),
        candidate: samplesOf(
          now.filter(({ ts }) => ts < START + until),
          run => slotOf(run.ts - START, run),
        ),
        earlier: samplesOf([...blocks.keys()], run => blocks.get(run)!),
        slots: SLOTS,
      },
      LIMITS,
    )
  })
}

const alarms = (world: World, draws: number): number =>
  Array.from({ length: draws }, (_, draw) =>
    checks(world, draw).some(({ error_rate }) => error_rate.alarm !== null) ? 1 : 0,
  ).reduce<number>((sum, one) => sum + one, 0) / draws

test.each([
  [15, WATCH_DAYS],
  [30, WATCH_DAYS],
  [15, 0],
  [30, 0],
])('failures of seconds beside runs of %d min raise no alarm, with %d earlier days', (minutes, days) => {
  const world = { minutes, perMinute: scaled(8, 30), fails: 0.05, failsNow: 0.05, days }
  expect(alarms(world, scaled(3, 200))).toBeLessThanOrEqual(scaled(0, 0.05))
})

test('a release that fails at once is found in 40 minutes, while most of its runs are not over', () => {
  const world = { minutes: 30, perMinute: 8, fails: 0.02, failsNow: 0.6, days: WATCH_DAYS }
  expect(checks(world, 1)[3]!.error_rate.alarm).not.toBeNull()
})
