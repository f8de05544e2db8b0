import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../src/models/documents/policy.ts'
import type { ConfidenceLabel } from '../../../src/rules/evidence.ts'
import type { Confidence } from '../../../src/rules/evidence.ts'
import type { SideMetrics } from '../../../src/rules/cost.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import {
  firstPromotionText,
  nothingToCompare,
  policyReasons,
  thinLimits,
  unmeasuredLimits,
} from '../../../src/rules/policy.ts'
import { FIRST_PROMOTION_REASON, FORCED_REASON, resultOf, verdictOf } from '../../../src/rules/result.ts'
import { sideMetrics } from '../support/sums.ts'

const HIGH: ConfidenceLabel = { confidence: 'HIGH', confidence_reason: null }
const LOW: ConfidenceLabel = {
  confidence: 'LOW',
  confidence_reason: 'candidate sample < 500 runs; LOW floor is 50 runs',
}
const candidate: SideMetrics = { runs: 500, cost_per_run_usd: 0.012, latency_ms_avg: 1200, error_rate: 0.1 }

function reasonsFor(
  limits: Partial<Policy>,
  metrics: Partial<SideMetrics> = {},
  label: ConfidenceLabel = HIGH,
): string[] {
  return policyReasons({ ...DEFAULT_POLICY, ...limits }, { ...candidate, ...metrics }, label)
}

describe('a failed limit reads', () => {
  test.for([
    [{ max_cost_per_run_usd: 0.01 }, {}, 'candidate cost_per_run_usd 0.012000 exceeds max 0.010000'],
    [{ max_latency_ms: 1000 }, {}, 'candidate latency_ms_avg 1200.00 exceeds max 1000'],
    [{ max_error_rate: 0.05 }, {}, 'candidate error_rate 0.1000 exceeds max 0.0500'],
    [{ max_cost_per_run_usd: 0 }, {}, 'candidate cost_per_run_usd 0.012000 exceeds max 0.000000'],
    [{ max_error_rate: 0 }, {}, 'candidate error_rate 0.1000 exceeds max 0.0000'],
    [{ max_latency_ms: 0 }, {}, 'candidate latency_ms_avg 1200.00 exceeds max 0'],
    [
      { max_latency_ms: 1000 },
      { latency_ms_avg: 1234.5678 },
      'candidate latency_ms_avg 1234.57 exceeds max 1000',
    ],
    [
      { max_cost_per_run_usd: 2 },
      { cost_per_run_usd: 1234.5 },
      'candidate cost_per_run_usd 1234.500000 exceeds max 2.000000',
    ],
    // As many more digits as it takes to tell the two apart.
    [
      { max_cost_per_run_usd: 0.0000001 },
      { cost_per_run_usd: 0.0000002 },
      'candidate cost_per_run_usd 0.00000020 exceeds max 0.00000010',
    ],
    [
      { max_latency_ms: 1000 },
      { latency_ms_avg: 1000.001 },
      'candidate latency_ms_avg 1000.0010 exceeds max 1000',
    ],
    [{ max_error_rate: 0.05 }, { error_rate: 0.05001 }, 'candidate error_rate 0.050010 exceeds max 0.050000'],
  ] as const)('%j with %j: %s', ([limits, metrics, reason]) => {
    expect(reasonsFor(limits, metrics)).toEqual([reason])
  })
})

describe('confidence', () => {
  test('below HIGH fails with its label and reason', () => {
    expect(reasonsFor({}, {}, LOW)).toEqual([
      'diff confidence is LOW (candidate sample < 500 runs; LOW floor is 50 runs); promotion requires HIGH',
    ])
    expect(
      reasonsFor({}, {}, { confidence: 'MEDIUM', confidence_reason: 'baseline sample < 9 runs' }),
    ).toEqual(['diff confidence is MEDIUM (baseline sample < 9 runs); promotion requires HIGH'])
  })

  test('passes when HIGH, and when HIGH is not required', () => {
    expect(reasonsFor({}, {}, HIGH)).toEqual([])
    expect(reasonsFor({ require_high_diff_confidence: false }, {}, LOW)).toEqual([])
  })
})

test('reasons are listed in the order of the specification: cost, latency, error rate, confidence', () => {
  const limits = { max_error_rate: 0, max_latency_ms: 1, max_cost_per_run_usd: 0 }
  expect(reasonsFor(limits, {}, LOW).map(reason => reason.split(' ')[1])).toEqual([
    'cost_per_run_usd',
    'latency_ms_avg',
    'error_rate',
    'confidence',
  ])
})

test('a limit of null is off', () => {
  const worst = { cost_per_run_usd: 1e9, latency_ms_avg: 1e9, error_rate: 1 }
  expect(reasonsFor({}, worst)).toEqual([])
})

test('a value equal to its limit passes', () => {
  expect(reasonsFor({ max_cost_per_run_usd: 0.012, max_latency_ms: 1200, max_error_rate: 0.1 })).toEqual([])
  expect(reasonsFor({ max_cost_per_run_usd: 0 }, { cost_per_run_usd: 0 })).toEqual([])
})

