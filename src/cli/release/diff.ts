import { causeText, isBeyondTraffic } from '../../rules/cause_words.ts'
import { resultText } from './result_text.ts'
import { hoursText, minuteText } from '../../base/text.ts'
import { PERCENTILE_NAMES, TIMES } from '../../models/limits.ts'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { caseLines } from '../../rules/case_words.ts'
import { type OfSides, hoursUntil, missingText, ofAllRuns } from '../../rules/missing_evidence.ts'
import { keptLimits } from '../../rules/limits.ts'
import { ALL_RUNS, comparedText, confidenceText, isOfSucceeded } from '../../rules/verdict_words.ts'
import { type Api, callJson, goodJson } from '../service/api.ts'
import { aligned } from '../terminal/table.ts'
import { EXIT, exitCode } from './exit_codes.ts'
import type { Invocation, Options } from '../arguments/command.ts'
import { type Io, painter } from '../terminal/io.ts'
import { noteWhereRunsAre } from '../runs/elsewhere.ts'
import { count, milliseconds, percent, points, pretty, safe, signed, usd } from '../terminal/text.ts'
import { powerLines } from './power_text.ts'
import { releaseIds } from './reference.ts'
import { fetchRelease } from './release.ts'

export async function diff(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  const opened = await api()
  const ids = await releaseIds(args, opened, io, options.text('env'))
  const report = await reportOf(opened, options, {
    baseline_release_id: ids[0],
    candidate_release_id: ids[1],
    window: options.required('window'),
    environment: options.text('env'),
    tenant_id: options.text('tenant'),
    task_id: options.text('task'),
    cluster_by: options.text('cluster-by'),
    compare_by: options.text('compare-by'),
    sequential: options.flag('sequential'),
    tools: options.flag('tools'),
  })
  io.out(await shown(report, ids, invocation, opened))
  if (ids[0] === ids[1])
    io.err('svc: warning: baseline and candidate are the same release, so nothing can differ\n')
  else if (!options.json) await noteSwapped(report.filters.environment, ids, opened, io)
  await noteRunsElsewhere(report, ids, opened, io)
  const detailed = options.flag('detailed-exitcode') === true
  return detailed || options.flag('fail-on-policy') === true ? exitCode(report.policy, detailed) : EXIT.pass
}

/** Text has percentiles always; JSON is the answer to the request as given. */
async function reportOf(api: Api, options: Options, body: object): Promise<DiffReport> {
  const tails = options.json ? options.flag('tails') : true
  return goodJson(await api.send('POST /v1/diff', { body: { ...body, tails } }))
}

async function shown(
  report: DiffReport,
  ids: readonly string[],
  { options, io }: Invocation,
  api: Api,
): Promise<string> {
  if (options.json) return pretty(report)
  if (options.text('output') !== 'markdown') return diffText(report, ids, io)
  const { diffReport } = await import('./markdown.ts')
  return diffReport(report, ids, api)
}

/** Prints a note if the candidate is live: the sides may be swapped. Prints nothing if the caller may not read what is live. */
async function noteSwapped(
  environment: string,
  [, candidateId]: readonly string[],
  api: Api,
  io: Io,
): Promise<void> {
  const { agent_id } = await fetchRelease(api, candidateId!).catch(() => ({ agent_id: undefined }))
  if (agent_id === undefined) return
  const live = await callJson(api, 'GET /v1/pointers/{agent_id}/{environment}', {
    path: { agent_id, environment },
  }).catch(() => undefined)
  if (live?.release_id !== candidateId) return
  io.err(
    `svc: note: the candidate, ${safe(live!.version)}, is live in ${safe(environment)}; name the release to judge second\n`,
  )
}

/** Says of a side without runs where it has some. */
async function noteRunsElsewhere(
  { filters, samples, window }: DiffReport,
  [baselineId, candidateId]: readonly string[],
  api: Api,
  io: Io,
): Promise<void> {
  const empty = new Set<string>()
  if (samples.baseline_runs === 0) empty.add(baselineId!)
  if (samples.candidate_runs === 0) empty.add(candidateId!)
  const { environment, tenant_id, task_id } = filters
  const isNarrowed = tenant_id !== null || task_id !== null
  for (const id of empty) await noteWhereRunsAre(id, { environment, window, isNarrowed }, api, io)
}

