import { type } from 'arktype'
import type { ModelDocs } from '../docs.ts'
import { PolicyVerdict, verdictFields } from '../documents/policy.ts'
import { Identifier, Timestamp } from '../scalars.ts'

/** A promotion that waits for a confirmation, or waited for one. */
export const PromotionRequest = type({
  request_id: Identifier,
  status: "'pending' | 'completed' | 'cancelled'",
  release_id: Identifier,
  agent_id: Identifier,
  environment: Identifier,
  window: 'string',
  reason: 'string',
  actor: 'string',
  baseline_release_id: Identifier.or('null'),
  policy: PolicyVerdict,
  created_at: Timestamp,
  resolved_at: Timestamp.or('null'),
  resolved_by: 'string | null',
  resolution_reason: 'string | null',
  completed_action_id: 'string | null',
})
export type PromotionRequest = typeof PromotionRequest.infer

function requestFields(prefix: string): Record<string, string> {
  return {
    [`${prefix}request_id`]: 'Identifier of the request.',
    [`${prefix}status`]: 'Where it stands.',
    [`${prefix}release_id`]: 'The release to promote.',
    [`${prefix}agent_id`]: "The release's agent.",
    [`${prefix}environment`]: 'The environment of the pointer.',
    [`${prefix}window`]: 'The window it is judged by, also at the confirmation.',
    [`${prefix}reason`]: 'Why, in the words of who asked.',
    [`${prefix}actor`]: 'Who asked.',
    [`${prefix}baseline_release_id`]: 'What was promoted when it was asked for; null if nothing was.',
    [`${prefix}policy`]: 'What the policy said when it was asked for.',
    ...verdictFields(`${prefix}policy`),
    [`${prefix}created_at`]: 'When it was asked for.',
    [`${prefix}resolved_at`]: 'When it was confirmed or cancelled.',
    [`${prefix}resolved_by`]: 'Who confirmed or cancelled it.',
    [`${prefix}resolution_reason`]: 'Why it was confirmed or cancelled.',
    [`${prefix}completed_action_id`]: 'The action that completed it.',
  }
}

export const promotionRequestDocs: ModelDocs = {
  title: 'PromotionRequest',
  description: 'A promotion that waits for a confirmation, or waited for one.',
  fields: requestFields(''),
}

/** GET /v1/promotion-requests */
export const PromotionRequestList = type({ requests: PromotionRequest.array() })

export const promotionRequestListDocs: ModelDocs = {
  title: 'PromotionRequestList',
  description: 'Promotion requests, newest first.',
  fields: { requests: 'The requests.', ...requestFields('requests[].') },
}