test('latency is skipped when the candidate has none', () => {
  expect(reasonsFor({ max_latency_ms: 0 }, { latency_ms_avg: null })).toEqual([])
})

test.for([
  [0.1 + 0.2, 0.3, true],
  [0.3 * (1 + 1e-13), 0.3, true],
  [0.3 * (1 + 1e-11), 0.3, false],
  [0.300000000001, 0.3, false],
] as const)('a cost of %d against a limit of %d compares by 12 digits: %s', ([cost, limit, passes]) => {
  expect(reasonsFor({ max_cost_per_run_usd: limit }, { cost_per_run_usd: cost }).length === 0).toBe(passes)
})

test('the policy in force when none was set asks for confidence alone', () => {
  expect(DEFAULT_POLICY).toEqual({
    policy_id: 'default',
    max_cost_per_run_usd: null,
    max_latency_ms: null,
    max_error_rate: null,
    min_candidate_runs: null,
    min_baseline_runs: null,
    min_low_runs: null,
    require_high_diff_confidence: true,
  })
})

test.for([
  [[{ override: 3, agent_id: 'bot', keys: ['max_latency_ms'] }], [' (overrides[3]: agent_id bot)', '']],
  [[{ override: 0, agent_id: 'bot', keys: ['min_candidate_runs'] }], ['', ' (overrides[0]: agent_id bot)']],
  [[{ override: 0, agent_id: 'bot', keys: ['min_baseline_runs'] }], ['', ' (overrides[0]: agent_id bot)']],
  [[{ override: 0, environment: 'prod', keys: ['min_low_runs'] }], ['', ' (overrides[0]: environment prod)']],
  [[{ override: 0, environment: 'prod', keys: ['max_error_rate'] }], ['', '']],
] as const)('a reason names the override that set its limit: %j', ([rules, behind]) => {
  const strict = { ...DEFAULT_POLICY, max_latency_ms: 1000 }
  const mended = rules.map(rule => ({ ...rule, keys: [...rule.keys] }))
  expect(policyReasons(strict, candidate, LOW, [], mended)).toEqual([
    `candidate latency_ms_avg 1200.00 exceeds max 1000${behind[0]}`,
    `diff confidence is LOW (${LOW.confidence_reason}); promotion requires HIGH${behind[1]}`,
  ])
})

describe('a limit on what the candidate has no data for', () => {
  const all = { max_cost_per_run_usd: 0, max_latency_ms: 0, max_error_rate: 0 }
  test.for<readonly [Partial<Policy>, Partial<SideMetrics>, string[]]>([
    [{}, { runs: 0, latency_ms_avg: null }, []],
    [all, {}, []],
    [all, { latency_ms_avg: null }, ['max_latency_ms']],
    [all, { runs: 0 }, ['max_cost_per_run_usd', 'max_latency_ms', 'max_error_rate']],
    [{ max_latency_ms: 5 }, { runs: 0, latency_ms_avg: null }, ['max_latency_ms']],
    [all, { has_tokens: false }, ['max_cost_per_run_usd']],
    [all, { has_tokens: true }, []],
    [{ max_cost_increase_pct: 0.1 }, { has_tokens: false }, ['max_cost_increase_pct']],
    [{ max_cost_increase_pct: 0.1 }, { has_tokens: false, runs: 0 }, []],
  ])('is told of: %j with %j', ([limits, metrics, keys]) => {
    const policy = { ...DEFAULT_POLICY, ...limits }
    expect(unmeasuredLimits(policy, { ...candidate, ...metrics })).toEqual(
      keys.map(key => `${key} cannot be checked: the candidate has no data for it`),
    )
  })

  test('is told with its override', () => {
    const rules = [{ override: 1, environment: 'prod', keys: ['max_latency_ms'] }]
    const policy = { ...DEFAULT_POLICY, max_latency_ms: 0, max_error_rate: 0 }
    expect(unmeasuredLimits(policy, { ...candidate, runs: 0 }, rules)).toEqual([
      'max_latency_ms cannot be checked: the candidate has no data for it (overrides[1]: environment prod)',
      'max_error_rate cannot be checked: the candidate has no data for it',
    ])
  })
})

test.each([
  [{ latencies: 49 }, 5, ['max_latency_ms is decided by 49 of 500 runs: the others have no latency']],
  [{ latencies: 49 }, null, []],
  [{ latencies: 50 }, 5, []],
  [{ latencies: 0 }, 5, []],
  [{ runs: 49, latencies: 49 }, 5, []],
  [
    { runs: 49, latencies: 48 },
    5,
    ['max_latency_ms is decided by 48 of 49 runs: the others have no latency'],
  ],
] as const)('a limit on few latencies is told of: %j', (counts, max_latency_ms, warned) => {
  const all = { runs: 500, min_low_runs: 50, ...counts }
  expect(thinLimits({ ...DEFAULT_POLICY, max_latency_ms }, all)).toEqual(warned)
})

