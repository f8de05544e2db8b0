import { describe, expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { FIRST_PROMOTION_REASON, FORCED_REASON } from '../../../src/rules/result.ts'
import { isPassed, replayReasons } from '../../../src/rules/judge.ts'
import type { MetricStatistics } from '../../../src/rules/statistics/metric.ts'
import { variantOf } from '../support/sums.ts'
import { estimate, metricOf } from './statistics/metric_of.ts'
import {
  BY_OVERRIDE,
  CONDITIONS,
  DECIDED,
  FIRST,
  FREEZE,
  FROZEN,
  NO_CANDIDATE,
  SCOPE,
  STATISTICS,
  evaluated,
  sideOf,
} from './decisions/evidence_of.ts'

test.each([
  ['1', {}, [FIRST_PROMOTION_REASON]],
  ['1 with a freeze', { gates: { freeze: [FREEZE] } }, [FROZEN]],
  ['a version to come', { rules_version: 99 }, undefined],
] as const)('by the rules of %s', (_, more, reasons) => {
  expect(replayReasons({ ...FIRST, ...more }, DECIDED, CONDITIONS)).toEqual(reasons)
})

test('a decision passed where nothing speaks against it, or it was the first', () => {
  const passed = [[], [FIRST_PROMOTION_REASON], [FROZEN], [FIRST_PROMOTION_REASON, FROZEN]].map(isPassed)
  expect(passed).toEqual([true, true, false, false])
})

const LOW_CONFIDENCE =
  'diff confidence is MEDIUM (candidate sample < 500 runs; baseline sample < 600 runs); promotion requires HIGH'
const THRESHOLDS = { min_candidate_runs: 500, min_baseline_runs: 600, min_low_runs: 50 }
const LATENCY = 'candidate latency_ms_avg 120.00 exceeds max 119'
const INCREASE =
  'candidate latency_ms +10.0 % [+8.0 %, +12.0 %] exceeds max_latency_increase_pct +5.0 % ' +
  '(n 500 baseline, 500 candidate)'
const RUNS = 'n 500 baseline, 500 candidate'
const UNMEASURED = 'max_latency_ms cannot be checked: the candidate has no data for it'

/** The reasons that evidence of 500 and 400 runs gives, by the rules that decided. */
describe('an evaluated decision', () => {
  const policy = { ...DEFAULT_POLICY, max_latency_ms: 119, max_latency_increase_pct: 0.05 }
  const gates = { freeze: [FREEZE] }
  const replayed = (evidence: ReturnType<typeof evaluated>) => replayReasons(evidence, DECIDED, CONDITIONS)

  test('gives the reasons of the policy, of its intervals, of overrides and gates', () => {
    expect(replayed(evaluated({ thresholds: THRESHOLDS }, { policy, policy_scope: SCOPE, gates }))).toEqual([
      LATENCY + BY_OVERRIDE,
      LOW_CONFIDENCE + BY_OVERRIDE,
      INCREASE,
      FROZEN,
    ])
    expect(replayed(evaluated({ thresholds: THRESHOLDS }, { policy }))).toEqual([
      LATENCY,
      LOW_CONFIDENCE,
      INCREASE,
    ])
  })

  test.for([
    [undefined, [], []],
    [true, [UNMEASURED + BY_OVERRIDE], [UNMEASURED]],
  ] as const)('without data blocks where the workspace was strict: %s', ([strict, scoped, without]) => {
    const lax = { ...DEFAULT_POLICY, max_latency_ms: 1, require_high_diff_confidence: false }
    const more = { policy: lax, policy_scope: SCOPE, ...(strict && { strict }) }
    expect(replayed(evaluated(NO_CANDIDATE, more))).toEqual(scoped)
    const { policy_scope: _, ...unscoped } = more
    expect(replayed(evaluated(NO_CANDIDATE, unscoped))).toEqual(without)
  })

  test('without a token has no cost', () => {
    const limits = { max_cost_per_run_usd: 1, max_cost_increase_pct: 1, on_inconclusive: 'pass' } as const
    const lax = { ...DEFAULT_POLICY, ...limits, require_high_diff_confidence: false }
    const candidate = { ...sideOf(500), variants: [variantOf({ runs: 500 })] }
    const evidence = evaluated({ candidate }, { policy: lax, strict: true })
    const unmeasured = (key: string) => `${key} cannot be checked: the candidate has no data for it`
    expect(replayed(evidence)).toEqual(Object.keys(limits).slice(0, 2).map(unmeasured))
  })

  test('says of a rise from 0 that it is one, and by which doubt there is too little evidence', () => {
    const lax = { ...DEFAULT_POLICY, max_cost_increase_pct: 0.1, require_high_diff_confidence: false }
    const of = (cost_per_run_usd: MetricStatistics) =>
      replayed(evaluated({ statistics: { ...STATISTICS, cost_per_run_usd } }, { policy: lax }))
    const risen = metricOf({ baseline_mean: 0, relative_change: null, difference: estimate(1, 3) })
    expect(of(risen)).toEqual([
      `candidate cost_per_run_usd rose from a baseline of 0, which exceeds max_cost_increase_pct +10.0 % (${RUNS})`,
    ])
    const doubted = metricOf({ comparability_doubt: 'not_comparable' })
    expect(of(doubted)).toEqual([
      expect.stringMatching(/^too little evidence on cost_per_run_usd: .*run both at once/),
    ])
    const skewed = metricOf({ relative_change: estimate(0.2, 0.5), is_skewed_small_baseline: true })
    expect(of(skewed)).toEqual([
      expect.stringMatching(/^too little evidence .*; few baseline runs of a skewed metric/),
    ])
  })

  test('that was forced has one reason, whatever else there is', () => {
    expect(replayed(evaluated({}, { policy, gates, forced: true }))).toEqual([FORCED_REASON])
  })
})
