import { describe, expect, test } from 'vitest'
import type { DiffStatistics } from '../../../src/models/answers/statistics.ts'
import type { Policy } from '../../../src/models/documents/policy.ts'
import {
  decideLimits,
  intervalLimits,
  keptLimits,
  limitReasons,
  limitsTails,
  limitsTools,
  policyLimits,
  waivedLimits,
} from '../../../src/rules/limits.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import type { MetricStatistics } from '../../../src/rules/statistics/metric.ts'
import { estimate, metricOf } from './statistics/metric_of.ts'

type Measured = Parameters<typeof decideLimits>[1]

/** Every metric rose by 8 to 12 %, of 500 runs a side. */
const change = { relative_change: estimate(0.08, 0.12), difference: estimate(0.08, 0.12) }
const rose = metricOf(change)
const percentile = { baseline: null, candidate: estimate(900, 1100), difference: null }
const MEASURED = {
  cost_per_run_usd: rose,
  latency_ms: rose,
  error_rate: rose,
  latency_percentiles: {
    p50: percentile,
    p90: percentile,
    p95: percentile,
    p99: percentile,
    known_since: null,
  },
  tools: { calls_per_run: rose, tools: [] },
} as Measured

const policyOf = (limits: Partial<Policy>): Policy => limits as Policy
const reasonsOf = (limits: Partial<Policy>, measured = MEASURED): string[] =>
  limitReasons(decideLimits(policyOf(limits), measured))

const RUNS = 'n 500 baseline, 500 candidate'

describe('a limit', () => {
  test.for<readonly [Partial<Policy>, string]>([
    [
      { max_cost_increase_pct: 0.05 },
      `candidate cost_per_run_usd +10.0 % [+8.0 %, +12.0 %] exceeds max_cost_increase_pct +5.0 % (${RUNS})`,
    ],
    [
      { max_latency_increase_pct: 0.05 },
      `candidate latency_ms +10.0 % [+8.0 %, +12.0 %] exceeds max_latency_increase_pct +5.0 % (${RUNS})`,
    ],
    [
      { max_error_rate_increase: 0.05 },
      `candidate error_rate +0.1000 [+0.0800, +0.1200] exceeds max_error_rate_increase +0.0500 (${RUNS})`,
    ],
    [
      { max_latency_p95_ms: 800 },
      `candidate latency_p95_ms 1000 [900, 1100] exceeds max_latency_p95_ms 800 (${RUNS})`,
    ],
    [
      { max_latency_p99_ms: 800 },
      `candidate latency_p99_ms 1000 [900, 1100] exceeds max_latency_p99_ms 800 (${RUNS})`,
    ],
    [
      { max_tool_calls_increase_pct: 0.05 },
      `candidate tool_calls_per_run +10.0 % [+8.0 %, +12.0 %] exceeds max_tool_calls_increase_pct +5.0 % (${RUNS})`,
    ],
  ])('that is exceeded says so: %j', ([limits, reason]) => {
    expect(reasonsOf(limits)).toEqual([reason])
  })

  test('says how many runs were compared, and those of the window where none could be', () => {
    const matched = {
      by: 'common_time' as const,
      baseline_mean: 100,
      candidate_mean: 110,
      baseline_runs: 120,
      candidate_runs: 80,
      baseline_share: 0.24,
      candidate_share: 0.16,
      units: 8,
    }
    const limits = { max_cost_increase_pct: 0.05 }
    const of = (more: Partial<MetricStatistics>): string[] =>
      reasonsOf(limits, { ...MEASURED, cost_per_run_usd: metricOf({ ...change, matched, ...more }) })
    expect(of({})).toEqual([expect.stringContaining('(n 120 baseline, 80 candidate)')])
    expect(of({ comparability_doubt: 'not_comparable' })).toEqual([expect.stringContaining(`(${RUNS}; `)])
    const p95 = { relative_change: estimate(0.08, 0.12), inconclusive_because: null, ...matched }
    const measured = { ...MEASURED, latency_percentile_changes: { p90: p95, p95, p99: p95 } }
    for (const at of ['p90', 'p95', 'p99'] as const) {
      expect(reasonsOf({ [`max_latency_${at}_increase_pct`]: 0.05 }, measured)).toEqual([
        `candidate latency_${at} +10.0 % [+8.0 %, +12.0 %] exceeds max_latency_${at}_increase_pct +5.0 % (n 120 baseline, 80 candidate)`,
      ])
    }
  })

  test.for<Partial<Policy>>([
    {},
    { max_cost_increase_pct: 0.12, max_latency_increase_pct: 0.2, max_error_rate_increase: 1 },
    { max_latency_p95_ms: 1100, max_latency_p99_ms: 2000, max_tool_calls_increase_pct: 0.13 },
    { max_cost_increase_pct: null, max_latency_p95_ms: null, max_tool_calls_increase_pct: null },
  ])('that is kept gives no reason: %j', limits => {
    expect(reasonsOf(limits)).toEqual([])
  })

  test.for([
    [
      'block',
      false,
      `too little evidence on cost_per_run_usd: +10.0 % [+8.0 %, +12.0 %] against max_cost_increase_pct +11.0 %`,
    ],
    ['pass', true, undefined],
    ['estimate', true, undefined],
    [undefined, false, `too little evidence on cost_per_run_usd: `],
  ] as const)('within the interval does as on_inconclusive %s says', ([on_inconclusive, passed, reason]) => {
    const policy = policyOf({ max_cost_increase_pct: 0.11, ...(on_inconclusive && { on_inconclusive }) })
    const results = decideLimits(policy, MEASURED)
    expect(results).toMatchObject([
      { outcome: 'inconclusive', inconclusive_because: 'interval_too_wide', passed },
    ])
    expect(limitReasons(results)).toEqual(reason === undefined ? [] : [expect.stringContaining(reason)])
  })

  test('decided by the estimate alone says so in its reason', () => {
    expect(reasonsOf({ max_cost_increase_pct: 0.09, on_inconclusive: 'estimate' })).toEqual([
      `candidate cost_per_run_usd +10.0 % [+8.0 %, +12.0 %] exceeds max_cost_increase_pct +9.0 % ` +
        `(${RUNS}; decided by the estimate alone: the interval contains the limit)`,
    ])
  })

  test.for<readonly [Partial<Policy>, Partial<Measured>]>([
    [{ max_latency_p99_ms: 5000 }, { latency_percentiles: null }],
    [{ max_tool_calls_increase_pct: 2 }, { tools: null }],
    [
      { max_cost_increase_pct: 2 },
      { cost_per_run_usd: metricOf({ candidate_runs: 0, difference: null, relative_change: null }) },
    ],
    [{ max_error_rate_increase: 1 }, { error_rate: metricOf({ candidate_runs: 9, ...change }) }],
  ])('on what was not measured blocks: %j', ([limits, lacking]) => {
    const results = decideLimits(policyOf(limits), { ...MEASURED, ...(lacking as Partial<DiffStatistics>) })
    expect(results).toMatchObject([{ passed: false, outcome: 'inconclusive' }])
    expect(limitReasons(results)).toEqual([expect.stringMatching(/^too little evidence on /)])
  })
})

