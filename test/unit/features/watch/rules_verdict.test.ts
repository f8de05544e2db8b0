import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import type { Reading } from '../../../../src/models/answers/reading.ts'
import { WATCHED, watchLimits } from '../../../../src/features/watch/rules_readings.ts'
import { watchRate } from '../../../../src/features/watch/rules_sequential.ts'
import { DEFAULT_MIN_RUNS, watchVerdict } from '../../../../src/features/watch/rules_verdict.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'

function reading(more: Partial<Reading> = {}): Reading {
  return {
    alarm: null,
    baseline_runs: 400,
    candidate_runs: 200,
    limit: 0,
    change: 0.01,
    low: -0.05,
    smallest_detectable: 0.06,
    ...more,
  }
}

function readings(more: Partial<Record<(typeof WATCHED)[number], Partial<Reading>>> = {}) {
  return {
    cost_per_run_usd: reading(more.cost_per_run_usd),
    latency_ms: reading(more.latency_ms),
    error_rate: reading(more.error_rate),
  }
}

const ALARM = { alarm: 'sequential', change: 0.3, low: 0.2 } as const

describe('a watch', () => {
  test('goes on while nothing is proven and its time is not over', () => {
    expect(watchVerdict(readings(), { min_runs: 50, isOver: false })).toEqual({
      state: 'watching',
      because: null,
      regressions: [],
      mayRollBack: false,
    })
  })

  test('names all that is proven worse, with the figures', () => {
    const { state, because, regressions } = watchVerdict(
      readings({ latency_ms: ALARM, error_rate: { alarm: 'exact', change: 0.04, low: 0.025, limit: 0.02 } }),
      { min_runs: 50, isOver: false },
    )
    expect({ state, regressions }).toEqual({ state: 'regressed', regressions: ['latency_ms', 'error_rate'] })
    expect(because).toBe(
      'latency_ms +30.0 %, at least +20.0 %, beyond the limit of 0.0 % (n 400 baseline, 200 candidate); ' +
        'error_rate +4.0 points, at least +2.5 points, beyond the limit of +2.0 points (n 400 baseline, 200 candidate)',
    )
  })

  test('rolls back by what is proven against the same hours, or fails outright, and says where it does not', () => {
    const of = (latency: Partial<Reading>, errors: Partial<Reading> = {}) =>
      watchVerdict(readings({ latency_ms: { ...ALARM, ...latency }, error_rate: errors }), {
        min_runs: 50,
        isOver: false,
      })
    expect(of({ by: 'same_hours', days: 5 })).toMatchObject({ mayRollBack: true })
    expect(of({ by: 'window' })).toMatchObject({
      mayRollBack: false,
      because: expect.stringMatching(
        /; the baseline has fewer than 4 earlier days .*: it is announced, and not rolled back$/,
      ),
    })
    const errors = { by: 'window', alarm: 'exact', change: 0.3, limit: 0.02 } as const
    expect(of({ by: 'window' }, { ...errors, low: 0.13 })).toMatchObject({ mayRollBack: true })
    expect(of({ by: 'window' }, { ...errors, low: 0.11 })).toMatchObject({ mayRollBack: false })
  })

  test('names what has risen from nothing', () => {
    const free = { alarm: 'sequential', change: null, low: null } as const
    expect(
      watchVerdict(readings({ cost_per_run_usd: free }), { min_runs: 50, isOver: false }).because,
    ).toMatch(/^cost_per_run_usd above a baseline of 0, beyond/)
  })

  test('names a rise without a least one, where none is known', () => {
    const rise = { alarm: 'exact', change: 0.2, low: null } as const
    const { state, because } = watchVerdict(readings({ latency_ms: rise }), { min_runs: 200, isOver: false })
    expect([state, because]).toEqual([
      'regressed',
      'latency_ms +20.0 %, beyond the limit of 0.0 % (n 400 baseline, 200 candidate)',
    ])
  })

  test('claims nothing below its fewest runs, at no time, but what the exact bound proves', () => {
    const runs = fc.integer({ min: 0, max: 99 })
    fc.assert(
      fc.property(runs, fc.boolean(), (candidate_runs, isOver) => {
        const bad = { ...ALARM, candidate_runs }
        const { state } = watchVerdict(readings({ latency_ms: bad, error_rate: bad }), {
          min_runs: 100,
          isOver,
        })
        expect(state).toBe(isOver ? 'inconclusive' : 'watching')
        const outright = { ...bad, alarm: 'exact' } as const
        expect(watchVerdict(readings({ error_rate: outright }), { min_runs: 100, isOver })).toMatchObject({
          state: 'regressed',
          regressions: ['error_rate'],
        })
      }),
    )
  })

  /** Shares of watches that regress within so many hours, of runs of which so many fail, 18 an hour. */
  const regressed = (rate: number, hours: number, draws = 1000): number => {
    const { uniform } = randomOf(17, `${rate}`)
    const baseline = { events: 10, runs: 1000 }
    let found = 0
    for (let draw = 0; draw < draws; draw++) {
      let candidate = { events: 0, runs: 0 }
      for (let minute = 0; minute < 60 * hours; minute++) {
        if (uniform() >= 18 / 60) continue
        candidate = { events: candidate.events + Number(uniform() < rate), runs: candidate.runs + 1 }
        const error_rate = watchRate({ baseline, design_effect: 1, limit: 0.02 }, candidate)
        const { state } = watchVerdict(
          { ...readings(), error_rate },
          { min_runs: DEFAULT_MIN_RUNS, isOver: false },
        )
        if (state !== 'regressed') continue
        found += 1
        break
      }
    }
    return found / draws
  }

  test.each([
    [1, 1],
    [0.5, 2],
  ])('of 18 runs an hour sees a failure rate of %f within %i h', (rate, hours) => {
    expect(regressed(rate, hours)).toBeGreaterThanOrEqual(0.95)
  })

  test('of few runs raises false alarms no more often than of many', () => {
    expect(regressed(0.01, 24, 200)).toBeLessThanOrEqual(0.017)
  })

  test.each([
    [{}, 'passed', /of cost_per_run_usd by \+6\.0 %, latency_ms by \+6\.0 %, error_rate by \+6\.0 points/],
    [
      { latency_ms: { smallest_detectable: null } },
      'passed',
      /of cost_per_run_usd by \+6\.0 %, error_rate by/,
    ],
    [
      { error_rate: { smallest_detectable: null, candidate_runs: 49 } },
      'inconclusive',
      /^too few runs: 49 of the release .* 400 of the baseline/,
    ],
    [
      { error_rate: { smallest_detectable: null, baseline_runs: 199 } },
      'inconclusive',
      /199 of the baseline \(at least 200\)$/,
    ],
  ] as const)('that is over with %j is %s', (more, state, because) => {
    const verdict = watchVerdict(readings(more), { min_runs: 50, isOver: true })
    expect(verdict).toMatchObject({ state, because: expect.stringMatching(because), regressions: [] })
  })
})

test('the limits of the policy are those of its watches, and without any a proven rise is one', () => {
  expect(watchLimits(DEFAULT_POLICY)).toEqual({ cost_per_run_usd: 0, latency_ms: 0, error_rate: 0 })
  const policy = {
    ...DEFAULT_POLICY,
    max_cost_increase_pct: 0.1,
    max_latency_increase_pct: 0.2,
    max_error_rate_increase: 0.02,
  }
  expect(watchLimits(policy)).toEqual({ cost_per_run_usd: 0.1, latency_ms: 0.2, error_rate: 0.02 })
})
