import { describe, expect, test } from 'vitest'
import type { DiffStatistics } from '../../../src/models/answers/statistics.ts'
import type { Policy } from '../../../src/models/documents/policy.ts'
import {
  decideLimits,
  intervalLimits,
  limitReasons,
  limitsTails,
  limitsTools,
} from '../../../src/rules/limits.ts'
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
  latency_percentiles: { p50: percentile, p95: percentile, p99: percentile, known_since: null },
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
        `(${RUNS}; decided by the estimate alone: the interval holds the limit)`,
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

test.for([
  [{}, false, false],
  [{ max_latency_p95_ms: 1 }, true, false],
  [{ max_latency_p99_ms: 0 }, true, false],
  [{ max_tool_calls_increase_pct: 0 }, false, true],
  [{ max_tool_calls_increase_pct: null }, false, false],
] as const)('what a policy needs measured: %j', ([limits, tails, tools]) => {
  expect([limitsTails(policyOf(limits)), limitsTools(policyOf(limits))]).toEqual([tails, tools])
})
