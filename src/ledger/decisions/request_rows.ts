import { badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/row.ts'
import { type Scope, placeInScope } from '../scope.ts'

/** Named, because a newer server may have added others. */
export const REQUEST = sql`request_id, status, release_id, agent_id, environment, window_text, reason, actor,
  baseline_release_id, policy_json, created_at, resolved_at, resolved_by, resolution_reason, completed_action_id,
  claimed_actor`

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
  const where = status === undefined ? sql`true` : sql`status = ${status}`
  const rows = await rowsOf(
    db,
    sql`SELECT ${REQUEST} FROM promotion_requests WHERE ${where} AND ${placeInScope(scope)} ORDER BY seq DESC LIMIT ${limit}`,
  )
  return rows.map(toRequest)
}

/** Throws 400 for a request that there is none of, or that is settled. */
export async function findPending(db: Sql, requestId: string): Promise<PromotionRequest> {
  const { rows } = await db.query(requestStatement(requestId))
  return pendingRequest(rows[0], requestId)
}

export function requestStatement(requestId: string): Statement {
  return sql`SELECT ${REQUEST} FROM promotion_requests WHERE request_id = ${requestId}`
}

export function pendingRequest(row: Row | undefined, requestId: string): PromotionRequest {
  if (row === undefined) throw badRequest(`Unknown promotion request: ${requestId}`)
  const request = toRequest(row)
  if (request.status === 'pending') return request
  throw badRequest(
    `Promotion request ${requestId} is ${request.status} already` +
      (request.completed_action_id === null ? '.' : ` (action ${request.completed_action_id}).`),
  )
}

export function toRequest(row: Row): PromotionRequest {
  const text = (column: string): string => String(row[column])
  const optional = (column: string): string | null => nullable(row[column], String)
  return {
    request_id: text('request_id'),
    status: text('status') as PromotionRequest['status'],
    release_id: text('release_id'),
    agent_id: text('agent_id'),
    environment: text('environment'),
    window: text('window_text'),
    reason: text('reason'),
    actor: text('actor'),
    ...(row.claimed_actor == null ? {} : { claimed_actor: text('claimed_actor') }),
    baseline_release_id: optional('baseline_release_id'),
    policy: JSON.parse(text('policy_json')) as PolicyVerdict,
    created_at: isoTime(Number(row.created_at)),
    resolved_at: nullable(row.resolved_at, at => isoTime(Number(at))),
    resolved_by: optional('resolved_by'),
    resolution_reason: optional('resolution_reason'),
    completed_action_id: optional('completed_action_id'),
  }
}
