import { hoursText, lastedText } from '../../../src/base/text.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import type { MissingEvidence, Policy } from '../../../src/models/documents/policy.ts'
import type { DiffStatistics } from '../../../src/models/answers/statistics.ts'
import { adviseLimits } from '../../../src/features/advice/rules.ts'
import { diffStatistics, plannedBy } from '../../../src/rules/diff_statistics.ts'
import { decideLimits } from '../../../src/rules/limits.ts'
import {
  comingPerHour,
  hoursUntil,
  missingEvidence,
  missingText,
  runsPerHour,
} from '../../../src/rules/missing_evidence.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import type { MetricStatistics } from '../../../src/rules/statistics/metric.ts'
import { STATISTICS } from './decisions/evidence_of.ts'
import { estimate, metricOf } from './statistics/metric_of.ts'

const DAY = { since: 0, until: 24 * HOUR_MS }
const THRESHOLDS = { min_candidate_runs: 500, min_baseline_runs: 600, min_low_runs: 50 }
const HIGH = { confidence: 'HIGH', confidence_reason: null } as const
const LOW = { confidence: 'LOW', confidence_reason: 'few' } as const

describe('the rate of a side', () => {
  const hours = (from: number, to: number) => ({ first: from * HOUR_MS, last: to * HOUR_MS })
  test.each<[string, number, Parameters<typeof runsPerHour>[1], number | null]>([
    ['counts the time in which there was traffic', 2000, hours(2, 6), 500],
    ['all of the window, if there was always', 2400, hours(0, 24), 100],
    ['only what of it is in the window', 600, hours(-5, 6), 100],
    ['an hour at least: a burst is no rate', 300, { first: HOUR_MS, last: HOUR_MS + MINUTE_MS }, 300],
    ['an hour too where it is not known when they ran', 30, undefined, 30],
    ['is unknown without runs', 0, undefined, null],
  ])('%s', (_, runs, span, expected) => {
    expect(runsPerHour(runs, span, DAY)).toBe(expected)
  })

  test('is of the window where that is shorter than an hour', () => {
    expect(runsPerHour(100, { first: 0, last: MINUTE_MS }, { since: 0, until: 10 * MINUTE_MS })).toBe(600)
  })

  test('at which further runs come is 0 where none came in the last day', () => {
    expect(comingPerHour(500, hours(-90, 0), DAY)).toBe(0)
    expect(comingPerHour(2400, hours(0, 24), DAY)).toBe(100)
    expect(comingPerHour(0, undefined, DAY)).toBe(null)
  })

  test.each([
    [{ baseline: 0, candidate: 100 }, { baseline: 10, candidate: 50 }, 2],
    [{ baseline: 100, candidate: 100 }, { baseline: 10, candidate: 50 }, 10],
    [{ baseline: 0, candidate: 100 }, { baseline: null, candidate: 50 }, 2],
    [{ baseline: 0, candidate: 100 }, { baseline: 10, candidate: null }, null],
    [{ baseline: null, candidate: 100 }, { baseline: 10, candidate: 10 }, null],
    [{ baseline: 0, candidate: 0 }, { baseline: null, candidate: null }, 0],
    [{ baseline: 100, candidate: 100 }, { baseline: 0, candidate: 10 }, null],
  ])('says when %o more runs are there at %o an hour: in %s h', (missing, perHour, expected) => {
    expect(hoursUntil(missing, perHour)).toBe(expected)
  })
})

/** What is missing for a limit on the cost, with these statistics of it. */
function missingOf(
  cost: Partial<MetricStatistics>,
  more: Partial<Parameters<typeof missingEvidence>[0]> = {},
) {
  const policy: Policy = { ...DEFAULT_POLICY, max_cost_increase_pct: 0.1, ...more.policy }
  const measured: DiffStatistics = {
    ...(more.statistics ?? STATISTICS),
    cost_per_run_usd: metricOf({ candidate_runs: 400, ...cost }),
  }
  return missingEvidence({
    thresholds: THRESHOLDS,
    label: HIGH,
    runs: { baseline: 500, candidate: 400 },
    per_hour: { baseline: 100, candidate: 50 },
    window: DAY,
    shared: null,
    ...more,
    policy,
    statistics: { ...measured, limits: decideLimits(policy, measured) },
  })
}

