import { type } from 'arktype'
import { REQUEST_STATES, RESOLUTIONS } from '../names.ts'
import { PolicyVerdict } from '../documents/policy.ts'
import { Identity, Count, Identifier, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

/** What an answer to a confirmation warns of. */
export const CONFIRMATION_WARNINGS =
  'Only in the answer to a confirmation: earlier confirmations that no longer count, each with the reason, and names of other ' +
  'people that look like yours.'

/** What is otherwise at a confirmation than at the request. */
export const SinceRequest = object({
  baseline: object(
    'What is promoted, where that is another release than it was; null where it is the same.',
    {
      from: ['string | null', 'What was promoted; null if nothing was.'],
      to: ['string | null', 'What is promoted now; null if nothing is.'],
    },
  ).or('null'),
  policy: object('Fields of the policy in force that are otherwise than they were.', {
    field: ['string', 'Name of the field.'],
    from: ['unknown', 'Its value then; null where there was none.'],
    to: ['unknown', 'Its value now; null where there is none.'],
  }).array(),
  figures: object('Figures of the comparison that are otherwise than they were.', {
    name: ['string', 'Name of the figure, as in the metrics of a diff.'],
    from: ['number | null', 'Its value then.'],
    to: ['number | null', 'Its value now.'],
  }).array(),
})
export type SinceRequest = typeof SinceRequest.infer

/** One confirmation of a request. */
export const Approval = object({
  actor: ['string', 'Who confirmed.'],
  'actor_identity?': Identity,
  reason: ['string', 'Why, in the words of who confirmed.'],
  created_at: [Timestamp, 'When.'],
})
export type Approval = typeof Approval.infer

export const PromotionRequest = object('A promotion that waits for a confirmation, or waited for one.', {
  request_id: [Identifier, 'Identifier of the request.'],
  status: [type.enumerated(...REQUEST_STATES), 'Where it stands.'],
  release_id: [Identifier, 'The release to promote.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'The environment of the pointer.'],
  window: ['string', 'The window it is judged by, also at the confirmation.'],
  reason: ['string', 'Why, in the words of the requester.'],
  actor: ['string', 'Who requested it.'],
  'claimed_actor?': ['string', 'The name that an actor with a token of its own gives itself: a claim.'],
  'actor_identity?': Identity,
  baseline_release_id: [
    Identifier.or('null'),
    'What was promoted when it was asked for; null if nothing was.',
  ],
  'expected_baseline_release_id?': [
    Identifier.or('null'),
    'What has to be promoted at each confirmation, as the request said; null for nothing, left out where it said none.',
  ],
  policy: [PolicyVerdict, 'What the policy said when it was asked for.'],
  created_at: [Timestamp, 'When it was asked for.'],
  resolved_at: [Timestamp.or('null'), 'When it was confirmed or cancelled.'],
  resolved_by: ['string | null', 'Who confirmed or cancelled it.'],
  resolution_reason: ['string | null', 'Why it was confirmed or cancelled.'],
  completed_action_id: ['string | null', 'The action that completed it.'],
  'resolution?': [
    type.enumerated(...RESOLUTIONS),
    'There where it was rejected, or ended because nobody confirmed it in time; its status is cancelled.',
  ],
  'expires_at?': [Timestamp, 'When it ends unless it is confirmed; there where approval_expires is set.'],
  'approvals_required?': [Count, 'How many have to confirm it; there where that is more than one.'],
  'approvals?': [Approval.array(), 'Who did; there where that takes more than one.'],
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
