import { describe, expect, test } from 'vitest'
import { TICKS, type Traffic, type Worse, alarmTicks } from '../../../../tools/calibration/ticks.ts'
import { scaled } from '../../../support/scale.ts'

const NO_LIMITS = { cost_per_run_usd: 0, latency_ms: 0, error_rate: 0 }
const STEADY: Traffic = {
  cost: 'log-normal',
  latency: 'normal',
  error_rate: 0.02,
  runs_per_minute: 10,
  baseline_runs: 1200,
}

// The long form is of 2,000 watches each; what is measured is in docs/project/decisions-quality.md.
const options = { reps: scaled(30, 2000), seed: 17 }
const FEW = { reps: scaled(20, 500), seed: 17 }

describe(`of ${options.reps} watches of an unchanged release, ${TICKS} checks each, at most 5 % raise an alarm`, () => {
  test.each<[string, Traffic]>([
    ['steady traffic', STEADY],
    ['sessions', { ...STEADY, cost: 'sessions', latency: 'sessions' }],
    ['few runs', { ...STEADY, runs_per_minute: 1, baseline_runs: 200 }],
    ['a large baseline of skewed runs', { ...STEADY, latency: 'log-normal', baseline_runs: 10_000 }],
    ['zeros and tails', { ...STEADY, cost: 'zeros', latency: 'tail' }],
  ])('under %s', (name, traffic) => {
    const alarms = alarmTicks(name, traffic, {}, NO_LIMITS, options).filter(tick => tick !== undefined)
    expect(alarms.length / options.reps).toBeLessThanOrEqual(0.05)
  })
})

describe('a release that is worse is seen', () => {
  test.each<[string, Worse, Traffic, number]>([
    ['+20 % latency within 20 minutes', { latency: 0.2 }, STEADY, 20],
    [
      '+3 points of errors within an hour of busy traffic',
      { errors: 0.03 },
      { ...STEADY, runs_per_minute: 60, baseline_runs: 7200 },
      60,
    ],
  ])('%s, in nine of ten watches', (name, worse, traffic, within) => {
    const seen = alarmTicks(name, traffic, worse, NO_LIMITS, FEW).filter(
      tick => (tick ?? TICKS + 1) <= within,
    )
    expect(seen.length / FEW.reps).toBeGreaterThanOrEqual(0.9)
  })
})
