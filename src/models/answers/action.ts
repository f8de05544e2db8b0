import { type } from 'arktype'
import { ACTOR_SOURCES } from '../names.ts'
import { RESULT_FIELD, Result } from '../documents/policy.ts'
import { Identity, Checksum, Count, Identifier, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

const ActorSource = type.enumerated(...ACTOR_SOURCES, null)

/** One row of the audit trail as it is listed. */
export const ActionRecord = object({
  action_id: [/^act_[0-9a-f]{12}$/, 'Identifier of the action.'],
  action: ["'promote' | 'rollback'", 'The kind of decision.'],
  release_id: [Identifier, 'The release promoted or rolled back to.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'The environment of the pointer.'],
  baseline_release_id: ['string | null', 'The live release before; null for a first promotion.'],
  reason: ['string', 'Why, in the words of the requester.'],
  policy_passed: ['boolean', 'Whether the policy passed, so that the live release changed.'],
  policy_reasons: ['string[]', 'What the policy said.'],
  result: [Result, RESULT_FIELD],
  created_at: [Timestamp, 'When it was recorded; never earlier than the action before it.'],
  audit_seq: [Count, 'Number in the trail, contiguous from 1.'],
  actor: ['string', 'Who requested it.'],
  'forced?': [
    'true',
    'Present, and true, on a forced rollback: no policy was evaluated, and the pointer moved.',
  ],
})
export type ActionRecord = typeof ActionRecord.infer

const CHANGED = 'Present only where the row was changed in the database: what of it is not as it was written.'

export const ActionDetail = object(
  'An action of the audit trail with its evidence and its links in the hash chain.',
  {
    '...': ActionRecord,
    actor_source: [
      ActorSource,
      "How the service knows the actor: a token or an identity provider, which proves it; an identity header, a proxy, the body, or the command line, which don't; or a watch of the service.",
    ],
    'claimed_actor?': ['string', "The name that the caller gave in addition to its token's: a claim."],
    'actor_identity?': Identity,
    evidence: [
      'object | null',
      'Window, samples, sums, rates, policy and thresholds: everything to decide again.',
    ],
    record_json: ['string | null', 'The text whose SHA-256 is `hash`.'],
    prev_hash: [Checksum.or("'' | null"), 'Hash of the action before; empty for the first.'],
    hash: [Checksum.or('null'), 'SHA-256 of record_json, lowercase hex.'],
    'changed?': ['string', CHANGED],
  },
)
export type ActionDetail = typeof ActionDetail.infer

/** A page of the trail. With `evidence=true` the entries are ActionDetails. */
export const ActionPage = object(
  'Actions of the audit trail, newest first. actor_source and what follows it, except `changed`, come with evidence=true only.',
  {
    actions: [
      ActionRecord.and(
        object({
          'actor_source?': [
            ActorSource,
            "How the service knows the actor: a token or an identity provider, which proves it; an identity header, a proxy, the body, or the command line, which don't; or a watch of the service.",
          ],
          'claimed_actor?': ['string', "The name that the caller gave in addition to its token's: a claim."],
          'actor_identity?': Identity,
          'evidence?': [
            'object | null',
            'Window, samples, sums, rates, policy and thresholds: everything to decide again.',
          ],
          'record_json?': ['string | null', 'The text whose SHA-256 is `hash`.'],
          'prev_hash?': [Checksum.or("'' | null"), 'Hash of the action before; empty for the first.'],
          'hash?': [Checksum.or('null'), 'SHA-256 of record_json, lowercase hex.'],
          'changed?': ['string', CHANGED],
        }),
      ).array(),
      'The actions.',
    ],
    next_after: [Count.or('null'), 'Pass it as `after` to get the next page; null on the last.'],
  },
)

export type ActionPage = typeof ActionPage.infer

export const Promoted = object('The promoted release of each agent and environment that has one.', {
  promoted: object('One entry per agent and environment.', {
    agent_id: [Identifier, 'The agent.'],
    environment: [Identifier, 'The environment.'],
    release_id: [Identifier, 'The promoted release.'],
  }).array(),
})
export type Promoted = typeof Promoted.infer
