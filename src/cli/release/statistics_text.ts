import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { Io } from '../terminal/io.ts'
import { aligned } from '../terminal/table.ts'
import { milliseconds, percent, safe, signed } from '../terminal/text.ts'

type Metric = DiffStatistics['cost_per_run_usd']

/** How sure a diff is: a line per metric with its interval and verdict, and warnings. Version 0.1.0 doesn't say. */
export function statisticsText(statistics: DiffStatistics | undefined, io: Io): string {
  if (statistics === undefined) return ''
  const { cost_per_run_usd, latency_ms, error_rate, tokens_per_run, latency_percentiles, tools } = statistics
  const kind =
    cost_per_run_usd.interval === 'sequential' ? 'sequential: hold however often asked' : 'for one look'
  const rows = [
    [`95 % intervals`, `change (${kind})`, 'verdict'],
    line('cost per run', cost_per_run_usd, 'relative_change'),
    line('latency, mean', latency_ms, 'relative_change'),
    ...PERCENTILES.map(name => tailLine(name, latency_percentiles?.[name])),
    line('error rate', error_rate, 'difference'),
    line('input tokens', tokens_per_run.input_tokens, 'relative_change'),
    line('output tokens', tokens_per_run.output_tokens, 'relative_change'),
    line('cached tokens', tokens_per_run.cached_input_tokens, 'relative_change'),
    ...(tools === null ? [] : [line('tool calls', tools.calls_per_run, 'relative_change')]),
    ...(tools?.tools ?? []).flatMap(({ tool_name, calls_per_run, runs_share }) => [
      line(`  ${safe(tool_name)}`, calls_per_run, 'relative_change'),
      line('    runs with it', runs_share, 'difference'),
    ]),
    ...(statistics.scores ?? []).map(scoreLine),
  ]
  const warnings = statistics.warnings.map(text => `warning     ${safe(text)}\n`)
  return [
    `\n`,
    aligned(rows, [{ whole: true }], io.outColumns),
    ...(warnings.length === 0 ? [] : ['\n']),
    ...warnings,
  ].join('')
}

function line(label: string, metric: Metric, of: 'relative_change' | 'difference'): string[] {
  return [label, changeOf(metric, of), verdictOf(metric, of === 'difference' ? points : percent)]
}

const PERCENTILES = ['p50', 'p95', 'p99'] as const

type Percentiles = NonNullable<DiffStatistics['latency_percentiles']>

/** Percentiles have no verdict; where sides differ for sure, the interval is on one side of 0. */
function tailLine(name: string, percentile: Percentiles['p50'] | undefined): string[] {
  const label = `latency, ${name}`
  if (percentile?.difference == null) return [label, 'too few runs', '']
  const { baseline, candidate, difference } = percentile
  const { estimate, low, high } = difference
  const text = (value: number | null): string => (value === null ? '∞' : signed(value, milliseconds))
  const sides = `${milliseconds(baseline!.estimate)} → ${milliseconds(candidate!.estimate)}`
  return [label, `${text(estimate)} [${text(low)}, ${text(high)}]`, sides]
}

function scoreLine({
  name,
  baseline,
  candidate,
  change,
}: NonNullable<DiffStatistics['scores']>[number]): string[] {
  const label = `score ${safe(name)}`
  const mean = (side: typeof baseline): string => (side === null ? 'no data' : side.estimate.toFixed(4))
  const sides = `${mean(baseline)} → ${mean(candidate)}`
  if (change.difference === null) return [label, sides, verdictOf(change, score)]
  const { low, high } = change.difference
  const end = (value: number | null, without: string): string =>
    value === null ? without : signed(value, score)
  return [
    label,
    `${sides}, ${signed(change.difference.estimate, score)} [${end(low, '-∞')}, ${end(high, '+∞')}]`,
    verdictOf(change, score),
  ]
}

function score(value: number): string {
  return value.toFixed(4)
}

function changeOf(metric: Metric, of: 'relative_change' | 'difference'): string {
  const change = metric[of]
  if (change === null)
    return metric.difference === null ? 'no data' : 'no change in percent: the baseline is 0'
  const text = (value: number | null, without: string): string =>
    value === null ? without : signed(value, of === 'difference' ? points : percent)
  return `${text(change.estimate, '')} [${text(change.low, '-∞')}, ${text(change.high, '+∞')}]`
}

function points(value: number): string {
  return `${(value * 100).toFixed(1)} points`
}

function verdictOf(
  { verdict, inconclusive_because, runs_needed }: Metric,
  written: (value: number) => string,
): string {
  if (verdict !== 'inconclusive') return VERDICTS[verdict]
  const missing = runs_needed.candidate_runs_missing
  const more =
    inconclusive_because === 'interval_too_wide' && missing !== null && missing > 0
      ? `; a limit of ${written(runs_needed.limit)} takes about ${missing} more candidate runs`
      : ''
  return `inconclusive: ${DOUBTS[inconclusive_because!]}${more}`
}

const VERDICTS = { better: 'better', worse: 'worse', no_difference: 'no difference' } as const

const DOUBTS = {
  no_data: 'no data',
  too_few_runs: 'too few runs',
  too_few_clusters: 'too few sessions or tenants',
  not_comparable: 'the sides ran at other times',
  too_few_blocks: 'the runs of a side lie in too short a part of the window',
  skewed_small_candidate: 'few candidate runs of a skewed metric',
  skewed_small_baseline: 'few baseline runs of a skewed metric',
  baseline_is_zero: 'the baseline is 0',
  baseline_near_zero: 'the baseline may be 0',
  interval_too_wide: 'the interval is too wide',
} as const
