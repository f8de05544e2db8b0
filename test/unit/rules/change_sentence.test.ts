import { expect, test } from 'vitest'
import { type Compared, changeSentence } from '../../../src/rules/change_sentence.ts'
import type { CausedMetric } from '../../../src/rules/cause_words.ts'

type Metric = Compared['latency_ms']
const change = (estimate: number, low: number | null, high: number | null) => ({ estimate, low, high })
const needed = (runs_per_side: number) => ({
  runs_needed: { limit: 0.1, runs_per_side, candidate_runs: null, candidate_runs_missing: null },
  baseline_runs: 900,
  candidate_runs: 400,
})
const metric = (verdict: Metric['verdict'], more: Partial<Metric> = {}): Metric =>
  ({
    verdict,
    inconclusive_because: null,
    difference: null,
    relative_change: null,
    ...needed(4000),
    ...more,
  }) as Metric
const same = metric('no_difference')
const wide = metric('inconclusive', { inconclusive_because: 'interval_too_wide' })
const apart = metric('inconclusive', { inconclusive_because: 'not_comparable' })
const slower = metric('worse', { difference: change(812, 701, 1010) })

test('a change of the time to first token is said where it is proven', () => {
  const said = (ttft: Metric): string =>
    changeSentence('2.4.0', '2.3.0', {
      cost_per_run_usd: same,
      latency_ms: slower,
      error_rate: same,
      ttft_ms: { baseline: null, candidate: null, change: ttft },
    })
  expect(said(metric('worse', { difference: change(225, 220, 230) }))).toBe(
    '2.4.0 is slower, by about 812 ms (701 to 1,010 ms) and takes longer to its first token, by about 225 ms (220 to 230 ms); ' +
      'cost and errors are unchanged.',
  )
  expect(said(metric('better', { difference: change(-1500, -1600, -1400) }))).toContain(
    'takes less time to its first token, by about 1,500 ms (1,400 to 1,600 ms)',
  )
  expect(said(same)).toBe(
    '2.4.0 is slower, by about 812 ms (701 to 1,010 ms); cost and errors are unchanged.',
  )
  expect(said(wide)).not.toContain('token')
})

test.each<[Partial<Record<CausedMetric, Metric>>, string]>([
  [{}, '2.4.0 is like 2.3.0: cost, latency and errors are unchanged.'],
  [
    { latency_ms: slower },
    '2.4.0 is slower, by about 812 ms (701 to 1,010 ms); cost and errors are unchanged.',
  ],
  [
    { latency_ms: metric('worse', { difference: change(4120, 3900, 4300) }) },
    '2.4.0 is slower, by about 4,120 ms (3,900 to 4,300 ms); cost and errors are unchanged.',
  ],
  [
    {
      cost_per_run_usd: metric('worse', { relative_change: change(0.124, 0.08, 0.16) }),
      latency_ms: metric('better', { difference: change(-200, -250, -150) }),
      error_rate: metric('worse', { difference: change(0.021, 0.012, 0.03) }),
    },
    '2.4.0 costs more, by about 12 % (8 to 16 %), fails more often, by about 2.1 points (1.2 to 3.0 points) and is ' +
      'faster, by about 200 ms (150 to 250 ms).',
  ],
  [
    { cost_per_run_usd: metric('worse', { relative_change: change(0.5, 0.2, null) }), latency_ms: wide },
    '2.4.0 costs more, by about 50 % (at least 20 %); errors are unchanged; nothing is proven about latency, because the ' +
      'interval is too wide.',
  ],
  [
    { latency_ms: { ...wide, ...needed(4001) } },
    'Cost and errors are unchanged from 2.3.0 to 2.4.0; nothing is proven about latency, because runs differ too much from each other ' +
      'for this traffic.',
  ],
  [
    { cost_per_run_usd: metric('worse', { difference: change(0.005, 0.0049, 0.0051) }) },
    '2.4.0 costs more, by about 0.005000 USD (0.004900 to 0.005100 USD); latency and errors are unchanged.',
  ],
  [
    { cost_per_run_usd: apart, latency_ms: apart, error_rate: apart },
    'Nothing is proven about 2.4.0 against 2.3.0 yet, because the releases share too little to compare.',
  ],
  [
    { cost_per_run_usd: apart, latency_ms: wide, error_rate: same },
    'Errors are unchanged from 2.3.0 to 2.4.0; nothing is proven about cost, because the releases share too little to compare, and about latency, because the interval is too wide.',
  ],
])('%o', (changed, said) => {
  const compared = { cost_per_run_usd: same, latency_ms: same, error_rate: same, ...changed }
  expect(changeSentence('2.4.0', '2.3.0', compared)).toBe(said)
})

