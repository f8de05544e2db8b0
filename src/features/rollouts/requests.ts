import { badRequest } from '../../base/errors.ts'
import { isBlank, isSameName } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { Rollout, RolloutRequest } from './models.ts'
import type { Grounds } from '../../rules/changes.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  among,
  ask,
  asRow,
  asText,
  asTime,
  firstRow,
  hasRow,
  mapped,
  orNull,
  together,
} from '../../sql/query.ts'
import { refuseStale } from '../../ledger/assess/assess.ts'
import { refuseApprover, wantingBy } from '../../ledger/decide/approvers.ts'
import {
  type GivenApproval,
  confirmationGrounds,
  confirmationWarnings,
  countApprovals,
  publicApproval,
  voiding,
  withApproval,
} from '../../ledger/decide/grounds.ts'
import { hasStatus } from '../../ledger/decide/requests.ts'
import { boundColumns, holding, holdsOf, insertBound, updateBound } from '../../ledger/trail/bound_rows.ts'
import { requireClock } from '../../ledger/trail/clock.ts'
import {
  type IdempotencyKey,
  type KeepResult,
  type Repeatable,
  repeatable,
} from '../../ledger/trail/idempotency.ts'
import type { NewEntry } from '../../ledger/trail/chain.ts'
import { type Place, placeQuery, verifiedPointer } from '../../ledger/trail/pointers.ts'
import { type Change, writeJudged, writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { ageBefore } from '../../ledger/world/query.ts'
import { type Scope, placeInScope } from '../../ledger/world/scope.ts'
import { type Plan, type RolloutInput, prepareRollout } from './prepare.ts'
import { showRollout, toRollout } from './rows.ts'
import { type BlockedRollout, beginRollout, isLiveQuery, requireLive, startedBy } from './start.ts'

/** What an entry of the audit log says besides. */
type Details = Readonly<Record<string, unknown>>

/** What is kept of a request. */
type Kept = Pick<RolloutInput, 'steps' | 'hold' | 'hold_for'> &
  Pick<RolloutRequest, 'by' | 'max_duration' | 'actor_identity'>

/** Asks for a rollout that somebody confirms, where the workspace demands approval. Nothing is evaluated yet. */
export async function requestRollout(
  ledger: Ledger,
  input: RolloutInput,
  key?: IdempotencyKey,
): Promise<Repeatable<RolloutRequest>> {
  const { workspace, sql: db } = ledger
  if (!workspace.promotion_requires_approval) {
    throw badRequest(
      'This workspace does not require approval (promotion_requires_approval is false): start the rollout with ' +
        'POST /v1/rollouts or `svc release rollout start`.',
    )
  }
  return repeatable<RolloutRequest>(db, key, async keep => {
    const { approvals_required = 1, approval_expires } = workspace
    const { name, source, claimed = null, identity } = input.actor
    const requestId = ledger.newId('rrq_')
    const found = requestStatement(db, requestId)
    const planned = () => prepareRollout(ledger, input)
    const change = async (plan: Plan, isLive: boolean, clock: Clock): Promise<Change<Row>> => {
      requireLive(plan, isLive)
      if (approval_expires != null) requireClock(clock)
      const kept: Kept = {
        steps: plan.steps.map(step => `${Number((100 * step.share).toFixed(2))}%:${step.for}`).join(','),
        by: plan.by,
        max_duration: plan.max_duration,
        hold: input.hold,
        hold_for: input.hold_for,
        ...(identity === undefined ? {} : { actor_identity: identity }),
      }
      const made: Row = {
        request_id: requestId,
        status: 'pending',
        agent_id: plan.agent_id,
        environment: plan.environment,
        candidate_release_id: plan.candidate_release_id,
        baseline_release_id: plan.baseline_release_id,
        input_json: JSON.stringify(kept),
        reason: plan.reason,
        actor: name,
        actor_source: source,
        claimed_actor: claimed,
        created_at: clock.now,
        expires_at: approval_expires == null ? null : 2 * clock.now - ageBefore(approval_expires, clock.now),
        approvals_required,
        approvals_json: '[]',
      }
      const answer = toRequest({ ...made, now: clock.now })
      return {
        id: requestId,
        revises: 'none',
        entries: [await requestEntry('rollout.requested', made, input.actor, plan.reason)],
        write: guard => {
          const written = firstRow(sql`${found} AND ${guard}`, asRow)
          return among(
            [insertBound('rollout_requests', made, guard)],
            written,
            keep(answer, clock.now, guard),
          )
        },
        recorded: () => ask(db, firstRow(found, asRow)),
      }
    }
    return toRequest(await writeJudged<Plan, Row, boolean>(ledger, planned, isLiveQuery, change))
  })
}

export interface RolloutConfirmation {
  readonly request_id: string
  readonly approval_reason: string
  readonly actor: Actor
  readonly scope: Scope
}

type Confirmed = RolloutRequest | Rollout | BlockedRollout

/**
 * Confirms a request: the last confirmation that it takes begins the rollout. Throws 400 for one that is settled, or that
 * this one may not confirm, 412 where something else is live than when it was requested, and as {@link beginRollout} does.
 */
export async function confirmRollout(
  ledger: Ledger,
  confirmation: RolloutConfirmation,
  key?: IdempotencyKey,
): Promise<Repeatable<Confirmed>> {
  if (isBlank(confirmation.approval_reason)) {
    throw badRequest('approval_reason is required to confirm a rollout')
  }
  return repeatable<Confirmed>(ledger.sql, key, keep => confirm(ledger, confirmation, keep))
}

async function confirm(
  ledger: Ledger,
  confirmation: RolloutConfirmation,
  keep: KeepResult<Confirmed>,
): Promise<Confirmed> {
  const { request_id, approval_reason, actor, scope } = confirmation
  const { sql: db } = ledger
  const found = await ask(db, firstRow(requestStatement(db, request_id, scope), asRow))
  const reads = confirmQuery(ledger, pendingRequest(found, request_id), scope)
  let judged: ReturnType<typeof judge> | undefined
  const waiting = await settle(
    ledger,
    reads,
    'rollout.approved',
    { actor, reason: approval_reason },
    read => {
      judged = judge(ledger, read, confirmation)
      const { missing, changed, voided } = judged
      return missing > 0 ? { changed, details: voiding(voided) } : undefined
    },
    (after, guard) => keep({ ...toRequest(after), ...judged!.warned }, ledger.now(), guard),
  )
  if (waiting !== undefined) return { ...toRequest(waiting), ...judged!.warned }
  const { request, approvals, row: before } = judged!
  const wanted_by = wantingBy(request)
  const kept = JSON.parse(String(before.input_json)) as Kept
  const input: RolloutInput = {
    ...kept,
    release_id: request.candidate_release_id,
    environment: request.environment,
    reason: `${request.reason} | approval: ${approval_reason}`,
    expected_baseline_release_id: request.baseline_release_id,
    actor,
    wanted_by,
  }
  const rolloutId = ledger.newId('rol_')
  const started = await beginRollout(ledger, input, {
    rolloutId,
    keep,
    startedBy: {
      ...startedBy(actor),
      wanted_by,
      request: { request_id, requested_by: request.actor, approvals },
    },
    reads,
    along: async (_plan, read, clock, begun) => {
      judged = judge(ledger, read!, confirmation)
      const { missing, row, changed, voided, warned } = judged
      if (row.expires_at != null) requireClock(clock)
      if (missing > 0) throw badRequest('What an earlier approval was based on has just changed; try again.')
      const after: Row = {
        ...row,
        ...changed,
        status: 'completed',
        resolved_at: Number(row.now),
        resolved_by: actor.name,
        resolution_reason: approval_reason,
        rollout_id: rolloutId,
      }
      return {
        entries: [await requestEntry('rollout.approved', after, actor, approval_reason, voiding(voided))],
        statements: guard => [
          updateRequest(after, guard),
          ...keep({ ...toRollout({ ...begun, now: clock.now }), ...warned }, clock.now, guard),
        ],
      }
    },
  })
  if ('blocked' in started) return started
  return { ...(await showRollout(db, rolloutId, scope)), ...judged!.warned }
}

/** What a confirmation is judged by. */
interface ReadRequest {
  readonly row: Row | undefined
  readonly place: Place
  readonly grounds: Grounds | undefined
}

function confirmQuery(
  { sql: db, workspace }: Ledger,
  requested: RolloutRequest,
  scope: Scope,
): Query<ReadRequest> {
  const {
    request_id,
    agent_id,
    environment,
    candidate_release_id: release_id,
    approvals_required,
  } = requested
  return together({
    row: firstRow(requestStatement(db, request_id, scope), asRow),
    place: placeQuery(sql`${agent_id}`, environment),
    grounds: confirmationGrounds(workspace, approvals_required, { release_id, agent_id, environment }),
  })
}

/** A request with this confirmation, and how many are missing then. Throws where it may not be confirmed. */
function judge(
  { workspace }: Ledger,
  { row, place, grounds }: ReadRequest,
  { request_id, approval_reason: reason, actor }: RolloutConfirmation,
) {
  const pending = pendingRequest(row, request_id)
  const { environment, baseline_release_id: expected_baseline_release_id } = pending
  const given = JSON.parse(String(row!.approvals_json)) as GivenApproval[]
  const counted = countApprovals(given, grounds)
  const { voided } = counted
  const request = {
    ...pending,
    approvals: counted.approvals.map(publicApproval),
    actor_source: asText(row!.actor_source),
    claimed_actor: orNull(asText)(row!.claimed_actor),
  }
  refuseApprover(request, 'rollout', actor, workspace)
  const expected = { environment, expected_baseline_release_id }
  refuseStale(expected, verifiedPointer(place), pending.agent_id, 'the request')
  const created_at = isoTime(Number(row!.now))
  const { approvals, required, missing } = withApproval(workspace, pending, counted, actor, {
    reason,
    created_at,
  })
  return {
    row: row!,
    request,
    approvals: approvals.map(publicApproval),
    missing,
    changed: { approvals_json: JSON.stringify(approvals), approvals_required: required },
    voided,
    warned: confirmationWarnings(request, voided, actor),
  }
}

/** Ends a pending request: its asker calls it back, or somebody who was to confirm it says no. */
export async function rejectRollout(
  ledger: Ledger,
  {
    request_id,
    reason,
    actor,
    scope,
  }: Omit<RolloutConfirmation, 'approval_reason'> & { readonly reason: string },
): Promise<RolloutRequest> {
  if (isBlank(reason)) throw badRequest('reason is required to reject a rollout')
  const found = together({ row: firstRow(requestStatement(ledger.sql, request_id, scope), asRow) })
  const row = await settle(ledger, found, 'rollout.rejected', { actor, reason }, ({ row: before }) => {
    const { actor: requester } = pendingRequest(before, request_id)
    return {
      changed: {
        status: 'cancelled',
        resolution: isSameName(requester, actor.name) ? null : 'rejected',
        resolved_at: Number(before!.now),
        resolved_by: actor.name,
        resolution_reason: reason,
      },
    }
  })
  return toRequest(row!)
}

/** The row of a request as it is then; undefined where `changeOf` changes nothing of it. */
async function settle<R extends { readonly row: Row | undefined }>(
  ledger: Ledger,
  reads: Query<R>,
  kind: NewEntry['kind'],
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
  changeOf: (read: R) => { readonly changed: Row; readonly details?: Details } | undefined,
  keep: (after: Row, guard: Statement) => readonly Statement[] = () => [],
): Promise<Row | undefined> {
  const id = ledger.newId('rrs_')
  const settled = await writeLogged<{ readonly row: Row | undefined }, R>(
    ledger,
    reads,
    async (read, clock) => {
      if (read.row?.expires_at != null) requireClock(clock)
      const change = changeOf(read)
      if (change === undefined) return { already: { row: undefined } }
      const row: Row = { ...read.row!, ...change.changed }
      return {
        id,
        revises: 'none',
        entries: [await requestEntry(kind, row, actor, reason, change.details)],
        write: guard =>
          among(
            [],
            mapped(hasRow(updateRequest(row, guard)), isDone => (isDone ? { row } : undefined)),
            keep(row, guard),
          ),
        recorded: async () => {
          const { row: now } = await ask(ledger.sql, reads)
          return now?.approvals_json === row.approvals_json && now?.status === row.status
            ? { row: now }
            : undefined
        },
      }
    },
  )
  return settled.row
}

function updateRequest(row: Row, guard: Statement): Statement {
  return sql`${updateBound('rollout_requests', row, SETTLED, guard)} AND status = 'pending' RETURNING request_id`
}

const SETTLED =
  'status approvals_json approvals_required resolved_at resolved_by resolution resolution_reason rollout_id'.split(
    ' ',
  )

function requestStatement({ clock }: Sql, requestId: string, scope?: Scope): Statement {
  const inScope = scope === undefined ? sql`true` : placeInScope(scope)
  return sql`SELECT ${REQUEST_COLUMNS}, ${clock} AS now FROM rollout_requests
    WHERE request_id = ${requestId} AND ${inScope}`
}

const REQUEST_COLUMNS = boundColumns('rollout_requests')

/** Throws 400 for a request that is unknown or settled. */
function pendingRequest(row: Row | undefined, requestId: string): RolloutRequest {
  if (row === undefined) throw badRequest(`Unknown rollout request: ${requestId}`)
  const request = toRequest(row)
  if (request.status === 'pending') return request
  if (request.resolution === 'expired') {
    throw badRequest(
      `Rollout request ${requestId} expired at ${request.expires_at}: request the rollout again.`,
    )
  }
  throw badRequest(`Rollout request ${requestId} is ${request.status} already.`)
}

/** Requests, newest first. */
export async function listRolloutRequests(
  db: Sql,
  { status, limit, scope }: { status?: RolloutRequest['status'] | undefined; limit: number; scope: Scope },
): Promise<RolloutRequest[]> {
  const statement = sql`SELECT ${REQUEST_COLUMNS}, ${db.clock} AS now FROM rollout_requests
    WHERE ${hasStatus(status, db.clock)} AND ${placeInScope(scope)} ORDER BY seq DESC LIMIT ${limit}`
  return ask(db, allRows(statement, toRequest))
}

/** A request whose time is over looks cancelled; nothing is written for that, because nothing rests on it. */
function toRequest(row: Row): RolloutRequest {
  const text = (column: string): string => String(row[column])
  const optional = (column: string): string | null => orNull(String)(row[column])
  const time = (column: string): string | null => orNull(asTime)(row[column])
  const { steps, hold, hold_for, by, max_duration, actor_identity } = JSON.parse(text('input_json')) as Kept
  const expires = time('expires_at')
  const isOver =
    row.status === 'pending' && row.expires_at != null && Number(row.expires_at) <= Number(row.now)
  const resolution = isOver ? 'expired' : optional('resolution')
  return {
    request_id: text('request_id'),
    status: isOver ? 'cancelled' : (text('status') as RolloutRequest['status']),
    agent_id: text('agent_id'),
    environment: text('environment'),
    candidate_release_id: text('candidate_release_id'),
    baseline_release_id: text('baseline_release_id'),
    by,
    reason: text('reason'),
    steps: steps!.split(',').map(step => stepOf(step)),
    max_duration,
    hold: hold === undefined ? null : stepOf(`${hold}:${hold_for}`),
    actor: text('actor'),
    ...(actor_identity === undefined ? {} : { actor_identity }),
    created_at: time('created_at')!,
    ...(expires === null ? {} : { expires_at: expires }),
    approvals_required: Number(row.approvals_required),
    approvals: (JSON.parse(text('approvals_json')) as GivenApproval[]).map(publicApproval),
    resolved_at: isOver ? expires : time('resolved_at'),
    resolved_by: optional('resolved_by'),
    ...(resolution === null ? {} : { resolution: resolution as NonNullable<RolloutRequest['resolution']> }),
    resolution_reason: optional('resolution_reason'),
    rollout_id: optional('rollout_id'),
  }
}

/** SHARE%:TIME, which was checked before it was kept. */
function stepOf(text: string): { readonly share: number; readonly for: string } {
  const [share = '', time = ''] = text.split(':')
  return { share: Number.parseFloat(share) / 100, for: time }
}

async function requestEntry(
  kind: NewEntry['kind'],
  row: Row,
  actor: Actor,
  reason: string,
  more: Details = {},
): Promise<NewEntry> {
  const { request_id, agent_id, environment, candidate_release_id, status } = row
  const holds = holding(await holdsOf('rollout_requests', [row]))
  return {
    kind,
    subject: String(request_id),
    actor,
    reason,
    created_at: Number(row.now ?? row.created_at),
    fact: null,
    details: { agent_id, environment, release_id: candidate_release_id, status, ...more, ...holds },
  }
}
