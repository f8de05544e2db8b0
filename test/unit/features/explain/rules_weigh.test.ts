import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../../src/models/documents/policy.ts'
import { weighLimits } from '../../../../src/features/explain/rules_weigh.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/policy.ts'
import { variantOf } from '../../support/sums.ts'
import { estimate, metricOf } from '../../rules/statistics/metric_of.ts'
import {
  BY_OVERRIDE,
  DECIDED,
  EVALUATION,
  FIRST,
  FREEZE,
  FROZEN,
  NO_CANDIDATE,
  SCOPE,
  STATISTICS,
  evaluated,
  sideOf,
} from '../../rules/decisions/evidence_of.ts'

const LAX: Policy = { ...DEFAULT_POLICY, require_high_diff_confidence: false }

function questionOf(limits: Partial<Policy>, more: Partial<Parameters<typeof weighLimits>[2]> = {}) {
  return {
    held: { policy: { ...LAX, ...limits } },
    thresholds: EVALUATION.thresholds,
    statistics: undefined,
    unknown: new Map<string, string>(),
    ...more,
  }
}

/** What rows say where a test says nothing else. */
const ROW = { value: null, low: null, high: null, baseline_runs: 500, candidate_runs: 400 }
const GATE = { low: null, high: null, baseline_runs: null, candidate_runs: null }

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
    expect(weighLimits(evaluated(), DECIDED, questionOf(limits))).toEqual(rows)
  })

  test.for([
    [{}, true],
    [{ strict: true }, false],
  ] as const)('and without data: %j', ([more, passed]) => {
    const found = weighLimits(evaluated(NO_CANDIDATE, more), DECIDED, questionOf({ max_latency_ms: 1 }))
    expect(found).toEqual([
      {
        ...latency,
        candidate_runs: 0,
        limit: 1,
        verdict: 'unmeasured',
        passed,
        why: 'max_latency_ms is limited but not measured: the candidate has no data for it',
      },
    ])
  })

  test.for([
    [500, 'HIGH', null],
    [501, 'MEDIUM', 'baseline sample < 501 runs'],
  ] as const)('and confidence, which takes %d runs of the baseline: %s', ([least, label, why]) => {
    const thresholds = { min_candidate_runs: 400, min_baseline_runs: least, min_low_runs: 50 }
    const question = questionOf({ require_high_diff_confidence: true }, { thresholds })
    expect(weighLimits(evaluated(), DECIDED, question)).toEqual([
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
    expect(weighLimits(evaluated(), DECIDED, question)).toEqual([
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
    expect(weighLimits(evaluated(), DECIDED, kept)).toMatchObject([
      { verdict: 'pass', passed: true, why: null },
    ])
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
    expect(weighLimits(evaluated(), DECIDED, question)).toEqual([
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
  const question = questionOf({}, { held: { policy, scope }, statistics: STATISTICS, unknown })
  const told = weighLimits(evaluated(), DECIDED, question)
  expect(told.map(({ policy_key, why }) => [policy_key, why!.endsWith(BY_OVERRIDE)])).toEqual([
    ['max_latency_ms', true],
    ['max_error_rate', false],
    ['require_high_diff_confidence', true],
    ['max_latency_increase_pct', true],
    ['max_latency_p95_ms', true],
  ])
  const unmeasured = weighLimits(evaluated(NO_CANDIDATE), DECIDED, question)
  expect(unmeasured[0]!.why).toBe(
    `max_latency_ms is limited but not measured: the candidate has no data for it${BY_OVERRIDE}`,
  )
})

test('limits on the cost of runs without tokens are not measured, where they pass', () => {
  const candidate = { ...sideOf(500), variants: [variantOf({ runs: 500 })] }
  const fallen = metricOf({ relative_change: estimate(-1, -1), difference: estimate(-1, -1) })
  const limits = { max_cost_per_run_usd: 1, max_cost_increase_pct: 0.1 }
  const rows = (cost_per_run_usd: typeof fallen, more = {}) =>
    weighLimits(
      evaluated({ candidate }, { strict: true }),
      DECIDED,
      questionOf(limits, { statistics: { ...STATISTICS, cost_per_run_usd }, ...more }),
    ).map(({ verdict, passed }) => [verdict, passed])
  expect(rows(fallen)).toEqual([
    ['unmeasured', false],
    ['unmeasured', false],
  ])
  expect(rows({ ...fallen, candidate_runs: 9 })[1]).toEqual(['inconclusive', false])
  expect(rows(fallen, { rules_version: 2 })).toEqual([
    ['pass', true],
    ['pass', true],
  ])
})

describe('gates are told behind the policy, and of a first promotion alone', () => {
  const order = { ...GATE, policy_key: 'promotes_from', metric: 'live in staging' }
  test.for([
    [
      { longest_ms: null },
      'never',
      'once',
      'prod promotes from staging: rel_2 was never live there (promotes_from)',
    ],
    [{ longest_ms: 60_000 }, '1 min', 'once', null],
    [{ longest_ms: 7_200_000, live_for: '2h' }, '2.0 h', '2h', null],
    [
      { longest_ms: 7_199_999, live_for: '2h' },
      '119 min',
      '2h',
      'prod promotes what was live in staging for 2h: rel_2 was live there for 119 min at a time (promotes_from)',
    ],
  ] as const)('where it was live before: %j', ([live, value, limit, why]) => {
    const gates = { promotes_from: { environment: 'staging', ...live } }
    const passed = why === null
    expect(weighLimits({ ...FIRST, gates }, DECIDED, questionOf({ max_latency_ms: 1 }))).toEqual([
      { ...order, value, limit, verdict: passed ? 'pass' : 'fail', passed, why },
    ])
  })

  test('freezes, whether they hold or not', () => {
    const gates = { freeze: [FREEZE, { ...FREEZE, from: 'sun 00:00', to: 'mon 00:00' }] }
    const row = { ...GATE, policy_key: 'freeze', metric: 'time', value: FIRST.evaluated_at }
    const found = weighLimits(evaluated({}, { gates }), DECIDED, questionOf({ max_latency_ms: 120 }))
    expect(found.slice(1)).toEqual([
      { ...row, limit: 'sat 00:00 to sun 00:00 UTC', verdict: 'fail', passed: false, why: FROZEN },
      { ...row, limit: 'sun 00:00 to mon 00:00 UTC', verdict: 'pass', passed: true, why: null },
    ])
    expect(found[0]).toMatchObject({ policy_key: 'max_latency_ms' })
  })
})