type Pricing = DiffReport['pricing']
/** What it is, baseline, candidate, change. */
type Line = readonly [string, string, string, string]

/** A diff for people. A side without runs has no data, not a cost of nothing and no errors. */
function diffText(report: DiffReport, ids: readonly string[], io: Io): string {
  const { samples, pricing, filters } = report
  const paint = painter(io)
  const scope = [
    filters.environment,
    ...(filters.tenant_id === null ? [] : [`tenant ${filters.tenant_id}`]),
    ...(filters.task_id === null ? [] : [`task ${filters.task_id}`]),
  ]
  const reason = samples.confidence_reason === null ? '' : ` (${samples.confidence_reason})`
  const { passed, result, reasons, warnings = [] } = report.policy
  const verdict = [resultText(result, io), ...(passed ? [] : reasons.map(text => `  - ${safe(text)}`))].join(
    '\n',
  )
  const notes = [
    ...(report.warnings ?? []),
    ...warnings,
    ...pricing.warnings,
    ...catalogWarnings(pricing),
  ].map(text => `warning     ${safe(text)}\n`)
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
    ...caseLines(report.cases ?? [], safe).map(text => `case        ${text}\n`),
    ...(report.summary === undefined ? [] : [`change      ${safe(report.summary)}\n`]),
    powerLines(report.capabilities),
    `confidence  ${confidenceText(samples.confidence)}${reason}\n`,
    `policy      ${verdict}\n`,
    ...keptLimits(report.statistics.limits).map(text => `            ${safe(text)}\n`),
    ...(report.policy.missing_evidence === undefined
      ? []
      : [`missing     ${safe(missingText(report.policy.missing_evidence))}\n`]),
  ].join('')
}

const OTHER_RATES =
  'note        the two releases use different prices, which explains part of a change in cost\n'

function linesOf(report: DiffReport, [baselineId, candidateId]: readonly string[]): Line[] {
  const { pricing, samples } = report
  return [
    [ALL_RUNS, 'baseline', 'candidate', 'change'],
    ['release', safe(baselineId!), safe(candidateId!), ''],
    ['model', safe(pricing.baseline_model), safe(pricing.candidate_model), ''],
    ['prices', tableName(pricing, 'baseline'), tableName(pricing, 'candidate'), ''],
    ...RATES.flatMap(([name, label]) => rateLine(pricing.prices, name, label)),
    ['runs', count(samples.baseline_runs), count(samples.candidate_runs), ''],
    ...figureLines(report),
  ]
}

