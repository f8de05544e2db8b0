import { parseTimestamp } from '../../base/time.ts'
import type { RunEvent } from './run_event.ts'
import type { StoredEvent } from './stored_event.ts'

/**
 * Applies the defaults of the specification (RunEvent) and drops unknown fields; the timestamp becomes UTC.
 * The event must have passed the RunEvent model.
 */
export function normaliseEvent(event: RunEvent): StoredEvent {
  const { metrics, usage, request } = event
  const unit = event.assignment?.unit
  return {
    api_version: 'v1',
    type: event.type ?? 'run_end',
    timestamp: parseTimestamp(event.timestamp)!.text,
    workspace_id: event.workspace_id ?? 'ws_local',
    agent_id: event.agent_id,
    release_id: event.release_id,
    run_id: event.run_id,
    tenant_id: event.tenant_id,
    task_id: event.task_id,
    environment: event.environment,
    metrics: {
      success: metrics?.success ?? true,
      latency_ms: metrics?.latency_ms ?? null,
      error_type: metrics?.error_type ?? null,
      ...(metrics?.ttft_ms == null ? {} : { ttft_ms: metrics.ttft_ms }),
    },
    usage: {
      model: normaliseUsage(usage.model),
      ...(usage.models === undefined || usage.models.length === 0
        ? {}
        : { models: usage.models.map(normaliseUsage) }),
      tools: (usage.tools ?? []).map(tool => ({
        tool_name: tool.tool_name,
        invocations: tool.invocations ?? 0,
        cost_units: tool.cost_units ?? 0,
      })),
      ...(usage.incomplete === true ? { incomplete: true as const } : {}),
    },
    ...(event.scores === undefined || !hasAny(event.scores) ? {} : { scores: signless(event.scores) }),
    labels: event.labels ?? {},
    request:
      request == null
        ? null
        : {
            session_id: request.session_id ?? null,
            trace_id: request.trace_id ?? null,
            span_id: request.span_id ?? null,
          },
    ...(unit == null ? {} : { assignment: { unit } }),
  }
}

function hasAny(scores: object): boolean {
  for (const _ in scores) return true
  return false
}

type GivenUsage = RunEvent['usage']['model']

/** An event without cache writes reads as it did before there was a field for them. */
function normaliseUsage(usage: GivenUsage): StoredEvent['usage']['model'] {
  const { provider, model, input_tokens, output_tokens, served_model = model } = usage
  const { cache_write_input_tokens: written = 0 } = usage
  return {
    provider,
    model,
    input_tokens,
    output_tokens,
    cached_input_tokens: usage.cached_input_tokens ?? 0,
    ...(written > 0 ? { cache_write_input_tokens: written } : {}),
    ...(served_model === model ? {} : { served_model }),
  }
}

/** JSON has no negative zero: what is stored is what is read again. */
function signless(scores: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, score + 0]))
}
