import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../../src/models/documents/policy.ts'
import type { EvaluatedEvidence, Evidence } from '../../../../src/rules/evidence.ts'
import { type StoredPolicy, DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { suppose, supposedQuestion } from '../../../../src/features/explain/rules_what_if.ts'
import { FIRST_PROMOTION_REASON, FORCED_REASON } from '../../../../src/rules/result.ts'
import { estimate, metricOf } from '../../rules/statistics/metric_of.ts'
import {
  BY_OVERRIDE,
  CONDITIONS,
  DECIDED,
  FIRST,
  FREEZE,
  FROZEN,
  NO_CANDIDATE,
  ROSE,
  SCOPE,
  STATISTICS,
  evaluated,
  sideOf,
} from '../../rules/decisions/evidence_of.ts'

const NOW = { min_candidate_runs: 11, min_baseline_runs: 12, min_low_runs: 13 }
const LAX: Policy = { ...DEFAULT_POLICY, require_high_diff_confidence: false }
const limitedBy = (limits: Partial<Policy>) => ({ policy: { ...LAX, ...limits } })

const scoreOf = (name: string) => ({
  name,
  baseline: estimate(0.9, 1),
  candidate: estimate(0.9, 1),
  change: metricOf({ min_runs: 10 }),
})

const by = (evidence: Evidence, policy: StoredPolicy) =>
  suppose(evidence, DECIDED, supposedQuestion(evidence, policy, NOW), CONDITIONS)
const questionOf = (evaluation: Partial<EvaluatedEvidence>, limits: Partial<Policy>) =>
  supposedQuestion(evaluated(evaluation), limitedBy(limits), NOW)
const unknownOf = (evaluation: Partial<EvaluatedEvidence>, limits: Partial<Policy>) =>
  Object.fromEntries(questionOf(evaluation, limits).unknown)

test('another policy is not asked of a first promotion either, and a freeze goes on to block', () => {
  const strict = limitedBy({ max_latency_p99_ms: 1 })
  expect(by(FIRST, strict)).toEqual({ passed: true, reasons: [FIRST_PROMOTION_REASON], unknown: [] })
  const frozen = { ...FIRST, gates: { freeze: [FREEZE] } }
  expect(by(frozen, strict)).toEqual({ passed: false, reasons: [FROZEN], unknown: [] })
  expect(supposedQuestion(FIRST, strict, NOW)).toEqual({
    effective: strict,
    thresholds: NOW,
    statistics: undefined,
    unknown: new Map(),
  })
})

test('runs whose usage is incomplete hold up a promotion by another policy, and no rollback', () => {
  const [candidate, incomplete] = [sideOf(400), sideOf(20)]
  const variants = [...candidate.variants, { ...incomplete.variants[0]!, model: 'm1 (usage incomplete)' }]
  const ended = (statistics: Partial<typeof STATISTICS>) =>
    evaluated({ candidate: { ...candidate, variants }, statistics: { ...STATISTICS, ...statistics } })
  const limited = limitedBy({ max_cost_per_run_usd: 1 })
  const reason =
    'candidate: the usage of 20 of 420 runs (4.8 %) is incomplete, more than the 2 % with which limits on cost are decided'
  expect(by(ended({}), limited)).toEqual({ passed: false, reasons: [reason], unknown: [] })
  expect(by(ended({ of_rollback: true }), limited)).toEqual({ passed: true, reasons: [], unknown: [] })
})

describe('another policy', () => {
  const latency = 'candidate latency_ms_avg 120.00 exceeds max 119'
  test.for<readonly [Partial<Evidence>, Partial<Policy>, boolean | null, string[]]>([
    [{}, { max_latency_ms: 120 }, true, []],
    [{}, { max_latency_ms: 119 }, false, [latency]],
    [{ gates: { freeze: [FREEZE] } }, { max_latency_ms: 119 }, false, [latency, FROZEN]],
    [{ forced: true }, {}, false, [FORCED_REASON]],
    [{}, { max_latency_increase_pct: 0.12 }, true, []],
    [
      {},
      { max_latency_increase_pct: 0.07 },
      false,
      [
        'candidate latency_ms +10.0 % [+8.0 %, +12.0 %] exceeds max_latency_increase_pct +7.0 % ' +
          '(n 500 baseline, 500 candidate)',
      ],
    ],
    [
      {},
      { require_high_diff_confidence: true },
      false,
      ['diff confidence is MEDIUM (candidate sample < 500 runs); promotion requires HIGH'],
    ],
  ])('on %j, of %j: %s', ([more, limits, passed, reasons]) => {
    expect(by(evaluated({}, more), limitedBy(limits))).toEqual({ passed, reasons, unknown: [] })
  })

  test('names its override', () => {
    const found = by(evaluated(), { ...limitedBy({ max_latency_ms: 119 }), scope: SCOPE })
    expect(found.reasons).toEqual([latency + BY_OVERRIDE])
  })

  test.for([
    [{}, true, []],
    [
      { strict: true },
      false,
      [`max_latency_ms cannot be checked: the candidate has no data for it${BY_OVERRIDE}`],
    ],
  ] as const)('on what has no data: %j', ([more, passed, reasons]) => {
    const scoped = { ...limitedBy({ max_latency_ms: 1 }), scope: SCOPE }
    expect(by(evaluated(NO_CANDIDATE, more), scoped)).toEqual({ passed, reasons, unknown: [] })
  })

  test('tells nothing where a limit is not known, but that a known one blocks', () => {
    const statistics = { ...STATISTICS, latency_percentiles: null }
    const why = "max_latency_p95_ms can't be told: it wasn't measured, because no policy limited it then"
    expect(by(evaluated({ statistics }), limitedBy({ max_latency_p95_ms: 1 }))).toEqual({
      passed: null,
      reasons: [],
      unknown: [why],
    })
    expect(by(evaluated({ statistics }), limitedBy({ max_latency_p95_ms: 1, max_latency_ms: 119 }))).toEqual({
      passed: false,
      reasons: [latency],
      unknown: [why],
    })
  })
})

describe('sample sizes that the policy leaves open', () => {
  const then = { min_candidate_runs: 1, min_baseline_runs: 2, min_low_runs: 3 }
  test('are those that the workspace had then', () => {
    expect(questionOf({ workspace_thresholds: then }, {}).thresholds).toEqual(then)
    expect(questionOf({ workspace_thresholds: then }, { min_low_runs: 7 }).thresholds).toEqual({
      ...then,
      min_low_runs: 7,
    })
  })
})

describe('the fewest runs for a claim', () => {
  test.for([
    [{}, 50],
    [{ min_low_runs: 5 }, 10],
    [{ min_low_runs: 77 }, 77],
    [{ min_low_runs: 5, sequential: true }, 50],
  ] as const)('are those of the new policy: %j', ([limits, min_runs]) => {
    const { statistics } = questionOf({}, limits)
    const metric = { ...ROSE, min_runs }
    expect(statistics).toEqual({
      ...STATISTICS,
      cost_per_run_usd: metric,
      latency_ms: metric,
      error_rate: metric,
      tools: { calls_per_run: metric, tools: [] },
    })
  })

  test('count for scores of runs, and not for those of cases', () => {
    const scores = ['quality', 'regression/quality'].map(name => scoreOf(name))
    const { statistics } = questionOf({ statistics: { ...STATISTICS, scores } }, { min_low_runs: 77 })
    expect(statistics!.scores!.map(({ change }) => change.min_runs)).toEqual([77, 10])
  })

  test('where tools were not measured, they are not', () => {
    expect(questionOf({ statistics: { ...STATISTICS, tools: null } }, {}).statistics!.tools).toBeNull()
  })
})

describe('what the evidence does not tell of limits', () => {
  const ALL = {
    max_cost_increase_pct: 1,
    max_latency_increase_pct: 1,
    max_error_rate_increase: 1,
    max_latency_p95_ms: 1,
    max_latency_p99_ms: 1,
    max_tool_calls_increase_pct: 0,
    min_scores: { quality: 0.9 },
    max_score_drop: { quality: 0.1 },
  }
  const unknowns = (keys: readonly string[], problem: string) =>
    Object.fromEntries(keys.map(key => [key, `${key} can't be told: ${problem}`]))
  const CHANGES = Object.keys(ALL).filter(key => key.includes('increase'))

  test('is nothing where all was measured, and of limits that are not set', () => {
    expect(unknownOf({}, ALL)).toEqual({})
    expect(unknownOf({ statistics: { ...STATISTICS, latency_percentiles: null, tools: null } }, {})).toEqual(
      {},
    )
  })

  test('is what no policy limited then', () => {
    const problem = "it wasn't measured, because no policy limited it then"
    const statistics = { ...STATISTICS, latency_percentiles: null, tools: null }
    expect(unknownOf({ statistics }, ALL)).toEqual(
      unknowns(['max_latency_p95_ms', 'max_latency_p99_ms', 'max_tool_calls_increase_pct'], problem),
    )
  })

  test('is every change, where it wants intervals of the other kind', () => {
    expect(unknownOf({}, { ...ALL, sequential: true })).toEqual(
      unknowns(
        CHANGES,
        'the intervals of the decision are for one check, and this policy wants sequential ones',
      ),
    )
    const metric = metricOf({ interval: 'sequential' })
    const sequential = { cost_per_run_usd: metric, latency_ms: metric, error_rate: metric }
    const statistics = { ...STATISTICS, ...sequential, tools: { calls_per_run: metric, tools: [] } }
    expect(unknownOf({ statistics }, { ...ALL, sequential: true })).toEqual({})
    expect(unknownOf({ statistics }, { ...ALL, sequential: false })).toEqual(
      unknowns(
        CHANGES,
        'the intervals of the decision are sequential, and this policy wants those for one check',
      ),
    )
  })

  test.for([
    ['quality', true, ['min_scores', 'max_score_drop']],
    ['quality', false, []],
    ['other', true, []],
  ] as const)(
    'is a limit on the score %s, where the policy wants sequential intervals: %s',
    ([name, sequential, keys]) => {
      const limits = { min_scores: { quality: 0.9 }, max_score_drop: { quality: 0.1 }, sequential }
      const statistics = { ...STATISTICS, scores: [scoreOf(name)] }
      const problem = 'the intervals of the decision are for one check, and this policy wants sequential ones'
      expect(unknownOf({ statistics }, limits)).toEqual(unknowns(keys, problem))
    },
  )

  test('is no change of a side without runs: there is no interval of any kind', () => {
    const none = metricOf({ difference: null, relative_change: null })
    const statistics = { ...STATISTICS, cost_per_run_usd: none, latency_ms: none, error_rate: none }
    expect(
      unknownOf({ statistics, candidate: sideOf(0) }, { max_latency_increase_pct: 1, sequential: true }),
    ).toEqual({})
  })
})

describe('runs without a price, which another policy let pass', () => {
  const unpriced = { ...sideOf(10), rates: [] }
  const other = { ...unpriced, variants: ['b', 'c', 'd'].map(model => ({ ...unpriced.variants[0]!, model })) }
  test.for<readonly [Partial<EvaluatedEvidence>, Partial<Policy>, string | undefined]>([
    [{}, {}, undefined],
    [{ candidate: unpriced }, { unpriced: 'exclude' }, undefined],
    [{ candidate: unpriced }, {}, 'there was no price for m1, which this policy refuses'],
    [{ baseline: unpriced }, { unpriced: 'refuse' }, 'there was no price for m1, which this policy refuses'],
    [{ baseline: unpriced, candidate: unpriced }, {}, 'there was no price for m1, which this policy refuses'],
    [
      { baseline: unpriced, candidate: other },
      {},
      'there was no price for m1, b, c and 1 more, which this policy refuses',
    ],
  ])('%#: %j', ([evaluation, limits, unknown]) => {
    expect(unknownOf(evaluation, limits)).toEqual(unknown === undefined ? {} : { unpriced: unknown })
  })
})
