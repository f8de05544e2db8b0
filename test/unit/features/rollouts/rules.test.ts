import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { absoluteHarm, absoluteHarmIn } from '../../../../src/features/rollouts/rules_absolute.ts'
import { type CurrentState, nextMove } from '../../../../src/features/rollouts/rules_next.ts'
import {
  DEFAULT_STEPS,
  type Step,
  parseHold,
  parseSteps,
} from '../../../../src/features/rollouts/rules_steps.ts'
import { unitsP } from '../../../../src/features/rollouts/rules_units.ts'
import { HOUR_MS } from '../../../../src/base/time.ts'
import { sampleOf } from '../../../../src/rules/statistics/samples.ts'

const STEPS = parseSteps(DEFAULT_STEPS) as readonly Step[]

describe('steps', () => {
  test.each([
    ['', 'at least one share'],
    ['0%:1h', 'a share above 0 %'],
    ['5%', 'SHARE%:TIME'],
    ['5:1h', 'SHARE%:TIME'],
    ['-5%:1h', 'SHARE%:TIME'],
    ['5%:1h,5%:1h', 'must rise'],
    ['25%:1h,5%:1h', 'must rise'],
    ['100%:1h', 'completion is the last step'],
    ['5%:59s', 'a number and m, h or d'],
    ['5%:0m', 'a number and m, h or d'],
    ['5%:31d', 'from 1m to 30d'],
    [Array.from({ length: 21 }, (_, index) => `${index + 1}%:1h`).join(','), 'at most 20'],
  ])('%s is refused', (text, why) => {
    expect(parseSteps(text)).toContain(why)
  })

  test.each([
    ['5%', undefined, 'go together'],
    ['0%', '7d', 'above 0 %'],
    ['60%', '7d', 'at most 50 %'],
  ])('a hold of %s for %s is refused', (share, time, why) => {
    expect(parseHold(share, time)).toContain(why)
  })
})

describe('a limit on the candidate alone', () => {
  const LIMITS = { max_cost_per_run_usd: null, max_latency_ms: 200, max_error_rate: 0.05 }

  /** So many runs of 100 buckets, of which some fail. */
  function ran(runs: number, failed: number, latency = 100) {
    const aggregates = (valueOf: (index: number) => number) =>
      sampleOf(
        Array.from({ length: runs }, (_, index) => {
          const value = valueOf(index)
          return { cluster: String(index % 100), n: 1, sum: value, sum_of_squares: value * value }
        }),
      )
    return {
      cost_per_run_usd: aggregates(() => 1),
      latency_ms: aggregates(index => latency + (index % 7)),
      error_rate: aggregates(index => (index < failed ? 1 : 0)),
    }
  }

  test.each([
    [[ran(9, 9)], 0],
    [[ran(10, 2)], 0],
    [[ran(10, 6)], 1],
    [[ran(5, 3), ran(5, 3)], 1],
    [[ran(40, 4)], 0],
    [[ran(49, 0, 900)], 0],
    [[ran(50, 0, 900)], 1],
    [[ran(50, 0, 190)], 0],
    [[ran(60, 60, 900)], 2],
  ])('%# breaks as many as are proven', (steps, broken) => {
    expect(absoluteHarm(steps, LIMITS)).toHaveLength(broken)
  })

  test('counts errors where a step lasts longer than nearly all runs do: quick failures come in first', () => {
    const minutes = (own: number): number => own * 60_000
    const [baseline, candidate] = [ran(100, 0, minutes(15)), ran(10, 6)]
    const brokenAfter = (own: number) =>
      absoluteHarmIn([{ from: 0, to: minutes(own), baseline, candidate }], LIMITS).length
    expect([brokenAfter(10), brokenAfter(16)]).toEqual([0, 1])
    const quick = [{ from: 0, to: 1, baseline: ran(100, 0), candidate }]
    expect(absoluteHarmIn(quick, LIMITS)).toHaveLength(1)
  })

  test('is found broken in 1 of 300 rollouts at most that just keep it, over all checks', () => {
    const random = seededRandom(11)
    let alarms = 0
    for (let rollout = 0; rollout < 400; rollout++) {
      let [runs, failed, isAlarm] = [0, 0, false]
      while (runs < 400 && !isAlarm) {
        for (let run = 0; run < 20; run++) failed += random() < LIMITS.max_error_rate ? 1 : 0
        runs += 20
        isAlarm = absoluteHarm([ran(runs, failed)], { ...LIMITS, max_latency_ms: null }).length > 0
      }
      alarms += isAlarm ? 1 : 0
    }
    // Binomial: more than 5 of 400 come in 1 of 1,000 where it is 1 of 300.
    expect(alarms).toBeLessThanOrEqual(5)
  })
})

