import { type } from 'arktype'
import { by, fallbackFits } from '../checks.ts'
import { documented, under } from '../docs.ts'
import {
  Checksum,
  Count,
  DateOrTimestamp,
  Finite,
  Identifier,
  Instant,
  JsonObject,
  Timestamp,
} from '../scalars.ts'

const Fallback = JsonObject.and({ 'model?': Identifier, 'on_error?': 'boolean | null' })

const Routing = JsonObject.and({
  'strategy?': "'single_model' | 'fallback_model' | null",
  'fallback?': Fallback.or('null'),
}).narrow(by(fallbackFits))

const Tools = JsonObject.and({ 'manifest_ref?': 'string | null', 'tool_names?': 'string[] | null' })

const RetryPolicy = JsonObject.and({
  'max_retries?': 'number.integer | null',
  'backoff_ms?': 'number.integer | null',
})

const Timeouts = JsonObject.and({
  'model_call?': 'number.integer | null',
  'tool_call?': 'number.integer | null',
})

const Safety = JsonObject.and({
  'retry_policy?': RetryPolicy.or('null'),
  'timeouts_ms?': Timeouts.or('null'),
})

const Tags = JsonObject.and({ '[string]': 'string' })

/** release.yaml: an immutable description of an agent release. Unknown keys are kept. */
export const Release = type({
  api_version: "'v1'",
  kind: "'Release'",
  metadata: {
    name: Identifier,
    version: Identifier,
    'description?': 'string | null',
    'created_by?': 'string | null',
    'created_at?': DateOrTimestamp.or('null'),
  },
  spec: {
    agent: { agent_id: Identifier, 'entrypoint?': 'string | null' },
    runtime: {
      provider: Identifier,
      model: Identifier,
      'temperature?': Finite.or('null'),
      'max_output_tokens?': 'number.integer | null',
    },
    'prompts?': type({ system_ref: 'string > 0', 'template_refs?': 'string[] | null' }).or('null'),
    'tools?': Tools.or('null'),
    'routing?': Routing.or('null'),
    'safety?': Safety.or('null'),
    // Any value: artifacts that have such a key of their own stay valid. `Capabilities` are compared, anything else is warned of.
    'capabilities?': 'unknown',
    pricing_reference: { provider: Identifier, pricing_version: Identifier },
  },
  'tags?': Tags.or('null'),
})
export type Release = typeof Release.infer

export const release = documented(Release, {
  title: 'Release',
  written: true,
  description: 'An immutable release artifact: what an agent runs as. Unknown keys are kept as they are.',
  fields: {
    api_version: 'Version of this format.',
    kind: 'Kind of document.',
    metadata: 'Names the release.',
    'metadata.name': 'Human label.',
    'metadata.version': 'Free-form version.',
    'metadata.description': 'What this release is about.',
    'metadata.created_by': 'Who made the release.',
    'metadata.created_at': 'When the release was made.',
    spec: 'What the agent runs as.',
    'spec.agent': 'The agent this is a release of.',
    'spec.agent.agent_id': 'Stable across releases of one agent; groups diff, promote and rollback.',
    'spec.agent.entrypoint': 'Where the agent starts.',
    'spec.runtime': 'The model and its settings.',
    'spec.runtime.provider': 'Provider of the model.',
    'spec.runtime.model': 'Model name, looked up in the price table.',
    'spec.runtime.temperature': 'Sampling temperature.',
    'spec.runtime.max_output_tokens': 'Most output tokens per call.',
    'spec.prompts': 'Prompt files of the bundle.',
    'spec.prompts.system_ref': 'System prompt, a path relative to the bundle root.',
    'spec.prompts.template_refs': 'Further prompts, paths relative to the bundle root.',
    'spec.tools': 'Tools the agent may call.',
    'spec.tools.manifest_ref': 'Path of a tool manifest.',
    'spec.tools.tool_names': 'Names of the tools.',
    'spec.routing': 'How calls are routed to models.',
    'spec.routing.strategy': 'One model, or one with a fallback. Default single_model.',
    'spec.routing.fallback': 'The fallback; only with strategy fallback_model.',
    'spec.routing.fallback.model': 'Model to fall back to; required with strategy fallback_model.',
    'spec.routing.fallback.on_error': 'Whether an error falls back. Default true.',
    'spec.safety': 'Retries and time-outs.',
    'spec.safety.retry_policy': 'How failed calls are retried.',
    'spec.safety.retry_policy.max_retries': 'Most retries per call.',
    'spec.safety.retry_policy.backoff_ms': 'Pause before a retry, milliseconds.',
    'spec.safety.timeouts_ms': 'Time-outs in milliseconds.',
    'spec.safety.timeouts_ms.model_call': 'Of a model call, milliseconds.',
    'spec.safety.timeouts_ms.tool_call': 'Of a tool call, milliseconds.',
    'spec.capabilities':
      'Capabilities of the agent: tools with their effects and scopes, MCP servers, sub-agents, further models; see Capabilities.',
    'spec.pricing_reference': 'The price table that this release is priced with.',
    'spec.pricing_reference.provider': 'Provider of the price table.',
    'spec.pricing_reference.pricing_version': 'Version of the price table.',
    tags: 'Arbitrary labels.',
  },
  defaults: { 'spec.routing.strategy': 'single_model', 'spec.routing.fallback.on_error': true },
  examples: [
    {
      api_version: 'v1',
      kind: 'Release',
      metadata: { name: 'support-bot 1.10', version: '1.10', description: 'A shorter system prompt' },
      spec: {
        agent: { agent_id: 'support-bot', entrypoint: 'bot/main.py' },
        runtime: { provider: 'openai', model: 'gpt-4.1-mini', temperature: 0.3, max_output_tokens: 1024 },
        prompts: { system_ref: 'prompts/system.md' },
        tools: { tool_names: ['search_help', 'open_ticket'] },
        pricing_reference: { provider: 'openai', pricing_version: 'list-2026-08-21' },
      },
      tags: { team: 'support' },
    },
  ],
})

