import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { limitOf } from '../../models/limits.ts'
import { valueText } from '../../rules/limit_words.ts'
import { type Format, percent, points, signed } from '../format.ts'

export type MetricName = 'cost_per_run_usd' | 'latency_ms' | 'error_rate'
export type Change = DiffStatistics['latency_ms']

export const METRICS: readonly (readonly [MetricName, label: string])[] = [
  ['latency_ms', 'latency'],
  ['cost_per_run_usd', 'cost'],
  ['error_rate', 'errors'],
]

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

type Estimate = Pick<NonNullable<Change['difference']>, 'low' | 'high'>

/** An estimate and what it may really be, in the same unit. */
function withInterval(estimate: NonNullable<Change['difference']>, format: Format, unit: string): string {
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
const roundPercent: Format = value => {
  const text = percent(value)
  return Math.abs(value) < 0.1 ? text : text.replace(/\.\d+/, '')
}

const plain: Format = value => `${Number(value.toPrecision(4))}`

/** How what was measured for a limit is written: a rise with its sign, and each with its unit. */
export function limitFormat(key: string) {
  const unit = limitOf(key)?.unit
  const value = valueText(key.replace('_segment', '')) ?? plain
  const [size, after] = unit === 'points' ? ([points, ' points'] as const) : ([roundPercent, ' %'] as const)
  const isRise = unit === 'rise' || unit === 'points'
  return {
    value,
    isRise,
    write: isRise ? (amount: number) => signed(amount, size) : value,
    interval: (ends: Estimate) => intervalText(ends, size, after),
  }
}
