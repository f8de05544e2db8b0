import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { causeText } from '../../rules/cause_words.ts'
import { type Format, percent, points, signed } from '../format.ts'

export type MetricName = 'cost_per_run_usd' | 'latency_ms' | 'error_rate'
export type Change = DiffStatistics['latency_ms']
export type ChangeVerdict = Change['verdict']

export const METRICS: readonly (readonly [MetricName, label: string])[] = [
  ['latency_ms', 'latency'],
  ['cost_per_run_usd', 'cost'],
  ['error_rate', 'errors'],
]

export const VERDICTS: Readonly<Record<ChangeVerdict, string>> = {
  worse: 'worse',
  better: 'better',
  no_difference: 'no difference',
  inconclusive: 'too early to tell',
}

/** What the diff says of all its metrics together: the worst of their verdicts that is sure. */
export function overallVerdict(statistics: DiffStatistics): ChangeVerdict {
  const verdicts = METRICS.map(([name]) => statistics[name].verdict)
  if (verdicts.includes('worse')) return 'worse'
  if (verdicts.includes('better')) return 'better'
  return verdicts.every(verdict => verdict === 'no_difference') ? 'no_difference' : 'inconclusive'
}

/** The metric to look at first: the one that is worse, by how much, else the one that changed most for sure. */
export function leadingMetric(statistics: DiffStatistics): MetricName {
  const weight = ([name]: (typeof METRICS)[number]): number => {
    const { verdict, relative_change } = statistics[name]
    const size = Math.min(1e6, Math.abs(relative_change?.estimate ?? 0))
    return { worse: 2e6, better: 1e6, no_difference: 0, inconclusive: 0 }[verdict] + size
  }
  return METRICS.toSorted((a, b) => weight(b) - weight(a))[0]![0]
}

/** The change with its interval: `+83 % (+71 to +95)`; undefined where one release has no data. */
export function changeText(name: MetricName, change: Change): string | undefined {
  if (name === 'error_rate') {
    return change.difference === null ? undefined : withInterval(change.difference, points, ' points')
  }
  return change.relative_change === null
    ? undefined
    : withInterval(change.relative_change, roundPercent, ' %')
}

type Estimate = NonNullable<Change['difference']>

/** An estimate and what it may really be, in the same unit. */
function withInterval(estimate: Estimate, format: Format, unit: string): string {
  return [signed(estimate.estimate, format), intervalText(estimate, format, unit)].filter(Boolean).join(' ')
}

/** `(+71 to +95)`; an end without a bound is said to have none. Empty where there is no interval. */
export function intervalText({ low, high }: Estimate, format: Format, unit = ''): string {
  const bare = (value: number): string => signed(value, format).replace(unit, '')
  if (low === null && high === null) return ''
  if (low === null) return `(up to ${bare(high!)})`
  return high === null ? `(${bare(low)} or more)` : `(${bare(low)} to ${bare(high)})`
}

/** Whole percents, but for small ones. */
export const roundPercent: Format = value => {
  const text = percent(value)
  return Math.abs(value) < 0.1 ? text : text.replace(/\.\d+/, '')
}

/** Why nothing is claimed of a metric: the cause that all texts name, else `doubt` in plain words; '' without a doubt. */
export function doubtText(
  name: MetricName,
  statistics: DiffStatistics,
  doubt: Change['inconclusive_because'] | undefined = statistics[name].inconclusive_because,
): string {
  return doubt == null ? '' : (causeText(name, statistics, doubt) ?? DOUBTS[doubt])
}

const DOUBTS: Readonly<Record<NonNullable<Change['inconclusive_because']>, string>> = {
  no_data: 'no data',
  no_success: 'the baseline has no successful run',
  too_few_runs: 'too few runs',
  too_few_clusters: 'too few groups of runs that are independent of each other',
  not_comparable: 'too little of both can be compared',
  too_few_blocks: 'the runs of one release are from too short a part of the window',
  skewed_small_candidate: 'few candidate runs with outliers among them',
  skewed_small_baseline: 'few baseline runs with outliers among them',
  baseline_is_zero: 'the baseline is zero',
  baseline_near_zero: 'the baseline is near zero',
  interval_too_wide: 'it may be better or worse',
}
