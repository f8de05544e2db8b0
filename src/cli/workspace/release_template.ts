import { basename, dirname } from 'node:path'

export interface PricedModel {
  readonly provider: string
  readonly model: string
  readonly pricing_version: string
}

/** Of whoever has no price table yet. */
const NOT_PRICED: PricedModel = {
  provider: 'my-provider',
  model: 'my-model',
  pricing_version: 'my-prices-1',
}

/** Models to begin with, of which one is in each bundled table. */
const FIRST_CHOICE = new Set(['gpt-4.1-mini', 'claude-haiku-4-5', 'gemini-2.5-flash'])

/** A model for the template: a well-known one, because the first by name may be long out of date. */
export function exampleModel(entries: readonly { readonly model: string }[]): string {
  const found = entries.find(({ model }) => FIRST_CHOICE.has(model)) ?? entries[0]
  return found?.model ?? NOT_PRICED.model
}

/**
 * A release.yaml that can be registered as it is, with every other field as a comment. The agent is named after the folder
 * of `file`, an absolute path.
 */
export function releaseTemplate(file: string, priced: PricedModel = NOT_PRICED): string {
  const { provider, model, pricing_version } = priced
  const agent_id = basename(dirname(file)) || 'my-agent'
  const yaml = (text: string): string => JSON.stringify(text)
  return `# A release of an agent: all that it runs as. Register it with the files beside it: svc release register FOLDER
# docs/reference/files/release.md explains each field. A number that is a text, such as a version, is quoted.
api_version: v1
kind: Release

metadata:
  name: ${yaml(`${agent_id} 0.1.0`)}
  version: "0.1.0"
  # description: What is new in it
  # created_by: ann
  # created_at: 2026-01-31T12:00:00Z

spec:
  agent:
    # Stays the same from release to release: it says what a diff may compare.
    agent_id: ${yaml(agent_id)}
    # entrypoint: bot/main.py

  runtime:
    provider: ${yaml(provider)}
    # As run events and the price table name it.
    model: ${yaml(model)}
    # temperature: 0.3
    # max_output_tokens: 1024

  # Files in this folder, so that the checksum covers them.
  # prompts:
  #   system_ref: prompts/system.md
  #   template_refs: [prompts/answer.md]
  # tools:
  #   manifest_ref: tools.json
  #   tool_names: [search_help]
  # Its capabilities: \`svc release capabilities capture\` writes it.
  # capabilities:

  # routing:
  #   strategy: fallback_model
  #   fallback:
  #     model: another-model
  #     on_error: true
  # safety:
  #   retry_policy:
  #     max_retries: 2
  #     backoff_ms: 250
  #   timeouts_ms:
  #     model_call: 20000
  #     tool_call: 5000

  # The price table that its runs are priced with: one that \`svc pricing import\` has imported.
  pricing_reference:
    provider: ${yaml(provider)}
    pricing_version: ${yaml(pricing_version)}

# tags:
#   team: support
`
}