test('says what is within its limit instead of what is not proven', () => {
  const met = (...keys: string[]) =>
    keys.map(policy_key => ({ policy_key, outcome: 'pass', decided_by: 'interval' })) as never
  const of = (metrics: Partial<Record<CausedMetric, Metric>>, limits: Compared['limits']) =>
    changeSentence('2.0', '1.0', {
      cost_per_run_usd: same,
      latency_ms: same,
      error_rate: same,
      ...metrics,
      ...(limits === undefined ? {} : { limits }),
    })
  const [cost, latency] = ['max_cost_increase_pct', 'max_latency_increase_pct'] as const
  expect(of({ latency_ms: wide }, met(cost, latency))).toBe(
    'Cost and errors are unchanged from 1.0 to 2.0; latency is within the limit on its rise.',
  )
  expect(of({ cost_per_run_usd: wide, latency_ms: wide, error_rate: wide }, met(cost, latency))).toBe(
    'Cost and latency are within the limit on their rise from 1.0 to 2.0; nothing is proven about errors, because the interval is too wide.',
  )
  expect(of({ latency_ms: slower, cost_per_run_usd: wide }, met(cost))).toBe(
    '2.0 is slower, by about 812 ms (701 to 1,010 ms); errors are unchanged; cost is within the limit on its rise.',
  )
  const byEstimate = [{ policy_key: latency, outcome: 'pass', decided_by: 'estimate' }] as never
  expect(of({ latency_ms: wide }, byEstimate)).toMatch(/nothing is proven about latency/)
})

const spot = (segment: number, estimate: number) => ({
  kind: 'task' as const,
  segment,
  metric: 'latency_ms' as const,
  baseline_runs: 90,
  candidate_runs: 90,
  baseline_mean: 1000,
  candidate_mean: 1000 + estimate,
  difference: change(estimate, estimate - 100, estimate + 150),
  relative_change: null,
})

test.each<[string, Partial<Record<CausedMetric, Metric>>, number, string]>([
  [
    'the whole is unchanged',
    {},
    1,
    '2.4.0 is slower for task 7, by about 800 ms (700 to 950 ms); on the whole cost, latency and errors are unchanged.',
  ],
  [
    'the whole is slower too',
    { latency_ms: slower },
    1,
    '2.4.0 is slower, by about 812 ms (701 to 1,010 ms); cost and errors are unchanged; it is slower for task 7, by ' +
      'about 800 ms (700 to 950 ms).',
  ],
  [
    'nothing is proven about the whole, and there are many',
    { cost_per_run_usd: apart, latency_ms: apart, error_rate: apart },
    5,
    '2.4.0 is slower for task 7, by about 800 ms (700 to 950 ms), is slower for task 8, by about 800 ms (700 to 950 ms), ' +
      'is slower for task 9, by about 800 ms (700 to 950 ms) and is worse in 2 more cases; nothing is proven about cost, ' +
      'latency and errors, because the releases share too little to compare.',
  ],
])('for whom it is worse, where %s', (_, changed, spots, said) => {
  const found = Array.from({ length: spots }, (_spot, index) => spot(7 + index, 800))
  const compared = { cost_per_run_usd: same, latency_ms: same, error_rate: same, ...changed }
  const segment_regressions = { groups: 9, found_in_all: spots, found }
  expect(changeSentence('2.4.0', '2.3.0', { ...compared, segment_regressions })).toBe(said)
})

test('where failures changed it says that cost and latency are of the runs that succeeded', () => {
  const fewer = metric('better', { difference: change(-0.126, -0.14, -0.112) })
  const of = (error_rate: Metric) =>
    changeSentence('2.0', '1.0', { cost_per_run_usd: same, latency_ms: same, error_rate, of_succeeded: true })
  expect(of(fewer)).toBe(
    '2.0 fails less often, by about 12.6 points (11.2 to 14.0 points); cost and latency are unchanged; ' +
      'cost and latency are per run that succeeded.',
  )
  expect(of(same)).toBe('2.0 is like 1.0: cost, latency and errors are unchanged.')
})
