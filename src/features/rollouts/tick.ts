import { MINUTE_MS, isoTime } from '../../base/time.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import {
  LeaseLost,
  type Leased,
  type CheckAll,
  Outdated,
  checkDue,
  checkForAWhile,
} from '../../ledger/world/due.ts'
import type { Actor, Ledger, Pace } from '../../ledger/world/ledger.ts'
import type { Trigger } from '../feature.ts'
import { type ChangeKind, changeRollout, endedRow, stepsEnded } from './change.ts'
import { type CheckResult, checkRollout } from './check_rollout.ts'
import {
  COLUMNS,
  DUE,
  CHECK_MS,
  NEWEST_EVENT,
  OPEN,
  ROLLOUT_ACTOR,
  type StartedBy,
  type StoredStep,
  changeStatements,
  parsedOf,
  planOf,
  splits,
  announced,
  wantingOf,
} from './rows.ts'
import { ServiceError } from '../../base/errors.ts'
import { decidingArms } from './rules_readings.ts'
import { SETTLE_MS } from './rules_steps.ts'
import { asRow, ask, firstRow, removeAll } from '../../sql/query.ts'
import type { Assessment, Proposal } from '../../ledger/assess/assess.ts'
import { decideWithRetries, recordDecision } from '../../ledger/decide/record.ts'
import { holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { Head } from '../../ledger/trail/chain.ts'
import { valuesQuery } from './sums.ts'

/** Checks every rollout that is due, as {@link checkDue} says. */
export const checkRollouts: CheckAll = (ledger, until) => checkDue(ledger, DUE, tick, until)

async function tick(ledger: Ledger, claimed: Leased): Promise<void> {
  const check = await checkRollout(ledger, claimed)
  const { move } = check
  if (move.kind === 'hold') {
    await noteCheck(ledger, claimed, check)
    return
  }
  if (move.kind === 'complete') {
    const problem = await completeRollout(ledger, claimed, check)
    if (problem === undefined) return
    await moveOn(ledger, claimed, check, 'rollout.paused', row => ({
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
      row => endedRow(row, 'superseded', `${check.live ?? 'nothing'} is live now`, by, now),
    ],
  }
  await moveOn(ledger, claimed, check, ...moves[move.kind])
}

function becauseOf(move: CheckResult['move']): string | null {
  return 'because' in move ? move.because : null
}

function advancedRow(row: Row, now: number): Row {
  const step = Number(row.step) + 1
  const steps = (JSON.parse(stepsEnded(row, now)) as StoredStep[]).map((own, index) =>
    index === step ? { ...own, started_at: isoTime(now), after_event: Number(row.newest_event) } : own,
  )
  return { ...row, step, steps_json: JSON.stringify(steps) }
}

/** Writes a check at which nothing changed, where the claim still holds. */
async function noteCheck({ sql: db }: Ledger, { row, lease }: Leased, { facts }: CheckResult): Promise<void> {
  await db.batch([
    sql`UPDATE rollouts SET checks = CAST(${facts.number} AS BIGINT), check_json = ${JSON.stringify(facts)},
        due_at = ${db.clock} + ${CHECK_MS}
      WHERE rollout_id = ${row.rollout_id!} AND ${OPEN} AND lease = ${lease} AND checks = ${row.checks!}`,
  ])
}

/** Throws {@link LeaseLost}, and {@link Outdated} where prices, say, changed since the check. */
async function moveOn(
  ledger: Ledger,
  claimed: Leased,
  { facts, revision }: CheckResult,
  kind: ChangeKind,
  rowAfter: (row: Row) => Row,
): Promise<void> {
  let after: Row | undefined
  const change = (row: Row | undefined, _clock: unknown, head: Head) => {
    if (row === undefined) throw new LeaseLost()
    if (head.revision !== revision) throw new Outdated()
    after = {
      ...rowAfter(row),
      changed_by: ROLLOUT_ACTOR.name,
      checks: facts.number,
      check_json: JSON.stringify(facts),
    }
    return {
      kind,
      row: after,
      actor: ROLLOUT_ACTOR,
      reason: (after.because as string | null) ?? null,
      check: facts,
    }
  }
  await changeRollout(ledger, leasedStatement(claimed), change)
  const { rollout_id, state, step, because } = after!
  ledger.log('info', 'a rollout went on', { rollout_id, kind, state, step, because })
}

/** The row while a lease holds: nobody has leased, checked or changed the rollout since. */
function leasedStatement({ row, lease }: Leased): Statement {
  const { rollout_id, state, step, checks } = row
  return sql`SELECT ${COLUMNS}, ${NEWEST_EVENT} AS newest_event FROM rollouts
    WHERE rollout_id = ${rollout_id!} AND state = ${state!} AND step = ${step!} AND lease = ${lease}
      AND checks = ${checks!}`
}

/**
 * Completes a rollout by one promotion: the same checks as every promotion, with limits on a change decided by the last
 * step. One batch writes the decision, the end of the rollout and the webhook events of both; the claim is read in the same
 * snapshot as the end of the audit chain, so of any number of processes one decides, once. Blocked, the attempt is
 * recorded and the rollout paused. Returns why it could not even be evaluated. Throws {@link LeaseLost}.
 */
async function completeRollout(
  ledger: Ledger,
  claimed: Leased,
  { facts, revision, sidesOf }: CheckResult,
): Promise<string | undefined> {
  const { row, now } = claimed
  const parsed = parsedOf(row)
  const { startedBy, steps } = parsed
  const { hold } = planOf(parsed)
  const holdUntil = hold === undefined ? null : now + hold.lasts_ms
  if (ledger.workspace.promotion_requires_approval && startedBy.request === undefined) {
    return 'this workspace requires approval now (promotion_requires_approval), and nobody approved this rollout: abort it, and request another one'
  }
  const step = Number(row.step)
  const from = Date.parse(steps[step]!.started_at!) + SETTLE_MS
  const values = await ask(ledger.sql, valuesQuery(Number(row.seq), step))
  const proposal: Proposal = {
    action: 'promote',
    release_id: String(row.candidate_release_id),
    environment: String(row.environment),
    // The server's clock ends the window, and a doubt about it would have stopped the rollout.
    window: `${Math.max(1, Math.floor((now - from) / MINUTE_MS))}m`,
    reason: String(row.reason),
    actor: actorOf(row, startedBy),
    wanted_by: wantingOf(row, startedBy),
    expected_baseline_release_id: String(row.baseline_release_id),
    arms: decidingArms({
      last: sidesOf(step),
      before: steps[0]!.share === 0 ? sidesOf(0) : undefined,
      values,
      from,
      to: now,
      sequential: Number(row.attempts) > 0,
    }),
  }
  const stillClaimed = {
    query: firstRow(leasedStatement(claimed), asRow),
    check: (found: Row | undefined) => {
      if (found === undefined) throw new LeaseLost()
    },
  }
  try {
    await decideWithRetries<unknown, Row | undefined>(ledger, proposal, decide, stillClaimed)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.status === 412) throw new LeaseLost()
    if (error instanceof ServiceError && error.status < 500) return textOf(error)
    throw error
  }

  async function decide(assessed: Assessment, within: Ledger): Promise<unknown> {
    if (assessed.head.revision !== revision) throw new Outdated()
    const { passed, reasons } = assessed.verdict
    const { request } = startedBy
    const evidence = {
      ...assessed.evidence,
      ...(request === undefined ? {} : { request }),
      rollout: {
        rollout_id: String(row.rollout_id),
        check: facts,
        ...(passed && holdUntil !== null ? { hold: { share: hold!.share, until: holdUntil } } : {}),
      },
    }
    const changeId = ledger.newId('rlc_')
    const rowAfter = (actionId: string): Row => {
      const after = passed
        ? {
            ...endedRow(row, 'completed', null, ROLLOUT_ACTOR.name, now),
            step: step + 1,
            hold_until: holdUntil,
          }
        : { ...row, state: 'paused', because: `the promotion was blocked: ${reasons.join('; ')}` }
      return {
        ...after,
        changed_by: ROLLOUT_ACTOR.name,
        action_id: actionId,
        attempts: Number(row.attempts) + 1,
        checks: facts.number,
        check_json: JSON.stringify(facts),
      }
    }
    const kind = passed ? 'rollout.completed' : 'rollout.paused'
    return recordDecision(
      within,
      proposal,
      { ...assessed, evidence },
      {
        keep: () => [],
        statements: (actionId, _at, guard) => {
          const after = rowAfter(actionId)
          const by = { actor: ROLLOUT_ACTOR, reason: null, at: now, check: facts }
          return [
            ...changeStatements(after, changeId, guard),
            announced(kind, after, changeId, by, guard, ledger.sql.clock),
          ]
        },
        holds: actionId => holdsOf('rollouts', [rowAfter(actionId)]),
      },
    )
  }
}

function actorOf(row: Row, { request: _request, wanted_by: _wanted, ...startedBy }: StartedBy): Actor {
  return { name: String(row.started_by), ...startedBy }
}

function textOf({ detail, message }: ServiceError): string {
  return typeof detail === 'string' ? detail : message
}

export const trigger: Trigger = { first: ledger => checkForAWhile(ledger, 'rollouts', checkRollouts) }

/** Units that are removed at a time. */
const BATCH = 5000

/** Forgets which units were seen once nothing is split by them any more. Their numbers stay. */
export async function forgetUnits({ sql: db }: Ledger, pace: Pace): Promise<void> {
  const some = sql`DELETE FROM rollout_units WHERE (rollout, step, unit) IN (
    SELECT u.rollout, u.step, u.unit FROM rollout_units u
    WHERE NOT EXISTS (SELECT 1 FROM rollouts o WHERE o.seq = u.rollout AND ${splits(db.clock)})
    LIMIT ${raw(String(BATCH))})`
  await removeAll(db, some, pace)
}
