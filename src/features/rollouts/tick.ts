import { isoTime } from '../../base/time.ts'
import { type Row, sql } from '../../sql/port.ts'
import { bounded } from '../../ledger/world/bounded.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type ChangeKind, changeRollout, endedRow, stepsEnded } from './change.ts'
import { type Claimed, claimRollout, claimStatement, nextRolloutIn } from './claim.ts'
import { RolloutLost, completeRollout } from './complete.ts'
import { type Look, lookAt } from './look.ts'
import { LOOK_MS, OPEN, ROLLOUT_ACTOR, parsedOf } from './rows.ts'

/**
 * Looks at every rollout that is due, and returns in how many ms the next one is, or undefined where none is open. Any
 * number of processes may do this at once: leases keep them apart, and what one left behind another goes on with. It
 * begins no further look once it may not go on.
 */
export async function lookAtRollouts(
  ledger: Ledger,
  { mayGoOn = () => true }: { readonly mayGoOn?: () => boolean } = {},
): Promise<number | undefined> {
  for (;;) {
    const next = await nextRolloutIn(ledger)
    if (next !== 0 || !mayGoOn()) return next
    const claimed = await claimRollout(ledger)
    if (claimed === undefined) continue
    try {
      await tick(bounded(ledger), claimed)
    } catch (error) {
      // It is due again when its lease is over.
      if (!(error instanceof RolloutLost)) {
        ledger.log('warn', 'a rollout could not be looked at', { rollout_id: claimed.row.rollout_id, error })
      }
    }
  }
}

async function tick(ledger: Ledger, claimed: Claimed): Promise<void> {
  const look = await lookAt(ledger, claimed)
  const { move } = look
  if (move.kind === 'hold') {
    await noteLook(ledger, claimed, look)
    return
  }
  if (move.kind === 'complete') {
    const problem = await completeRollout(ledger, claimed, look)
    if (problem === undefined) return
    await moveOn(ledger, claimed, look, 'rollout.paused', row => ({
      ...row,
      state: 'paused',
      because: `the promotion can't be evaluated: ${problem}`,
    }))
    return
  }
  const { now } = claimed
  const by = ROLLOUT_ACTOR.name
  const moves: Readonly<
    Record<Exclude<typeof move.kind, 'hold' | 'complete'>, [ChangeKind, (row: Row) => Row]>
  > = {
    advance: ['rollout.advanced', row => advancedRow(row, now)],
    abort: ['rollout.aborted', row => endedRow(row, 'aborted', becauseOf(move), by, now)],
    pause: ['rollout.paused', row => ({ ...row, state: 'paused', because: becauseOf(move) })],
    expire: ['rollout.expired', row => endedRow(row, 'expired', becauseOf(move), by, now)],
    // Decisions end rollouts themselves; this is for those of a server that knows of none yet.
    supersede: [
      'rollout.aborted',
      row => endedRow(row, 'superseded', `${look.live ?? 'nothing'} is live in its place`, by, now),
    ],
  }
  await moveOn(ledger, claimed, look, ...moves[move.kind])
}

function becauseOf(move: Look['move']): string | null {
  return 'because' in move ? move.because : null
}

function advancedRow(row: Row, now: number): Row {
  const step = Number(row.step) + 1
  const steps = (JSON.parse(stepsEnded(row, now)) as ReturnType<typeof parsedOf>['steps']).map((own, index) =>
    index === step ? { ...own, started_at: isoTime(now), after_event: Number(row.newest_event) } : own,
  )
  return { ...row, step, steps_json: JSON.stringify(steps) }
}

/** Writes a look at which nothing changed, where the claim still holds. */
async function noteLook({ sql: db }: Ledger, { row, lease }: Claimed, { facts }: Look): Promise<void> {
  await db.batch([
    sql`UPDATE rollouts SET looks = CAST(${facts.look} AS BIGINT), look_json = ${JSON.stringify(facts)},
        due_at = ${db.clock} + ${LOOK_MS}
      WHERE rollout_id = ${row.rollout_id!} AND ${OPEN} AND lease = ${lease} AND looks = ${row.looks!}`,
  ])
}

/** Throws {@link RolloutLost}. */
async function moveOn(
  ledger: Ledger,
  claimed: Claimed,
  { facts }: Look,
  kind: ChangeKind,
  rowAfter: (row: Row) => Row,
): Promise<void> {
  let after: Row | undefined
  await changeRollout(ledger, claimStatement(claimed), row => {
    if (row === undefined) throw new RolloutLost()
    after = {
      ...rowAfter(row),
      changed_by: ROLLOUT_ACTOR.name,
      looks: facts.look,
      look_json: JSON.stringify(facts),
    }
    return {
      kind,
      row: after,
      actor: ROLLOUT_ACTOR,
      reason: (after.because as string | null) ?? null,
      look: facts,
    }
  })
  const { rollout_id, state, step, because } = after!
  ledger.log('info', 'a rollout went on', { rollout_id, kind, state, step, because })
}
