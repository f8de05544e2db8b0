import { type } from 'arktype'
import { Label, Prose, input, limitField, oneOf, whoField } from '../../models/all/input.ts'
import { CHANGE_FIELDS, CanonicalCapabilities, PowerChange } from '../../models/answers/capabilities.ts'
import { documented, under } from '../../models/docs.ts'
import {
  Checksum,
  Count,
  Dimension,
  Identifier,
  Identity,
  Instant,
  Timestamp,
  identityFields,
} from '../../models/scalars.ts'

/** GET /v1/releases/{release_id}/capabilities */
export const ReleaseCapabilities = type({
  release_id: Identifier,
  capabilities_sha256: Checksum,
  capabilities: CanonicalCapabilities,
  warnings: 'string[]',
  undeclared: type({
    environment: 'string',
    kind: "'tool' | 'model'",
    name: 'string',
    runs: Count,
    calls: Count,
    first_hour: Instant,
    last_hour: Instant,
  }).array(),
  more_undeclared: Count,
})
export type ReleaseCapabilities = typeof ReleaseCapabilities.infer

export const releaseCapabilities = documented(ReleaseCapabilities, {
  title: 'ReleaseCapabilities',
  description: 'Capabilities of a release by its artifact, and what its runs did beyond them.',
  fields: {
    release_id: 'The release.',
    capabilities_sha256: 'SHA-256 of the capabilities: equal where two releases have the same capabilities.',
    capabilities: 'Its capabilities, in canonical form.',
    'capabilities.capabilities_version': 'Version of this form.',
    'capabilities.models': 'Its models: the own one, the fallback, further ones.',
    'capabilities.models[].provider': 'Provider.',
    'capabilities.models[].model': 'Model name.',
    'capabilities.models[].role': 'Where the artifact names it.',
    'capabilities.tools': 'Its tools; null where the artifact does not say which.',
    'capabilities.tools[].server': 'The MCP server that has it; null for a tool of the agent itself.',
    'capabilities.tools[].name': 'Name.',
    'capabilities.tools[].version': 'Version; null where it is not said.',
    'capabilities.tools[].schema_sha256': 'SHA-256 of its input schema; null where it is not said.',
    'capabilities.tools[].effects': 'What it may do; null where that is not said.',
    'capabilities.tools[].scopes': 'Permissions that it holds; null where that is not said.',
    'capabilities.mcp_servers': 'Its MCP servers.',
    'capabilities.mcp_servers[].name': 'Name.',
    'capabilities.mcp_servers[].version': 'Version; null where it is not said.',
    'capabilities.agents': 'Agents that it may hand work to.',
    'capabilities.agents[].agent_id': 'Name.',
    'capabilities.agents[].version': 'Version; null where it is not said.',
    warnings: 'What of the artifact contradicts itself or can not be read.',
    undeclared:
      'Tools that runs called although the release does not declare them, and models that answered unasked: those with most calls, at most 100.',
    'undeclared[].environment': 'Where.',
    'undeclared[].kind': 'Tool or model.',
    'undeclared[].name':
      'Its name, cut after 200 characters; empty for all that came after the first 200 names.',
    'undeclared[].runs': 'Runs with such a call.',
    'undeclared[].calls': 'Calls; of models runs.',
    'undeclared[].first_hour': 'The hour of the first one.',
    'undeclared[].last_hour': 'The hour of the last one.',
    more_undeclared: 'How many further names there are.',
  },
})

/** An acknowledgement of a difference of power. */
export const Acknowledgement = type({
  acknowledgement_id: Identifier,
  agent_id: Identifier,
  environment: Identifier,
  release_id: Identifier,
  baseline_release_id: Identifier,
  baseline_sha256: Checksum,
  candidate_sha256: Checksum,
  widened: Count,
  changes: PowerChange.array(),
  more_changes: Count,
  reason: 'string',
  actor: 'string',
  'claimed_actor?': 'string',
  'actor_identity?': Identity,
  created_at: Timestamp,
  'reused?': 'true',
})
export type Acknowledgement = typeof Acknowledgement.infer

const ACKNOWLEDGEMENT_FIELDS = {
  acknowledgement_id: 'Identifier.',
  agent_id: "The releases' agent.",
  environment: 'The environment that it is for.',
  release_id: 'The release with new capabilities.',
  baseline_release_id: 'The one that was live there then.',
  baseline_sha256: 'SHA-256 of the capabilities of that.',
  candidate_sha256:
    'SHA-256 of the capabilities of the release. It holds for every release with these capabilities.',
  widened: 'How many changes let the release do more.',
  changes: 'What was acknowledged; at most 100, those that widen first.',
  ...under('changes[].', CHANGE_FIELDS),
  more_changes: 'How many further changes were acknowledged with them.',
  reason: 'Why.',
  actor: 'Who.',
  claimed_actor: 'What an actor with a credential of its own calls itself besides: a claim.',
  ...identityFields('actor_identity'),
  created_at: 'When.',
  reused:
    'Present, and true, where the same caller had acknowledged this difference before: nothing was written.',
} as const

export const acknowledgement = documented(Acknowledgement, {
  title: 'Acknowledgement',
  description: 'That somebody has seen, and accepts, capabilities of a release that the live one lacks.',
  fields: ACKNOWLEDGEMENT_FIELDS,
})

/** GET /v1/acknowledgements */
export const AcknowledgementList = type({ acknowledgements: Acknowledgement.array() })

export const acknowledgementList = documented(AcknowledgementList, {
  title: 'AcknowledgementList',
  description: 'Acknowledgements, newest first.',
  fields: {
    acknowledgements: 'The acknowledgements.',
    ...under('acknowledgements[].', ACKNOWLEDGEMENT_FIELDS),
  },
})

export const MODELS = {
  ReleaseCapabilities: releaseCapabilities,
  Acknowledgement: acknowledgement,
  AcknowledgementList: acknowledgementList,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

export const PART_NAMES = {
  'Acknowledgement.changes': 'PowerChange',
} as const

/** What the endpoints take. */
export const INPUTS = {
  AcknowledgementsList: input({
    query: {
      'agent?': [Dimension, 'Only this agent_id.'],
      'env?': [Dimension, 'Only this environment.'],
      ...limitField('acknowledgements'),
    },
  }),
  AcknowledgementsMake: input({
    body: {
      release_id: [Dimension, 'Release with new capabilities.'],
      environment: [Label, 'Environment that it is for.'],
      reason: [Prose, 'Why; kept in the audit log.'],
      'expected_baseline_release_id?': [
        Dimension,
        'What it was compared with: refused where something else is live by now.',
      ],
      ...whoField('acknowledges it'),
    },
  }),
  ReleaseCapabilities: input({
    path: { release_id: [Dimension, 'Release whose capabilities to show.'] },
  }),
  ReleaseBom: input({
    path: { release_id: [Dimension, 'Release whose bill of materials to make.'] },
    query: { 'format?': [oneOf(['cyclonedx']), 'Format of it; cyclonedx unless given.'] },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
