import { Amount, Count, Dimension, Scores, Timestamp } from '../scalars.ts'
import { CACHED, FURTHER_USAGE, MODEL, RUN, UnitDigest } from './run_event.ts'
import { object } from '../model.ts'

const TracingId = Dimension.or('null')

/** The last two only where something was written to a cache, and where another model answered. */
const ModelUsage = object({ ...MODEL, cached_input_tokens: CACHED, ...FURTHER_USAGE })

export const StoredEvent = object('A run event as stored, with all defaults.', {
  api_version: ["'v1'", 'Version of this format.'],
  type: [
    "'run_start' | 'run_end'",
    'Only run_end carries cost and latency; run_start counts as a run without usage.',
  ],
  timestamp: [Timestamp, 'When the run ended. ISO-8601; without an offset it is UTC. Filters by window.'],
  workspace_id: [Dimension, 'Stored; not a filter.'],
  ...RUN,
  metrics: object('The result of the run.', {
    success: ['boolean', 'False counts toward the error rate.'],
    latency_ms: ['number | null', 'Milliseconds; null leaves the run out of latency averages.'],
    error_type: ['string | null', 'Informational.'],
    /** Only where the run tells it. */
    'ttft_ms?': ['number', 'Milliseconds from the start of the run to its first token.'],
  }),
  usage: object('The usage of the run.', {
    model: [ModelUsage, 'Model and tokens.'],
    'models?': [
      ModelUsage.array(),
      'Other models that the run called, and their tokens; usage.model is not among them.',
    ],
    /** Only where it is. */
    'incomplete?': [
      'true',
      'Whether some tokens are unknown, such as those of a broken stream: cost and token means leave the run out.',
    ],
    tools: object('Tools called; recorded, not priced.', {
      tool_name: ['string', 'Name of the tool.'],
      invocations: [Count, 'Number of calls.'],
      cost_units: [Amount, 'In a unit of the vendor; not priced.'],
    }).array(),
  }),
  /** Only where the run has any. */
  'scores?': [
    Scores,
    'Scores of the run, by name, such as faithfulness: 0.92. Means and limits use six decimals.',
  ],
  labels: object('Tags; not used in diff or policy.', { '[string]': 'string' }),
  request: object('Tracing identifiers, to search for runs.', {
    session_id: [TracingId, 'Session the run belongs to.'],
    trace_id: [TracingId, 'Trace the run belongs to.'],
    span_id: [TracingId, 'Span of the run.'],
  }).or('null'),
  /** Only where the run has one. */
  'assignment?': object(
    'The unit that a rollout assigned the run by, if that is neither its session nor its tenant.',
    {
      unit: [
        UnitDigest,
        "The user: HMAC-SHA-256 of the key that was assigned, under the workspace's assignment key; the SDK's `assign` returns it.",
      ],
    },
  ),
})
export type StoredEvent = typeof StoredEvent.infer
