import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { PolicyVerdict, RESOLVED_FIELDS, ResolvedScope, VERDICT_FIELDS } from '../documents/policy.ts'
import { CONFIRMATION_WARNINGS, SINCE_REQUEST_FIELDS, SinceRequest } from './promotion_request.ts'
import { Count, Identifier, Timestamp } from '../scalars.ts'
import { UsedWindow, WINDOW_USED_FIELDS } from './window_used.ts'

/** What a comparison lacks for HIGH confidence. */
export const MissingForHigh = type({
  baseline_runs_needed: Count,
  candidate_runs_needed: Count,
  shortest_window: 'string | null',
})
export type MissingForHigh = typeof MissingForHigh.infer

/** GET /v1/confidence */
export const Reach = type({
  baseline_runs: Count,
  candidate_runs: Count,
  thresholds: { min_baseline_runs: Count, min_candidate_runs: Count, min_low_runs: Count },
  missing_for_high: MissingForHigh,
  baseline_runs_last_hour: Count,
  candidate_runs_last_hour: Count,
  'window_used?': UsedWindow,
})
export type Reach = typeof Reach.infer

export const reach = documented(Reach, {
  title: 'Reach',
  description: 'How far a comparison of two releases is from HIGH confidence.',
  fields: {
    baseline_runs: 'Events of the baseline in the window.',
    candidate_runs: 'Events of the candidate in the window.',
    thresholds: "Sample sizes in force: the policy's, else the workspace's.",
    'thresholds.min_baseline_runs': 'Baseline runs for HIGH.',
    'thresholds.min_candidate_runs': 'Candidate runs for HIGH.',
    'thresholds.min_low_runs': 'Runs below which confidence is LOW.',
    missing_for_high: 'What is missing; zeros where nothing is.',
    'missing_for_high.baseline_runs_needed': 'Runs that the baseline lacks in this window.',
    'missing_for_high.candidate_runs_needed': 'Runs that the candidate lacks in this window.',
    'missing_for_high.shortest_window':
      'A window ending now that holds enough runs of both; null where all there are do not.',
    baseline_runs_last_hour:
      'Events of the baseline in the last 60 minutes: the rate at which it gains runs.',
    candidate_runs_last_hour: 'The same of the candidate.',
    ...WINDOW_USED_FIELDS,
  },
})

/** Runs that kept a side from being decided on, and were left out of it. */
const LeftOut = type({
  runs: Count,
  of_runs: Count,
  parts: Count,
  strays: type({
    agent_id: 'string',
    model: 'string',
    why: "'agent' | 'price'",
    runs: Count,
    parts: Count,
  }).array(),
})
export type LeftOut = typeof LeftOut.infer

const LEFT_OUT_FIELDS = {
  runs: 'Runs that were left out.',
  of_runs: 'Runs of the side, those that were left out among them.',
  parts: 'Runs that count, but without their tokens of a further model that has no price.',
  strays: 'Of what runs that was, largest first, at most 20.',
  'strays[].agent_id': 'The agent that they name.',
  'strays[].model': 'The model that they used.',
  'strays[].why':
    "Why the side could not be decided on with them: agent, they name another agent than the release's; price, the release's table has no price for the model.",
  'strays[].runs': 'Runs of that agent and model.',
  'strays[].parts': 'Runs of other models that used this one as well.',
} as const

/** The answer to promote, rollback and confirm. */
export const Outcome = type({
  action_id: 'string | null',
  action: "'promote' | 'rollback'",
  release_id: Identifier,
  'version?': 'string',
  agent_id: Identifier,
  environment: Identifier,
  baseline_release_id: 'string | null',
  'baseline_version?': 'string | null',
  promoted_pointer_changed: 'boolean',
  policy: PolicyVerdict,
  'dry_run?': 'boolean',
  'forced?': 'true',
  'since_request?': SinceRequest,
  'warnings?': 'string[]',
  'missing_for_high?': MissingForHigh,
  'left_out?': { 'baseline?': LeftOut, 'candidate?': LeftOut },
  'policy_scope?': ResolvedScope,
  'watch_id?': Identifier,
  'window_used?': UsedWindow,
})
export type Outcome = typeof Outcome.infer

