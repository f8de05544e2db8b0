import { Label, Prose, input, limitField, whoField } from '../../models/all/input.ts'
import { CanonicalCapabilities, PowerChange } from '../../models/answers/capabilities.ts'
import { Identity, Checksum, Count, Dimension, Identifier, Instant, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** GET /v1/releases/{release_id}/capabilities */
export const ReleaseCapabilities = object(
  'Capabilities of a release by its artifact, and what its runs did beyond them.',
  {
    release_id: [Identifier, 'The release.'],
    capabilities_sha256: [
      Checksum,
      'SHA-256 of the capabilities: equal where two releases have the same capabilities.',
    ],
    capabilities: [CanonicalCapabilities, 'Its capabilities, in canonical form.'],
    warnings: ['string[]', 'What of the artifact contradicts itself or can not be read.'],
    undeclared: object(
      'Tools that runs called although the release does not declare them, and models that answered unasked: those with most calls, at most 100.',
      {
        environment: ['string', 'Where.'],
        kind: ["'tool' | 'model'", 'Tool or model.'],
        name: [
          'string',
          'Its name, cut after 200 characters; empty for all that came after the first 200 names.',
        ],
        runs: [Count, 'Runs with such a call.'],
        calls: [Count, 'Calls; of models runs.'],
        first_hour: [Instant, 'The hour of the first one.'],
        last_hour: [Instant, 'The hour of the last one.'],
      },
    ).array(),
    more_undeclared: [Count, 'How many further names there are.'],
  },
)
export type ReleaseCapabilities = typeof ReleaseCapabilities.infer

export const Acknowledgement = object(
  'That somebody has seen, and accepts, capabilities of a release that the live one lacks.',
  {
    acknowledgement_id: [Identifier, 'Identifier.'],
    agent_id: [Identifier, "The releases' agent."],
    environment: [Identifier, 'The environment that it is for.'],
    release_id: [Identifier, 'The release with new capabilities.'],
    baseline_release_id: [Identifier, 'The one that was live there then.'],
    baseline_sha256: [Checksum, 'SHA-256 of the capabilities of that.'],
    candidate_sha256: [
      Checksum,
      'SHA-256 of the capabilities of the release. It holds for every release with these capabilities.',
    ],
    widened: [Count, 'How many changes let the release do more.'],
    changes: [PowerChange.array(), 'What was acknowledged; at most 100, those that widen first.'],
    more_changes: [Count, 'How many further changes were acknowledged with them.'],
    reason: ['string', 'Why.'],
    actor: ['string', 'Who.'],
    'claimed_actor?': ['string', 'The name that an actor with a token of its own gives itself: a claim.'],
    'actor_identity?': Identity,
    created_at: [Timestamp, 'When.'],
    'reused?': [
      'true',
      'Present, and true, where the same caller had acknowledged this difference before: nothing was written.',
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
      environment: [Label, 'Environment that it is for.'],
      reason: [Prose, 'Why; recorded in the audit log.'],
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
} as const
