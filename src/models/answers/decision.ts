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
    'A window ending now that holds enough runs of both; null where all there are do not.',
  ],
})
export type MissingForHigh = typeof MissingForHigh.infer

/** GET /v1/confidence */
export const Reach = object('What a comparison of two releases lacks for HIGH confidence.', {
  baseline_runs: [Count, 'Events of the baseline in the window.'],
  candidate_runs: [Count, 'Events of the candidate in the window.'],
  thresholds: object("Sample sizes in force: the policy's, else the workspace's.", {
    min_baseline_runs: [Count, 'Baseline runs for HIGH.'],
    min_candidate_runs: [Count, 'Candidate runs for HIGH.'],
    min_low_runs: [Count, 'Runs below which confidence is LOW.'],
  }),
  missing_for_high: [MissingForHigh, 'What is missing; zeros where nothing is.'],
  baseline_runs_last_hour: [
    Count,
    'Events of the baseline in the last 60 minutes: the rate at which it gains runs.',
  ],
  candidate_runs_last_hour: [Count, 'The same of the candidate.'],
  'window_used?': UsedWindow,
})
export type Reach = typeof Reach.infer

/** Runs that kept a side from being decided on, and were left out of it. */
const LeftOut = object({
  runs: [Count, 'Runs that were left out.'],
  of_runs: [Count, 'Runs of the side, those that were left out among them.'],
  parts: [Count, 'Runs that count, but without their tokens of a further model that has no price.'],
  unusable: object('Of what runs that was, largest first, at most 20.', {
    agent_id: ['string', 'The agent that they name.'],
    model: ['string', 'The model that they used.'],
    why: [
      "'agent' | 'price'",
      "Why the side could not be decided on with them: agent, they name another agent than the release's; price, the release's table has no price for the model.",
    ],
    runs: [Count, 'Runs of that agent and model.'],
    parts: [Count, 'Runs of other models that used this one as well.'],
  }).array(),
})
export type LeftOut = typeof LeftOut.infer

export const Outcome = object('The outcome of a promotion or rollback.', {
  action_id: ['string | null', 'The recorded action; null for a dry run.'],
  action: ["'promote' | 'rollback'", 'What was asked for.'],
  release_id: [Identifier, 'The release to move the pointer to.'],
  'version?': ['string', 'Its version; absent from what was recorded before answers had it.'],
  agent_id: [Identifier, "The release's agent."],
  environment: [Identifier, 'The environment of the pointer.'],
  baseline_release_id: ['string | null', 'What was promoted before; null if nothing was.'],
  'baseline_version?': ['string | null', 'Its version; absent as `version` is.'],
  promoted_pointer_changed: ['boolean', 'Whether the pointer moved.'],
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
    'Only where the policy blocked for confidence: what would reach HIGH.',
  ],
  'left_out?': object('Only of a rollback that left out runs (exclude_unusable): which, by side.', {
    'baseline?': [LeftOut, 'Runs of the promoted release; absent where none were left out.'],
    'candidate?': [LeftOut, 'Runs of the release to roll back to; absent where none were left out.'],
  }),
  'policy_scope?': [ResolvedScope, 'How the overrides of the policy came out; left out where it has none.'],
  'watch_id?': [Identifier, 'Only where the policy watches promotions: the watch that began with this one.'],
  'window_used?': UsedWindow,
})
export type Outcome = typeof Outcome.infer

export const Blocked = object(
  'The policy blocked a promotion or rollback. The attempt is recorded; the pointer stays.',
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
      expected_baseline_release_id: ['string | null', 'What the caller expected; null for nothing.'],
      live: object('What is promoted now, and the decision that made it so; null if nothing is promoted.', {
        release_id: [Identifier, 'The promoted release.'],
        version: ['string', 'Its version.'],
        action_id: [Identifier, 'The decision that chose it.'],
        action: ["'promote' | 'rollback'", 'Whether that promoted it or rolled back to it.'],
        actor: ['string', 'Who decided so.'],
        created_at: [Timestamp, 'When.'],
      }).or('null'),
    }),
  },
)
export type StaleBaseline = typeof StaleBaseline.infer
