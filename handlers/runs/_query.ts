import type { RunsQuery } from '../../src/ledger/events/list.ts'
import type { InputPart } from '../../src/models/all/input.ts'

export function toRunsQuery(query: InputPart<'RunsList', 'query'>): RunsQuery {
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
