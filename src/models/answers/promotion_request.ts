import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { REQUEST_STATES, RESOLUTIONS } from '../names.ts'
import { PolicyVerdict, VERDICT_FIELDS } from '../documents/policy.ts'
import { Count, Identifier, Identity, Timestamp, identityFields } from '../scalars.ts'

/** What is otherwise at a confirmation than at the request. */
export const SinceRequest = type({
  baseline: type({ from: 'string | null', to: 'string | null' }).or('null'),
  policy: type({ field: 'string', from: 'unknown', to: 'unknown' }).array(),
  figures: type({ name: 'string', from: 'number | null', to: 'number | null' }).array(),
})
export type SinceRequest = typeof SinceRequest.infer

export const SINCE_REQUEST_FIELDS = {
  baseline: 'What is promoted, where that is another release than it was; null where it is the same.',
  'baseline.from': 'What was promoted; null if nothing was.',
  'baseline.to': 'What is promoted now; null if nothing is.',
  policy: 'Fields of the policy in force that are otherwise than they were.',
  'policy[].field': 'Name of the field.',
  'policy[].from': 'Its value then; null where there was none.',
  'policy[].to': 'Its value now; null where there is none.',
  figures: 'Figures of the comparison that are otherwise than they were.',
  'figures[].name': 'Name of the figure, as in the metrics of a diff.',
  'figures[].from': 'Its value then.',
  'figures[].to': 'Its value now.',
} as const

/** One confirmation of a request. */
export const Approval = type({
  actor: 'string',
  'actor_identity?': Identity,
  reason: 'string',
  created_at: Timestamp,
})
export type Approval = typeof Approval.infer

export const APPROVAL_FIELDS = {
  actor: 'Who confirmed.',
  ...identityFields('actor_identity'),
  reason: 'Why, in the words of who confirmed.',
  created_at: 'When.',
} as const

/** A promotion that waits for a confirmation, or waited for one. */
export const PromotionRequest = type({
  request_id: Identifier,
  status: type.enumerated(...REQUEST_STATES),
  release_id: Identifier,
  agent_id: Identifier,
  environment: Identifier,
  window: 'string',
  reason: 'string',
  actor: 'string',
  'claimed_actor?': 'string',
  'actor_identity?': Identity,
  baseline_release_id: Identifier.or('null'),
  'expected_baseline_release_id?': Identifier.or('null'),
  policy: PolicyVerdict,
  created_at: Timestamp,
  resolved_at: Timestamp.or('null'),
  resolved_by: 'string | null',
  resolution_reason: 'string | null',
  completed_action_id: 'string | null',
  'resolution?': type.enumerated(...RESOLUTIONS),
  'expires_at?': Timestamp,
  'approvals_required?': Count,
  'approvals?': Approval.array(),
  'since_request?': SinceRequest,
  'warnings?': 'string[]',
})
export type PromotionRequest = typeof PromotionRequest.infer

/** What an answer to a confirmation warns of. */
export const CONFIRMATION_WARNINGS =
  'Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other ' +
  'people that look like yours.'

const REQUEST_FIELDS = {
  request_id: 'Identifier of the request.',
  status: 'Where it stands.',
  release_id: 'The release to promote.',
  agent_id: "The release's agent.",
  environment: 'The environment of the pointer.',
  window: 'The window it is judged by, also at the confirmation.',
  reason: 'Why, in the words of who asked.',
  actor: 'Who asked.',
  claimed_actor: 'What an actor with a credential of its own calls itself besides: a claim.',
  ...identityFields('actor_identity'),
  baseline_release_id: 'What was promoted when it was asked for; null if nothing was.',
  expected_baseline_release_id:
    'What has to be promoted at each confirmation, as the request said; null for nothing, left out where it said none.',
  policy: 'What the policy said when it was asked for.',
  ...under('policy.', VERDICT_FIELDS),
  created_at: 'When it was asked for.',
  resolved_at: 'When it was confirmed or cancelled.',
  resolved_by: 'Who confirmed or cancelled it.',
  resolution_reason: 'Why it was confirmed or cancelled.',
  completed_action_id: 'The action that completed it.',
  resolution:
    'There where it was rejected, or ended because nobody confirmed it in time; its status is cancelled.',
  expires_at: 'When it ends unless it is confirmed; there where approval_expires is set.',
  approvals_required: 'How many have to confirm it; there where that is more than one.',
  approvals: 'Who did; there where that takes more than one.',
  ...under('approvals[].', APPROVAL_FIELDS),
  since_request: 'Only in the answer to a confirmation: what has changed since the request.',
  ...under('since_request.', SINCE_REQUEST_FIELDS),
  warnings: CONFIRMATION_WARNINGS,
} as const

export const promotionRequest = documented(PromotionRequest, {
  title: 'PromotionRequest',
  description: 'A promotion that waits for a confirmation, or waited for one.',
  fields: REQUEST_FIELDS,
})

/** GET /v1/promotion-requests */
export const PromotionRequestList = type({ requests: PromotionRequest.array() })

export const promotionRequestList = documented(PromotionRequestList, {
  title: 'PromotionRequestList',
  description: 'Promotion requests, newest first.',
  fields: { requests: 'The requests.', ...under('requests[].', REQUEST_FIELDS) },
})
