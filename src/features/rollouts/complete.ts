import { ServiceError } from '../../base/errors.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Evidence } from '../../rules/evidence.ts'
import { decidingArms } from './rules_readings.ts'
import { SETTLE_MS } from './rules_steps.ts'
import type { Row } from '../../sql/port.ts'
import { ask, asRow, firstRow } from '../../sql/query.ts'
import type { Assessment, Proposal } from '../../ledger/assess/assess.ts'
import { recordDecision } from '../../ledger/decide/record.ts'
import { decideWithRetries } from '../../ledger/decide/record.ts'
import { holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { endedRow } from './change.ts'
import { type Claimed, claimStatement } from './claim.ts'
import type { Look } from './look.ts'
import { ROLLOUT_ACTOR, changeStatements, parsedOf, planOf, told, wantingOf } from './rows.ts'
import { valuesQuery } from './sums.ts'

/** The rollout was changed, or claimed by another process: what this one saw comes to nothing. */
export class RolloutLost extends Error {
  override readonly name = 'RolloutLost'
}

/**
 * Completes a rollout by one promotion: the same checks as every promotion, with limits on a change decided by the last
 * step. The decision, the end of the rollout and what is told of both are one batch; the claim is read in the same
 * snapshot as the end of the audit chain, so of any number of processes one decides, once. Blocked, the attempt is
 * recorded and the rollout paused. Returns why it could not even be evaluated. Throws {@link RolloutLost}.
 */
export async function completeRollout(
  ledger: Ledger,
  claimed: Claimed,
  { facts, sidesOf }: Look,
): Promise<string | undefined> {
  const { row, now } = claimed
  const parsed = parsedOf(row)
  const { startedBy, steps } = parsed
  const { hold } = planOf(parsed)
  const holdUntil = hold === undefined ? null : now + hold.lasts_ms
  if (ledger.workspace.promotion_requires_approval && startedBy.request === undefined) {
    return 'this workspace requires approval by now (promotion_requires_approval), and nobody confirmed this rollout: abort it, and request another one'
  }
  const step = Number(row.step)
  const from = Date.parse(steps[step]!.started_at!) + SETTLE_MS
  const values = await ask(ledger.sql, valuesQuery(Number(row.seq), step))
  const proposal: Proposal = {
    action: 'promote',
    release_id: String(row.candidate_release_id),
    environment: String(row.environment),
    // The server's clock ends the window, and a doubt about it would have held the rollout.
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
    query: firstRow(claimStatement(claimed), asRow),
    check: (found: Row | undefined) => {
      if (found === undefined) throw new RolloutLost()
    },
  }
  try {
    await decideWithRetries<unknown, Row | undefined>(ledger, proposal, decide, stillClaimed)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.status === 412) throw new RolloutLost()
    if (error instanceof ServiceError && error.status < 500) return textOf(error)
    throw error
  }

  async function decide(assessed: Assessment, within: Ledger): Promise<unknown> {
    const { passed, reasons } = assessed.verdict
    const { request } = startedBy
    const evidence: Evidence = {
      ...assessed.evidence,
      ...(request === undefined
        ? {}
        : {
            request: {
              request_id: request.request_id,
              requested_by: request.requested_by,
              approvals: request.approvals,
            },
          }),
      rollout: {
        rollout_id: String(row.rollout_id),
        look: facts,
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
        looks: facts.look,
        look_json: JSON.stringify(facts),
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
          const by = { actor: ROLLOUT_ACTOR, reason: null, at: now, look: facts }
          return [
            ...changeStatements(after, changeId, guard),
            told(kind, after, changeId, by, guard, ledger.sql.clock),
          ]
        },
        holds: actionId => holdsOf('rollouts', [rowAfter(actionId)]),
      },
    )
  }
}

function actorOf(
  row: Row,
  { request: _request, wanted_by: _wanted, ...startedBy }: ReturnType<typeof parsedOf>['startedBy'],
): Actor {
  return { name: String(row.started_by), ...startedBy }
}

function textOf({ detail, message }: ServiceError): string {
  return typeof detail === 'string' ? detail : message
}
