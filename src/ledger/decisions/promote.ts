import { refused } from '../../base/errors.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import {
  type Once,
  type Proposal,
  assess,
  outcomeOf,
  recordDecision,
  refuseBlankReason,
  settle,
} from './decide.ts'
import type { Ledger } from '../ledger.ts'

export interface DecisionInput extends Omit<Proposal, 'action'> {
  /** Evaluates and writes nothing. */
  readonly dry_run?: boolean
}

/**
 * Promotes a release: evaluates the policy against the promoted one, records the attempt, and moves the
 * pointer if the policy passes. Refused where the workspace demands the two-step flow.
 */
export async function promote(ledger: Ledger, input: DecisionInput, once?: Once<Outcome>): Promise<Outcome> {
  if (ledger.workspace.promotion_requires_approval) {
    throw refused(
      'This workspace requires approval (promotion_requires_approval): request the promotion with ' +
        'POST /v1/promote/request or `svc release promote-request`, then have it confirmed.',
    )
  }
  return decide(ledger, { ...input, action: 'promote' }, once)
}

/** Rolls back to a release under the same policy. Something must be promoted already. */
export function rollback(ledger: Ledger, input: DecisionInput, once?: Once<Outcome>): Promise<Outcome> {
  return decide(ledger, { ...input, action: 'rollback' }, once)
}

async function decide(
  ledger: Ledger,
  { dry_run = false, ...proposal }: Proposal & { dry_run?: boolean },
  once?: Once<Outcome>,
): Promise<Outcome> {
  if (!dry_run)
    return settle(ledger, proposal, assessed => recordDecision(ledger, proposal, assessed, { once }))
  refuseBlankReason(proposal.reason)
  return outcomeOf(proposal, await assess(ledger, proposal), null)
}
