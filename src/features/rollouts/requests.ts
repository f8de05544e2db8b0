import { badRequest } from '../../base/errors.ts'
import { isBlank, isSameName } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { Rollout, RolloutRequest } from './models.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import {
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
} from '../../sql/query.ts'
import { alikeWarnings, approvalBy, refuseApprover, wantingBy } from '../../ledger/decide/approvers.ts'
import { hasExpired } from '../../ledger/decide/requests.ts'
import { BOUND, holding, holdsOf, insertBound, updateBound } from '../../ledger/trail/bound_rows.ts'
import { requireClock } from '../../ledger/trail/clock.ts'
import {
  type IdempotencyKey,
  type KeepResult,
  type Repeatable,
  repeatable,
} from '../../ledger/trail/idempotency.ts'
import type { NewEntry } from '../../ledger/trail/chain.ts'
import { type Change, writeJudged, writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { ageBefore } from '../../ledger/world/query.ts'
import { type Scope, placeInScope } from '../../ledger/world/scope.ts'
import { type Plan, type RolloutInput, prepareRollout } from './prepare.ts'
import { showRollout, toRollout } from './rows.ts'
import { type BlockedRollout, beginRollout, isLiveQuery, requireLive, startedBy } from './start.ts'

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

/**
 * Confirms a request: the last confirmation that it takes begins the rollout. Throws 400 for one that is settled, or that
 * this one may not confirm, and as {@link beginRollout} does.
 */
export async function confirmRollout(
  ledger: Ledger,
  { request_id, approval_reason, actor, scope }: RolloutConfirmation,
  key?: IdempotencyKey,
): Promise<Repeatable<RolloutRequest | Rollout | BlockedRollout>> {
  if (isBlank(approval_reason)) throw badRequest('approval_reason is required to confirm a rollout')
  const { sql: db, workspace } = ledger
  const found = requestStatement(db, request_id, scope)
  type Confirmed = RolloutRequest | Rollout | BlockedRollout
  const confirm = async (keep: KeepResult<Confirmed>): Promise<Confirmed> => {
    const read = (row: Row | undefined) => {
      const request = pendingRequest(row, request_id)
      const recorded = {
        ...request,
        actor_source: asText(row!.actor_source),
        claimed_actor: orNull(asText)(row!.claimed_actor),
      }
      refuseApprover(recorded, 'rollout', actor, workspace)
      const mine = approvalBy(actor, { reason: approval_reason, created_at: isoTime(Number(row!.now)) })
      const required = Math.max(request.approvals_required, workspace.approvals_required ?? 1)
      const warnings = alikeWarnings(request, actor)
      const warned = warnings.length === 0 ? {} : { warnings }
      const approvals = [...request.approvals, mine]
      return { request, required, approvals, warned, wanted_by: wantingBy(recorded) }
    }
    const before = await ask(db, firstRow(found, asRow))
    const { request, required, approvals, warned, wanted_by } = read(before)
    if (approvals.length < required) {
      const row = await settle(
        ledger,
        found,
        'rollout.approved',
        { actor, reason: approval_reason },
        asked => {
          const given = read(asked)
          return given.approvals.length < given.required
            ? { approvals_json: JSON.stringify(given.approvals), approvals_required: given.required }
            : undefined
        },
        (after, guard) => keep({ ...toRequest(after), ...warned }, ledger.now(), guard),
      )
      // Others confirmed meanwhile: this is the last confirmation that it takes.
      return row === undefined ? confirm(keep) : { ...toRequest(row), ...warned }
    }
    const kept = JSON.parse(String(before!.input_json)) as Kept
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
      reads: firstRow(found, asRow),
      along: async (_plan, row, clock, begun) => {
        if (row?.expires_at != null) requireClock(clock)
        const given = read(row)
        const after: Row = {
          ...row!,
          status: 'completed',
          approvals_json: JSON.stringify(given.approvals),
          approvals_required: given.required,
          resolved_at: Number(row!.now),
          resolved_by: actor.name,
          resolution_reason: approval_reason,
          rollout_id: rolloutId,
        }
        return {
          entries: [await requestEntry('rollout.approved', after, actor, approval_reason)],
          statements: guard => [
            updateRequest(after, guard),
            ...keep({ ...toRollout({ ...begun, now: clock.now }), ...warned }, clock.now, guard),
          ],
        }
      },
    })
    if ('blocked' in started) return started
    return { ...(await showRollout(db, rolloutId, scope)), ...warned }
  }
  return repeatable(db, key, confirm)
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
  const found = requestStatement(ledger.sql, request_id, scope)
  const row = await settle(ledger, found, 'rollout.rejected', { actor, reason }, before => {
    pendingRequest(before, request_id)
    return {
      status: 'cancelled',
      resolution: isSameName(String(before!.actor), actor.name) ? null : 'rejected',
      resolved_at: Number(before!.now),
      resolved_by: actor.name,
      resolution_reason: reason,
    }
  })
  return toRequest(row!)
}

/** The row of a request as it is then; undefined where `changeOf` changes nothing of it. */
async function settle(
  ledger: Ledger,
  found: Statement,
  kind: NewEntry['kind'],
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
  changeOf: (row: Row | undefined) => Row | undefined,
  keep: (after: Row, guard: Statement) => readonly Statement[] = () => [],
): Promise<Row | undefined> {
  const id = ledger.newId('rrs_')
  const settled = await writeLogged<{ readonly row: Row | undefined }, Row | undefined>(
    ledger,
    firstRow(found, asRow),
    async (before, clock) => {
      if (before?.expires_at != null) requireClock(clock)
      const changed = changeOf(before)
      if (changed === undefined) return { already: { row: undefined } }
      const row: Row = { ...before!, ...changed }
      return {
        id,
        revises: 'none',
        entries: [await requestEntry(kind, row, actor, reason)],
        write: guard =>
          among(
            [],
            mapped(hasRow(updateRequest(row, guard)), isDone => (isDone ? { row } : undefined)),
            keep(row, guard),
          ),
        recorded: async () => {
          const now = await ask(ledger.sql, firstRow(found, asRow))
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

const REQUEST_COLUMNS = raw(BOUND.rollout_requests.columns.join(', '))

/** Throws 400 for a request that there is none of, or that is settled. */
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
  const over = hasExpired(db.clock)
  const where = {
    pending: sql`status = 'pending' AND NOT ${over}`,
    completed: sql`status = 'completed'`,
    cancelled: sql`(status = 'cancelled' OR ${over})`,
    all: sql`true`,
  }[status ?? 'all']
  const statement = sql`SELECT ${REQUEST_COLUMNS}, ${db.clock} AS now FROM rollout_requests
    WHERE ${where} AND ${placeInScope(scope)} ORDER BY seq DESC LIMIT ${limit}`
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
    approvals: JSON.parse(text('approvals_json')) as RolloutRequest['approvals'],
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
): Promise<NewEntry> {
  const { request_id, agent_id, environment, candidate_release_id, status } = row
  const held = holding(await holdsOf('rollout_requests', [row]))
  return {
    kind,
    subject: String(request_id),
    actor,
    reason,
    created_at: Number(row.now ?? row.created_at),
    fact: null,
    details: { agent_id, environment, release_id: candidate_release_id, status, ...held },
  }
}
