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
  ['0.1.0, which wrote no number', {}, [FIRST_PROMOTION_REASON]],
  ['1, which know no gates', { rules_version: 1, gates: { freeze: [FREEZE] } }, [FIRST_PROMOTION_REASON]],
  ['2', { rules_version: 2 }, [FIRST_PROMOTION_REASON]],
  ['2 with a freeze', { rules_version: 2, gates: { freeze: [FREEZE] } }, [FROZEN]],
  ['3 with a freeze', { rules_version: 3, gates: { freeze: [FREEZE] } }, [FROZEN]],
  ['4 with a freeze', { rules_version: 4, gates: { freeze: [FREEZE] } }, [FROZEN]],
  ['5 with a freeze', { rules_version: 5, gates: { freeze: [FREEZE] } }, [FROZEN]],
  ['7 with a freeze', { rules_version: 7, gates: { freeze: [FREEZE] } }, [FROZEN]],
  ['8 with a freeze', { rules_version: 8, gates: { freeze: [FREEZE] } }, [FROZEN]],
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
const UNMEASURED = 'max_latency_ms is limited but not measured: the candidate has no data for it'

/** What evidence of 500 runs beside 400 gives as reasons, by both versions of the rules. */
describe('an evaluated decision', () => {
  const policy = { ...DEFAULT_POLICY, max_latency_ms: 119, max_latency_increase_pct: 0.05 }
  const gates = { freeze: [FREEZE] }
  const byBoth = (evidence: ReturnType<typeof evaluated>) =>
    [1, 2].map(rules_version => replayReasons({ ...evidence, rules_version }, DECIDED, CONDITIONS))

  test('gives the reasons of the policy, of its intervals, and from rules 2 on of overrides and gates', () => {
    expect(byBoth(evaluated({ thresholds: THRESHOLDS }, { policy, policy_scope: SCOPE, gates }))).toEqual([
      [LATENCY, LOW_CONFIDENCE, INCREASE],
      [LATENCY + BY_OVERRIDE, LOW_CONFIDENCE + BY_OVERRIDE, INCREASE, FROZEN],
    ])
    expect(byBoth(evaluated({ thresholds: THRESHOLDS }, { policy }))[1]).toEqual([
      LATENCY,
      LOW_CONFIDENCE,
      INCREASE,
    ])
  })

  test('from before there were intervals is decided without them', () => {
    const { statistics: _, ...evaluation } = evaluated().evaluation!
    const evidence = {
      ...evaluated({}, { policy: { ...policy, require_high_diff_confidence: false } }),
      evaluation,
    }
    expect(byBoth(evidence)).toEqual([[LATENCY], [LATENCY]])
  })

  test.for([
    [undefined, [], []],
    [true, [UNMEASURED], [UNMEASURED + BY_OVERRIDE]],
  ] as const)('without data blocks where the workspace was strict: %s', ([strict, first, second]) => {
    const lax = { ...DEFAULT_POLICY, max_latency_ms: 1, require_high_diff_confidence: false }
    const more = { policy: lax, policy_scope: SCOPE, ...(strict && { strict }) }
    expect(byBoth(evaluated(NO_CANDIDATE, more))).toEqual([first, second])
    const { policy_scope: _, ...unscoped } = more
    expect(byBoth(evaluated(NO_CANDIDATE, unscoped))).toEqual([first, first])
  })

  test('without a token has no cost by rules 3, and cost 0 by those before', () => {
    const limits = { max_cost_per_run_usd: 1, max_cost_increase_pct: 1, on_inconclusive: 'pass' } as const
    const lax = { ...DEFAULT_POLICY, ...limits, require_high_diff_confidence: false }
    const candidate = { ...sideOf(500), variants: [variantOf({ runs: 500 })] }
    const evidence = evaluated({ candidate }, { policy: lax, strict: true })
    const unmeasured = (key: string) => `${key} is limited but not measured: the candidate has no data for it`
    const reasons = [2, 3].map(rules_version =>
      replayReasons({ ...evidence, rules_version }, DECIDED, CONDITIONS),
    )
    expect(reasons).toEqual([[], Object.keys(limits).slice(0, 2).map(unmeasured)])
  })

  test('by rules before 4 says no data of a rise from 0, and knows nothing of times that are not shared', () => {
    const lax = { ...DEFAULT_POLICY, max_cost_increase_pct: 0.1, require_high_diff_confidence: false }
    const of = (cost_per_run_usd: MetricStatistics) =>
      [1, 2, 3, 4].map(rules_version => {
        const statistics = { ...STATISTICS, cost_per_run_usd }
        return replayReasons(
          { ...evaluated({ statistics }, { policy: lax }), rules_version },
          DECIDED,
          CONDITIONS,
        )
      })
    const risen = metricOf({ baseline_mean: 0, relative_change: null, difference: estimate(1, 3) })
    const exceeds = (what: string) => [
      `candidate cost_per_run_usd ${what} max_cost_increase_pct +10.0 % (${RUNS})`,
    ]
    const before = exceeds('no data exceeds')
    expect(of(risen)).toEqual([before, before, before, exceeds('rose from a baseline of 0, which exceeds')])
    // Their evidence has the clusters, but no doubt of them: it is decided as it was.
    const apart = metricOf({ clusters: { baseline: 1, candidate: 1, shared_runs_share: 0 } })
    expect(of(apart)).toEqual([[], [], [], []])
    const doubted = metricOf({ comparability_doubt: 'not_comparable' })
    expect(of(doubted)[3]).toEqual([
      expect.stringMatching(/^too little evidence on cost_per_run_usd: .*run both at once/),
    ])
    const skewed = metricOf({ relative_change: estimate(0.2, 0.5), is_skewed_small_baseline: true })
    expect(of(skewed)[3]).toEqual([
      expect.stringMatching(/^too little evidence .*; few baseline runs of a skewed metric/),
    ])
  })

  test('that was forced has one reason, whatever else there is', () => {
    expect(byBoth(evaluated({}, { policy, gates, forced: true }))).toEqual([[FORCED_REASON], [FORCED_REASON]])
  })
})