test('limits are decided in one order, whatever order a policy has them in', () => {
  const limits = {
    max_tool_calls_increase_pct: 0,
    max_latency_p95_ms: 1,
    max_error_rate_increase: 0,
    max_cost_increase_pct: 0,
  }
  expect(decideLimits(policyOf(limits), MEASURED).map(({ policy_key }) => policy_key)).toEqual([
    'max_cost_increase_pct',
    'max_error_rate_increase',
    'max_latency_p95_ms',
    'max_tool_calls_increase_pct',
  ])
  expect(intervalLimits(policyOf(limits))).toBe(4)
})

test('the limits that are on are listed with what they limit', () => {
  const off = {
    max_cost_per_run_usd: null,
    max_latency_ms: null,
    max_error_rate: null,
    max_latency_p95_ms: null,
  }
  expect(policyLimits({ ...DEFAULT_POLICY, ...off, min_scores: null })).toEqual([])
  const on = {
    ...DEFAULT_POLICY,
    max_cost_per_run_usd: 1,
    max_latency_ms: 2,
    max_error_rate: 0,
    max_cost_increase_pct: 0.3,
    max_latency_increase_pct: 0.4,
    max_error_rate_increase: 0.5,
    max_latency_p95_ms: 6,
    max_latency_p99_ms: 7,
    max_tool_calls_increase_pct: 0.8,
    min_scores: { exact: 0.9, safe: 1 },
    max_score_drop: { exact: 0.1 },
  }
  expect(policyLimits(on).map(({ policy_key, metric, limit }) => [policy_key, metric, limit])).toEqual([
    ['max_cost_per_run_usd', 'cost_per_run_usd', 1],
    ['max_latency_ms', 'latency_ms', 2],
    ['max_error_rate', 'error_rate', 0],
    ['max_cost_increase_pct', 'cost_per_run_usd', 0.3],
    ['max_latency_increase_pct', 'latency_ms', 0.4],
    ['max_error_rate_increase', 'error_rate', 0.5],
    ['max_latency_p95_ms', 'latency_p95_ms', 6],
    ['max_latency_p99_ms', 'latency_p99_ms', 7],
    ['max_tool_calls_increase_pct', 'tool_calls_per_run', 0.8],
    ['min_scores.exact', 'score exact', 0.9],
    ['min_scores.safe', 'score safe', 1],
    ['max_score_drop.exact', 'drop of score exact', 0.1],
  ])
})

