import { assert, constantFrom, double, nat, property, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DiffStatistics } from '../../../src/models/answers/statistics.ts'
import { causeText } from '../../../src/rules/cause_words.ts'
import { type Compared, changeSentence } from '../../../src/rules/change_sentence.ts'
import { decideLimits, waivedLimits } from '../../../src/rules/limits.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { timeWarnings } from '../../../src/rules/common_time.ts'
import { missingEvidence, missingText } from '../../../src/rules/missing_evidence.ts'
import { NOON } from '../../support/services/service.ts'

const RUNS = { baseline_runs: 100, candidate_runs: 100, runs_needed: { runs_per_side: 900 } }
const SAME = { verdict: 'no_difference', inconclusive_because: null, ...RUNS }
const moved = (first_block: number, end_block: number, rest: number, here: number) => ({
  moved: {
    first_block,
    end_block,
    share: 0.93,
    baseline_rest: 0.01,
    baseline_mean: 0.011,
    candidate_rest: rest,
    candidate_mean: here,
  },
})
const of = (matched: object): Compared =>
  ({
    cost_per_run_usd: SAME,
    latency_ms: SAME,
    error_rate: { verdict: 'inconclusive', inconclusive_because: 'interval_too_wide', matched, ...RUNS },
    compared: {
      by: 'common_time',
      since: '2026-03-01T06:00:00.000Z',
      until: '2026-03-01T14:00:00.000Z',
      block_minutes: 20,
    },
  }) as unknown as Compared

test.each([
  [
    moved(22, 24, 0.008, 0.3),
    'error rate of the candidate moved from 0.8 % to 30.0 % at 2026-03-01 13:20 UTC (ask with a window of 40m)',
  ],
  [
    moved(4, 5, 0.01, 0.5),
    '20 min from 2026-03-01 07:20 UTC make 93 % of the spread of error rate (candidate: 50.0 %, else 1.0 %)',
  ],
  [{ days_differ: true }, 'the days differ in error rate'],
])('%j is the reason, not too few runs', (matched, text) => {
  expect(causeText('error_rate', of(matched))).toBe(text)
  expect(changeSentence('2', '1', of(matched))).toBe(
    `Cost and latency are unchanged from 1 to 2; nothing is proven about errors, because ${text}.`,
  )
})

test('without such a part the interval is too wide', () => {
  expect(causeText('error_rate', of({}))).toBeUndefined()
  expect(changeSentence('2', '1', of({}))).toMatch(/because the interval is too wide\.$/)
})

/** Statistics of 400 runs a side over 8 hours, of which latency can't be compared. */
const apart = (
  matched: object,
  {
    compared = {},
    errors = 'not_comparable',
    latency = 1_000,
    runs = 400,
    doubt = 'not_comparable',
  }: {
    readonly compared?: object
    readonly errors?: 'not_comparable' | null
    readonly latency?: number
    readonly runs?: number
    readonly doubt?: 'not_comparable' | 'too_few_runs'
  } = {},
): DiffStatistics => {
  const metric = (inconclusive_because: string | null) => ({
    verdict: inconclusive_because === null ? 'no_difference' : 'inconclusive',
    inconclusive_because,
    ...RUNS,
    comparability_doubt: inconclusive_because === null ? null : 'not_comparable',
    baseline_runs: runs,
    candidate_runs: runs,
    baseline_mean: latency,
    candidate_mean: latency,
    min_runs: 50,
    difference: null,
    relative_change: null,
    is_skewed_small_candidate: false,
    runs_needed: { limit: 0.1, runs_per_side: 900, candidate_runs: 900, candidate_runs_missing: 500 },
    matched: { by: 'common_time', candidate_share: 1, baseline_share: 1, units: 12, ...matched },
  })
  return {
    cost_per_run_usd: metric(null),
    latency_ms: metric(doubt),
    error_rate: metric(errors),
    of_succeeded: true,
    compared: {
      by: 'common_time',
      since: '2026-03-01T06:00:00.000Z',
      until: '2026-03-01T14:00:00.000Z',
      block_minutes: 20,
      ...compared,
    },
  } as unknown as DiffStatistics
}

const CAUSES: readonly (readonly [string, DiffStatistics, string])[] = [
  [
    'other tenants, by time',
    apart({ candidate_share: 0, units: 0 }, { compared: { other_tenants: true } }),
    'the two releases served different tenants',
  ],
  [
    'other tenants, of few runs',
    apart(
      { candidate_share: 0, units: 0 },
      { compared: { other_tenants: true }, runs: 30, doubt: 'too_few_runs' },
    ),
    'the two releases served different tenants',
  ],
  [
    'other tasks',
    apart({ by: 'task', candidate_share: 0.127 }),
    "only 12 % of the candidate's runs are of tasks that the baseline served in the same hours (it takes 50 %)",
  ],
  [
    'too few tenants',
    apart({ by: 'tenant', units: 2.34 }),
    'the runs are of too few tenants in too few hours: 2.3 of 6 units',
  ],
  [
    'runs too long',
    apart({ units: 4 }, { errors: null, latency: 900_000 }),
    'runs take about 15 min, and both releases ran for about 8 h',
  ],
  [
    'other times',
    apart({ candidate_share: 0.2 }),
    "only 20 % of the candidate's runs are of times in which the baseline ran too (it takes 50 %)",
  ],
  [
    'times that hardly meet',
    apart({ candidate_share: 0.004 }),
    "hardly any of the candidate's runs are of times in which the baseline ran too (it takes 50 %)",
  ],
  [
    'times that never meet',
    apart({ candidate_share: 0, units: 0 }, { compared: { until: '2026-03-01T06:00:00.000Z' } }),
    'the two releases never ran at once',
  ],
  [
    'too short a time',
    apart({ units: 4 }),
    'both releases ran at once for about 8 h, and about 12 h are needed',
  ],
  [
    'runs that all lie in one block of time',
    apart({ units: 0 }, { compared: { until: '2026-03-01T06:00:32.528Z', block_minutes: 1 } }),
    'both releases ran at once for about 1 min, and about 10 min are needed',
  ],
  [
    'a minute of runs, whose hour goes on without any',
    apart({ units: 0 }, { compared: { until: '2026-03-01T06:08:00.000Z', block_minutes: 1 } }),
    'both releases ran at once for about 1 min, and about 10 min are needed',
  ],
  [
    'seconds of runs, half of them under way when the younger release began',
    apart(
      { candidate_share: 0.48, units: 0 },
      { compared: { until: '2026-03-01T06:00:04.000Z', block_minutes: 1 } },
    ),
    'both releases ran at once for about 1 min, and about 10 min are needed',
  ],
  [
    'a few minutes of runs, whose hour goes on without any',
    apart({ units: 3 }, { compared: { until: '2026-03-01T06:45:00.000Z', block_minutes: 1 } }),
    'both releases ran at once for about 3 min, and about 10 min are needed',
  ],
]

