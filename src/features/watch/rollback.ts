import { ServiceError } from '../../base/errors.ts'
import { MINUTE_MS, isoTime } from '../../base/time.ts'
import { afterBlock, blockOf, isRetryDue } from './rules_retry.ts'
import type { WatchVerdict } from './rules_verdict.ts'
import type { Assessment, Proposal } from '../../ledger/assess/assess.ts'
import { recordDecision, decideWithRetries } from '../../ledger/decide/record.ts'
import { holdsOf } from '../../ledger/trail/bound_rows.ts'
import { readClock } from '../../ledger/trail/clock.ts'
import { LeaseLost } from '../../ledger/world/due.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type Claimed, isClaimed } from './claim.ts'
import type { LookFacts } from './rows.ts'
import { type Conclusion, WATCH_ACTOR, concludedRow, lookQuery } from './write.ts'

/**
 * Rolls back to the baseline by the way of every rollback. The decision, the end of the watch and the announcements of both
 * are one batch, guarded by the end of the audit chain; the claim is read in the same snapshot as that. So of any number
 * of processes one decides, once. One that was blocked before is recorded again only where it is due
 * ({@link isRetryDue}). Returns why it could not even be evaluated, or undefined where it could. Throws
 * {@link LeaseLost}.
 */
export async function rollBack(
  ledger: Ledger,
  watch: Claimed,
  facts: LookFacts,
  verdict: WatchVerdict,
): Promise<string | undefined> {
  // The window that would be measured begins by the one clock and ends by the other.
  const { apart, doubt } = await readClock(ledger)
  const problem = apart ?? doubt
  if (problem !== undefined) return problem
  const proposal: Proposal = {
    action: 'rollback',
    release_id: watch.baseline_release_id,
    environment: watch.environment,
    window: `${Math.floor((ledger.now() - watch.baseline_since) / MINUTE_MS) + 1}m`,
    reason: `watch ${watch.watch_id}: ${verdict.because}`,
    actor: WATCH_ACTOR,
    exclude_undecidable: 'as_policy',
  }
  const stillClaimed = {
    query: isClaimed(watch),
    check: (claimed: boolean) => {
      if (!claimed) throw new LeaseLost()
    },
  }
  try {
    await decideWithRetries<unknown, boolean>(ledger, proposal, decision, stillClaimed)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return error.message
    throw error
  }

  async function decision(assessed: Assessment, within: Ledger): Promise<unknown> {
    if (assessed.baseline?.release_id !== watch.release_id) throw new LeaseLost()
    const block = assessed.verdict.passed ? null : blockOf(assessed.verdict.reasons)
    if (watch.retry !== null && !isRetryDue(watch.retry, block, watch.now)) return NOT_YET
    const look = { look: watch.looks + 1, at: isoTime(watch.now), ...facts }
    const evidence = { ...assessed.evidence, watch: { watch_id: watch.watch_id, look } }
    const { passed, reasons } = assessed.verdict
    const concluded = (action_id: string): Conclusion => ({
      ...verdict,
      state: passed ? 'rolled_back' : 'regressed',
      rollback: { action_id, passed, reasons: [...reasons], ...attemptsOf(watch) },
      by: null,
      retry: block === null ? null : afterBlock(watch.retry, block, watch.now),
    })
    return recordDecision(
      within,
      proposal,
      { ...assessed, evidence },
      {
        keep: () => [],
        statements: (action_id, _at, guard) =>
          lookQuery(watch, facts, concluded(action_id), ledger.sql.clock, guard).statements,
        holds: action_id => holdsOf('watches', [concludedRow(watch, concluded(action_id))]),
      },
    )
  }
}

/** What an assessment is answered with that is not recorded. */
const NOT_YET = 'not yet'

/** How many attempts there are with this one; left out where it is the first. */
export function attemptsOf({ retry }: Claimed): { readonly attempts?: number } {
  return retry === null ? {} : { attempts: retry.attempts + 1 }
}
