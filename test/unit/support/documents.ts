import * as kind from './field_kinds.ts'
import { type DocumentCase, type FieldTable, optional, orNull, required } from './field_kinds.ts'
import { WORKSPACE_DOCUMENTS } from './workspace_documents.ts'

const RATES = {
  input_usd_per_1k_tokens: required(kind.amount),
  output_usd_per_1k_tokens: required(kind.amount),
  cached_input_usd_per_1k_tokens: optional(orNull(kind.amount)),
}

const USAGE = {
  provider: 'openai',
  model: 'gpt-4o-mini',
  input_tokens: 1200,
  output_tokens: 300,
  cached_input_tokens: 100,
  cache_write_input_tokens: 0,
}

const ENTRY_RATES = { ...RATES, cache_write_input_usd_per_1k_tokens: optional(orNull(kind.amount)) }

const PATTERN = { good: ['bot', 'bot*'], bad: ['', 7, null], badForModel: ['b*t', '*bot', 'bot**'] }

const POLICY_KEYS = {
  max_cost_per_run_usd: optional(orNull(kind.amount)),
  max_latency_ms: optional(orNull(kind.count)),
  max_error_rate: optional(orNull(kind.share)),
  min_candidate_runs: optional(orNull(kind.count)),
  min_baseline_runs: optional(orNull(kind.count)),
  min_low_runs: optional(orNull(kind.count)),
  require_high_diff_confidence: optional(kind.boolean),
  max_cost_increase_pct: optional(orNull(kind.increase)),
  max_latency_increase_pct: optional(orNull(kind.increase)),
  max_tool_calls_increase_pct: optional(orNull(kind.increase)),
  max_error_rate_increase: optional(orNull(kind.share)),
  max_latency_p95_ms: optional(orNull(kind.count)),
  max_latency_p99_ms: optional(orNull(kind.count)),
  min_scores: optional(orNull(kind.limitByScore)),
  max_score_drop: optional(orNull(kind.limitByScore)),
  on_inconclusive: optional(kind.oneOf('block', 'pass', 'estimate')),
  sequential: optional(kind.boolean),
  unpriced: optional(kind.oneOf('refuse', 'exclude')),
  watch: optional(orNull(kind.structure)),
  'watch.for': required(kind.watchTime),
  'watch.auto_rollback': optional(kind.boolean),
  'watch.min_runs': optional({ good: [10, 1_000_000], bad: [9, 10.5, '10', null, 1_000_001] }),
}

/** The documents of the specification (Resources and their fields), by the name of their model. */
/** The documents of the specification; the other models are what the service answers. */
export type DocumentName =
  | 'Release'
  | 'RunEvent'
  | 'PricingTable'
  | 'PricingCatalog'
  | 'Policy'
  | 'WorkspaceConfig'
  | 'WorkspacePublic'