describe.each(CAUSES)('%s', (_, statistics, cause) => {
  const policy = { ...DEFAULT_POLICY, require_high_diff_confidence: false, max_latency_increase_pct: 0.1 }

  test('is the one cause', () => {
    const others = CAUSES.map(([, , text]) => text).filter(text => text !== cause)
    const said = [causeText('latency_ms', statistics)!, changeSentence('2', '1', statistics)]
    expect(said[0]).toBe(cause)
    expect(said[1]).toContain(`because ${cause}`)
    for (const text of [...others, 'too few runs', 'the releases share too little']) {
      expect(said.filter(words => words.includes(text))).toEqual([])
    }
  })

  test('is what a limit says that passes undecided', () => {
    const byEstimate = { ...policy, on_inconclusive: 'pass' as const }
    expect(waivedLimits(decideLimits(byEstimate, statistics), [], statistics)).toEqual([
      `max_latency_increase_pct passes by on_inconclusive alone: ${cause}`,
    ])
  })

  test('is the reason of the limit, and no runs are asked for', () => {
    const limits = decideLimits(policy, statistics)
    expect(limits).toMatchObject([
      {
        passed: false,
        reason: expect.stringMatching(
          /^too little evidence on latency_ms: not comparable yet against max_lat.*\)$/,
        ),
      },
    ])
    expect(limits[0]!.reason!.endsWith(`; ${cause})`)).toBe(true)
    const missing = missingEvidence({
      policy,
      thresholds: { min_baseline_runs: 500, min_candidate_runs: 500, min_low_runs: 50 },
      label: { confidence: 'LOW', confidence_reason: null },
      statistics: { ...statistics, limits },
      runs: { baseline: 400, candidate: 400 },
      per_hour: { baseline: 50, candidate: 50 },
      window: { since: NOON - 86_400_000, until: NOON },
      shared: null,
    })!
    expect(missingText(missing)).toBe(`More runs do not decide: ${cause}.`)
  })
})

test('no time that both share makes a text without a number', () => {
  const share = double({ min: 0, max: 1, noNaN: true })
  const matched = record({
    units: double({ min: 0, max: 12, noNaN: true }),
    candidate_share: share,
    baseline_runs: nat(),
    candidate_runs: nat(),
  })
  const times = record({
    hours: double({ min: 0, max: 2_160, noNaN: true }),
    block_minutes: constantFrom(1, 60, 1_440),
  })
  assert(
    property(matched, times, (part, { hours, block_minutes }) => {
      const from = NOON - hours * 3_600_000
      const parts = { ...apart(part).latency_ms, comparability_doubt: 'not_comparable' } as const
      const texts = [
        causeText(
          'latency_ms',
          apart(part, {
            compared: {
              since: new Date(from).toISOString(),
              until: new Date(NOON).toISOString(),
              block_minutes,
            },
          }),
        ),
        ...timeWarnings(
          { ...parts, clusters: { baseline: 7, candidate: 7, shared_runs_share: 1 } },
          {
            plan: {
              cut: { from, to: NOON, width_ms: block_minutes * 60_000 },
              match: { by: 'common_time', blocks: 1 },
              hours: { from: 0, to: 0 },
            },
            shorter: null,
          },
        ),
      ]
      for (const text of texts) expect(text ?? '').not.toMatch(/Infinity|NaN/)
    }),
  )
})

test('few runs that are not comparable are too few runs, not of other times', () => {
  const few = apart({ candidate_share: 0.2 }, { runs: 20 })
  expect(causeText('latency_ms', few)).toBeUndefined()
})

test('runs that are too long leave cost uncompared too, for the same cause', () => {
  const long = apart({ units: 4 }, { errors: null, latency: 900_000 })
  expect(causeText('cost_per_run_usd', { ...long, cost_per_run_usd: long.latency_ms })).toBe(
    'runs take about 15 min, and both releases ran for about 8 h',
  )
})

test('each metric has its own cause', () => {
  const long = apart({ units: 4 }, { errors: null, latency: 900_000 })
  const both = { ...long, cost_per_run_usd: of({}).error_rate } as Compared
  expect(changeSentence('2', '1', both)).toBe(
    'Errors are unchanged from 1 to 2; nothing is proven about cost, because the interval is too wide, and about latency, because ' +
      'runs take about 15 min, and both releases ran for about 8 h.',
  )
})