const OUTCOME_FIELDS = {
  action_id: 'The recorded action; null for a dry run.',
  action: 'What was asked for.',
  release_id: 'The release to move the pointer to.',
  version: 'Its version; absent from what was recorded before answers had it.',
  agent_id: "The release's agent.",
  environment: 'The environment of the pointer.',
  baseline_release_id: 'What was promoted before; null if nothing was.',
  baseline_version: 'Its version; absent as `version` is.',
  promoted_pointer_changed: 'Whether the pointer moved.',
  policy: 'What the policy said.',
  ...under('policy.', VERDICT_FIELDS),
  since_request:
    'Present at a confirmation where approvals are demanded: what is otherwise than when it was asked for.',
  ...under('since_request.', SINCE_REQUEST_FIELDS),
  warnings: CONFIRMATION_WARNINGS,
  forced: 'Present, and true, where it was forced: the policy was not asked.',
  dry_run: 'Present, and true, on a dry run: nothing was written.',
  missing_for_high: 'Only where the policy blocked for confidence: what would reach HIGH.',
  'missing_for_high.baseline_runs_needed': 'Runs that the baseline lacks in this window.',
  'missing_for_high.candidate_runs_needed': 'Runs that the candidate lacks in this window.',
  'missing_for_high.shortest_window':
    'A window ending now that holds enough runs of both; null where all there are do not.',
  left_out: 'Only of a rollback that left out runs (exclude_unusable): which, by side.',
  'left_out.baseline': 'Runs of the promoted release; absent where none were left out.',
  ...under('left_out.baseline.', LEFT_OUT_FIELDS),
  'left_out.candidate': 'Runs of the release to roll back to; absent where none were left out.',
  ...under('left_out.candidate.', LEFT_OUT_FIELDS),
  policy_scope: 'How the overrides of the policy came out; left out where it has none.',
  ...under('policy_scope.', RESOLVED_FIELDS),
  watch_id: 'Only where the policy watches promotions: the watch that began with this one.',
  ...WINDOW_USED_FIELDS,
} as const

export const outcome = documented(Outcome, {
  title: 'Outcome',
  description: 'What became of a promotion or rollback.',
  fields: OUTCOME_FIELDS,
})

/** The body of a 409 of promote, rollback and confirm. */
export const Blocked = type({ detail: { message: 'string', outcome: Outcome } })

export const blocked = documented(Blocked, {
  title: 'Blocked',
  description: 'The policy blocked a promotion or rollback. The attempt is recorded; the pointer stays.',
  fields: {
    detail: 'What happened.',
    'detail.message': 'The sentence to show.',
    'detail.outcome': 'The outcome, with policy.passed false.',
    ...under('detail.outcome.', OUTCOME_FIELDS),
  },
})
export type Blocked = typeof Blocked.infer

/** The body of a 409 of promote/request. */
export const RequestBlocked = type({ detail: { message: 'string', policy: PolicyVerdict } })

export const requestBlocked = documented(RequestBlocked, {
  title: 'RequestBlocked',
  description: 'The policy blocked a promotion request. Nothing was written.',
  fields: {
    detail: 'What happened.',
    'detail.message': 'The sentence to show.',
    'detail.policy': 'What the policy said.',
    ...under('detail.policy.', VERDICT_FIELDS),
  },
})

/** The body of a 412 of promote, rollback, request and confirm. */
export const StaleBaseline = type({
  detail: {
    message: 'string',
    expected_baseline_release_id: 'string | null',
    live: type({
      release_id: Identifier,
      version: 'string',
      action_id: Identifier,
      action: "'promote' | 'rollback'",
      actor: 'string',
      created_at: Timestamp,
    }).or('null'),
  },
})
export type StaleBaseline = typeof StaleBaseline.infer

export const staleBaseline = documented(StaleBaseline, {
  title: 'StaleBaseline',
  description: 'Something else is promoted than the caller expected. Nothing was recorded.',
  fields: {
    detail: 'What happened.',
    'detail.message': 'The sentence to show.',
    'detail.expected_baseline_release_id': 'What the caller expected; null for nothing.',
    'detail.live': 'What is promoted now, and the decision that made it so; null if nothing is promoted.',
    'detail.live.release_id': 'The promoted release.',
    'detail.live.version': 'Its version.',
    'detail.live.action_id': 'The decision that chose it.',
    'detail.live.action': 'Whether that promoted it or rolled back to it.',
    'detail.live.actor': 'Who decided so.',
    'detail.live.created_at': 'When.',
  },
})