const HALF = {
  by: 'common_time',
  baseline_mean: 100,
  candidate_mean: 100,
  baseline_share: 0.1,
  candidate_share: 0.5,
  units: 12,
} as const
const WIDE = { relative_change: estimate(0.05, 0.15) }
const needs = (runs_per_side: number | null) => ({
  runs_needed: { limit: 0.1, runs_per_side, candidate_runs: null, candidate_runs_missing: null },
})
const RATES = { baseline_runs_per_hour: 100, candidate_runs_per_hour: 50 }

describe('what is missing', () => {
  test.each<[string, ReturnType<typeof missingOf>, Partial<MissingEvidence> | undefined]>([
    [
      'runs of both sides for an interval that holds the limit',
      missingOf({ ...WIDE, ...needs(1000) }),
      { baseline_runs_needed: 500, candidate_runs_needed: 600, hours: 12, window: null, ...RATES },
    ],
    [
      'and a window that holds them at this rate',
      missingOf({ ...WIDE, ...needs(2000) }),
      { baseline_runs_needed: 1500, candidate_runs_needed: 1600, hours: 32, window: '40h' },
    ],
    [
      'no runs beyond ten times those that there are: what this traffic could decide',
      missingOf({ ...WIDE, ...needs(4001), smallest_provable_limit: 0.3 }),
      {
        baseline_runs_needed: null,
        candidate_runs_needed: null,
        hours: null,
        window: null,
        beyond_traffic: [{ policy_key: 'max_cost_increase_pct', limit: 0.1, smallest_provable_limit: 0.3 }],
      },
    ],
    [
      'no runs where days differ, but that they do',
      missingOf({
        ...WIDE,
        ...needs(1000),
        matched: { ...HALF, by: 'same_hours', baseline_runs: 50, candidate_runs: 200, days_differ: true },
      }),
      { baseline_runs_needed: null, hours: null, because: ['the days differ in cost'] },
    ],
    [
      'ten times as many at the most',
      missingOf({ ...WIDE, ...needs(4000) }),
      { baseline_runs_needed: 3500, candidate_runs_needed: 3600 },
    ],
    [
      'of runs that carry the metric, which a half of them does',
      missingOf({ ...WIDE, ...needs(400), baseline_runs: 250, candidate_runs: 200 }),
      { baseline_runs_needed: 300, candidate_runs_needed: 400 },
    ],
    [
      'none, where there are as many',
      missingOf({ ...WIDE, ...needs(300) }),
      { baseline_runs_needed: 0, hours: 0 },
    ],
    [
      'unknown for calls of tools, of which the newest runs alone are read',
      missingOf(
        {},
        {
          policy: { ...DEFAULT_POLICY, max_cost_increase_pct: null, max_tool_calls_increase_pct: 0.1 },
          runs: { baseline: 50_000, candidate: 50_000 },
          statistics: {
            ...STATISTICS,
            tools: {
              calls_per_run: metricOf({
                ...WIDE,
                ...needs(20_000),
                baseline_runs: 10_000,
                candidate_runs: 10_000,
              }),
              tools: [],
            },
          },
        },
      ),
      undefined,
    ],
    ['unknown, where no number suffices', missingOf({ ...WIDE, ...needs(null) }), undefined],
    [
      'the fewest for a claim',
      missingOf(
        { baseline_runs: 5, candidate_runs: 4, ...needs(null) },
        { runs: { baseline: 5, candidate: 4 } },
      ),
      { baseline_runs_needed: 5, candidate_runs_needed: 6 },
    ],
    [
      'runs at all',
      missingOf(
        { candidate_runs: 0, difference: null, ...needs(null) },
        { runs: { baseline: 500, candidate: 0 } },
      ),
      { baseline_runs_needed: 0, candidate_runs_needed: 10 },
    ],
    [
      'unknown, of a metric that no run carries',
      missingOf({ candidate_runs: 0, difference: null }),
      undefined,
    ],
    [
      'runs of the small skewed side: 100 times the square of its variation, or a fourth of the other',
      missingOf({
        candidate_runs: 400,
        baseline_runs: 9000,
        candidate_stddev: 300,
        is_skewed_small_candidate: true,
      }),
      { baseline_runs_needed: 0, candidate_runs_needed: 500 },
    ],
    [
      'twice as many where half of them are compared',
      missingOf({
        candidate_runs: 400,
        baseline_runs: 90_000,
        candidate_stddev: 300,
        is_skewed_small_candidate: true,
        matched: { ...HALF, baseline_runs: 9000, candidate_runs: 200 },
      }),
      { baseline_runs_needed: 0, candidate_runs_needed: 1400 },
    ],
    [
      'the same of the baseline, of which a fourth is less',
      missingOf({
        baseline_runs: 500,
        candidate_runs: 2400,
        baseline_stddev: 300,
        relative_change: estimate(0.2, 0.5),
        is_skewed_small_baseline: true,
      }),
      { baseline_runs_needed: 100, candidate_runs_needed: 0 },
    ],
    [
      'nothing but a window in which both ran',
      missingOf({ ...WIDE, ...needs(1000), comparability_doubt: 'not_comparable' }, { shared: '7h' }),
      { baseline_runs_needed: null, candidate_runs_needed: null, hours: null, window: '7h' },
    ],
    [
      'runs, where the sides ran at other times and the interval is too wide as well',
      missingOf({ ...WIDE, ...needs(1000), comparability_doubt: 'not_comparable' }),
      { baseline_runs_needed: 500 },
    ],
    ['no runs, where it is not', missingOf({ comparability_doubt: 'too_few_blocks' }), undefined],
    [
      'runs for confidence',
      missingOf({}, { label: LOW }),
      { baseline_runs_needed: 100, candidate_runs_needed: 100, hours: 2, window: null },
    ],
    [
      'the most of all that is missing, of each side',
      missingOf({ ...WIDE, ...needs(550) }, { label: LOW }),
      { baseline_runs_needed: 100, candidate_runs_needed: 150 },
    ],
  ])('%s', (_, found, expected) => {
    if (expected === undefined) expect(found).toBeUndefined()
    else expect(found).toMatchObject(expected)
  })

  test('of a percentile is the fewest runs that know it', () => {
    const policy = { ...DEFAULT_POLICY, max_latency_p99_ms: 900 }
    const unknown = { baseline: null, candidate: null, difference: null }
    const percentiles = { p50: unknown, p90: unknown, p95: unknown, p99: unknown, known_since: null }
    const statistics = {
      ...STATISTICS,
      latency_percentiles: percentiles,
      latency_ms: metricOf({ candidate_runs: 100 }),
    }
    const found = missingEvidence({
      policy,
      thresholds: THRESHOLDS,
      label: HIGH,
      runs: { baseline: 500, candidate: 100 },
      per_hour: { baseline: 100, candidate: 50 },
      window: DAY,
      shared: null,
      statistics: { ...statistics, limits: decideLimits(policy, statistics) },
    })
    expect(found).toMatchObject({ baseline_runs_needed: 0, candidate_runs_needed: 281 })
  })
})