describe('units first seen', () => {
  test('are as likely as χ² says', () => {
    expect(unitsP({ baseline: 1790, candidate: 245 }, 0.1)).toBeCloseTo(0.00216572285408, 9)
  })

  test('say nothing while few are expected', () => {
    expect(unitsP({ baseline: 499, candidate: 0 }, 0.1)).toBeNull()
  })
})

describe('the next move', () => {
  const current: CurrentState = {
    state: 'running',
    steps: STEPS,
    step: 4,
    step_started_at: 0,
    ends_at: 100 * HOUR_MS,
    now: 24 * HOUR_MS,
    clock_problem: undefined,
    promotion_runs: 0,
    is_live: true,
    harm: [],
    baseline_runs: 1000,
    candidate_runs: 1000,
    missing_runs: 0,
    ahead_runs: 0,
    wrong_runs: 0,
    buckets: 90,
    units_p: [null, null, null, null, 0.5],
    by: 'session',
    gates: [],
  }
  const middle = { step: 1, now: HOUR_MS }

  test.each<[string, Partial<CurrentState>, string, string]>([
    ['all is there', {}, 'complete', ''],
    ['a step before the last is over', middle, 'advance', ''],
    ['its time is not over', { now: HOUR_MS }, 'hold', 'the step takes 24h'],
    ['there are too few runs', { candidate_runs: 199 }, 'hold', '199 of 200 runs of each side'],
    ['the policy asks more runs', { promotion_runs: 5000 }, 'hold', '1000 of 5000 runs'],
    ['early steps ask no runs', { ...middle, candidate_runs: 0, buckets: 0 }, 'advance', ''],
    ['few units ran', { buckets: 9.9 }, 'hold', "9.9 of 10 sessions' worth"],
    ['runs have no session', { missing_runs: 106 }, 'hold', 'no request.session_id'],
    ['runs are dated ahead', { ahead_runs: 106 }, 'hold', 'dated ahead'],
    ['runs are on the wrong side', { wrong_runs: 101 }, 'hold', 'not_comparable'],
    ['few are', { wrong_runs: 99 }, 'complete', ''],
    ['a freeze holds', { gates: ['a freeze'] }, 'hold', 'a freeze'],
    ['units are lost', { units_p: [null, null, null, null, 0.0004] }, 'pause', 'assignment is broken'],
    ['harm is proven', { harm: ['slower'], clock_problem: 'off', gates: ['a freeze'] }, 'abort', 'slower'],
    ['harm is proven while it is paused', { state: 'paused', harm: ['slower'] }, 'abort', 'slower'],
    ['the clock is wrong', { clock_problem: 'off' }, 'hold', 'off'],
    ['traffic stopped until its end', { now: 100 * HOUR_MS, candidate_runs: 0 }, 'expire', '0 of 200 runs'],
    ['it is paused until its end', { state: 'paused', now: 100 * HOUR_MS }, 'expire', 'it was paused'],
    ['it is paused', { state: 'paused' }, 'hold', ''],
    ['another release is live', { is_live: false, harm: ['slower'] }, 'supersede', ''],
  ])('where %s', (_, change, kind, why) => {
    const move = nextMove({ ...current, ...change })
    expect(move.kind).toBe(kind)
    expect(JSON.stringify(move)).toContain(why)
  })

  test('says about when the runs will be there', () => {
    const move = nextMove({ ...current, candidate_runs: 100, now: 25 * HOUR_MS })
    expect(move).toMatchObject({ kind: 'hold', ready_at: expect.closeTo(50 * HOUR_MS, -6) })
  })
})
