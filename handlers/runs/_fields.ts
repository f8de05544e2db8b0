import type { RunsQuery } from '../../src/ledger/events/list.ts'
import {
  type Values,
  choice,
  id,
  integer,
  key,
  moment,
  optional,
  window,
} from '../../src/http/endpoint/fields.ts'

/** Query parameters of GET /v1/runs and GET /v1/runs/export. */
export function runsFields({ defaultLimit }: { defaultLimit: number }) {
  return {
    release_id: id('Release whose events to read.'),
    window: window('How far back', { example: '24h' }),
    until: optional(moment('Where the window ends, unless now')),
    environment: optional(id('The default environment of the workspace unless given.')),
    tenant_id: optional(key('Exact filter.')),
    task_id: optional(key('Exact filter.')),
    trace_id: optional(key('Exact filter on request.trace_id.')),
    session_id: optional(key('Exact filter on request.session_id.')),
    span_id: optional(key('Exact filter on request.span_id.')),
    outcome: optional(choice('Only runs that ended so.', ['success', 'failed'])),
    error_type: optional(key('Only failed runs of this type of error.')),
    min_latency_ms: optional(integer('Only runs that took so long or longer.', { min: 0, max: 2 ** 53 - 1 })),
    offset: integer('Skips so many of the newest matching events.', { default: 0, min: 0, max: 500_000 }),
    limit: integer('Most events to return.', { default: defaultLimit, min: 1, max: 500 }),
  } as const
}

export function toRunsQuery(query: Values<ReturnType<typeof runsFields>>): RunsQuery {
  return {
    ...query,
    until: query.until ?? null,
    environment: query.environment ?? null,
    tenant_id: query.tenant_id ?? null,
    task_id: query.task_id ?? null,
    trace_id: query.trace_id ?? null,
    session_id: query.session_id ?? null,
    span_id: query.span_id ?? null,
  }
}
