import { type EventColumns, eventText } from '../../rules/event_rest.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'

/** What {@link textOf} needs of an event `e` and its variant `v`. */
export const TEXT_COLUMNS: Statement = sql`v.agent_id, v.provider, v.model, e.run_id, e.ts, e.is_end, e.tenant_id,
  e.task_id, e.success, e.latency_ms, e.input_tokens, e.output_tokens, e.cached_input_tokens, e.session_id, e.trace_id,
  e.span_id, e.event_json`

/** The normalised JSON text of a stored event of the given scope. */
export function textOf(row: Row, scope: Pick<EventColumns, 'release_id' | 'environment'>): string {
  return eventText({ ...(row as unknown as EventColumns), ...scope })
}
