import type { Repeatable } from '../../src/ledger/trail/idempotency.ts'
import type { Blocked, Outcome } from '../../src/models/answers/decision.ts'
import { type Reply, json } from '../../src/http/wire/message.ts'
import {
  actorField,
  flag,
  id,
  key,
  label,
  optionalOrNull,
  prose,
  window,
} from '../../src/http/endpoint/fields.ts'

/** What a decision says of what it replaces. */
export const expectedField = {
  expected_baseline_release_id: optionalOrNull(
    key(
      'The release that was promoted there when you looked; null if nothing was. Where something else is promoted by now, ' +
        'the answer is 412 and nothing is recorded. Not checked where it is left out.',
    ),
  ),
} as const

/** Body of POST /v1/promote, /v1/promote/request and /v1/rollback. */
export const proposalFields = {
  release_id: id('Release to move the pointer to.'),
  environment: label('Environment whose pointer it is.', { example: 'prod' }),
  window: window('Events to judge by, counted back from now', { example: '7d' }),
  reason: prose('Why; kept in the audit trail.'),
  ...expectedField,
  actor: actorField(),
} as const

/** What a promotion says besides. */
export const firstField = {
  first: flag(
    'Says that a first promotion is meant, which is compared with nothing; needed for one where the workspace is strict.',
  ),
} as const

/** What a rollback says besides. */
export const forceField = {
  force: flag(
    'Goes back to a release that was live there before without asking the policy; only where allow_forced_rollback is true.',
  ),
} as const

/** What a rollback says of runs that can't be decided on. */
export const excludeField = {
  exclude_undecidable: flag(
    'Leaves out runs that keep a side from being decided on (of another agent, or of a model without a price), at most 5 % of ' +
      'the runs of each side; the answer and the evidence name and count them.',
  ),
} as const

export const decisionFields = {
  ...proposalFields,
  dry_run: flag('Evaluate and answer, but write nothing.'),
} as const

/** 200 with the outcome, or 409 where the policy blocked. A dry run is always 200: nothing was blocked. */
export function outcomeReply({ result: outcome, replayed }: Repeatable<Outcome>): Reply<Outcome | Blocked> {
  if (outcome.policy.passed || outcome.dry_run === true || outcome.forced === true)
    return json(outcome, 200, replayHeaders(replayed))
  const message =
    outcome.action === 'promote' ? 'Promotion blocked by policy.' : 'Rollback blocked by policy.'
  return json({ detail: { message, outcome } }, 409, replayHeaders(replayed))
}

/** What a repeated idempotency key is answered with. */
export function replayHeaders(replayed: boolean): Record<string, string> {
  return replayed ? { 'idempotent-replayed': 'true' } : {}
}
