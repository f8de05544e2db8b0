import { type } from 'arktype'
import { EFFECTS } from '../names.ts'
import { Checksum, Count, Identifier, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

/** A difference of power between two releases. */
export const PowerChange = object({
  change: [
    "'added' | 'widened' | 'changed' | 'narrowed' | 'removed'",
    'Whether it was added, widened, changed, narrowed or removed.',
  ],
  of: [
    "'tool' | 'tools' | 'mcp_server' | 'agent' | 'provider' | 'model'",
    'Its kind; `tools` means all tools.',
  ],
  name: ['string', "Its name; a tool of an MCP server follows the server's name."],
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
  'unreadable?': ['string[]', 'Why the capabilities of a release are unknown; then they count as wider.'],
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
    'Who can acknowledge it: `another`, not the person who promotes (`approval_by_another`); `people`, who have signed in (`approvals.people_only`). Left out if everybody who may promote can.',
  ],
})
export type PowerDifference = typeof PowerDifference.infer

const Text = type('string | null')

const Tool = object({
  server: [Text, 'The MCP server that has it; null for a tool of the agent itself.'],
  name: ['string', 'Name.'],
  version: [Text, 'Version; null if unknown.'],
  schema_sha256: [Text, 'SHA-256 of its input schema; null if unknown.'],
  effects: [
    type
      .enumerated(...EFFECTS)
      .array()
      .or('null'),
    'Its effects; null if unknown.',
  ],
  scopes: [type('string[]').or('null'), 'Its permissions; null if unknown.'],
})

/** Capabilities of a release, in canonical form. */
export const CanonicalCapabilities = object({
  capabilities_version: [Count, 'Version of this form.'],
  models: object('Its models: its own, the fallback, further ones.', {
    provider: ['string', 'Provider.'],
    model: ['string', 'Model name.'],
    role: ["'runtime' | 'fallback' | 'further'", 'Its field in the artifact.'],
  }).array(),
  tools: [Tool.array().or('null'), 'Its tools; null if the artifact does not name them.'],
  mcp_servers: object('Its MCP servers.', {
    name: ['string', 'Name.'],
    version: [Text, 'Version; null if unknown.'],
  }).array(),
  agents: object('Agents that it may hand work to.', {
    agent_id: ['string', 'Name.'],
    version: [Text, 'Version; null if unknown.'],
  }).array(),
})
export type CanonicalCapabilities = typeof CanonicalCapabilities.infer
