import { PolicyVerdict, ResolvedScope } from '../documents/policy.ts'
import { CONFIRMATION_WARNINGS, SinceRequest } from './promotion_request.ts'
import { Count, Identifier, Timestamp } from '../scalars.ts'
import { UsedWindow } from './window_used.ts'
import { object } from '../model.ts'

/** What a comparison lacks for HIGH confidence. */
export const MissingForHigh = object({
  baseline_runs_needed: [Count, 'Runs that the baseline lacks in this window.'],
  candidate_runs_needed: [Count, 'Runs that the candidate lacks in this window.'],
  shortest_window: [
    'string | null',
    'A window ending now with enough runs of both; null if all runs are not enough.',
  ],
})
export type MissingForHigh = typeof MissingForHigh.infer

/** GET /v1/confidence */
export const Reach = object('The runs that a comparison lacks for HIGH confidence.', {
  baseline_runs: [Count, 'Events of the baseline in the window.'],
  candidate_runs: [Count, 'Events of the candidate in the window.'],
  thresholds: object("Sample sizes in force: the policy's, else the workspace's.", {
    min_baseline_runs: [Count, 'Baseline runs for HIGH.'],
    min_candidate_runs: [Count, 'Candidate runs for HIGH.'],
    min_low_runs: [Count, 'Runs below which confidence is LOW.'],
  }),
  missing_for_high: [MissingForHigh, 'Missing runs; zeros if there are enough.'],
  baseline_runs_last_hour: [
    Count,
    'Events of the baseline in the last 60 minutes: the rate at which it gains runs.',
  ],
  candidate_runs_last_hour: [Count, 'Events of the candidate in the last 60 minutes.'],
  'window_used?': UsedWindow,
})
export type Reach = typeof Reach.infer

/** Runs that kept a side from being decided on, and were left out of it. */
const LeftOut = object({
  runs: [Count, 'Runs that were left out.'],
  of_runs: [Count, 'All runs of the release, including those.'],
  parts: [Count, 'Runs that count, but without their tokens of a further model that has no price.'],
  unusable: object('The runs by cause, largest first, at most 20.', {
    agent_id: ['string', 'The agent that they name.'],
    model: ['string', 'The model that they used.'],
    why: [
      "'agent' | 'price'",
      "Why decisions can't count them: agent, they name another agent than the release's; price, the release's table has no price for the model.",
    ],
    runs: [Count, 'Runs of that agent and model.'],
    parts: [Count, 'Runs of other models that used this one as well.'],
  }).array(),
})
export type LeftOut = typeof LeftOut.infer

export const Outcome = object('The outcome of a promotion or rollback.', {
  action_id: ['string | null', 'The recorded action; null for a dry run.'],
  action: ["'promote' | 'rollback'", 'The kind of decision.'],
  release_id: [Identifier, 'The release to make live.'],
  'version?': ['string', 'Its version; absent in old records.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'The environment of the pointer.'],
  baseline_release_id: ['string | null', 'The live release before; null if there was none.'],
  'baseline_version?': ['string | null', 'Its version; absent in old records.'],
  promoted_pointer_changed: ['boolean', 'Whether the live release changed.'],
  policy: [PolicyVerdict, 'What the policy said.'],
  'since_request?': [
    SinceRequest,
    'Present at a confirmation, if approvals are required: what changed since the request.',
  ],
  'warnings?': ['string[]', CONFIRMATION_WARNINGS],
  'forced?': ['true', 'Present, and true, if it was forced: no policy was evaluated.'],
  'dry_run?': ['boolean', 'Present, and true, on a dry run: nothing was written.'],
  'missing_for_high?': [
    MissingForHigh,
    'Only if the policy blocked for confidence: what is missing for HIGH.',
  ],
  'left_out?': object('Only of a rollback that left out runs (exclude_unusable): these runs, by release.', {
    'baseline?': [LeftOut, 'Runs of the live release; absent if none were left out.'],
    'candidate?': [LeftOut, 'Runs of the release to roll back to; absent if none were left out.'],
  }),
  'policy_scope?': [ResolvedScope, 'The resolved overrides of the policy; left out if it has none.'],
  'watch_id?': [Identifier, 'Only if the policy watches promotions: the watch of this one.'],
  'window_used?': UsedWindow,
})
export type Outcome = typeof Outcome.infer

export const Blocked = object(
  'The policy blocked a promotion or rollback. The attempt is recorded; the live release stays.',
  {
    detail: object('What happened.', {
      message: ['string', 'The sentence to show.'],
      outcome: [Outcome, 'The outcome, with policy.passed false.'],
    }),
  },
)

export type Blocked = typeof Blocked.infer

export const RequestBlocked = object('The policy blocked a promotion request. Nothing was written.', {
  detail: object('What happened.', {
    message: ['string', 'The sentence to show.'],
    policy: [PolicyVerdict, 'What the policy said.'],
  }),
})

export const StaleBaseline = object(
  'Another release is live than the caller expected. Nothing was recorded.',
  {
    detail: object('What happened.', {
      message: ['string', 'The sentence to show.'],
      expected_baseline_release_id: ['string | null', 'The expected release; null for none.'],
      live: object('The live release, and its decision; null if there is none.', {
        release_id: [Identifier, 'The promoted release.'],
        version: ['string', 'Its version.'],
        action_id: [Identifier, 'The decision that chose it.'],
        action: ["'promote' | 'rollback'", 'Whether that was a promotion or a rollback.'],
        actor: ['string', 'Who decided.'],
        created_at: [Timestamp, 'When.'],
      }).or('null'),
    }),
  },
)
export type StaleBaseline = typeof StaleBaseline.infer
