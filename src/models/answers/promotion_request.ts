import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { REQUEST_STATES } from '../names.ts'
import { PolicyVerdict, VERDICT_FIELDS } from '../documents/policy.ts'
import { Identifier, Timestamp } from '../scalars.ts'

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
  baseline_release_id: Identifier.or('null'),
  policy: PolicyVerdict,
  created_at: Timestamp,
  resolved_at: Timestamp.or('null'),
  resolved_by: 'string | null',
  resolution_reason: 'string | null',
  completed_action_id: 'string | null',
})
export type PromotionRequest = typeof PromotionRequest.infer

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
  baseline_release_id: 'What was promoted when it was asked for; null if nothing was.',
  policy: 'What the policy said when it was asked for.',
  ...under('policy.', VERDICT_FIELDS),
  created_at: 'When it was asked for.',
  resolved_at: 'When it was confirmed or cancelled.',
  resolved_by: 'Who confirmed or cancelled it.',
  resolution_reason: 'Why it was confirmed or cancelled.',
  completed_action_id: 'The action that completed it.',
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
