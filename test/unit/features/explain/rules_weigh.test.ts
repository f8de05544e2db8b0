import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../../src/models/documents/policy.ts'
import { weighLimits } from '../../../../src/features/explain/rules_weigh.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { variantOf } from '../../support/sums.ts'
import { estimate, metricOf } from '../../rules/statistics/metric_of.ts'
import {
  BY_OVERRIDE,
  EVALUATION,
  NO_CANDIDATE,
  SCOPE,
  STATISTICS,
  evaluated,
  sideOf,
} from '../../rules/decisions/evidence_of.ts'

const LAX: Policy = { ...DEFAULT_POLICY, require_high_diff_confidence: false }

function questionOf(limits: Partial<Policy>, more: Partial<Parameters<typeof weighLimits>[1]> = {}) {
  return {
    effective: { policy: { ...LAX, ...limits } },
    thresholds: EVALUATION.thresholds,
    statistics: undefined,
    unknown: new Map<string, string>(),
    ...more,
  }
}

/** What rows say where a test says nothing else. */
const ROW = { value: null, low: null, high: null, baseline_runs: 500, candidate_runs: 400 }

describe('a limit is told with what it was compared with', () => {
  const latency = { ...ROW, policy_key: 'max_latency_ms', metric: 'latency_ms_avg' }
  const cost = { ...ROW, policy_key: 'max_cost_per_run_usd', metric: 'cost_per_run_usd' }
  const errors = { ...ROW, policy_key: 'max_error_rate', metric: 'error_rate' }
  test.for([
    [
      { max_latency_ms: 120 },
      [{ ...latency, value: 120, limit: 120, verdict: 'pass', passed: true, why: null }],
    ],
    [
      { max_latency_ms: 119 },
      [
        {
          ...latency,
          value: 120,
          limit: 119,
          verdict: 'fail',
          passed: false,
          why: 'candidate latency_ms_avg 120.00 exceeds max 119',
        },
      ],
    ],
    [
      { max_cost_per_run_usd: 0.012, max_error_rate: 0.01 },
      [
        { ...cost, value: 0.012, limit: 0.012, verdict: 'pass', passed: true, why: null },
        {
          ...errors,
          value: 0.02,
          limit: 0.01,
          verdict: 'fail',
          passed: false,
          why: 'candidate error_rate 0.0200 exceeds max 0.0100',
        },
      ],
    ],
    [{}, []],
  ] as const)('%j', ([limits, rows]) => {
    expect(weighLimits(evaluated(), questionOf(limits))).toEqual(rows)
  })

  test.for([
    [{}, true],
    [{ strict: true }, false],
  ] as const)('and without data: %j', ([more, passed]) => {
    const found = weighLimits(evaluated(NO_CANDIDATE, more), questionOf({ max_latency_ms: 1 }))
    expect(found).toEqual([
      {
        ...latency,
        candidate_runs: 0,
        limit: 1,
        verdict: 'unmeasured',
        passed,
        why: 'max_latency_ms cannot be checked: the candidate has no data for it',
      },
    ])
  })

  test.for([
    [500, 'HIGH', null],
    [501, 'MEDIUM', 'baseline sample < 501 runs'],
  ] as const)('and confidence, which takes %d runs of the baseline: %s', ([least, label, why]) => {
    const thresholds = { min_candidate_runs: 400, min_baseline_runs: least, min_low_runs: 50 }
    const question = questionOf({ require_high_diff_confidence: true }, { thresholds })
    expect(weighLimits(evaluated(), question)).toEqual([
      {
        ...ROW,
        policy_key: 'require_high_diff_confidence',
        metric: 'confidence',
        value: label,
        limit: 'HIGH',
        verdict: why === null ? 'pass' : 'fail',
        passed: why === null,
        why: why && `diff confidence is ${label} (${why}); promotion requires HIGH`,
      },
    ])
  })

  test('and limits on a change with their intervals and runs', () => {
    const question = questionOf({ max_latency_increase_pct: 0.05 }, { statistics: STATISTICS })
    expect(weighLimits(evaluated(), question)).toEqual([
      {
        policy_key: 'max_latency_increase_pct',
        metric: 'latency_ms',
        value: 0.1,
        limit: 0.05,
        low: 0.08,
        high: 0.12,
        baseline_runs: 500,
        candidate_runs: 500,
        verdict: 'fail',
        passed: false,
        why:
          'candidate latency_ms +10.0 % [+8.0 %, +12.0 %] exceeds max_latency_increase_pct +5.0 % ' +
          '(n 500 baseline, 500 candidate)',
      },
    ])
    const kept = questionOf({ max_latency_increase_pct: 0.12 }, { statistics: STATISTICS })
    expect(weighLimits(evaluated(), kept)).toMatchObject([{ verdict: 'pass', passed: true, why: null }])
  })
})

