import { fallbackFits } from '../checks.ts'
import { Checksum, Count, DateOrTimestamp, Finite, Identifier, Instant, json, Timestamp } from '../scalars.ts'
import { object, said } from '../model.ts'

const Fallback = json({
  'model?': [Identifier, 'Model to fall back to; required with strategy fallback_model.'],
  'on_error?': ['boolean | null', 'Whether an error falls back. Default true.'],
})

const Routing = json(
  {
    'strategy?': [
      "'single_model' | 'fallback_model' | null",
      'One model, or one with a fallback. Default single_model.',
    ],
    'fallback?': [Fallback.or('null'), 'The fallback; only with strategy fallback_model.'],
  },
  fallbackFits,
)

const Tools = json({
  'manifest_ref?': ['string | null', 'Path of a tool manifest.'],
  'tool_names?': ['string[] | null', 'Names of the tools.'],
})

const RetryPolicy = json({
  'max_retries?': ['number.integer | null', 'Most retries per call.'],
  'backoff_ms?': ['number.integer | null', 'Pause before a retry, milliseconds.'],
})

const Timeouts = json({
  'model_call?': ['number.integer | null', 'Of a model call, milliseconds.'],
  'tool_call?': ['number.integer | null', 'Of a tool call, milliseconds.'],
})

const Safety = json({
  'retry_policy?': [RetryPolicy.or('null'), 'How failed calls are retried.'],
  'timeouts_ms?': [Timeouts.or('null'), 'Time-outs in milliseconds.'],
})

const Tags = json({ '[string]': 'string' })

export const Release = said(
  object({
    api_version: ["'v1'", 'Version of this format.'],
    kind: ["'Release'", 'Kind of document.'],
    metadata: object('Names the release.', {
      name: [Identifier, 'Human label.'],
      version: [Identifier, 'Free-form version.'],
      'description?': ['string | null', 'Description of the release.'],
      'created_by?': ['string | null', 'Who made the release.'],
      'created_at?': [DateOrTimestamp.or('null'), 'When the release was made.'],
    }),
    spec: object("The agent's configuration.", {
      agent: object('The agent this is a release of.', {
        agent_id: [Identifier, 'Stable across releases of one agent; groups diff, promote and rollback.'],
        'entrypoint?': ['string | null', "The agent's entry point."],
      }),
      runtime: object('The model and its settings.', {
        provider: [Identifier, 'Provider of the model.'],
        model: [Identifier, 'Model name, looked up in the price table.'],
        'temperature?': [Finite.or('null'), 'Sampling temperature.'],
        'max_output_tokens?': ['number.integer | null', 'Most output tokens per call.'],
      }),
      'prompts?': object('Prompt files of the bundle.', {
        system_ref: ['string > 0', 'System prompt, a path relative to the bundle root.'],
        'template_refs?': ['string[] | null', 'Further prompts, paths relative to the bundle root.'],
      }).or('null'),
      'tools?': [Tools.or('null'), 'Tools the agent may call.'],
      'routing?': [Routing.or('null'), 'How calls are routed to models.'],
      'safety?': [Safety.or('null'), 'Retries and time-outs.'],
      // Any value: artifacts that have such a key of their own stay valid. `Capabilities` are compared, anything else is warned of.
      'capabilities?': [
        'unknown',
        'Capabilities of the agent: tools with their effects and scopes, MCP servers, sub-agents, further models; see Capabilities.',
      ],
      pricing_reference: object('The price table that this release is priced with.', {
        provider: [Identifier, 'Provider of the price table.'],
        pricing_version: [Identifier, 'Version of the price table.'],
      }),
    }),
    'tags?': [Tags.or('null'), 'Arbitrary labels.'],
  }),
  'An immutable release artifact: the configuration of an agent. Unknown keys are stored unchanged.',
  {
    written: true,
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
  },
)
export type Release = typeof Release.infer

/** A registered release as it is listed. */
export const ReleaseRecord = object({
  release_id: [Identifier, 'Identifier of the release.'],
  agent_id: [Identifier, 'The agent it is a release of.'],
  version: [Identifier, 'metadata.version of the artifact.'],
  environment: [Identifier, 'Label given at registration.'],
  checksum: [Checksum, 'SHA-256 of the canonical bundle, lowercase hex.'],
  created_at: [Timestamp, 'When it was registered.'],
})
export type ReleaseRecord = typeof ReleaseRecord.infer

export const ReleaseDetail = object('A registered release with its artifact.', {
  '...': ReleaseRecord,
  artifact_json: ['object', 'The release.yaml, as it was registered.'],
  'run_environments?': ['string[]', 'Environments with runs of it; only on request.'],
})
export type ReleaseDetail = ReleaseRecord & { artifact_json: Release; run_environments?: string[] }

/** GET /v1/releases */
export const ReleaseList = object('All registered releases, newest first.', {
  releases: [ReleaseRecord.array(), 'The releases.'],
})

/** POST /v1/releases */
export const Registered = object('The release that was just registered, or an earlier one that is reused.', {
  '...': ReleaseRecord,
  'reused?': ['boolean', 'Present, and true, if it was registered before: nothing was written.'],
  same_checksum_as: ['string[]', 'Other releases that were registered from the same bundle, newest first.'],
  warnings: ['string[]', 'Warnings before the release is compared.'],
})
export type Registered = typeof Registered.infer

/** GET /v1/releases/{release_id}/models */
export const UsedModels = object(
  "The models of a release's runs, in any environment, those of most runs first; its own model also without runs.",
  {
    release_id: [Identifier, 'The release.'],
    since: [Instant, 'Start of the first counted hour.'],
    provider: [Identifier, "Provider of the release's price table."],
    pricing_version: [Identifier, "Version of the release's price table."],
    models: object('The models.', {
      provider: [Identifier, 'Provider in the runs.'],
      model: [Identifier, 'Model name.'],
      runs: [Count, 'Runs with it, except those with incomplete usage.'],
      priced: ['boolean', 'Whether the price table has it. Runs of a model without a price make diffs fail.'],
    }).array(),
  },
)
export type UsedModels = typeof UsedModels.infer