test('what is not limited is not decided', () => {
  const off = { max_latency_p99_ms: null, max_tool_calls_increase_pct: null, min_scores: null }
  expect(decideLimits({ ...DEFAULT_POLICY, ...off }, MEASURED)).toEqual([])
})

test.for([
  ['no_data', 'one release has no data'],
  ['too_few_runs', 'one release has too few runs to conclude'],
  ['too_few_clusters', 'one release has too few sessions or tenants to conclude'],
  [
    'not_comparable',
    'both releases share too little to be compared: run both at once, for the same tenants, as a rollout does, or keep 4 ' +
      'days of the baseline before the candidate',
  ],
  [
    'too_few_blocks',
    'the runs of one release are from fewer than 4 of the 24 blocks of time: let it run for longer, or choose a shorter window',
  ],
  ['skewed_small_baseline', 'few baseline runs of a skewed metric can pass but not block'],
  ['skewed_small_candidate', 'few candidate runs of a skewed metric can block but not pass'],
  ['baseline_is_zero', "the baseline's mean is 0"],
  ['baseline_near_zero', "the baseline's mean may be 0"],
  ['interval_too_wide', 'the interval contains the limit'],
] as const)('a doubt is told in words: %s', ([inconclusive_because, words]) => {
  const [result] = decideLimits(policyOf({ max_cost_increase_pct: 0.1 }), MEASURED)
  expect(limitReasons([{ ...result!, inconclusive_because }])).toEqual([
    `too little evidence on cost_per_run_usd: +10.0 % [+8.0 %, +12.0 %] against max_cost_increase_pct +10.0 % ` +
      `(${RUNS}; ${words})`,
  ])
})

test('warns of sides that ran at other times', () => {
  const [result] = decideLimits(policyOf({ max_cost_increase_pct: 0.1 }), MEASURED)
  const apart = { ...result!, inconclusive_because: 'not_comparable' as const }
  const nothing = { ...apart, estimate: null, low: null, high: null }
  expect(limitReasons([nothing])).toEqual([
    expect.stringMatching(
      /: nothing comparable against .*; both releases share too little .* days of the baseline before the candidate\)$/,
    ),
  ])
})

test('a limit that passes by the policy alone, though there is nothing to go by, is told', () => {
  const policy = policyOf({ max_cost_increase_pct: 0.1, on_inconclusive: 'pass' })
  const reasonFor = (doubt: Partial<MetricStatistics>) =>
    waivedLimits(decideLimits(policy, { ...MEASURED, cost_per_run_usd: metricOf({ ...change, ...doubt }) }))
  expect(reasonFor({})).toEqual([])
  expect(reasonFor({ comparability_doubt: 'not_comparable' })).toEqual([
    expect.stringMatching(
      /^max_cost_increase_pct passes by on_inconclusive alone: both releases share too little/,
    ),
  ])
  expect(reasonFor({ comparability_doubt: 'too_few_blocks' })).toHaveLength(1)
  const byEstimate = { ...policy, on_inconclusive: 'estimate' } as const
  const doubted = metricOf({ comparability_doubt: 'not_comparable' })
  expect(waivedLimits(decideLimits(byEstimate, { ...MEASURED, cost_per_run_usd: doubted }))).toEqual([])
})

test('a rise from a baseline of 0 is told as one', () => {
  const risen = { baseline_mean: 0, candidate_mean: 2, relative_change: null, difference: estimate(1, 3) }
  const measured = { ...MEASURED, cost_per_run_usd: metricOf(risen) }
  const results = decideLimits(policyOf({ max_cost_increase_pct: 0.1 }), measured)
  expect(results).toMatchObject([{ outcome: 'fail', estimate: null }])
  expect(limitReasons(results)).toEqual([
    `candidate cost_per_run_usd rose from a baseline of 0, which exceeds max_cost_increase_pct +10.0 % (${RUNS})`,
  ])
})

