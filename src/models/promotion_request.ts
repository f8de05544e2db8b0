import { type } from 'arktype'
import { PolicyVerdict } from './policy.ts'
import { Identifier, Timestamp } from './text.ts'

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
