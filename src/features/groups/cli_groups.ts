import type { DiffGroups } from './models.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { callJson } from '../../cli/service/api.ts'
import { aligned } from '../../cli/terminal/table.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { releaseIds } from '../../cli/release/reference.ts'
import { count, milliseconds, percent, points, pretty, safe, signed, usd } from '../../cli/terminal/text.ts'
import { EXIT } from '../../cli/release/exit_codes.ts'

/** `release diff --by`: what groups of runs contribute to a difference. */
export async function diffByGroup({ args, options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  const [baseline, candidate] = await releaseIds(args, opened, io, options.text('env'))
  const report = await callJson(opened, 'POST /v1/diff/groups', {
    body: {
      baseline_release_id: baseline,
      candidate_release_id: candidate,
      window: options.required('window'),
      by: options.text('by'),
      metric: options.text('metric'),
      environment: options.text('env'),
      tenant_id: options.text('tenant'),
      task_id: options.text('task'),
    },
  })
  io.out(options.json ? pretty(report) : groupsText(report, io))
  return EXIT.pass
}

const FORMATS = { cost_per_run_usd: usd, latency_ms: milliseconds, error_rate: percent } as const

function groupsText(
  { metric, by, difference, rate, mix, groups, warnings, ...report }: DiffGroups,
  io: Io,
): string {
  const format = FORMATS[metric]
  const asChange = metric === 'error_rate' ? points : format
  const change = (value: number | null): string => (value === null ? '' : signed(value, asChange))
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
    groups.length === 0
      ? ''
      : aligned(
          [heading, ...rows],
          [{ whole: true }, ...Array.from({ length: 6 }, () => ({ right: true }))],
          io.outColumns,
        ),
    ...warnings.map(text => `\nwarning     ${safe(text)}\n`),
  ].join('')
}
