import { type } from 'arktype'
import { REQUEST_STATES, RESOLUTIONS } from '../names.ts'
import { PolicyVerdict } from '../documents/policy.ts'
import { Identity, Count, Identifier, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

export const CONFIRMATION_WARNINGS =
  'Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other people that look like yours.'

/** What is otherwise at a confirmation than at the request. */
export const SinceRequest = object({
  baseline: object('The live releases of then and now, if they differ; null if they are the same.', {
    from: ['string | null', 'The live release then; null if there was none.'],
    to: ['string | null', 'The live release now; null if there is none.'],
  }).or('null'),
  policy: object('Fields of the policy in force that have changed.', {
    field: ['string', 'Name of the field.'],
    from: ['unknown', 'Its value then; null if there was none.'],
    to: ['unknown', 'Its value now; null if there is none.'],
  }).array(),
  figures: object('Figures of the comparison that have changed.', {
    name: ['string', 'Name of the figure, as in the metrics of a diff.'],
    from: ['number | null', 'Its value then.'],
    to: ['number | null', 'Its value now.'],
  }).array(),
})
export type SinceRequest = typeof SinceRequest.infer

export const Approval = object({
  actor: ['string', 'Who confirmed.'],
  'actor_identity?': Identity,
  reason: ['string', 'Why, in the words of who confirmed.'],
  created_at: [Timestamp, 'When.'],
})
export type Approval = typeof Approval.infer

export const PromotionRequest = object('A promotion request, pending or settled.', {
  request_id: [Identifier, 'Identifier of the request.'],
  status: [type.enumerated(...REQUEST_STATES), 'Its state.'],
  release_id: [Identifier, 'The release to promote.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'The environment of the pointer.'],
  window: ['string', 'Its window, also at the confirmation.'],
  reason: ['string', 'Why, in the words of the requester.'],
  actor: ['string', 'Who requested it.'],
  'claimed_actor?': ['string', "The name that the caller gave in addition to its token's: a claim."],
  'actor_identity?': Identity,
  baseline_release_id: [Identifier.or('null'), 'The live release at the request; null if there was none.'],
  'expected_baseline_release_id?': [
    Identifier.or('null'),
    'The release that must be live at each confirmation, as the request said; null for none, left out if the request named none.',
  ],
  policy: [PolicyVerdict, "The policy's result at the request."],
  created_at: [Timestamp, 'When it was requested.'],
  resolved_at: [Timestamp.or('null'), 'When it was confirmed or cancelled.'],
  resolved_by: ['string | null', 'Who confirmed or cancelled it.'],
  resolution_reason: ['string | null', 'Why it was confirmed or cancelled.'],
  completed_action_id: ['string | null', 'The action that completed it.'],
  'resolution?': [
    type.enumerated(...RESOLUTIONS),
    'Present if it was rejected, or ended because nobody confirmed it in time; its status is cancelled.',
  ],
  'expires_at?': [Timestamp, 'When it ends without a confirmation; present if approval_expires is set.'],
  'approvals_required?': [Count, 'How many must confirm it; present if more than one.'],
  'approvals?': [Approval.array(), 'Who confirmed; present if more than one must.'],
  'since_request?': [
    SinceRequest,
    'Only in the answer to a confirmation: what has changed since the request.',
  ],
  'warnings?': ['string[]', CONFIRMATION_WARNINGS],
})
export type PromotionRequest = typeof PromotionRequest.infer

/** GET /v1/promotion-requests */
export const PromotionRequestList = object('Promotion requests, newest first.', {
  requests: [PromotionRequest.array(), 'The requests.'],
})
