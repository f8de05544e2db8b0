import { badRequest } from '../../base/errors.ts'
import { isSameName } from '../../base/text.ts'
import type { Rollout, RolloutRequest } from './models.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Row, sql } from '../../sql/port.ts'
import { type Query, asJson, asText, ask, columns, orNull, together } from '../../sql/query.ts'
import { refuseStale } from '../../ledger/assess/assess.ts'
import { wantingBy } from '../../ledger/decide/approvers.ts'
import {
  type Confirmed,
  type Confirming,
  type Ending,
  type ReadRequest,
  type RequestKind,
  completed,
  confirmationQuery,
  confirmedBy,
  endRequest,
  pendingRequest,
  pendingRow,
  refuseBlankApproval,
  requestChange,
  requestEntry,
  requestQuery,
  requireApproval,
  stateOf,
  updateRequest,
} from '../../ledger/decide/requests.ts'
import {
  type IdempotencyKey,
  type KeepResult,
  type Repeatable,
  repeatable,
} from '../../ledger/trail/idempotency.ts'
import { type PointerState, placeQuery, verifiedPointer } from '../../ledger/trail/pointers.ts'
import { writeJudged, writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { Scope } from '../../ledger/world/scope.ts'
import { type Plan, type RolloutInput, prepareRollout } from './prepare.ts'
import { showRollout, toRollout } from './rows.ts'
import { type BlockedRollout, beginRollout, isLiveQuery, requireLive, startedBy } from './start.ts'

export const ROLLOUT: RequestKind<RolloutRequest> = {
  what: 'rollout',
  table: 'rollout_requests',
  atOnce: 'start the rollout with POST /v1/rollouts or `svc release rollout start`',
  cameTo: ({ rollout_id: id }) => (id == null ? null : `rollout ${id}`),
  show: toRequest,
}

/** What is kept of a request. */
type StoredRequest = Pick<RolloutInput, 'steps' | 'hold' | 'hold_for'> &
  Pick<RolloutRequest, 'by' | 'max_duration' | 'actor_identity'>

/** Asks for a rollout that somebody confirms, where the workspace demands approval. Nothing is evaluated yet. */
export async function requestRollout(
  ledger: Ledger,
  input: RolloutInput,
  key?: IdempotencyKey,
): Promise<Repeatable<RolloutRequest>> {
  requireApproval(ledger, ROLLOUT)
  return repeatable<RolloutRequest>(ledger.sql, key, async keep => {
    const { actor, hold, hold_for } = input
    const id = ledger.newId('rrq_')
    const planned = () => prepareRollout(ledger, input)
    const change = (plan: Plan, isLive: boolean, clock: Clock) => {
      requireLive(plan, isLive)
      const kept: StoredRequest = {
        steps: plan.steps.map(step => `${Number((100 * step.share).toFixed(2))}%:${step.for}`).join(','),
        by: plan.by,
        max_duration: plan.max_duration,
        hold,
        hold_for,
        ...(actor.identity === undefined ? {} : { actor_identity: actor.identity }),
      }
      const { agent_id, environment, candidate_release_id, baseline_release_id, reason } = plan
      const row: Row = {
        ...pendingRow(ledger, id, { actor, reason }, clock),
        agent_id,
        environment,
        candidate_release_id,
        baseline_release_id,
        input_json: JSON.stringify(kept),
        created_at: clock.now,
      }
      const said = { id, kind: 'rollout.requested', actor, reason, at: clock.now } as const
      return requestChange(ROLLOUT, undefined, row, said, (made, guard) =>
        keep(toRequest(made), clock.now, guard),
      )
    }
    return toRequest(await writeJudged<Plan, Row, boolean>(ledger, planned, isLiveQuery, change))
  })
}

export interface RolloutConfirmation extends Confirming {
  readonly scope: Scope
}

type Result = RolloutRequest | Rollout | BlockedRollout

/**
 * Confirms a request: the last confirmation that it takes begins the rollout. Throws 400 for one that is settled, or that
 * this one may not confirm, 412 where something else is live than when it was requested, and as {@link beginRollout} does.
 */
export async function confirmRollout(
  ledger: Ledger,
  confirmation: RolloutConfirmation,
  key?: IdempotencyKey,
): Promise<Repeatable<Result>> {
  refuseBlankApproval(ROLLOUT, confirmation)
  return repeatable<Result>(ledger.sql, key, keep => confirm(ledger, confirmation, keep))
}

async function confirm(
  ledger: Ledger,
  confirmation: RolloutConfirmation,
  keep: KeepResult<Result>,
): Promise<Result> {
  const { request_id, approval_reason, actor, scope } = confirmation
  const { sql: db } = ledger
  const found = await ask(db, requestQuery(db, ROLLOUT.table, request_id, scope))
  const reads = confirmQuery(ledger, pendingRequest(ROLLOUT, found, request_id), scope)
  const id = ledger.newId('apv_')
  let judged: Confirmed | undefined
  const saidOf = ({ at, voiding: more }: Confirmed) =>
    ({ kind: 'rollout.approved', actor, reason: approval_reason, at, more }) as const
  const waiting = await writeLogged<Row | null, PlacedRequest>(ledger, reads, (read, clock) => {
    judged = judge(ledger, read, clock, confirmation)
    const { row, changed, missing, at, warned } = judged
    if (missing <= 0) return { already: null }
    return requestChange(ROLLOUT, row, changed, { id, ...saidOf(judged) }, (after, guard) =>
      keep({ ...toRequest(after), ...warned }, at, guard),
    )
  })
  if (waiting !== null) return { ...toRequest(waiting), ...judged!.warned }
  const { requester, approvals, row: before } = judged!
  const { candidate_release_id: release_id, baseline_release_id, environment } = toRequest(before)
  const input: RolloutInput = {
    ...asJson<StoredRequest>(before.input_json),
    release_id,
    environment,
    reason: `${asText(before.reason)} | approval: ${approval_reason}`,
    expected_baseline_release_id: baseline_release_id,
    actor,
    wanted_by: wantingBy(requester),
  }
  const rolloutId = ledger.newId('rol_')
  const started = await beginRollout(ledger, input, {
    rolloutId,
    keep,
    startedBy: {
      ...startedBy(actor),
      wanted_by: input.wanted_by!,
      request: { request_id, requested_by: requester.actor, approvals },
    },
    reads,
    along: async (_plan, read, clock, begun) => {
      judged = judge(ledger, read!, clock, confirmation)
      const { row, missing, warned, at } = judged
      if (missing > 0) throw badRequest('The state behind an earlier approval has just changed; try again.')
      const changed = { ...completed(judged, confirmation, at), rollout_id: rolloutId }
      const after = { ...row, ...changed }
      return {
        entries: [await requestEntry(ROLLOUT.table, after, saidOf(judged))],
        statements: guard => [
          updateRequest(ROLLOUT.table, after, Object.keys(changed), guard),
          ...keep({ ...toRollout({ ...begun, now: clock.now }), ...warned }, clock.now, guard),
        ],
      }
    },
  })
  if ('blocked' in started) return started
  return { ...(await showRollout(db, rolloutId, scope)), ...judged!.warned }
}

interface PlacedRequest {
  readonly request: ReadRequest
  readonly place: PointerState
}

function confirmQuery(ledger: Ledger, row: Row, scope: Scope): Query<PlacedRequest> {
  return together({
    request: confirmationQuery(ledger, ROLLOUT, row, scope),
    place: placeQuery(sql`${row.agent_id!}`, asText(row.environment)),
  })
}

/** A request with this confirmation. Throws where it may not be confirmed. */
function judge(
  ledger: Ledger,
  { request, place }: PlacedRequest,
  clock: Clock,
  confirmation: RolloutConfirmation,
): Confirmed {
  const judged = confirmedBy(ledger.workspace, ROLLOUT, request, clock, confirmation, clock.now)
  const { environment, baseline_release_id: expected_baseline_release_id, agent_id } = toRequest(judged.row)
  const expected = { environment, expected_baseline_release_id }
  refuseStale(expected, verifiedPointer(place), agent_id, 'the request')
  return judged
}

/** Ends a pending request: its asker calls it back, or somebody who was to confirm it says no. */
export function rejectRollout(ledger: Ledger, ending: Ending): Promise<RolloutRequest> {
  return endRequest(ledger, ROLLOUT, ending, ({ actor }, { now }) => ({
    kind: 'rollout.rejected',
    at: now,
    resolution: isSameName(asText(actor), ending.actor.name) ? null : 'rejected',
  }))
}

const readRequest = columns({
  candidate_release_id: asText,
  baseline_release_id: asText,
  input_json: asJson<StoredRequest>,
  rollout_id: orNull(asText),
})

function toRequest(row: Row): RolloutRequest {
  const { expires_at, resolution, approvals_json: approvals, ...state } = stateOf(row)
  const { input_json: kept, rollout_id, ...releases } = readRequest(row)
  const { steps, hold, hold_for, by, max_duration, actor_identity } = kept
  return {
    request_id: state.request_id,
    status: state.status,
    agent_id: state.agent_id,
    environment: state.environment,
    ...releases,
    by,
    reason: state.reason,
    steps: steps!.split(',').map(step => stepOf(step)),
    max_duration,
    hold: hold === undefined ? null : stepOf(`${hold}:${hold_for}`),
    actor: state.actor,
    ...(actor_identity === undefined ? {} : { actor_identity }),
    created_at: state.created_at,
    ...(expires_at === null ? {} : { expires_at }),
    approvals_required: state.approvals_required,
    approvals,
    resolved_at: state.resolved_at,
    resolved_by: state.resolved_by,
    ...(resolution === null ? {} : { resolution }),
    resolution_reason: state.resolution_reason,
    rollout_id,
  }
}

/** SHARE%:TIME, which was checked before it was kept. */
function stepOf(text: string): { readonly share: number; readonly for: string } {
  const [share = '', time = ''] = text.split(':')
  return { share: Number.parseFloat(share) / 100, for: time }
}
