import type { DiffReport } from '../../models/answers/diff.ts'
import { missingText } from '../../rules/missing_evidence.ts'
import { type Io, painter } from '../terminal/io.ts'
import { aligned } from '../terminal/table.ts'
import { powerLines } from './power_text.ts'
import { statisticsText } from './statistics_text.ts'
import { count, milliseconds, percent, points, safe, signed, usd } from '../terminal/text.ts'

type Pricing = DiffReport['pricing']
/** What it is, baseline, candidate, change. */
type Line = readonly [string, string, string, string]

/** A diff for people. A side without runs has no data, not a cost of nothing and no errors. */
export function diffText(report: DiffReport, ids: readonly string[], io: Io): string {
  const { samples, pricing, filters } = report
  const paint = painter(io)
  const scope = [
    filters.environment,
    ...(filters.tenant_id === null ? [] : [`tenant ${filters.tenant_id}`]),
    ...(filters.task_id === null ? [] : [`task ${filters.task_id}`]),
  ]
  const reason = samples.confidence_reason === null ? '' : ` (${samples.confidence_reason})`
  const verdict = report.policy.passed
    ? paint('green', 'PASS')
    : `${paint('red', 'BLOCK')}\n${report.policy.reasons.map(text => `  - ${safe(text)}\n`).join('')}`.trimEnd()
  const { warnings = [] } = report.policy
  const notes = [...warnings, ...pricing.warnings, ...catalogWarnings(pricing)].map(
    text => `warning     ${safe(text)}\n`,
  )
  const hints = pricing.hints.map(text => `hint        ${safe(text)}\n`)
  return [
    `${paint('bold', 'diff')} over ${safe(report.window)} in ${safe(scope.join(', '))}, ${safe(report.since)} to ${safe(report.until)}\n\n`,
    aligned(linesOf(report, ids), [{ whole: true }, { right: true }, { right: true }], io.outColumns),
    statisticsText(report.statistics, report, io),
    catalogLine(report),
    '\n',
    ...(hasOtherRates(pricing) ? [OTHER_RATES] : []),
    ...notes,
    ...hints,
    ...(report.summary === undefined ? [] : [`change      ${safe(report.summary)}\n`]),
    powerLines(report.surface),
    `confidence  ${samples.confidence}${reason}\n`,
    `policy      ${verdict}\n`,
    ...(report.policy.missing_evidence === undefined
      ? []
      : [`missing     ${safe(missingText(report.policy.missing_evidence))}\n`]),
  ].join('')
}

const OTHER_RATES = 'note        the sides have different rates: part of a change in cost is theirs\n'

function linesOf(report: DiffReport, [baselineId, candidateId]: readonly string[]): Line[] {
  const { pricing, samples } = report
  return [
    ['', 'baseline', 'candidate', 'change'],
    ['release', safe(baselineId!), safe(candidateId!), ''],
    ['model', safe(pricing.baseline_model), safe(pricing.candidate_model), ''],
    ['prices', tableName(pricing, 'baseline'), tableName(pricing, 'candidate'), ''],
    ...RATES.flatMap(([name, label]) => rateLine(pricing.prices, name, label)),
    ['runs', count(samples.baseline_runs), count(samples.candidate_runs), ''],
    ...figureLines(report),
  ]
}

/** What the runs of the sides come to. */
function figureLines({ metrics, samples }: DiffReport): Line[] {
  const change = (delta: number | null, format: (value: number) => string): string =>
    delta === null || samples.baseline_runs === 0 || samples.candidate_runs === 0 ? '' : signed(delta, format)
  const line = (
    label: string,
    [baseline, candidate]: readonly [number | null, number | null],
    format: (value: number) => string,
    changed: string,
  ): Line => [
    label,
    baseline === null || samples.baseline_runs === 0 ? NO_DATA : format(baseline),
    candidate === null || samples.candidate_runs === 0 ? NO_DATA : format(candidate),
    changed,
  ]
  const costs = [metrics.baseline_cost_per_run_usd, metrics.candidate_cost_per_run_usd] as const
  const latencies = [metrics.baseline_latency_ms_avg, metrics.candidate_latency_ms_avg] as const
  const errorRates = [metrics.baseline_error_rate, metrics.candidate_error_rate] as const
  const share = change(metrics.delta_cost_per_run_pct, percent)
  const costChange = change(metrics.delta_cost_per_run_usd, usd) + (share === '' ? '' : ` (${share})`)
  return [
    line('cost per run', costs, usd, costChange),
    line('latency, mean', latencies, milliseconds, change(metrics.delta_latency_ms_avg, milliseconds)),
    line('error rate', errorRates, percent, change(metrics.delta_error_rate, points)),
  ]
}

const NO_DATA = 'no data'

/** Rates of a price table, and what the text calls them. */
const RATES = [
  ['input', 'per 1k input'],
  ['output', 'per 1k output'],
  ['cached_input', 'per 1k cached'],
] as const

type Rate = (typeof RATES)[number][0]

function ratesOf(prices: Pricing['prices'], name: Rate): readonly [number | null, number | null] {
  return [prices[`baseline_${name}_usd_per_1k_tokens`], prices[`candidate_${name}_usd_per_1k_tokens`]]
}

function hasOtherRates({ prices }: Pricing): boolean {
  return RATES.some(([name]) => {
    const [baseline, candidate] = ratesOf(prices, name)
    return baseline !== candidate
  })
}

function rateLine(prices: Pricing['prices'], name: Rate, label: string): Line[] {
  const [baseline, candidate] = ratesOf(prices, name)
  if (baseline === null && candidate === null) return []
  const text = (rate: number | null): string => (rate === null ? '-' : usd(rate))
  const isChange = baseline !== null && candidate !== null && baseline > 0 && baseline !== candidate
  const change = isChange ? signed((candidate - baseline) / baseline, percent) : ''
  return [[label, text(baseline), text(candidate), change]]
}

function tableName(pricing: Pricing, side: 'baseline' | 'candidate'): string {
  return safe(`${pricing[`${side}_provider`]}/${pricing[`${side}_version`]}`)
}

/** Of prices that are the user's own on both sides the catalog knows nothing, and there is nothing to mend. */
function catalogWarnings({ catalog }: Pricing): readonly string[] {
  const isOwn = catalog.enabled && catalog.baseline_slot_id === null && catalog.candidate_slot_id === null
  return isOwn ? [] : catalog.warnings
}

function catalogLine({ pricing: { catalog }, samples }: DiffReport): string {
  const { baseline_slot_id, candidate_slot_id, baseline_cost_per_run_usd, candidate_cost_per_run_usd } =
    catalog
  if (baseline_cost_per_run_usd === null || candidate_cost_per_run_usd === null) return ''
  if (samples.baseline_runs === 0 || samples.candidate_runs === 0) return ''
  return (
    `\nby catalog ${safe(catalog.catalog_version ?? '')}: ${safe(baseline_slot_id ?? '')} ` +
    `${usd(baseline_cost_per_run_usd)}, ${safe(candidate_slot_id ?? '')} ${usd(candidate_cost_per_run_usd)} ` +
    `(${signed(catalog.delta_cost_per_run_usd ?? 0, usd)})\n`
  )
}