test('a gate and advice name the same runs per side', () => {
  const spread = fc.integer({ min: 1, max: 400 })
  const runs = fc.integer({ min: 5, max: 60 })
  fc.assert(
    fc.property(
      spread,
      runs,
      fc.boolean(),
      fc.integer({ min: 1, max: 3 }),
      (size, each, sequential, limits) => {
        const aggregates = Array.from({ length: 24 }, (_, block) => {
          const values = Array.from({ length: each }, (_unused, index) => 1000 + ((index * 37) % 7) * size)
          return {
            agent_id: 'bot',
            provider: 'acme',
            model: 'm1',
            block,
            runs: each,
            errors: 0,
            latency_count: each,
            latency_sum_ms: values.reduce((sum, value) => sum + value, 0),
            latency_sum_ms2: values.reduce((sum, value) => sum + value * value, 0),
            input_tokens: 0,
            output_tokens: 0,
            cached_input_tokens: 0,
            token_products: [0, 0, 0, 0, 0, 0],
          }
        })
        const side = { aggregates, rates: new Map() }
        const policy: Policy = {
          ...DEFAULT_POLICY,
          sequential,
          max_latency_increase_pct: 0.1,
          ...(limits > 1 ? { max_cost_increase_pct: 0.1 } : {}),
          ...(limits > 2 ? { max_error_rate_increase: 0.02 } : {}),
        }
        const question = { policy, thresholds: THRESHOLDS, sequential, window: DAY }
        const { latency_ms } = diffStatistics(side, side, question)
        const advice = adviseLimits(side, plannedBy(policy, THRESHOLDS), 100)
        expect(advice.limits_at_once).toBe(limits)
        const [, latency] = advice.metrics
        const tenth = latency!.limits.find(({ limit }) => limit === 0.1)!
        expect(latency_ms.runs_needed.runs_per_side).toBe(tenth.runs_per_side)
        expect(tenth.days).toBeCloseTo((2 * tenth.runs_per_side!) / 2400, 9)
      },
    ),
  )
})

