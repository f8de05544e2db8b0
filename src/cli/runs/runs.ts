import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import type { RunsPage } from '../../models/answers/runs.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { releaseId } from '../release/reference.ts'
import { callJson, readJson, toError, warningsIn } from '../service/api.ts'
import { call, requestOf } from '../service/run.ts'
import { writeWhole } from '../files.ts'
import { noteWhereRunsAre } from './elsewhere.ts'
import type { Invocation } from '../arguments/command.ts'
import { warn } from '../terminal/io.ts'
import { type Column, table } from '../terminal/table.ts'
import { count, safeJson } from '../terminal/text.ts'

const CHOSEN = {
  as: { env: 'environment', tenant: 'tenant_id', task: 'task_id', out: null },
  takes: async ({ args, options, io, api }: Invocation) => ({
    release_id: await releaseId(args[0]!, await api(), io, options.text('env')),
  }),
} as const

export const list = call('GET /v1/runs', {
  ...CHOSEN,
  text: (page, { io }) => table(RUN_COLUMNS, page.events, io),
  note: async (page, invocation) => {
    if (invocation.options.json) return
    const { io } = invocation
    warn(page, io)
    const next = page.truncated ? `; the next ones with --offset ${page.offset + page.returned}` : ''
    io.err(`svc: ${count(page.returned)} of ${count(page.matched_total)} matching events${next}\n`)
    if (page.matched_total === 0) await noteNoRuns(page, invocation)
  },
})

/** Says where a release has runs of which none was found. */
async function noteNoRuns(
  { release_id, filters }: RunsPage,
  { options, io, api }: Invocation,
): Promise<void> {
  const { environment, ...others } = filters
  const isNarrowed = Object.values(others).some(filter => filter !== null)
  const searched = { environment, window: options.required('window'), isNarrowed }
  await noteWhereRunsAre(release_id, searched, await api(), io)
}

export const RUN_COLUMNS: readonly Column<StoredEvent>[] = [
  {
    heading: 'timestamp',
    cell: row => row.timestamp,
    shown: row => row.timestamp.slice(0, 19).replace('T', ' '),
    whole: true,
    rank: 0,
  },
  { heading: 'run_id', cell: row => row.run_id, rank: 1 },
  { heading: 'tenant', cell: row => row.tenant_id, rank: 4 },
  { heading: 'task', cell: row => row.task_id, rank: 5 },
  { heading: 'result', cell: resultOf, rank: 2 },
  {
    heading: 'latency',
    cell: ({ metrics }) => (metrics.latency_ms === null ? null : `${metrics.latency_ms} ms`),
    right: true,
    rank: 3,
  },
  { heading: 'tokens in', cell: event => tokensOf(event, 'input_tokens'), right: true },
  { heading: 'tokens out', cell: event => tokensOf(event, 'output_tokens'), right: true },
]

function tokensOf(
  { usage: { model, models = [] } }: StoredEvent,
  of: 'input_tokens' | 'output_tokens',
): string {
  return count([model, ...models].reduce((sum, part) => sum + part[of], 0))
}

function resultOf({ type, metrics }: StoredEvent): string {
  if (metrics.success) return type === 'run_start' ? 'started' : 'ok'
  return `failed ${metrics.error_type ?? ''}`.trim()
}

export async function exportRuns(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const request = await requestOf('GET /v1/runs/export', CHOSEN, invocation)
  const opened = await api()
  const answer = await opened.send('GET /v1/runs/export', request)
  if (answer.status >= 400) throw toError(answer.status, readJson(answer))
  if (answer.headers.get('x-service-returned') === null) {
    throw badRequest(`The service answered ${answer.status} without an export; is the URL right?`)
  }
  const file = options.text('out')
  if (file === undefined) io.out(safeJson(answer.text))
  else await writeWhole(resolve(io.cwd, file), answer.text)
  warn(warningsIn(answer), io)
  const number = (name: string): number => Number(answer.headers.get(name))
  const [returned, total, offset] = [
    number('x-service-returned'),
    number('x-service-matched-total'),
    number('x-service-offset'),
  ]
  if (file !== undefined) io.err(`svc: wrote ${count(returned)} events to ${file}\n`)
  if (total === 0) {
    const query = { ...request.query, limit: 1 }
    await noteNoRuns(await callJson(opened, 'GET /v1/runs', { query }), invocation)
  }
  if (answer.headers.get('x-service-truncated') === 'true') {
    io.err(
      `svc: truncated: ${count(returned)} of ${count(total)} matching events; for the rest run it again ` +
        `with --offset ${offsetsOf(offset + returned, returned, total)}${file === undefined ? '' : ', each to a file of its own'}\n`,
    )
  }
  return 0
}

/** Where the pages behind this one start: `500`, `500, 1000`, or `500, 1000, … 9500`. */
function offsetsOf(next: number, step: number, total: number): string {
  const pages = Math.max(1, Math.ceil((total - next) / Math.max(1, step)))
  const starts = (many: number): number[] => Array.from({ length: many }, (_, page) => next + page * step)
  if (pages <= MOST_STARTS) return starts(pages).join(', ')
  return `${starts(2).join(', ')}, … ${next + (pages - 1) * step}`
}

const MOST_STARTS = 4
