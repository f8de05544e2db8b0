import type { DiffReport } from '../../models/answers/diff.ts'
import { type Api, goodJson } from '../service/api.ts'
import { EXIT, exitCode } from './exit_codes.ts'
import { diffText } from './diff_text.ts'
import type { Invocation, Options } from '../arguments/command.ts'
import type { Io } from '../terminal/io.ts'
import { noteWhereRunsAre } from '../runs/elsewhere.ts'
import { pretty } from '../terminal/text.ts'
import { releaseIds } from './reference.ts'

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
  if (ids[0] === ids[1]) io.err('svc: warning: both sides are the same release, so nothing can differ\n')
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
