import type { DiffGroups } from '../../models/answers/groups.ts'
import { type Invocation, outputFormat } from '../arguments/command.ts'
import { callJson } from '../service/api.ts'
import { columns, count, milliseconds, percent, pretty, safe, signed, usd } from '../terminal/text.ts'
import { EXIT } from './exit_codes.ts'

/** `release diff --by`: what groups of runs contribute to a difference. */
export async function diffByGroup({ args, options, io, api }: Invocation): Promise<number> {
  const format = outputFormat(options)
  const report = await callJson<DiffGroups>(await api(), 'POST /v1/diff/groups', {
    body: {
      baseline_release_id: args[0],
      candidate_release_id: args[1],
      window: options.required('window'),
      by: options.text('by'),
      metric: options.text('metric'),
      environment: options.text('env'),
      tenant_id: options.text('tenant'),
      task_id: options.text('task'),
    },
  })
  io.out(format === 'json' ? pretty(report) : groupsText(report))
  return EXIT.pass
}

const FORMATS = { cost_per_run_usd: usd, latency_ms: milliseconds, error_rate: percent } as const

function groupsText({ metric, by, difference, rate, mix, groups, warnings, ...report }: DiffGroups): string {
  const format = FORMATS[metric]
  const change = (value: number | null): string => (value === null ? '' : signed(value, format))
  const rows = groups.map(group => [
    group.key === null ? `(${report.merged_groups} small ones)` : safe(group.key),
    count(group.baseline_runs),
    count(group.candidate_runs),
    group.baseline_mean === null ? '-' : format(group.baseline_mean),
    group.candidate_mean === null ? '-' : format(group.candidate_mean),
    change(group.rate),
    change(group.mix),
    group.is_changed ? 'changed' : '',
  ])
  const heading = [by, 'runs', 'runs', 'baseline', 'candidate', 'own change', 'by its share', '']
  return [
    difference === null
      ? ''
      : `${metric} ${change(difference)}: ${change(rate)} from changes within ${by}s, ${change(mix)} from who sent runs\n\n`,
    groups.length === 0 ? '' : columns([heading, ...rows], [1, 2, 3, 4, 5, 6]),
    ...warnings.map(text => `\nwarning     ${safe(text)}\n`),
  ].join('')
}
