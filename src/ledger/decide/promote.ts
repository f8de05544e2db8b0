import { badRequest } from '../../base/errors.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import { type IdempotencyKey, type Repeatable, repeatable } from '../trail/idempotency.ts'
import type { Ledger } from '../world/ledger.ts'
import { type Proposal, assess } from '../assess/assess.ts'
import { outcomeOf, recordDecision, decideWithRetries, refuseBlankReason } from './record.ts'

export interface DecisionInput extends Omit<Proposal, 'action'> {
  /** Evaluates and writes nothing. */
  readonly dry_run?: boolean
}

/**
 * Promotes a release: evaluates the policy against the promoted one, records the attempt, and moves the
 * pointer if the policy passes. Refused where the workspace demands the two-step flow.
 */
export async function promote(
  ledger: Ledger,
  input: DecisionInput,
  key?: IdempotencyKey,
): Promise<Repeatable<Outcome>> {
  if (ledger.workspace.promotion_requires_approval) {
    throw badRequest(
      'This workspace requires approval (promotion_requires_approval): request the promotion with ' +
        'POST /v1/promote/request or `svc release promote-request`, then have it confirmed.',
    )
  }
  return decide(ledger, { ...input, action: 'promote' }, key)
}

/**
 * Rolls back to a release under the same policy. Something must be promoted already. Forced, the policy is not evaluated: only
 * where the workspace allows it, and back to a release that was live there before.
 */
export async function rollback(
  ledger: Ledger,
  input: DecisionInput,
  key?: IdempotencyKey,
): Promise<Repeatable<Outcome>> {
  if (input.force === true && !ledger.workspace.allow_forced_rollback) {
    throw badRequest(
      'Forced rollbacks are off: to allow them, set allow_forced_rollback: true in service.yaml.',
    )
  }
  return decide(ledger, { ...input, action: 'rollback' }, key)
}

async function decide(
  ledger: Ledger,
  { dry_run = false, ...proposal }: Proposal & { dry_run?: boolean },
  key?: IdempotencyKey,
): Promise<Repeatable<Outcome>> {
  return repeatable<Outcome>(ledger.sql, key, async keep => {
    if (!dry_run) {
      return decideWithRetries(ledger, proposal, (assessed, within) =>
        recordDecision(within, proposal, assessed, { keep }),
      )
    }
    refuseBlankReason(proposal.reason)
    return outcomeOf(proposal, await assess(ledger, proposal), null)
  })
}
