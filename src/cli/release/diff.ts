import type { DiffReport } from '../../models/answers/diff.ts'
import { callJson } from '../service/api.ts'
import { EXIT, exitCode } from './exit_codes.ts'
import { type Invocation, outputFormat } from '../arguments/command.ts'
import { type Io, painter } from '../terminal/io.ts'
import { statisticsText } from './statistics_text.ts'
import { columns, count, milliseconds, percent, pretty, safe, signed, usd } from '../terminal/text.ts'

export async function diff(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  if (options.text('by') !== undefined) return (await import('./groups.ts')).diffByGroup(invocation)
  const format = outputFormat(options)
  const report = await callJson<DiffReport>(await api(), 'POST /v1/diff', {
    body: {
      baseline_release_id: args[0],
      candidate_release_id: args[1],
      window: options.required('window'),
      environment: options.text('env'),
      tenant_id: options.text('tenant'),
      task_id: options.text('task'),
      cluster_by: options.text('cluster-by'),
      sequential: options.flag('sequential'),
      tails: true,
      tools: options.flag('tools'),
    },
  })
  io.out(format === 'json' ? pretty(report) : diffText(report, args, io))
  const detailed = options.flag('detailed-exitcode') === true
  return detailed || options.flag('fail-on-policy') === true ? exitCode(report.policy, detailed) : EXIT.pass
}

function diffText(report: DiffReport, [baselineId, candidateId]: readonly string[], io: Io): string {
  const { metrics, samples, pricing, filters } = report
  const paint = painter(io)
  const scope = [
    filters.environment,
    ...(filters.tenant_id === null ? [] : [`tenant ${filters.tenant_id}`]),
    ...(filters.task_id === null ? [] : [`task ${filters.task_id}`]),
  ]
  const costChange =
    signed(metrics.delta_cost_per_run_usd, usd) +
    (metrics.delta_cost_per_run_pct === null ? '' : ` (${signed(metrics.delta_cost_per_run_pct, percent)})`)
  const table = columns(
    [
      ['', 'baseline', 'candidate', 'change'],
      ['release', safe(baselineId!), safe(candidateId!), ''],
      ['model', safe(pricing.baseline_model), safe(pricing.candidate_model), ''],
      ['prices', pricesName(pricing, 'baseline'), pricesName(pricing, 'candidate'), ''],
      ['runs', count(samples.baseline_runs), count(samples.candidate_runs), ''],
      [
        'cost per run',
        usd(metrics.baseline_cost_per_run_usd),
        usd(metrics.candidate_cost_per_run_usd),
        costChange,
      ],
      [
        'latency, mean',
        milliseconds(metrics.baseline_latency_ms_avg),
        milliseconds(metrics.candidate_latency_ms_avg),
        metrics.delta_latency_ms_avg === null ? '' : signed(metrics.delta_latency_ms_avg, milliseconds),
      ],
      [
        'error rate',
        percent(metrics.baseline_error_rate),
        percent(metrics.candidate_error_rate),
        signed(metrics.delta_error_rate, value => `${(value * 100).toFixed(1)} points`),
      ],
    ],
    [1, 2],
  )
  const reason = samples.confidence_reason === null ? '' : ` (${samples.confidence_reason})`
  const verdict = report.policy.passed
    ? paint('green', 'PASS')
    : `${paint('red', 'BLOCK')}\n${report.policy.reasons.map(text => `  - ${safe(text)}\n`).join('')}`.trimEnd()
  const notes = [...pricing.warnings, ...pricing.catalog.warnings].map(text => `warning     ${safe(text)}\n`)
  const hints = pricing.hints.map(text => `hint        ${safe(text)}\n`)
  return [
    `${paint('bold', 'diff')} over ${safe(report.window)} in ${safe(scope.join(', '))}, ${report.since} to ${report.until}\n\n`,
    table,
    statisticsText(report.statistics),
    ...(pricing.catalog.enabled ? [catalogLine(pricing.catalog)] : []),
    '\n',
    ...notes,
    ...hints,
    `confidence  ${samples.confidence}${reason}\n`,
    `policy      ${verdict}\n`,
  ].join('')
}

function pricesName(pricing: DiffReport['pricing'], side: 'baseline' | 'candidate'): string {
  return safe(`${pricing[`${side}_provider`]}/${pricing[`${side}_version`]}`)
}

function catalogLine(catalog: DiffReport['pricing']['catalog']): string {
  const { baseline_slot_id, candidate_slot_id, baseline_cost_per_run_usd, candidate_cost_per_run_usd } =
    catalog
  if (baseline_cost_per_run_usd === null || candidate_cost_per_run_usd === null) return ''
  return (
    `\nby catalog ${safe(catalog.catalog_version ?? '')}: ${safe(baseline_slot_id ?? '')} ` +
    `${usd(baseline_cost_per_run_usd)}, ${safe(candidate_slot_id ?? '')} ${usd(candidate_cost_per_run_usd)} ` +
    `(${signed(catalog.delta_cost_per_run_usd ?? 0, usd)})\n`
  )
}