export const DOCUMENTS: Readonly<Record<DocumentName, DocumentCase>> = {
  Release: {
    document: {
      api_version: 'v1',
      kind: 'Release',
      metadata: {
        name: 'Support bot',
        version: '1.4.0',
        description: 'Answers faster.',
        created_by: 'ada',
        created_at: '2026-01-31T12:00:00Z',
      },
      spec: {
        agent: { agent_id: 'support-bot', entrypoint: 'bot.py' },
        runtime: { provider: 'openai', model: 'gpt-4o-mini', temperature: 0.2, max_output_tokens: 800 },
        prompts: { system_ref: 'prompts/system.md', template_refs: ['prompts/greet.md'] },
        tools: { manifest_ref: 'tools.json', tool_names: ['search'] },
        routing: { strategy: 'fallback_model', fallback: { model: 'gpt-4o', on_error: false } },
        safety: {
          retry_policy: { max_retries: 2, backoff_ms: 250 },
          timeouts_ms: { model_call: 30_000, tool_call: 5000 },
        },
        pricing_reference: { provider: 'openai', pricing_version: '2026-01' },
      },
      tags: { team: 'support' },
    },
    fields: {
      api_version: required(kind.oneOf('v1')),
      kind: required(kind.oneOf('Release')),
      metadata: required(kind.structure),
      'metadata.name': required(kind.identifier),
      'metadata.version': required(kind.identifier),
      'metadata.description': optional(orNull(kind.text)),
      'metadata.created_by': optional(orNull(kind.text)),
      'metadata.created_at': optional(orNull(kind.dateOrTimestamp)),
      spec: required(kind.structure),
      'spec.agent': required(kind.structure),
      'spec.agent.agent_id': required(kind.identifier),
      'spec.agent.entrypoint': optional(orNull(kind.text)),
      'spec.runtime': required(kind.structure),
      'spec.runtime.provider': required(kind.identifier),
      'spec.runtime.model': required(kind.identifier),
      'spec.runtime.temperature': optional(orNull(kind.finiteNumber)),
      'spec.runtime.max_output_tokens': optional(orNull(kind.integer)),
      'spec.prompts': optional(orNull(kind.structure)),
      'spec.prompts.system_ref': required(kind.nonEmptyText),
      'spec.prompts.template_refs': optional(orNull(kind.texts)),
      'spec.tools': optional(orNull(kind.object)),
      'spec.tools.manifest_ref': optional(orNull(kind.text)),
      'spec.tools.tool_names': optional(orNull(kind.texts)),
      'spec.routing': optional(orNull(kind.object)),
      'spec.routing.fallback.on_error': optional(orNull(kind.boolean)),
      'spec.safety': optional(orNull(kind.object)),
      'spec.safety.retry_policy': optional(orNull(kind.object)),
      'spec.safety.retry_policy.max_retries': optional(orNull(kind.integer)),
      'spec.safety.retry_policy.backoff_ms': optional(orNull(kind.integer)),
      'spec.safety.timeouts_ms': optional(orNull(kind.object)),
      'spec.safety.timeouts_ms.model_call': optional(orNull(kind.integer)),
      'spec.safety.timeouts_ms.tool_call': optional(orNull(kind.integer)),
      'spec.pricing_reference': required(kind.structure),
      'spec.pricing_reference.provider': required(kind.identifier),
      'spec.pricing_reference.pricing_version': required(kind.identifier),
      tags: optional(orNull(kind.textByName)),
    },
  },
  RunEvent: {
    document: {
      api_version: 'v1',
      type: 'run_start',
      timestamp: '2026-01-31T12:00:00Z',
      workspace_id: 'ws_eu',
      agent_id: 'support-bot',
      release_id: 'rel_0123456789ab',
      run_id: 'run-1',
      tenant_id: 'acme',
      task_id: 'triage',
      environment: 'prod',
      metrics: { success: false, latency_ms: 840, error_type: 'timeout' },
      usage: {
        model: USAGE,
        models: [{ ...USAGE, model: 'gpt-4o' }],
        tools: [{ tool_name: 'search', invocations: 2, cost_units: 0.5 }],
      },
      scores: { faithfulness: 0.92 },
      labels: { team: 'support' },
      request: { session_id: 's', trace_id: 't', span_id: 'p' },
    },
    fields: {
      api_version: optional(kind.oneOf('v1')),
      type: optional(kind.oneOf('run_start', 'run_end')),
      timestamp: required(kind.timestamp),
      workspace_id: optional(kind.dimension),
      agent_id: required(kind.identifier),
      release_id: required(kind.identifier),
      run_id: required(kind.identifier),
      tenant_id: required(kind.dimension),
      task_id: required(kind.dimension),
      environment: required(kind.identifier),
      metrics: optional(kind.object),
      'metrics.success': optional(kind.boolean),
      'metrics.latency_ms': optional(orNull(kind.latency)),
      'metrics.error_type': optional(orNull(kind.text)),
      usage: required(kind.structure),
      'usage.model': required(kind.structure),
      'usage.model.provider': required(kind.identifier),
      'usage.model.model': required(kind.identifier),
      'usage.model.input_tokens': required(kind.tokens),
      'usage.model.output_tokens': required(kind.tokens),
      'usage.model.cached_input_tokens': optional(kind.tokens),
      'usage.model.cache_write_input_tokens': optional(kind.tokensOf(1200)),
      'usage.models': optional({ good: [[]], bad: [{}, 'gpt-4o', ['gpt-4o'], null] }),
      'usage.models[0].provider': required(kind.identifier),
      'usage.models[0].model': required(kind.identifier),
      'usage.models[0].input_tokens': required(kind.tokens),
      'usage.models[0].output_tokens': required(kind.tokens),
      'usage.models[0].cached_input_tokens': optional(kind.tokens),
      'usage.models[0].cache_write_input_tokens': optional(kind.tokensOf(1200)),
      'usage.tools': optional({ good: [[]], bad: [{}, 'search', ['search'], null] }),
      'usage.tools[0].tool_name': required(kind.text),
      'usage.tools[0].invocations': optional(kind.count),
      'usage.tools[0].cost_units': optional(kind.amount),
      scores: optional(kind.scoreByName),
      labels: optional(kind.textByName),
      request: optional(orNull(kind.object)),
      'request.session_id': optional(orNull(kind.dimension)),
      'request.trace_id': optional(orNull(kind.dimension)),
      'request.span_id': optional(orNull(kind.dimension)),
    },
  },
  PricingTable: {
    document: {
      provider: 'openai',
      pricing_version: '2026-01',
      entries: [
        {
          model: 'gpt-4o-mini',
          input_usd_per_1k_tokens: 0.00015,
          output_usd_per_1k_tokens: 0.0006,
          cached_input_usd_per_1k_tokens: 0.000075,
          cache_write_input_usd_per_1k_tokens: 0.0001875,
        },
      ],
      source: { format: 'litellm', sha256: 'a'.repeat(64) },
    },
    fields: {
      provider: required(kind.identifier),
      pricing_version: required(kind.identifier),
      entries: required({ good: [[]], bad: [{}, null, 'gpt-4o', ['gpt-4o']] }),
      'entries[0].model': required(kind.identifier),
      ...prefixed('entries[0].', ENTRY_RATES),
      source: optional(kind.structure),
      'source.format': required(kind.oneOf('litellm', 'genai-prices')),
      'source.sha256': required(kind.sha256),
    },
  },
  PricingCatalog: {
    document: {
      api_version: 'v1',
      kind: 'PricingCatalog',
      catalog_version: '2026-01',
      mappings: [
        { provider: 'openai', pricing_version: '2026-01', model: 'gpt-4o-mini', catalog_slot_id: 'small' },
      ],
      tariffs: {
        small: {
          input_usd_per_1k_tokens: 0.0005,
          output_usd_per_1k_tokens: 0.003,
          cached_input_usd_per_1k_tokens: null,
        },
      },
    },
    fields: {
      api_version: required(kind.oneOf('v1')),
      kind: required(kind.oneOf('PricingCatalog')),
      catalog_version: required(kind.identifier),
      mappings: required({ good: [[]], bad: [{}, null, 'small', ['small'], [{}]] }),
      'mappings[0].provider': required(kind.identifier),
      'mappings[0].pricing_version': required(kind.identifier),
      'mappings[0].model': required(kind.identifier),
      'mappings[0].catalog_slot_id': required(kind.identifier),
      tariffs: required({ ...kind.object, bad: [...kind.object.bad, { small: 1 }, { small: {} }] }),
      ...prefixed('tariffs.small.', RATES),
    },
  },
  Policy: {
    document: {
      policy_id: 'prod',
      max_cost_per_run_usd: 0.01,
      max_latency_ms: 1500,
      max_error_rate: 0.02,
      min_candidate_runs: 100,
      min_baseline_runs: 100,
      min_low_runs: 10,
      require_high_diff_confidence: false,
      max_cost_increase_pct: 0.1,
      max_latency_increase_pct: 0.2,
      max_tool_calls_increase_pct: 0.5,
      max_error_rate_increase: 0.02,
      max_latency_p95_ms: 4000,
      max_latency_p99_ms: 9000,
      on_inconclusive: 'estimate',
      sequential: true,
      min_scores: { faithfulness: 0.8, 'regression/pass_rate': 0.95 },
      max_score_drop: { faithfulness: 0.02 },
      unpriced: 'exclude',
      watch: { for: '2h', auto_rollback: true, min_runs: 100 },
      overrides: [
        {
          agent_id: 'support-*',
          environment: 'prod',
          max_cost_per_run_usd: 0.02,
          max_latency_ms: 900,
          max_error_rate: null,
          min_candidate_runs: 50,
          min_baseline_runs: 50,
          min_low_runs: 5,
          require_high_diff_confidence: true,
          max_cost_increase_pct: 0.2,
          max_latency_increase_pct: null,
          max_tool_calls_increase_pct: 1,
          max_error_rate_increase: 0.01,
          max_latency_p95_ms: 3000,
          max_latency_p99_ms: null,
          min_scores: { faithfulness: 0.9 },
          max_score_drop: null,
          on_inconclusive: 'pass',
          sequential: false,
          unpriced: 'refuse',
          watch: { for: '1d', auto_rollback: false, min_runs: 50 },
        },
      ],
    },
    fields: {
      policy_id: optional(kind.identifier),
      ...POLICY_KEYS,
      overrides: optional({
        good: [[]],
        bad: [{}, null, 'prod', ['prod']],
        badForModel: [[{}], [{ environment: 'prod' }]],
      }),
      'overrides[0].agent_id': optional(PATTERN),
      'overrides[0].environment': optional(PATTERN),
      ...prefixed('overrides[0].', POLICY_KEYS),
    },
  },
  ...WORKSPACE_DOCUMENTS,
}

export const MODEL_NAMES = Object.keys(DOCUMENTS) as DocumentName[]

function prefixed(prefix: string, fields: FieldTable): FieldTable {
  return Object.fromEntries(Object.entries(fields).map(([path, rule]) => [prefix + path, rule]))
}
