import { type } from 'arktype'
import { documented } from '../docs.ts'
import { Amount, Count, Dimension, Identifier, Scores, Timestamp, TokenCount } from '../scalars.ts'
import { UnitDigest, runEvent } from './run_event.ts'

const TracingId = Dimension.or('null')

/** The last two only where something was written to a cache, and where another model answered. */
const ModelUsage = type({
  provider: Identifier,
  model: Identifier,
  input_tokens: TokenCount,
  output_tokens: TokenCount,
  cached_input_tokens: TokenCount,
  'cache_write_input_tokens?': TokenCount,
  'served_model?': Identifier,
})

/** A run event as it is stored and given back: with every default applied, and nothing else. */
export const StoredEvent = type({
  api_version: "'v1'",
  type: "'run_start' | 'run_end'",
  timestamp: Timestamp,
  workspace_id: Dimension,
  agent_id: Identifier,
  release_id: Identifier,
  run_id: Identifier,
  tenant_id: Dimension,
  task_id: Dimension,
  environment: Identifier,
  metrics: { success: 'boolean', latency_ms: 'number | null', error_type: 'string | null' },
  usage: {
    model: ModelUsage,
    'models?': ModelUsage.array(),
    tools: type({ tool_name: 'string', invocations: Count, cost_units: Amount }).array(),
    /** Only where it is. */
    'incomplete?': 'true',
  },
  /** Only where the run has any. */
  'scores?': Scores,
  labels: { '[string]': 'string' },
  request: type({ session_id: TracingId, trace_id: TracingId, span_id: TracingId }).or('null'),
  /** Only where the run has one. */
  'assignment?': { unit: UnitDigest },
})
export type StoredEvent = typeof StoredEvent.infer

export const storedEvent = documented(StoredEvent, {
  title: 'StoredEvent',
  description: 'A run event as it is stored and given back: with every default applied.',
  fields: runEvent.docs.fields ?? {},
})