describe('a verdict', () => {
  const exceeded = reasonsFor({ max_latency_ms: 1000 })
  const confidence = reasonsFor({}, {}, LOW)
  const unmeasured = unmeasuredLimits({ ...DEFAULT_POLICY, max_latency_ms: 1 }, { ...candidate, runs: 0 })
  const unproven = ['too little evidence on latency_ms: the interval contains the limit']
  test.for([
    [true, [], 'pass'],
    [true, [FIRST_PROMOTION_REASON], 'pass'],
    [false, exceeded, 'block'],
    [false, confidence, 'inconclusive'],
    [false, unproven, 'inconclusive'],
    [false, unmeasured, 'inconclusive'],
    [false, [...confidence, ...unproven, ...unmeasured], 'inconclusive'],
    [false, [...confidence, ...exceeded], 'block'],
    [false, [...exceeded, ...unmeasured], 'block'],
    [false, ['prod is frozen: diff confidence is no matter'], 'block'],
  ] as const)('%s for %j is %s', ([passed, reasons, verdict]) => {
    expect(verdictOf({ passed, reasons })).toBe(verdict)
  })
})

describe('a decision came out', () => {
  test.for([
    ['passed', true, []],
    ['passed', true, ['something to mind']],
    ['first', true, [FIRST_PROMOTION_REASON]],
    ['forced', false, [FORCED_REASON]],
    ['not_yet', false, ['diff confidence is LOW (few); promotion requires HIGH']],
    ['not_yet', false, [nothingToCompare('bot', 'prod')]],
    ['blocked', false, [nothingToCompare('bot', 'prod'), 'prod is frozen']],
    ['blocked', false, ['candidate error_rate 0.1000 exceeds max 0.0500', 'diff confidence is LOW']],
    ['blocked', false, []],
  ] as const)('%s: %s for %j', ([result, passed, reasons]) => {
    expect(resultOf({ passed, reasons })).toBe(result)
  })
})

describe('a first promotion', () => {
  const never = 'bot has never had a live release in prod: nothing is compared, and no policy is evaluated.'
  test.for([
    ['prod', [], never],
    ['staging', [], `${never} The release was registered for staging.`],
    ['prod', ['eu', 'us'], `${never} The agent is promoted in eu, us.`],
    ['prd', [], `${never} The release was registered for prd. Did you mean prd?`],
    ['prod', ['prod1'], `${never} The agent is promoted in prod1.`],
    [
      'staging',
      ['prod2', 'eu'],
      `${never} The release was registered for staging. The agent is promoted in prod2, eu. Did you mean prod2?`,
    ],
  ] as const)('of a release for %s, promoted in %j', ([registered, promoted, text]) => {
    expect(firstPromotionText('bot', 'prod', { registered, promoted })).toBe(text)
  })

  test('leaves gates nothing to compare with', () => {
    expect(nothingToCompare('bot', 'prod')).toBe(
      'nothing is promoted for bot in prod, so there is nothing to compare with',
    )
  })
})

test('the reason of a first promotion is the text of the specification', () => {
  expect(FIRST_PROMOTION_REASON).toBe('first promotion: no promoted baseline for agent/environment')
})

describe('properties', () => {
  const limit = fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: null })
  const policies: fc.Arbitrary<Policy> = fc.record({
    policy_id: fc.constant('p'),
    max_cost_per_run_usd: limit,
    max_latency_ms: fc.option(fc.nat(2000), { nil: null }),
    max_error_rate: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
    min_candidate_runs: fc.constant(null),
    min_baseline_runs: fc.constant(null),
    min_low_runs: fc.constant(null),
    require_high_diff_confidence: fc.boolean(),
  })
  const labels = fc
    .constantFrom<Confidence>('HIGH', 'MEDIUM', 'LOW')
    .map(confidence => ({ confidence, confidence_reason: confidence === 'HIGH' ? null : 'few runs' }))
  const LIMITS = ['max_cost_per_run_usd', 'max_latency_ms', 'max_error_rate'] as const

  test('adding a limit never turns a failing verdict into a passing one', () => {
    fc.assert(
      fc.property(policies, sideMetrics, labels, fc.constantFrom(...LIMITS), (policy, side, label, added) => {
        const before = policyReasons({ ...policy, [added]: null }, side, label)
        expect(policyReasons(policy, side, label)).toEqual(expect.arrayContaining(before))
      }),
    )
  })

  test('a lower limit never passes what a higher one blocks', () => {
    fc.assert(
      fc.property(
        policies,
        sideMetrics,
        labels,
        fc.constantFrom(...LIMITS),
        (policy, side, label, lowered) => {
          const higher = policyReasons(policy, side, label)
          const tighter = {
            ...policy,
            [lowered]: policy[lowered] === null ? null : Math.floor(policy[lowered] / 2),
          }
          expect(policyReasons(tighter, side, label).length).toBeGreaterThanOrEqual(higher.length)
        },
      ),
    )
  })

  test('a reason never shows a value that reads like its limit', () => {
    fc.assert(
      fc.property(policies, sideMetrics, labels, (policy, side, label) => {
        const compared = policyReasons(policy, side, label)
          .map(reason => / (\S+) exceeds max (\S+)$/.exec(reason))
          .filter(match => match !== null)
        expect(compared.filter(([, value, max]) => !(Number(value) > Number(max)))).toEqual([])
      }),
    )
  })
})
