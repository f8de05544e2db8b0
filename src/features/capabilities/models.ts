import { Label, Prose, input, limitField, whoField } from '../../models/all/input.ts'
import { CanonicalCapabilities, PowerChange } from '../../models/answers/capabilities.ts'
import { Identity, Checksum, Count, Dimension, Identifier, Instant, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** GET /v1/releases/{release_id}/capabilities */
export const ReleaseCapabilities = object(
  'Declared capabilities of a release, and undeclared ones that its runs used.',
  {
    release_id: [Identifier, 'The release.'],
    capabilities_sha256: [
      Checksum,
      'SHA-256 of the capabilities: equal for two releases with the same capabilities.',
    ],
    capabilities: [CanonicalCapabilities, 'Its capabilities, in canonical form.'],
    warnings: ['string[]', "Contradictions in the artifact, and parts of it that can't be read."],
    undeclared: object(
      'Undeclared tools that runs called, and undeclared models that answered: those with most calls, at most 100.',
      {
        environment: ['string', 'Where.'],
        kind: ["'tool' | 'model'", 'Tool or model.'],
        name: ['string', 'Its name, cut after 200 characters; empty for all names after the first 200.'],
        runs: [Count, 'Runs with such a call.'],
        calls: [Count, 'Calls; for models, runs.'],
        first_hour: [Instant, 'The hour of the first one.'],
        last_hour: [Instant, 'The hour of the last one.'],
      },
    ).array(),
    more_undeclared: [Count, 'How many further names there are.'],
  },
)
export type ReleaseCapabilities = typeof ReleaseCapabilities.infer

export const Acknowledgement = object(
  'An acknowledgement: somebody accepts capabilities of a release that the live one lacks.',
  {
    acknowledgement_id: [Identifier, 'Identifier.'],
    agent_id: [Identifier, "The releases' agent."],
    environment: [Identifier, 'The environment.'],
    release_id: [Identifier, 'The release with new capabilities.'],
    baseline_release_id: [Identifier, 'The live release of that time.'],
    baseline_sha256: [Checksum, "SHA-256 of the live release's capabilities."],
    candidate_sha256: [
      Checksum,
      "SHA-256 of the release's capabilities. The acknowledgement counts for every release with these capabilities.",
    ],
    widened: [Count, 'How many changes add capabilities.'],
    changes: [PowerChange.array(), 'The acknowledged changes; at most 100, new capabilities first.'],
    more_changes: [Count, 'How many further changes were acknowledged.'],
    reason: ['string', 'Why.'],
    actor: ['string', 'Who.'],
    'claimed_actor?': ['string', "The name that the caller gave in addition to its token's: a claim."],
    'actor_identity?': Identity,
    created_at: [Timestamp, 'When.'],
    'reused?': [
      'true',
      'Present, and true, if the same caller acknowledged this difference before: nothing was written.',
    ],
  },
)
export type Acknowledgement = typeof Acknowledgement.infer

/** GET /v1/acknowledgements */
export const AcknowledgementList = object('Acknowledgements, newest first.', {
  acknowledgements: [Acknowledgement.array(), 'The acknowledgements.'],
})

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
      environment: [Label, 'Environment.'],
      reason: [Prose, 'Why; recorded in the audit log.'],
      'expected_baseline_release_id?': [
        Dimension,
        'The expected live release: refused if another one is live.',
      ],
      ...whoField('acknowledges it'),
    },
  }),
  ReleaseCapabilities: input({
    path: { release_id: [Dimension, 'Release whose capabilities to show.'] },
  }),
} as const