/** A registered release as it is listed. */
export const ReleaseRecord = type({
  release_id: Identifier,
  agent_id: Identifier,
  version: Identifier,
  environment: Identifier,
  checksum: Checksum,
  created_at: Timestamp,
})
export type ReleaseRecord = typeof ReleaseRecord.infer

const RECORD_FIELDS = {
  release_id: 'Identifier of the release.',
  agent_id: 'The agent it is a release of.',
  version: 'metadata.version of the artifact.',
  environment: 'Label given at registration.',
  checksum: 'SHA-256 of the canonical bundle, lowercase hex.',
  created_at: 'When it was registered.',
} as const

/** A registered release with its artifact. */
export const ReleaseDetail = ReleaseRecord.and({ artifact_json: 'object', 'run_environments?': 'string[]' })
export type ReleaseDetail = ReleaseRecord & { artifact_json: Release; run_environments?: string[] }

export const releaseDetail = documented(ReleaseDetail, {
  title: 'ReleaseDetail',
  description: 'A registered release with its artifact.',
  fields: {
    ...RECORD_FIELDS,
    artifact_json: 'The release.yaml, as it was registered.',
    run_environments: 'Environments that runs of it were ingested in; only where that was asked for.',
  },
})

/** GET /v1/releases */
export const ReleaseList = type({ releases: ReleaseRecord.array() })

export const releaseList = documented(ReleaseList, {
  title: 'ReleaseList',
  description: 'All registered releases, newest first.',
  fields: { releases: 'The releases.', ...under('releases[].', RECORD_FIELDS) },
})

/** POST /v1/releases */
export const Registered = ReleaseRecord.and({
  'reused?': 'boolean',
  same_checksum_as: 'string[]',
  warnings: 'string[]',
})
export type Registered = typeof Registered.infer

export const registered = documented(Registered, {
  title: 'Registered',
  description: 'The release that was just registered, or that was before and is reused.',
  fields: {
    ...RECORD_FIELDS,
    reused: 'Present, and true, where it was registered before: nothing was written.',
    same_checksum_as: 'Other releases that were registered from the same bundle, newest first.',
    warnings: 'What to mind before the release is compared.',
  },
})

/** GET /v1/releases/{release_id}/models */
export const UsedModels = type({
  release_id: Identifier,
  since: Instant,
  provider: Identifier,
  pricing_version: Identifier,
  models: type({ provider: Identifier, model: Identifier, runs: Count, priced: 'boolean' }).array(),
})
export type UsedModels = typeof UsedModels.infer

export const usedModels = documented(UsedModels, {
  title: 'UsedModels',
  description: "The models that a release's runs used, in any environment, those of most runs first.",
  fields: {
    release_id: 'The release.',
    since: 'Where the first hour begins that is counted.',
    provider: "Provider of the release's price table.",
    pricing_version: "Version of the release's price table.",
    models: 'The models.',
    'models[].provider': 'Provider that the runs name.',
    'models[].model': 'Model name.',
    'models[].runs': 'Runs that used it.',
    'models[].priced': 'Whether the price table has it. Runs of a model without a price make diffs fail.',
  },
})
