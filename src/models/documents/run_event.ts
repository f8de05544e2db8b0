import { type } from 'arktype'
import { by, unitDigest, writesWithinInput } from '../checks.ts'
import {
  Amount,
  Count,
  Dimension,
  Identifier,
  LatencyMs,
  Scores,
  Timestamp,
  TokenCount,
  json,
} from '../scalars.ts'
import { object, said } from '../model.ts'

const OptionalText = type('string | null')
const TracingId = Dimension.or('null')

const Metrics = json({
  'success?': ['boolean', 'False counts toward the error rate.'],
  'latency_ms?': [LatencyMs.or('null'), 'Milliseconds; null leaves the run out of latency averages.'],
  'error_type?': [OptionalText, 'Informational.'],
  'ttft_ms?': [
    LatencyMs.or('null'),
    "Time to first token: milliseconds from the start of the run to the first token of a model's answer. Means and limits use runs that succeeded.",
  ],
})

const ToolUsage = object({
  tool_name: ['string', 'Name of the tool.'],
  'invocations?': [Count, 'Number of calls.'],
  'cost_units?': [Amount, 'In a unit of the vendor; not priced.'],
})

/** What a run is of: fields of events as they are sent, and as they are stored. */
export const RUN = {
  agent_id: [Identifier, "The release's agent."],
  release_id: [Identifier, 'The release that ran.'],
  run_id: [Identifier, 'De-duplication key: a run_id that is stored already is skipped.'],
  tenant_id: [Dimension, 'Filter dimension.'],
  task_id: [Dimension, 'Filter dimension.'],
  environment: [Identifier, 'Filter dimension: where the run happened.'],
} as const
export const MODEL = {
  provider: [Identifier, 'Provider of the model.'],
  model: [Identifier, "Model name; must have an entry in the release's price table."],
  input_tokens: [TokenCount, 'Input tokens.'],
  output_tokens: [TokenCount, 'Output tokens.'],
} as const
export const CACHED = [TokenCount, 'Cached input tokens.'] as const
export const FURTHER_USAGE = {
  'cache_write_input_tokens?': [
    TokenCount,
    'How many of the input tokens were written to a cache, for which some providers charge more.',
  ],
  'served_model?': [
    Identifier,
    "The model's name in the answer, if it differs from the requested model. Not priced.",
  ],
} as const

const ModelUsage = object({ ...MODEL, 'cached_input_tokens?': CACHED, ...FURTHER_USAGE }).narrow(
  by(writesWithinInput),
)

const Tracing = json({
  'session_id?': [TracingId, 'Session the run belongs to.'],
  'trace_id?': [TracingId, 'Trace the run belongs to.'],
  'span_id?': [TracingId, 'Span of the run.'],
})

/** The user that a rollout by user assigned, as the SDK's `assign` hashes it. */
export const UnitDigest = type.string.narrow(by(unitDigest))

const Labels = json({ '[string]': 'string' })

/**
 * Defaults of what may be left out are applied by
 * `normaliseEvent`: arktype's own take thirty times as long. Unknown keys are dropped.
 */
export const RunEvent = said(
  object({
    'api_version?': ["'v1'", 'Version of this format.'],
    'type?': [
      "'run_start' | 'run_end'",
      'Only run_end carries cost and latency; run_start counts as a run without usage.',
    ],
    timestamp: [Timestamp, 'When the run ended. ISO-8601; without an offset it is UTC. Filters by window.'],
    'workspace_id?': [Dimension, 'Stored; not a filter.'],
    ...RUN,
    'metrics?': [Metrics, 'The result of the run.'],
    usage: object('The usage of the run.', {
      model: [ModelUsage, 'Model and tokens.'],
      'models?': [
        ModelUsage.array().atMostLength(100),
        'Other models that the run called, and their tokens; usage.model is not among them.',
      ],
      'incomplete?': [
        'boolean',
        'Whether some tokens are unknown, such as those of a broken stream: cost and token means leave the run out.',
      ],
      'tools?': [ToolUsage.array(), 'Tools called; recorded, not priced.'],
    }),
    'scores?': [
      Scores,
      'Scores of the run, by name, such as faithfulness: 0.92. Means and limits use six decimals.',
    ],
    'labels?': [Labels, 'Tags; not used in diff or policy.'],
    'request?': [Tracing.or('null'), 'Tracing identifiers, to search for runs.'],
    'assignment?': [
      json({
        'unit?': [
          UnitDigest.or('null'),
          "The user: HMAC-SHA-256 of the key that was assigned, under the workspace's assignment key; the SDK's `assign` returns it.",
        ],
      }).or('null'),
      'The unit that a rollout assigned the run by, if that is neither its session nor its tenant.',
    ],
  }),
  'Runtime evidence of one agent run. Stored once per run_id; unknown keys are dropped.',
  {
    written: true,
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
        usage: {
          model: { provider: 'openai', model: 'gpt-4o-mini', input_tokens: 1200, output_tokens: 300 },
        },
      },
    ],
  },
)
export type RunEvent = typeof RunEvent.infer

/** POST /v1/events */
export const Events = said(
  object({
    events: [RunEvent.array().atLeastLength(1), 'At least one.'],
    'dropped?': object('Runs that a recorder left out since its last request, by release and environment.', {
      release_id: [Identifier, 'Release of the runs.'],
      environment: [Identifier, 'Environment of the runs.'],
      runs: ['1 <= number.integer <= 1000000000', 'How many.'],
    })
      .array()
      .atMostLength(100),
  }),
  'Run events to store, in order.',
  { written: true },
)
