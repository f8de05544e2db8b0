import { ServiceError, badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { bounded } from '../world/bounded.ts'
import type { Ledger } from '../world/ledger.ts'
import { type Assessment, type Precondition, type Proposal, assess } from '../assess/assess.ts'

/** Attempts to win the head of the chain against other writers before giving up with 503. */
const MAX_ATTEMPTS = 200

/**
 * Assesses a proposal and hands it to `commit`, which returns undefined where its guard was lost, together with the ledger
 * whose operations end in time. Then, and where
 * another decision of this process was written meanwhile, all is read again: where only the head has moved, the
 * assessment stands and is merely tied to the new head.
 */
export async function decideWithRetries<T>(
  given: Ledger,
  proposal: Proposal,
  commit: (assessment: Assessment, ledger: Ledger) => Promise<T | undefined>,
  precondition?: Precondition,
): Promise<T> {
  refuseBlankReason(proposal.reason)
  const ledger = bounded(given)
  const { decisions } = ledger.memo
  let assessment: Assessment | undefined
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { released } = decisions
    const assessed = await assess(ledger, proposal, precondition, assessment)
    const result = await decisions.run(
      async () =>
        commit(
          decisions.released === released ? assessed : await assess(ledger, proposal, precondition, assessed),
          ledger,
        ),
      ledger.sql.deadline,
    )
    if (result !== undefined) return result
    assessment = assessed
  }
  throw new ServiceError(503, 'Too many other decisions are being written; try again.', {
    headers: { 'Retry-After': '1' },
  })
}

/** Refuses a proposal without a reason (specification, Errors). */
export function refuseBlankReason(reason: string): void {
  if (isBlank(reason)) throw badRequest('Reason is required for promote/rollback actions')
}
