import { type } from 'arktype'
import { EFFECTS } from '../names.ts'
import { Checksum, Count, Identifier, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

/** A difference of power between two releases. */
export const PowerChange = object({
  change: [
    "'added' | 'widened' | 'changed' | 'narrowed' | 'removed'",
    'Whether it came, may do more, is another one, may do less, or went.',
  ],
  of: [
    "'tool' | 'tools' | 'mcp_server' | 'agent' | 'provider' | 'model'",
    'What it is about; `tools` are all of them.',
  ],
  name: ['string', 'Its name; a tool of an MCP server stands behind the name of that.'],
  widens: ['boolean', 'Whether it is a new capability.'],
  words: ['string', 'The same as a sentence without its subject.'],
})
export type PowerChange = typeof PowerChange.infer

/** How the power of a candidate differs from that of its baseline. */
export const PowerDifference = object({
  baseline_sha256: [Checksum, "SHA-256 of the baseline's capabilities."],
  candidate_sha256: [Checksum, "SHA-256 of the candidate's capabilities."],
  widened: [Count, 'How many changes let the candidate do more.'],
  changes: [
    PowerChange.array(),
    'What was added, widened, changed, narrowed or removed; at most 100, those that widen first.',
  ],
  more_changes: [Count, 'How many further changes there are.'],
  'unreadable?': ['string[]', 'Why the capabilities of a side are not known; then they count as wider.'],
  'acknowledged?': object(
    'The acknowledgement of this difference in this environment; left out if there is none.',
    {
      acknowledgement_id: [Identifier, 'The acknowledgement.'],
      actor: ['string', 'Who.'],
      reason: ['string', 'Why.'],
      created_at: [Timestamp, 'When.'],
    },
  ),
  'acknowledged_only_by?': [
    type("'another' | 'people'").array(),
    'Limits who can acknowledge it: `another`, not the person who promotes (`approval_by_another`); `people`, who have signed in (`approvals.people_only`). Left out if everybody who may promote can.',
  ],
})
export type PowerDifference = typeof PowerDifference.infer

const Text = type('string | null')

const Tool = object({
  server: [Text, 'The MCP server that has it; null for a tool of the agent itself.'],
  name: ['string', 'Name.'],
  version: [Text, 'Version; null where it is not said.'],
  schema_sha256: [Text, 'SHA-256 of its input schema; null where it is not said.'],
  effects: [
    type
      .enumerated(...EFFECTS)
      .array()
      .or('null'),
    'What it may do; null where that is not said.',
  ],
  scopes: [type('string[]').or('null'), 'Permissions that it holds; null where that is not said.'],
})

/** Capabilities of a release, in canonical form. */
export const CanonicalCapabilities = object({
  capabilities_version: [Count, 'Version of this form.'],
  models: object('Its models: the own one, the fallback, further ones.', {
    provider: ['string', 'Provider.'],
    model: ['string', 'Model name.'],
    role: ["'runtime' | 'fallback' | 'further'", 'Where the artifact names it.'],
  }).array(),
  tools: [Tool.array().or('null'), 'Its tools; null where the artifact does not say which.'],
  mcp_servers: object('Its MCP servers.', {
    name: ['string', 'Name.'],
    version: [Text, 'Version; null where it is not said.'],
  }).array(),
  agents: object('Agents that it may hand work to.', {
    agent_id: ['string', 'Name.'],
    version: [Text, 'Version; null where it is not said.'],
  }).array(),
})
export type CanonicalCapabilities = typeof CanonicalCapabilities.infer
