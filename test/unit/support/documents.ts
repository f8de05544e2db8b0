import * as kind from './field_kinds.ts'
import { type DocumentCase, optional, orNull, prefixed, required } from './field_kinds.ts'
import { POLICY_DOCUMENT } from './policy_document.ts'
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
  served_model: 'gpt-4o-mini-2024-07-18',
}

const ENTRY_RATES = { ...RATES, cache_write_input_usd_per_1k_tokens: optional(orNull(kind.amount)) }

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
        capabilities: { tools: [{ name: 'search', effects: ['reads'] }] },
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
      'spec.capabilities': optional({ good: [null, {}, 'anything', { tools: 7 }], bad: [] }),
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
      assignment: { unit: '0'.repeat(64) },
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
      'metrics.ttft_ms': optional(orNull(kind.latency)),
      'metrics.error_type': optional(orNull(kind.text)),
      usage: required(kind.structure),
      'usage.model': required(kind.structure),
      'usage.model.provider': required(kind.identifier),
      'usage.model.model': required(kind.identifier),
      'usage.model.input_tokens': required(kind.tokens),
      'usage.model.output_tokens': required(kind.tokens),
      'usage.model.cached_input_tokens': optional(kind.tokens),
      'usage.model.cache_write_input_tokens': optional(kind.tokensOf(1200)),
      'usage.model.served_model': optional(kind.identifier),
      'usage.models': optional({ good: [[]], bad: [{}, 'gpt-4o', ['gpt-4o'], null] }),
      'usage.models[0].provider': required(kind.identifier),
      'usage.models[0].model': required(kind.identifier),
      'usage.models[0].input_tokens': required(kind.tokens),
      'usage.models[0].output_tokens': required(kind.tokens),
      'usage.models[0].cached_input_tokens': optional(kind.tokens),
      'usage.models[0].cache_write_input_tokens': optional(kind.tokensOf(1200)),
      'usage.models[0].served_model': optional(kind.identifier),
      'usage.tools': optional({ good: [[]], bad: [{}, 'search', ['search'], null] }),
      'usage.tools[0].tool_name': required(kind.text),
      'usage.tools[0].invocations': optional(kind.count),
      'usage.tools[0].cost_units': optional(kind.amount),
      'usage.incomplete': optional(kind.boolean),
      scores: optional(kind.scoreByName),
      labels: optional(kind.textByName),
      request: optional(orNull(kind.object)),
      'request.session_id': optional(orNull(kind.dimension)),
      'request.trace_id': optional(orNull(kind.dimension)),
      'request.span_id': optional(orNull(kind.dimension)),
      assignment: optional(orNull(kind.object)),
      'assignment.unit': optional(orNull(kind.sha256)),
    },
  },
  PricingTable: {
    document: {
      provider: 'openai',
      pricing_version: '2026-01',
      entries: [
        {
          model: 'gpt-4o-mini',
          aliases: ['prod-mini', 'azure/gpt-4o-mini*'],
          input_usd_per_1k_tokens: 0.00015,
          output_usd_per_1k_tokens: 0.0006,
          cached_input_usd_per_1k_tokens: 0.000075,
          cache_write_input_usd_per_1k_tokens: 0.0001875,
          retires_on: '2026-10-01',
        },
      ],
      source: { format: 'litellm', sha256: 'a'.repeat(64) },
    },
    fields: {
      provider: required(kind.identifier),
      pricing_version: required(kind.identifier),
      entries: required({ good: [[]], bad: [{}, null, 'gpt-4o', ['gpt-4o']] }),
      'entries[0].model': required(kind.identifier),
      'entries[0].aliases': optional(
        orNull({
          good: [[], ['prod'], ['prod*', 'a/b']],
          bad: [{}, 'prod', [7], [''], ['*'], ['*a'], ['a*b']],
        }),
      ),
      ...prefixed('entries[0].', ENTRY_RATES),
      'entries[0].retires_on': optional(orNull(kind.day)),
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
  Policy: POLICY_DOCUMENT,
  ...WORKSPACE_DOCUMENTS,
}

export const MODEL_NAMES = Object.keys(DOCUMENTS) as DocumentName[]
