import type { RecordedAnswer } from '../../src/ledger/chain/idempotency.ts'
import type { Outcome } from '../../src/models/answers/decision.ts'
import { flag, id, label, optional, prose } from '../../src/http/endpoint/fields.ts'

/** Body of POST /v1/promote, /v1/promote/request and /v1/rollback. */
export const proposalFields = {
  release_id: id('Release to move the pointer to.'),
  environment: label('Environment whose pointer it is.', { example: 'prod' }),
  window: prose('Events to judge by, counted back from now: {N}d, {N}h or {N}m.', { example: '7d' }),
  reason: prose('Why; kept in the audit trail.'),
  actor: optional(id('Who asks, unless an identity header says so. Default http.')),
} as const

export const decisionFields = {
  ...proposalFields,
  dry_run: flag('Evaluate and answer, but write nothing.'),
} as const

/** 200 with the outcome, or 409 where the policy blocked. A dry run is always 200: nothing was blocked. */
export function answerOutcome(message: string): (outcome: Outcome) => RecordedAnswer {
  return function answer(outcome) {
    return outcome.policy.passed || outcome.dry_run === true
      ? { status: 200, body: outcome }
      : { status: 409, body: { detail: { message, outcome } } }
  }
}
