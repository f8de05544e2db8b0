import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { releaseId } from '../release/reference.ts'
import { type Api, callJson, readJson, toError, warningsIn } from '../service/api.ts'
import { writeWhole } from '../files.ts'
import { noteWhereRunsAre } from './elsewhere.ts'
import type { Invocation } from '../arguments/command.ts'
import { type Io, warn } from '../terminal/io.ts'
import { type Column, table } from '../terminal/table.ts'
import { count, pretty, safeJson } from '../terminal/text.ts'

interface Page {
  readonly release_id: string
  readonly filters: Readonly<Record<string, string | number | null>> & { readonly environment: string }
  readonly offset: number
  readonly matched_total: number
  readonly returned: number
  readonly truncated: boolean
  readonly warnings?: readonly string[]
  readonly events: readonly StoredEvent[]
}

export async function list(invocation: Invocation): Promise<number> {
  const { options, io, api } = invocation
  const opened = await api()
  const query = await queryOf(invocation, opened)
  const page = await callJson(opened, 'GET /v1/runs', { query })
  if (options.json) {
    io.out(pretty(page))
    return 0
  }
  io.out(table(RUN_COLUMNS, page.events, io))
  warn(page, io)
  const next = page.truncated ? `; the next ones with --offset ${page.offset + page.returned}` : ''
  io.err(`svc: ${count(page.returned)} of ${count(page.matched_total)} matching events${next}\n`)
  if (page.matched_total === 0) await noteNoRuns(page, query, opened, io)
  return 0
}

/** Says where a release has runs of which none was found. */
async function noteNoRuns({ release_id, filters }: Page, { window }: Query, api: Api, io: Io): Promise<void> {
  const { environment, ...others } = filters
  const isNarrowed = Object.values(others).some(filter => filter !== null)
  await noteWhereRunsAre(release_id, { environment, window, isNarrowed }, api, io)
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

/** Tokens of all models of a run. */
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
  const opened = await api()
  const query = await queryOf(invocation, opened)
  const answer = await opened.send('GET /v1/runs/export', { query })
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
    const page = await callJson(opened, 'GET /v1/runs', { query: { ...query, limit: 1 } })
    await noteNoRuns(page, query, opened, io)
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

type Query = Readonly<Record<string, string | number | undefined>> & { readonly window: string }

async function queryOf({ args, options, io }: Invocation, api: Api): Promise<Query> {
  return {
    release_id: await releaseId(args[0]!, api, io, options.text('env')),
    window: options.required('window'),
    environment: options.text('env'),
    tenant_id: options.text('tenant'),
    task_id: options.text('task'),
    trace_id: options.text('trace-id'),
    session_id: options.text('session-id'),
    span_id: options.text('span-id'),
    outcome: options.text('outcome'),
    error_type: options.text('error-type'),
    min_latency_ms: options.number('min-latency-ms'),
    offset: options.number('offset'),
    limit: options.number('limit'),
  }
}