/** What the runs of the sides come to. */
function figureLines({
  metrics,
  samples,
  statistics: { latency_percentiles, ttft_ms: ttft, ttft_percentiles },
}: DiffReport): Line[] {
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
    ...PERCENTILE_NAMES.map(name => tailLine(`latency, ${name}`, latency_percentiles?.[name])),
    ...(ttft === undefined
      ? []
      : [
          line(
            `${TIMES.ttft}, mean`,
            [ttft.baseline?.estimate ?? null, ttft.candidate?.estimate ?? null],
            milliseconds,
            change(ttft.change.difference?.estimate ?? null, milliseconds),
          ),
          tailLine(`${TIMES.ttft}, p95`, ttft_percentiles?.p95),
        ]),
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

type Metric = DiffStatistics['cost_per_run_usd']

/** How sure a diff is: a line per metric with its interval and verdict, and warnings. */
function statisticsText(
  statistics: DiffStatistics,
  { traffic = NO_TRAFFIC, samples }: Pick<DiffReport, 'traffic' | 'samples'>,
  io: Io,
): string {
  const runs = { baseline: samples.baseline_runs, candidate: samples.candidate_runs }
  const line: LineOf = (label, metric, of, cause) => [
    label,
    changeOf(metric, of),
    verdictOf(metric, of === 'difference' ? points : percent, { traffic, runs }, 'runs', cause),
  ]
  const { cost_per_run_usd, latency_ms, error_rate, ttft_ms, tokens_per_run, tools } = statistics
  const [cost, latency] = isOfSucceeded(statistics)
    ? ['cost per success', 'latency of successes']
    : ['cost per run', 'latency, mean']
  const kind =
    cost_per_run_usd.interval === 'sequential' ? 'sequential: valid however often you check' : 'for one check'
  const rows = [
    [comparedText(statistics), `change, 95 % interval (${kind})`, 'verdict'],
    line(cost, cost_per_run_usd, 'relative_change', causeText('cost_per_run_usd', statistics)),
    line(latency, latency_ms, 'relative_change', causeText('latency_ms', statistics)),
    line('error rate', error_rate, 'difference', causeText('error_rate', statistics)),
    ...(ttft_ms === undefined ? [] : [line(TIMES.ttft, ttft_ms.change, 'relative_change')]),
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
  const compared = comparedLine(statistics)
  const warnings = statistics.warnings.map(text => `warning     ${safe(text)}\n`)
  return [
    `\n`,
    aligned(rows, [{ whole: true }], io.outColumns),
    ...(compared === '' && warnings.length === 0 ? [] : ['\n']),
    compared,
    ...warnings,
  ].join('')
}

/** What of the window was compared, where that isn't all of it. */
function comparedLine({ compared, error_rate: { matched } }: DiffStatistics): string {
  if (compared === undefined || matched == null || matched.baseline_mean === null) return ''
  const share = (of: number): string => `${Math.round(100 * of)} %`
  const what =
    compared.by === 'same_hours'
      ? `the candidate with the same hours of ${matched.units} earlier days`
      : compared.by === 'common_time'
        ? `blocks of ${compared.block_minutes} min with runs of both, ${timeText(compared)}`
        : `runs for each ${compared.by} that both served, ${timeText(compared)}`
  const runs = `${share(matched.baseline_share)} of the baseline's runs, ${share(matched.candidate_share)} of the candidate's`
  return `compared    ${what}: ${runs}\n`
}

function timeText({ since, until }: NonNullable<DiffStatistics['compared']>): string {
  return `${minuteText(since)} to ${minuteText(until)} UTC`
}

type LineOf = (
  label: string,
  metric: Metric,
  of: 'relative_change' | 'difference',
  cause?: string,
) => string[]

type Percentiles = NonNullable<DiffStatistics['latency_percentiles']>

/** Percentiles have no verdict; where sides differ for sure, the interval is on one side of 0. */
function tailLine(label: string, percentile: Percentiles['p50'] | undefined): Line {
  if (percentile?.difference == null) return [label, 'too few runs', '', '']
  const { baseline, candidate, difference } = percentile
  const { estimate, low, high } = difference
  const text = (value: number | null): string => (value === null ? '∞' : signed(value, milliseconds))
  return [
    label,
    milliseconds(baseline!.estimate),
    milliseconds(candidate!.estimate),
    `${text(estimate)} [${text(low)}, ${text(high)}]`,
  ]
}

function scoreLine({
  name,
  baseline,
  candidate,
  change,
  paired,
  not_comparable_because: because,
}: NonNullable<DiffStatistics['scores']>[number]): string[] {
  const label = `score ${safe(name)}`
  const noun = name.includes('/') ? 'cases' : 'runs'
  const mean = (side: typeof baseline): string => (side === null ? 'no data' : side.estimate.toFixed(4))
  const sides = `${mean(baseline)} → ${mean(candidate)}`
  if (because !== undefined) return [label, sides, 'inconclusive: different judges judged the releases']
  if (change.difference === null) return [label, sides, verdictOf(change, score, undefined, noun)]
  const { low, high } = change.difference
  const end = (value: number | null, without: string): string =>
    value === null ? without : signed(value, score)
  const pairs = paired === undefined ? '' : ` of ${count(paired.cases)} pairs`
  return [
    label,
    `${sides}, ${signed(change.difference.estimate, score)} [${end(low, '-∞')}, ${end(high, '+∞')}]${pairs}`,
    verdictOf(change, score, undefined, noun),
  ]
}

function score(value: number): string {
  return value.toFixed(4)
}

function changeOf(metric: Metric, of: 'relative_change' | 'difference'): string {
  const change = metric[of]
  if (change === null)
    return metric.difference === null ? 'no data' : 'no change in percent: the baseline is 0'
  const text = (value: number): string => signed(value, of === 'difference' ? points : percent)
  // Neither a share nor a change in percent falls by more.
  const [low, high] = [text(change.low ?? -1), change.high === null ? '+∞' : text(change.high)]
  return `${text(change.estimate)} [${low}, ${high}]`
}

function verdictOf(
  metric: Metric,
  written: (value: number) => string,
  all?: AllRuns,
  noun = 'runs',
  cause?: string,
): string {
  const { verdict, inconclusive_because: doubt } = metric
  if (verdict !== 'inconclusive') return VERDICTS[verdict]
  if (cause !== undefined) return `inconclusive: ${cause}`
  return `inconclusive: ${DOUBTS[doubt!]}${doubt === 'interval_too_wide' ? moreRuns(metric, written, all, noun) : ''}`
}

const NO_TRAFFIC = { baseline_runs_per_hour: null, candidate_runs_per_hour: null }

/** Runs of both sides, with and without the metric, and as many as come per hour. */
interface AllRuns {
  readonly runs: OfSides<number>
  readonly traffic: NonNullable<DiffReport['traffic']>
}

/** What it takes to prove a limit: runs of both sides, because an interval is as wide as the smaller one makes it. */
function moreRuns(
  metric: Metric,
  written: (value: number) => string,
  all: AllRuns | undefined,
  noun: string,
): string {
  const { runs_needed, baseline_runs, candidate_runs, smallest_provable_limit: smallest } = metric
  const { limit, runs_per_side } = runs_needed
  const smaller = Math.min(baseline_runs, candidate_runs)
  if (runs_per_side === null || runs_per_side <= smaller) return ''
  if (isBeyondTraffic(runs_per_side, smaller)) {
    const possible =
      smallest === null ? '' : `; the smallest limit that these ${noun} could decide is ${written(smallest)}`
    return `; ${written(limit)} is not decided with this traffic${possible}`
  }
  const hours = all === undefined ? null : hoursFor(runs_per_side, metric, all)
  const time = hours === null ? '' : `, in ${hoursText(hours)}`
  return `; a limit of ${written(limit)} needs about ${count(runs_per_side)} ${noun} per release${time}`
}

/** Hours until so many runs per side carry the metric; null where that isn't known. */
function hoursFor(runsPerSide: number, metric: Metric, { runs, traffic }: AllRuns): number | null {
  const wanted = ofAllRuns({ baseline: runsPerSide, candidate: runsPerSide }, metric, runs)
  if (wanted === undefined) return null
  const missing = (side: keyof OfSides): number => Math.max(0, wanted[side] - runs[side])
  return hoursUntil(
    { baseline: missing('baseline'), candidate: missing('candidate') },
    { baseline: traffic.baseline_runs_per_hour, candidate: traffic.candidate_runs_per_hour },
  )
}

const VERDICTS = { better: 'better', worse: 'worse', no_difference: 'no difference' } as const

const DOUBTS = {
  no_data: 'no data',
  no_success: 'the baseline has no successful run',
  too_few_runs: 'too few runs',
  too_few_clusters: 'too few sessions or tenants',
  not_comparable: 'the releases share too little to compare',
  too_few_blocks: 'the runs of one release are from too short a part of the window',
  skewed_small_candidate: 'few candidate runs of a skewed metric',
  skewed_small_baseline: 'few baseline runs of a skewed metric',
  baseline_is_zero: 'the baseline is 0',
  baseline_near_zero: 'the baseline may be 0',
  interval_too_wide: 'the interval is too wide',
} as const
