import { resolve } from 'node:path'
import { refused } from '../../base/errors.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { callJson, readJson, toError } from '../service/api.ts'
import { writeWhole } from '../files.ts'
import { type Invocation, outputFormat, wholeNumber } from '../arguments/command.ts'
import { columns, count, pretty, safe, safeJson } from '../terminal/text.ts'

interface Page {
  readonly offset: number
  readonly matched_total: number
  readonly returned: number
  readonly truncated: boolean
  readonly events: readonly StoredEvent[]
}

export async function list(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const format = outputFormat(options)
  const page = await callJson<Page>(await api(), 'GET /v1/runs', { query: queryOf(invocation) })
  if (format === 'json') {
    io.out(pretty(page))
    return 0
  }
  io.out(columns([HEADER, ...page.events.map(toRow)], [5, 6, 7]))
  const next = page.truncated ? `; the next ones with --offset ${page.offset + page.returned}` : ''
  io.err(`svc: ${count(page.returned)} of ${count(page.matched_total)} matching events${next}\n`)
  return 0
}

const HEADER = ['timestamp', 'run_id', 'tenant', 'task', 'result', 'latency', 'tokens in', 'tokens out']

function toRow({ timestamp, run_id, tenant_id, task_id, type, metrics, usage }: StoredEvent): string[] {
  const result = metrics.success
    ? type === 'run_start'
      ? 'started'
      : 'ok'
    : `failed ${metrics.error_type ?? ''}`
  return [
    timestamp,
    safe(run_id),
    safe(tenant_id),
    safe(task_id),
    safe(result.trim()),
    metrics.latency_ms === null ? '-' : `${metrics.latency_ms} ms`,
    count(usage.model.input_tokens),
    count(usage.model.output_tokens),
  ]
}

export async function exportRuns(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const answer = await (await api()).send('GET /v1/runs/export', { query: queryOf(invocation) })
  if (answer.status >= 400) throw toError(answer.status, await readJson(answer))
  if (answer.header('x-service-returned') === null) {
    throw refused(`The service answered ${answer.status} without an export; is the URL right?`)
  }
  const text = await answer.text()
  const file = options.text('out')
  if (file === undefined) io.out(safeJson(text))
  else await writeWhole(resolve(io.cwd, file), text)
  const number = (name: string): number => Number(answer.header(name))
  const [returned, total, offset] = [
    number('x-service-returned'),
    number('x-service-matched-total'),
    number('x-service-offset'),
  ]
  if (file !== undefined) io.err(`svc: wrote ${count(returned)} events to ${file}\n`)
  if (answer.header('x-service-truncated') === 'true') {
    io.err(
      `svc: truncated: ${count(returned)} of ${count(total)} matching events; ` +
        `the next ones with --offset ${offset + returned}\n`,
    )
  }
  return 0
}

function queryOf({ args, options }: Invocation): Record<string, string | number | undefined> {
  return {
    release_id: args[0]!,
    window: options.required('window'),
    environment: options.text('env'),
    tenant_id: options.text('tenant'),
    task_id: options.text('task'),
    trace_id: options.text('trace-id'),
    session_id: options.text('session-id'),
    span_id: options.text('span-id'),
    offset: wholeNumber(options, 'offset'),
    limit: wholeNumber(options, 'limit'),
  }
}
