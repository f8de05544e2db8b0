import { type } from 'arktype'
import { under } from '../docs.ts'
import { EFFECTS } from '../names.ts'
import { Checksum, Count, Identifier, Timestamp } from '../scalars.ts'

/** A difference of power between two releases. */
export const PowerChange = type({
  change: "'added' | 'widened' | 'changed' | 'narrowed' | 'removed'",
  of: "'tool' | 'tools' | 'mcp_server' | 'agent' | 'provider' | 'model'",
  name: 'string',
  widens: 'boolean',
  words: 'string',
})
export type PowerChange = typeof PowerChange.infer

export const CHANGE_FIELDS = {
  change: 'Whether it came, may do more, is another one, may do less, or went.',
  of: 'What it is about; `tools` are all of them.',
  name: 'Its name; a tool of an MCP server stands behind the name of that.',
  widens: 'Whether it is a new capability.',
  words: 'The same as a sentence without its subject.',
} as const

/** How the power of a candidate differs from that of its baseline. */
export const PowerDifference = type({
  baseline_sha256: Checksum,
  candidate_sha256: Checksum,
  widened: Count,
  changes: PowerChange.array(),
  more_changes: Count,
  'unreadable?': 'string[]',
  'acknowledged?': type({
    acknowledgement_id: Identifier,
    actor: 'string',
    reason: 'string',
    created_at: Timestamp,
  }),
  'acknowledged_only_by?': type("'another' | 'people'").array(),
})
export type PowerDifference = typeof PowerDifference.infer

export const DIFFERENCE_FIELDS = {
  baseline_sha256: "SHA-256 of the baseline's capabilities.",
  candidate_sha256: "SHA-256 of the candidate's capabilities.",
  widened: 'How many changes let the candidate do more.',
  changes: 'What was added, widened, changed, narrowed or removed; at most 100, those that widen first.',
  ...under('changes[].', CHANGE_FIELDS),
  more_changes: 'How many further changes there are.',
  unreadable: 'Why the capabilities of a side are not known; then they count as wider.',
  acknowledged: 'The acknowledgement of this difference in this environment; left out if there is none.',
  'acknowledged.acknowledgement_id': 'The acknowledgement.',
  'acknowledged.actor': 'Who.',
  'acknowledged.reason': 'Why.',
  'acknowledged.created_at': 'When.',
  acknowledged_only_by:
    'Limits who can acknowledge it: `another`, not the person who promotes (`approval_by_another`); `people`, who have ' +
    'signed in (`approvals.people_only`). Left out if everybody who may promote can.',
} as const

const Text = type('string | null')

const Tool = type({
  server: Text,
  name: 'string',
  version: Text,
  schema_sha256: Text,
  effects: type
    .enumerated(...EFFECTS)
    .array()
    .or('null'),
  scopes: type('string[]').or('null'),
})

/** Capabilities of a release, in canonical form. */
export const CanonicalCapabilities = type({
  capabilities_version: Count,
  models: type({ provider: 'string', model: 'string', role: "'runtime' | 'fallback' | 'further'" }).array(),
  tools: Tool.array().or('null'),
  mcp_servers: type({ name: 'string', version: Text }).array(),
  agents: type({ agent_id: 'string', version: Text }).array(),
})
export type CanonicalCapabilities = typeof CanonicalCapabilities.infer