describe('what the evidence does not tell', () => {
  test.for([
    ['max_latency_increase_pct', 0.05, 0.05],
    ['unpriced', 'refuse', 'refuse'],
    ['min_scores', { exact: 1 }, null],
  ] as const)('is unknown of %s', ([key, limit, shown]) => {
    const unknown = new Map([[key, 'why not']])
    const question = questionOf({ [key]: limit }, { statistics: STATISTICS, unknown })
    expect(weighLimits(evaluated(), question)).toEqual([
      {
        ...ROW,
        policy_key: key,
        metric: key,
        limit: shown,
        verdict: 'unknown',
        passed: null,
        why: 'why not',
      },
    ])
  })
})

test('what an override set is told with it', () => {
  const limits = { max_latency_ms: 119, max_error_rate: 0.01, require_high_diff_confidence: true }
  const unknown = new Map([['max_latency_p95_ms', 'why not']])
  const policy = { ...LAX, ...limits, max_latency_increase_pct: 0.05, max_latency_p95_ms: 1 }
  const keys = [
    'max_latency_ms',
    'require_high_diff_confidence',
    'max_latency_increase_pct',
    'max_latency_p95_ms',
  ]
  const scope = { ...SCOPE, rules: [{ override: 0, environment: 'prod', keys }] }
  const question = questionOf({}, { effective: { policy, scope }, statistics: STATISTICS, unknown })
  const weighed = weighLimits(evaluated(), question)
  expect(weighed.map(({ policy_key, why }) => [policy_key, why!.endsWith(BY_OVERRIDE)])).toEqual([
    ['max_latency_ms', true],
    ['max_error_rate', false],
    ['require_high_diff_confidence', true],
    ['max_latency_increase_pct', true],
    ['max_latency_p95_ms', true],
  ])
  const unmeasured = weighLimits(evaluated(NO_CANDIDATE), question)
  expect(unmeasured[0]!.why).toBe(
    `max_latency_ms cannot be checked: the candidate has no data for it${BY_OVERRIDE}`,
  )
})

test('limits on the cost of runs without tokens are not measured, where they pass', () => {
  const candidate = { ...sideOf(500), variants: [variantOf({ runs: 500 })] }
  const fallen = metricOf({ relative_change: estimate(-1, -1), difference: estimate(-1, -1) })
  const limits = { max_cost_per_run_usd: 1, max_cost_increase_pct: 0.1 }
  const rows = (cost_per_run_usd: typeof fallen) =>
    weighLimits(
      evaluated({ candidate }, { strict: true }),
      questionOf(limits, { statistics: { ...STATISTICS, cost_per_run_usd } }),
    ).map(({ verdict, passed }) => [verdict, passed])
  expect(rows(fallen)).toEqual([
    ['unmeasured', false],
    ['unmeasured', false],
  ])
  expect(rows({ ...fallen, candidate_runs: 9 })[1]).toEqual(['inconclusive', false])
})
