import { badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import type { Evidence } from '../../rules/evidence.ts'
import type { Assessed } from '../../rules/since_request.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/row.ts'
import { holding, holdsOf } from '../trail/bound_rows.ts'
import type { LogActor, NewEntry } from '../trail/log.ts'
import type { Identity } from '../world/ledger.ts'
import { type Scope, placeInScope } from '../world/scope.ts'

/** Named, because a newer server may have added others. What waited too long has ended, by the database's clock. */
export function requestColumns(clock: Statement): Statement {
  return sql`request_id, status, release_id, agent_id, environment, window_text, reason, actor, actor_source,
    baseline_release_id, policy_json, created_at, resolved_at, resolved_by, resolution_reason, completed_action_id,
    resolution, approvals_required, approvals_json, expires_at, assessed_json, claimed_actor, actor_identity,
    CASE WHEN ${hasExpired(clock)} THEN 1 ELSE 0 END AS has_expired`
}

/** True for a request that waits still, though its time is over. */
export function hasExpired(clock: Statement): Statement {
  return sql`(status = 'pending' AND expires_at IS NOT NULL AND expires_at <= ${clock})`
}

export interface RequestListing {
  readonly status?: 'pending' | 'completed' | 'cancelled' | undefined
  readonly limit: number
  readonly scope: Scope
}

/** Promotion requests, newest first. */
export async function listRequests(
  db: Sql,
  { status, limit, scope }: RequestListing,
): Promise<PromotionRequest[]> {
  const expired = hasExpired(db.clock)
  const where = {
    pending: sql`status = 'pending' AND NOT ${expired}`,
    completed: sql`status = 'completed'`,
    cancelled: sql`(status = 'cancelled' OR ${expired})`,
    all: sql`true`,
  }[status ?? 'all']
  const rows = await rowsOf(
    db,
    sql`SELECT ${requestColumns(db.clock)} FROM promotion_requests WHERE ${where} AND ${placeInScope(scope)}
      ORDER BY seq DESC LIMIT ${limit}`,
  )
  return rows.map(toRequest)
}

export function requestStatement({ clock }: Sql, requestId: string): Statement {
  return sql`SELECT ${requestColumns(clock)} FROM promotion_requests WHERE request_id = ${requestId}`
}

/** Throws 400 for a request that there is none of, or that is settled. */
export function pendingRequest(row: Row | undefined, requestId: string): PromotionRequest {
  if (row === undefined) throw badRequest(`Unknown promotion request: ${requestId}`)
  const request = toRequest(row)
  const { status, resolution, completed_action_id, resolved_at, resolved_by } = request
  if (status === 'pending') return request
  if (resolution === 'expired') {
    throw badRequest(`Promotion request ${requestId} expired at ${resolved_at}: request the promotion again.`)
  }
  const how = resolution === 'rejected' ? ` (rejected by ${resolved_by})` : ''
  throw badRequest(
    `Promotion request ${requestId} is ${status} already${how}` +
      (completed_action_id === null ? '.' : ` (action ${completed_action_id}).`),
  )
}

/** The row of a pending request. Throws as {@link pendingRequest} does. */
export function pendingRow(row: Row | undefined, requestId: string): Row {
  pendingRequest(row, requestId)
  return row!
}

export function toRequest(row: Row): PromotionRequest {
  const text = (column: string): string => String(row[column])
  const optional = (column: string): string | null => nullable(row[column], String)
  const time = (column: string): string | null => nullable(row[column], at => isoTime(Number(at)))
  const expired = row.has_expired === 1
  const [expires, resolution] = [time('expires_at'), expired ? 'expired' : optional('resolution')]
  return {
    request_id: text('request_id'),
    status: expired ? 'cancelled' : (text('status') as PromotionRequest['status']),
    release_id: text('release_id'),
    agent_id: text('agent_id'),
    environment: text('environment'),
    window: text('window_text'),
    reason: text('reason'),
    actor: text('actor'),
    ...(row.claimed_actor == null ? {} : { claimed_actor: text('claimed_actor') }),
    ...(row.actor_identity == null ? {} : { actor_identity: JSON.parse(text('actor_identity')) as Identity }),
    baseline_release_id: optional('baseline_release_id'),
    policy: JSON.parse(text('policy_json')) as PolicyVerdict,
    created_at: isoTime(Number(row.created_at)),
    resolved_at: expired ? expires : time('resolved_at'),
    resolved_by: optional('resolved_by'),
    resolution_reason: optional('resolution_reason'),
    completed_action_id: optional('completed_action_id'),
    ...(resolution === null ? {} : { resolution: resolution as NonNullable<PromotionRequest['resolution']> }),
    ...(expires === null ? {} : { expires_at: expires }),
    ...(row.approvals_required === 1
      ? {}
      : {
          approvals_required: Number(row.approvals_required),
          approvals: JSON.parse(text('approvals_json')) as NonNullable<PromotionRequest['approvals']>,
        }),
  }
}

/** What a request keeps of the evaluation that it passed. */
export function assessedOf(baseline_release_id: string | null, { policy, evaluation }: Evidence): Assessed {
  return { baseline_release_id, policy, metrics: evaluation?.metrics ?? null }
}

/** What the audit log says of a request: who did what to it, and why, and its row as it is then. */
export async function requestEntry(
  kind: NewEntry['kind'],
  row: Row,
  { actor, reason }: { readonly actor: LogActor; readonly reason: string },
  created_at: number,
): Promise<NewEntry> {
  const { request_id, release_id, agent_id, environment } = row
  const holds = await holdsOf('promotion_requests', [row])
  const details = { release_id, agent_id, environment, ...holding(holds) }
  return { kind, subject: String(request_id), actor, reason, created_at, fact: null, details }
}