test.for<readonly [Partial<Policy>, Partial<MetricStatistics>, string]>([
  [
    { max_cost_increase_pct: 0 },
    { relative_change: { estimate: 0.1, low: 0.05, high: null } },
    `candidate cost_per_run_usd +10.0 % [+5.0 %, no upper bound] exceeds max_cost_increase_pct 0.0 % (${RUNS})`,
  ],
  [
    { max_cost_increase_pct: 0.05 },
    { relative_change: estimate(-0.1, 0.2) },
    `too little evidence on cost_per_run_usd: +5.0 % [-10.0 %, +20.0 %] against max_cost_increase_pct +5.0 % ` +
      `(${RUNS}; the interval contains the limit)`,
  ],
  // With as many more digits as it takes to tell value and limit apart.
  [
    { max_cost_increase_pct: 0.1 },
    { relative_change: estimate(0.1002, 0.1004) },
    `candidate cost_per_run_usd +10.030 % [+10.020 %, +10.040 %] exceeds max_cost_increase_pct +10.0 % (${RUNS})`,
  ],
  [
    { max_cost_increase_pct: 1 },
    {
      difference: { estimate: 1, low: null, high: null },
      relative_change: { estimate: 0.2, low: null, high: null },
    },
    `too little evidence on cost_per_run_usd: +20.0 % [no lower bound, no upper bound] against ` +
      `max_cost_increase_pct +100.0 % (${RUNS}; one release has too few sessions or tenants to conclude)`,
  ],
])('a reason shows the interval: %j of %j', ([limits, given, reason]) => {
  expect(reasonsOf(limits, { ...MEASURED, cost_per_run_usd: metricOf(given) })).toEqual([reason])
})

describe('a score', () => {
  const scored = (given: Partial<MetricStatistics>): Measured => ({
    ...MEASURED,
    scores: [
      { name: 'exact', baseline: estimate(0.9, 1), candidate: estimate(0.7, 0.8), change: metricOf(given) },
    ],
  })
  test.for<readonly [number, boolean, string | null]>([
    [9, false, 'too_few_runs'],
    [10, true, null],
  ])('of %d runs: a claim is %s', ([candidate_runs, passed, inconclusive_because]) => {
    const policy = policyOf({ min_scores: { exact: 0.6 } })
    expect(decideLimits(policy, scored({ candidate_runs }))).toEqual([
      {
        policy_key: 'min_scores.exact',
        metric: 'score exact',
        passed,
        outcome: passed ? 'pass' : 'inconclusive',
        inconclusive_because,
        decided_by: passed ? 'interval' : 'policy',
        limit: 0.6,
        ...estimate(0.7, 0.8),
        baseline_runs: 500,
        candidate_runs,
      },
    ])
  })

  test('that nobody sent has no runs, as tools that were not measured', () => {
    const policy = policyOf({ min_scores: { other: 0.1 }, max_tool_calls_increase_pct: 0.1 })
    const none = { passed: false, estimate: null, low: null, high: null, baseline_runs: 0, candidate_runs: 0 }
    expect(decideLimits(policy, { ...scored({}), tools: null })).toMatchObject([
      { ...none, policy_key: 'max_tool_calls_increase_pct' },
      { ...none, policy_key: 'min_scores.other' },
    ])
  })
})

test.for([
  [{}, false, false],
  [{ max_latency_p95_ms: 1 }, true, false],
  [{ max_latency_p99_ms: 0 }, true, false],
  [{ max_tool_calls_increase_pct: 0 }, false, true],
  [{ max_tool_calls_increase_pct: null }, false, false],
] as const)('what a policy needs measured: %j', ([limits, tails, tools]) => {
  expect([limitsTails(policyOf(limits), 'latency'), limitsTools(policyOf(limits))]).toEqual([tails, tools])
})

test('says how the limits are kept that an interval decided', () => {
  const policy = policyOf({
    max_cost_increase_pct: 0.15,
    max_latency_increase_pct: 0.11,
    max_error_rate_increase: 0.2,
  })
  expect(keptLimits(decideLimits(policy, MEASURED))[0]).toBe(
    'cost_per_run_usd +8.0 % to +12.0 %, limit +15.0 %',
  )
  expect(keptLimits(decideLimits(policyOf({ max_cost_increase_pct: 0.1 }), MEASURED))).toEqual([])
})
