import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { ACTOR_SOURCES } from '../names.ts'
import { RESULT_FIELD, Result } from '../documents/policy.ts'
import { Checksum, Count, Identifier, Identity, Timestamp, identityFields } from '../scalars.ts'

const ActorSource = type.enumerated(...ACTOR_SOURCES, null)

/** One row of the audit trail as it is listed. */
export const ActionRecord = type({
  action_id: /^act_[0-9a-f]{12}$/,
  action: "'promote' | 'rollback'",
  release_id: Identifier,
  agent_id: Identifier,
  environment: Identifier,
  baseline_release_id: 'string | null',
  reason: 'string',
  policy_passed: 'boolean',
  policy_reasons: 'string[]',
  result: Result,
  created_at: Timestamp,
  audit_seq: Count,
  actor: 'string',
  'forced?': 'true',
})
export type ActionRecord = typeof ActionRecord.infer

/** The same with what it rested on, and its links in the hash chain. */
export const ActionDetail = ActionRecord.and({
  actor_source: ActorSource,
  'claimed_actor?': 'string',
  'actor_identity?': Identity,
  evidence: 'object | null',
  record_json: 'string | null',
  prev_hash: Checksum.or("'' | null"),
  hash: Checksum.or('null'),
})
export type ActionDetail = typeof ActionDetail.infer

const ACTION_FIELDS = {
  action_id: 'Identifier of the action.',
  action: 'What was asked for.',
  release_id: 'The release promoted or rolled back to.',
  agent_id: "The release's agent.",
  environment: 'The environment of the pointer.',
  baseline_release_id: 'What was promoted before; null for a first promotion.',
  reason: 'Why, in the words of who asked.',
  policy_passed: 'Whether the policy passed, and so the pointer moved.',
  policy_reasons: 'What the policy said.',
  result: RESULT_FIELD,
  created_at: 'When it was recorded; never earlier than the action before it.',
  audit_seq: 'Number in the trail, contiguous from 1.',
  actor: 'Who asked.',
  forced: 'There, and true, on a forced rollback: the policy was not asked, and the pointer moved.',
} as const

const DETAIL_FIELDS = {
  ...ACTION_FIELDS,
  actor_source:
    'How we know the actor: its token or identity provider, which proves it; or an identity header, a proxy, the body, ' +
    'or the command line; or a watch of ours.',
  claimed_actor: 'What an actor with a credential of its own calls itself besides: a claim.',
  ...identityFields('actor_identity'),
  evidence: 'Window, samples, sums, rates, policy and thresholds: all it takes to decide again.',
  record_json: 'The text that hash is the SHA-256 of.',
  prev_hash: 'Hash of the action before; empty for the first.',
  hash: 'SHA-256 of record_json, lowercase hex.',
} as const

export const actionDetail = documented(ActionDetail, {
  title: 'ActionDetail',
  description: 'An action of the audit trail with its evidence and its links in the hash chain.',
  fields: DETAIL_FIELDS,
})

/** A page of the trail. With `evidence=true` the entries are ActionDetails. */
export const ActionPage = type({
  actions: ActionRecord.and({
    'actor_source?': ActorSource,
    'claimed_actor?': 'string',
    'actor_identity?': Identity,
    'evidence?': 'object | null',
    'record_json?': 'string | null',
    'prev_hash?': Checksum.or("'' | null"),
    'hash?': Checksum.or('null'),
  }).array(),
  next_after: Count.or('null'),
})

export type ActionPage = typeof ActionPage.infer

export const actionPage = documented(ActionPage, {
  title: 'ActionPage',
  description: 'Actions of the audit trail, newest first. The last six fields come with evidence=true only.',
  fields: {
    actions: 'The actions.',
    ...under('actions[].', DETAIL_FIELDS),
    next_after: 'Pass it as `after` to get the next page; null on the last.',
  },
})

/** What is promoted. */
export const Promoted = type({
  promoted: type({ agent_id: Identifier, environment: Identifier, release_id: Identifier }).array(),
})
export type Promoted = typeof Promoted.infer

export const promoted = documented(Promoted, {
  title: 'Promoted',
  description: 'The promoted release of each agent and environment that has one.',
  fields: {
    promoted: 'One entry per agent and environment.',
    'promoted[].agent_id': 'The agent.',
    'promoted[].environment': 'The environment.',
    'promoted[].release_id': 'The promoted release.',
  },
})
