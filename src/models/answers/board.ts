import { type } from 'arktype'
import { RESULT_FIELD, Result } from '../documents/policy.ts'
import { PlaceAllowed, PlaceCandidate, PlaceState } from './place_parts.ts'
import { Count, Identifier, Instant, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'
import { CONCERN_KINDS } from '../names.ts'

/** Why a release can't be decided on. */
const UnusableSince = object({
  since: [
    Timestamp,
    'Since when: the hour of the first such run of the last 7 days; without a price table the registration of the release.',
  ],
  last: [
    Timestamp.or('null'),
    'The end of the hour of the last such run, or now: windows that begin then or later have none. null if the price table is missing.',
  ],
  because: ['string', 'How many runs of which agent or model, or which price table is missing.'],
})

/** What is live in one place. */
export const PromotedRelease = object({
  release_id: [Identifier, 'The promoted release.'],
  version: ['string | null', 'Its version; null if it is not registered.'],
  action_id: ['string | null', 'The decision that chose it.'],
  promoted_at: [Timestamp.or('null'), 'When it was chosen.'],
  promoted_by: ['string | null', 'Who requested it.'],
  reason: ['string | null', 'Why, in the words of the requester.'],
  'forced?': ['true', 'Present, and true, if it was forced: no policy was evaluated.'],
  'unusable?': [
    UnusableSince,
    'Only if a promotion, gate or rollback is refused, because runs of the release name another agent or have no price.',
  ],
})

const LastAction = object({
  action_id: ['string', 'Identifier of the action.'],
  action: ["'promote' | 'rollback'", 'The kind of decision.'],
  release_id: [Identifier, 'The release promoted or rolled back to.'],
  policy_passed: ['boolean', 'Whether the policy passed, so that the live release changed.'],
  policy_reasons: ['string[]', 'What the policy said.'],
  result: [Result, RESULT_FIELD],
  actor: ['string', 'Who requested it.'],
  created_at: [Timestamp, 'When it was recorded.'],
  'forced?': ['true', 'Present, and true, if it was forced: no policy was evaluated, and the pointer moved.'],
  'reviewed?': ['true', 'Present, and true, if it was forced and somebody has reviewed it since.'],
})

const NewestRelease = object({
  release_id: [Identifier, 'Identifier of the release.'],
  version: ['string', 'Its version.'],
  created_at: [Timestamp, 'When it was registered.'],
  'rolled_back_at?': [
    Timestamp,
    'When it was rolled back here; left out unless the last decision about it was a rollback.',
  ],
  'unpriced?': ['true', 'Present, and true, if its price table is not imported: a diff would be refused.'],
  'unusable?': [
    UnusableSince,
    "Only if runs of this release can't be decided on; left out if no table is imported.",
  ],
})

const PlaceInShort = object('The answer of GET /v1/places in short, as of the last evaluation.', {
  state: [PlaceState.or('null'), 'The state; null before the first evaluation.'],
  headline: ['string', 'The state and its reason in a sentence.'],
  candidate: PlaceCandidate.or('null'),
  window: ['string | null', 'The window of the evaluation; null if there is none.'],
  allowed: PlaceAllowed,
  evaluated_at: [Instant.or('null'), 'When it was evaluated last; null if never.'],
  'outdated?': [
    'true',
    'Present, and true, if a policy, price or release changed since then: the next evaluation includes it.',
  ],
})

const Concern = object('Why somebody has to see to a place.', {
  kind: [
    type.enumerated(...CONCERN_KINDS),
    'The state of the place; or a watch that regressed, a stopped rollout, a release that is refused, a pending request, or a model of the live release that ends within 30 days.',
  ],
  reason: ['string', 'The reason in a sentence.'],
  'id?': [Identifier, 'The watch, rollout, request or release that it is about; left out without one.'],
})

/** GET /v1/board */
export const Board = object(
  'The live release of each agent in each environment with releases or a pointer.',
  {
    board: object('One entry per agent and environment, in their order.', {
      agent_id: [Identifier, 'The agent.'],
      environment: [Identifier, 'The environment.'],
      promoted: [PromotedRelease.or('null'), 'The live release; null if there is none.'],
      last_action: [LastAction.or('null'), 'The last decision, passed or blocked; null if there was none.'],
      newest_release: [
        NewestRelease.or('null'),
        'The release registered last with this environment; null if none was.',
      ],
      pending_requests: [Count, 'Pending promotion requests.'],
      place: PlaceInShort,
      concerns: [
        Concern.array(),
        'Why somebody has to see to it, the most harmful first; empty if nobody has.',
      ],
    }).array(),
  },
)
export type Board = typeof Board.infer
export type BoardEntry = Board['board'][number]
export type Concern = BoardEntry['concerns'][number]