describe('in words', () => {
  const of = (baseline: number | null, candidate: number | null, more: Partial<MissingEvidence> = {}) =>
    missingText({
      baseline_runs_needed: baseline,
      candidate_runs_needed: candidate,
      ...RATES,
      hours: 10,
      window: null,
      ...more,
    })

  test.each([
    [of(250, 250), 'It takes about 250 more runs of each side, about 10 h at the present rate.'],
    [
      of(1250, 300, { window: '3d' }),
      'It takes about 1,250 more runs of the baseline and 300 of the candidate, about 10 h at the present rate, and a window of 3d.',
    ],
    [of(0, 1), 'It takes about 1 more run of the candidate, about 10 h at the present rate.'],
    [of(9, 0), 'It takes about 9 more runs of the baseline, about 10 h at the present rate.'],
    [
      of(0, 9, { hours: null, candidate_runs_per_hour: null }),
      'It takes about 9 more runs of the candidate; the candidate has no runs in this window yet.',
    ],
    [
      of(9, 9, { hours: null, baseline_runs_per_hour: null }),
      'It takes about 9 more runs of each side; the baseline has no runs in this window yet.',
    ],
    [
      of(0, 0, { hours: 0 }),
      'There are as many runs as an unchanged release usually needs; more may decide it.',
    ],
    [of(null, null, { hours: null, window: '7h' }), 'Ask with a window of 7h, in which both sides ran.'],
    [
      of(250, 250, { hours: null, baseline_runs_per_hour: 0 }),
      'There are too few runs, and the baseline had none in the last day: run both releases at once.',
    ],
    [
      of(null, null, {
        hours: null,
        beyond_traffic: [
          { policy_key: 'max_cost_increase_pct', limit: 0.1, smallest_provable_limit: 0.324 },
          { policy_key: 'max_error_rate_increase', limit: 0.02, smallest_provable_limit: null },
        ],
      }),
      'max_cost_increase_pct +10.0 % is not decided with this traffic; the smallest limit that these runs could decide is +32.4 %. ' +
        'max_error_rate_increase +0.0200 is not decided with this traffic.',
    ],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected)
  })

  test.each([
    [0.001, 'about 1 min'],
    [0.66, 'about 40 min'],
    [1, 'about 1 h'],
    [9.2, 'about 10 h'],
    [47.9, 'about 48 h'],
    [48, 'about 2 days'],
    [100, 'about 5 days'],
  ])('%d hours are %s', (hours, expected) => {
    expect(hoursText(hours)).toBe(expected)
  })

  test.each([
    [0.001, 'about 1 min'],
    [1.01, 'about 61 min'],
    [2.4, 'about 2 h'],
    [47.9, 'about 48 h'],
    [60, 'about 3 days'],
    [50, 'about 2 days'],
  ])('%d hours that are over are %s', (hours, expected) => {
    expect(lastedText(hours)).toBe(expected)
  })
})
