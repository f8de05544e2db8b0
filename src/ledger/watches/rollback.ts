import { ServiceError } from '../../base/errors.ts'
import { MINUTE_MS, isoTime } from '../../base/time.ts'
import type { WatchVerdict } from '../../rules/watch/verdict.ts'
import type { Assessment, Proposal } from '../decisions/assess.ts'
import { recordDecision } from '../decisions/record.ts'
import { decideWithRetries } from '../decisions/retries.ts'
import { holdsOf } from '../chain/bound_rows.ts'
import { readClock } from '../clock.ts'
import type { Ledger } from '../ledger.ts'
import { type Claimed, claimStatement } from './claim.ts'
import type { LookFacts } from './rows.ts'
import { type Conclusion, WATCH_ACTOR, concludedRow, lookStatements } from './write.ts'

/** The watch was ended, or claimed by another process: what this one saw comes to nothing. */
export class WatchLost extends Error {
  override readonly name = 'WatchLost'
}

/**
 * Rolls back to the baseline by the way of every rollback. The decision, the end of the watch and what is told of both
 * are one batch, guarded by the end of the audit chain; the claim is read in the same snapshot as that. So of any number
 * of processes one decides, once. Returns why it could not even be evaluated, or undefined where it was decided. Throws
 * {@link WatchLost}.
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
  }
  const stillClaimed = {
    statement: claimStatement(watch),
    check: (result: { readonly rows: readonly unknown[] }) => {
      if (result.rows.length === 0) throw new WatchLost()
    },
  }
  try {
    await decideWithRetries(ledger, proposal, decision, stillClaimed)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return error.message
    throw error
  }

  function decision(assessed: Assessment, within: Ledger): ReturnType<typeof recordDecision> {
    if (assessed.baselineId !== watch.release_id) throw new WatchLost()
    const look = { look: watch.looks + 1, at: isoTime(watch.now), ...facts }
    const evidence = { ...assessed.evidence, watch: { watch_id: watch.watch_id, look } }
    const { passed, reasons } = assessed.verdict
    const concluded = (action_id: string): Conclusion => ({
      ...verdict,
      state: passed ? 'rolled_back' : 'regressed',
      rollback: { action_id, passed, reasons: [...reasons] },
      by: null,
    })
    return recordDecision(
      within,
      proposal,
      { ...assessed, evidence },
      {
        keep: () => [],
        statements: (action_id, _at, guard) =>
          lookStatements(watch, facts, concluded(action_id), ledger.sql.clock, guard),
        holds: action_id => holdsOf('watches', [concludedRow(watch, concluded(action_id))]),
      },
    )
  }
}
