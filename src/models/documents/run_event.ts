import { type } from 'arktype'
import { by, unitDigest, writesWithinInput } from '../checks.ts'
import { documented, under } from '../docs.ts'
import {
  Amount,
  Count,
  Dimension,
  Identifier,
  LatencyMs,
  Scores,
  Timestamp,
  TokenCount,
  JsonObject,
} from '../scalars.ts'

const OptionalText = type('string | null')
const TracingId = Dimension.or('null')

const Metrics = JsonObject.and({
  'success?': 'boolean',
  'latency_ms?': LatencyMs.or('null'),
  'error_type?': OptionalText,
})

const ToolUsage = type({
  tool_name: 'string',
  'invocations?': Count,
  'cost_units?': Amount,
})

/** Tokens of one model. */
const ModelUsage = type({
  provider: Identifier,
  model: Identifier,
  input_tokens: TokenCount,
  output_tokens: TokenCount,
  'cached_input_tokens?': TokenCount,
  'cache_write_input_tokens?': TokenCount,
  'served_model?': Identifier,
}).narrow(by(writesWithinInput))

const Tracing = JsonObject.and({ 'session_id?': TracingId, 'trace_id?': TracingId, 'span_id?': TracingId })

/** The user that a rollout by user assigned, as the SDK's `assign` hashes it. */
export const UnitDigest = type.string.narrow(by(unitDigest))

const Labels = JsonObject.and({ '[string]': 'string' })

/**
 * Evidence of one agent run, as it is sent. Defaults are listed in `runEvent` and applied by
 * `normaliseEvent`: arktype's own take thirty times as long. Unknown keys are dropped.
 */
export const RunEvent = type({
  'api_version?': "'v1'",
  'type?': "'run_start' | 'run_end'",
  timestamp: Timestamp,
  'workspace_id?': Dimension,
  agent_id: Identifier,
  release_id: Identifier,
  run_id: Identifier,
  tenant_id: Dimension,
  task_id: Dimension,
  environment: Identifier,
  'metrics?': Metrics,
  usage: {
    model: ModelUsage,
    'models?': ModelUsage.array().atMostLength(100),
    'tools?': ToolUsage.array(),
    'incomplete?': 'boolean',
  },
  'scores?': Scores,
  'labels?': Labels,
  'request?': Tracing.or('null'),
  'assignment?': JsonObject.and({ 'unit?': UnitDigest.or('null') }).or('null'),
})
export type RunEvent = typeof RunEvent.infer

export const runEvent = documented(RunEvent, {
  title: 'RunEvent',
  written: true,
  description: 'Runtime evidence of one agent run. Stored once per run_id; unknown keys are dropped.',
  fields: {
    api_version: 'Version of this format.',
    type: 'Only run_end carries cost and latency; run_start counts as a run without usage.',
    timestamp: 'When the run ended. ISO-8601; without an offset it is UTC. Filters by window.',
    workspace_id: 'Stored, never filtered by.',
    agent_id: "The release's agent.",
    release_id: 'The release that ran.',
    run_id: 'De-duplication key: a run_id that is stored already is skipped.',
    tenant_id: 'Filter dimension.',
    task_id: 'Filter dimension.',
    environment: 'Filter dimension: where the run happened.',
    metrics: 'How the run went.',
    'metrics.success': 'False counts toward the error rate.',
    'metrics.latency_ms': 'Milliseconds; null leaves the run out of latency averages.',
    'metrics.error_type': 'Informational.',
    usage: 'What the run used.',
    'usage.model': 'Model and tokens.',
    'usage.model.provider': 'Provider of the model.',
    'usage.model.model': "Model name; must have an entry in the release's price table.",
    'usage.model.input_tokens': 'Input tokens.',
    'usage.model.output_tokens': 'Output tokens.',
    'usage.model.cached_input_tokens': 'Cached input tokens.',
    'usage.model.cache_write_input_tokens':
      'Those of the input tokens that were written to a cache, which some providers charge more for.',
    'usage.model.served_model':
      'Name that the model answered by, where that is another model than was asked for. Not priced.',
    'usage.models': 'Other models that the run called, and their tokens; usage.model is not among them.',
    'usage.models[].provider': 'Provider of the model.',
    'usage.models[].model': "Model name; must have an entry in the release's price table.",
    'usage.models[].input_tokens': 'Input tokens.',
    'usage.models[].output_tokens': 'Output tokens.',
    'usage.models[].cached_input_tokens': 'Cached input tokens.',
    'usage.models[].cache_write_input_tokens': 'Those of the input tokens that were written to a cache.',
    'usage.models[].served_model': 'Name that it answered by, where that is another model.',
    'usage.incomplete':
      'Whether not all tokens are known, as of a stream that broke off: cost and token means leave the run out.',
    'usage.tools': 'Tools called; recorded, not priced.',
    'usage.tools[].tool_name': 'Name of the tool.',
    'usage.tools[].invocations': 'Number of calls.',
    'usage.tools[].cost_units': 'In a unit of the vendor; not priced.',
    scores: 'How good the run was, by name, such as faithfulness: 0.92. Means and limits go by six decimals.',
    labels: 'Tags; not used in diff or policy.',
    request: 'Tracing identifiers, to find runs by.',
    'request.session_id': 'Session the run belongs to.',
    'request.trace_id': 'Trace the run belongs to.',
    'request.span_id': 'Span of the run.',
    assignment: 'What a rollout assigned the run by, where that is neither its session nor its tenant.',
    'assignment.unit':
      "The user: HMAC-SHA-256 of the key that was assigned, under the workspace's assignment key; the SDK's `assign` returns it.",
  },
  defaults: {
    api_version: 'v1',
    type: 'run_end',
    workspace_id: 'ws_local',
    'metrics.success': true,
    'metrics.latency_ms': null,
    'metrics.error_type': null,
    'usage.model.cached_input_tokens': 0,
    'usage.models[].cached_input_tokens': 0,
    'usage.tools[].invocations': 0,
    'usage.tools[].cost_units': 0,
  },
  examples: [
    {
      timestamp: '2026-01-31T12:00:00Z',
      agent_id: 'support-bot',
      release_id: 'rel_0123456789ab',
      run_id: 'run-1',
      tenant_id: 'acme',
      task_id: 'triage',
      environment: 'prod',
      metrics: { success: true, latency_ms: 840 },
      usage: { model: { provider: 'openai', model: 'gpt-4o-mini', input_tokens: 1200, output_tokens: 300 } },
    },
  ],
})

/** POST /v1/events */
export const Events = type({
  events: RunEvent.array().atLeastLength(1),
  'dropped?': type({
    release_id: Identifier,
    environment: Identifier,
    runs: '1 <= number.integer <= 1000000000',
  })
    .array()
    .atMostLength(100),
})

export const events = documented(Events, {
  title: 'Events',
  written: true,
  description: 'Run events to store, in order.',
  fields: {
    events: 'At least one.',
    dropped: 'Runs that a recorder had to leave out since its last request, by release and environment.',
    'dropped[].release_id': 'Release of the runs.',
    'dropped[].environment': 'Environment of the runs.',
    'dropped[].runs': 'How many.',
    ...under('events[].', runEvent.docs.fields),
  },
  defaults: under('events[].', runEvent.docs.defaults),
})
