import { refused } from '../../base/errors.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { type Result, type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { toOutbox } from '../webhooks/announcements.ts'
import { headHeldBy, reviseHead, reviseHeadIf } from '../chain/chain.ts'
import { commitOnce } from '../chain/commit.ts'
import { type Assessment, type Once, type Proposal, recordDecision, settle } from './decide.ts'
import { recordAnswer } from '../chain/idempotency.ts'
import type { Actor, Ledger } from '../ledger.ts'
import type { DecisionInput } from './promote.ts'

/** A request that was made, or the verdict that kept it from being made. */
export type RequestResult =
  | { readonly passed: true; readonly request: PromotionRequest }
  | { readonly passed: false; readonly policy: PolicyVerdict }

/** Asks for a promotion: pending if the policy passes now, nothing written if it doesn't. */
export async function requestPromotion(
  ledger: Ledger,
  input: Omit<DecisionInput, 'dry_run'>,
  once?: Once<RequestResult>,
): Promise<RequestResult> {
  if (!ledger.workspace.promotion_requires_approval) {
    throw refused(
      'This workspace does not require approval (promotion_requires_approval is false): promote with ' +
        'POST /v1/promote or `svc release promote`.',
    )
  }
  const proposal: Proposal = { ...input, action: 'promote' }
  return settle<RequestResult>(ledger, proposal, async assessed =>
    assessed.verdict.passed
      ? insertRequest(ledger, proposal, assessed, once)
      : { passed: false, policy: assessed.verdict },
  )
}

async function insertRequest(
  ledger: Ledger,
  proposal: Proposal,
  { head, target, baselineId, verdict }: Assessment,
  once?: Once<RequestResult>,
): Promise<RequestResult | undefined> {
  const requestId = ledger.newId('prq_')
  const createdAt = ledger.now()
  const result: RequestResult = {
    passed: true,
    request: {
      request_id: requestId,
      status: 'pending',
      release_id: target.release_id,
      agent_id: target.agent_id,
      environment: proposal.environment,
      window: proposal.window,
      reason: proposal.reason,
      actor: proposal.actor.name,
      baseline_release_id: baselineId,
      policy: verdict,
      created_at: isoTime(createdAt),
      resolved_at: null,
      resolved_by: null,
      resolution_reason: null,
      completed_action_id: null,
    },
  }
  const held = headHeldBy(requestId)
  const statements = [
    reviseHeadIf(head, requestId),
    sql`INSERT INTO promotion_requests (
        request_id, status, release_id, agent_id, environment, window_text, reason, actor, actor_source,
        baseline_release_id, policy_json, created_at
      )
      SELECT ${requestId}, 'pending', ${target.release_id}, ${target.agent_id}, ${proposal.environment},
        ${proposal.window}, ${proposal.reason}, ${proposal.actor.name}, ${proposal.actor.source},
        ${baselineId}, ${JSON.stringify(verdict)}, CAST(${createdAt} AS BIGINT)
      WHERE ${held} RETURNING request_id`,
    toOutbox(
      { event: 'promotion.requested', cause: requestId, createdAt, data: announced(result.request) },
      held,
      ledger.sql.clock,
    ),
    ...(once === undefined ? [] : [recordAnswer(once.key, once.answer(result), createdAt, held)]),
  ]
  const written = await commitOnce(
    ledger,
    statements,
    results => results[1]!.rows[0],
    async () => (await ledger.sql.query(requestStatement(requestId))).rows[0],
  )
  if (written === undefined) return undefined
  ledger.outboxFilled()
  return result
}

/** What receivers are told of a request. */
function announced(request: PromotionRequest): Record<string, unknown> {
  const { request_id, release_id, agent_id, environment, baseline_release_id, window } = request
  const { actor, reason, policy } = request
  return { request_id, release_id, agent_id, environment, baseline_release_id, window, actor, reason, policy }
}

export interface Confirmation {
  readonly request_id: string
  readonly approval_reason: string
  readonly actor: Actor
}

/**
 * Confirms a pending request: evaluates again, against what is promoted now. Blocked by policy, the attempt is
 * recorded and the request stays pending. Of racing confirmations exactly one settles the request.
 */
export async function confirmPromotion(
  ledger: Ledger,
  { request_id, approval_reason, actor }: Confirmation,
  once?: Once<Outcome>,
): Promise<Outcome> {
  if (isBlank(approval_reason)) throw refused('approval_reason is required to confirm a promotion')
  const request = await findRequest(ledger.sql, request_id)
  const proposal: Proposal = {
    action: 'promote',
    release_id: request.release_id,
    environment: request.environment,
    window: request.window,
    reason: `${request.reason} | approval: ${approval_reason}`,
    actor,
  }
  const stillPending = {
    statement: requestStatement(request_id),
    check: (result: Result) => pendingRequest(result.rows[0], request_id),
  }
  const confirm = (assessed: Assessment): Promise<Outcome | undefined> =>
    recordDecision(
      ledger,
      proposal,
      {
        ...assessed,
        evidence: {
          ...assessed.evidence,
          request: { request_id, requested_by: request.actor },
        },
      },
      {
        once,
        statements: (actionId, at) =>
          assessed.verdict.passed
            ? [
                sql`UPDATE promotion_requests SET status = 'completed', resolved_at = ${at},
                    resolved_by = ${actor.name}, resolution_reason = ${approval_reason},
                    completed_action_id = ${actionId}
                  WHERE request_id = ${request_id} AND status = 'pending' AND ${headHeldBy(actionId)}`,
              ]
            : [],
      },
    )
  return settle(ledger, proposal, confirm, stillPending)
}

export interface Cancellation {
  readonly request_id: string
  readonly reason: string
  readonly actor: Actor
}

/** Cancels a pending request. Nothing is promoted by it any more. */
export async function cancelPromotion(
  ledger: Ledger,
  { request_id, reason, actor }: Cancellation,
): Promise<PromotionRequest> {
  if (isBlank(reason)) throw refused('reason is required to cancel a promotion request')
  await findRequest(ledger.sql, request_id)
  const resolvedAt = ledger.now()
  const cancelled = await commitOnce(
    ledger,
    [
      reviseHead(ledger.newId('cnl_')),
      sql`UPDATE promotion_requests SET status = 'cancelled', resolved_at = ${resolvedAt},
          resolved_by = ${actor.name}, resolution_reason = ${reason}
        WHERE request_id = ${request_id} AND status = 'pending' RETURNING ${REQUEST}`,
    ],
    results => results[1]!.rows[0],
    async () => {
      const { rows } = await ledger.sql.query(sql`${requestStatement(request_id)} AND status = 'cancelled'
        AND resolved_at = ${resolvedAt} AND resolved_by = ${actor.name} AND resolution_reason = ${reason}`)
      return rows[0]
    },
  )
  if (cancelled !== undefined) return toRequest(cancelled)
  return pendingRequest((await ledger.sql.query(requestStatement(request_id))).rows[0], request_id)
}

/** Named, because a newer server may have added others. */
const REQUEST = sql`request_id, status, release_id, agent_id, environment, window_text, reason, actor,
  baseline_release_id, policy_json, created_at, resolved_at, resolved_by, resolution_reason, completed_action_id`

export interface RequestListing {
  readonly status?: 'pending' | 'completed' | 'cancelled' | undefined
  readonly limit: number
}

/** Promotion requests, newest first. */
export async function listRequests(db: Sql, { status, limit }: RequestListing): Promise<PromotionRequest[]> {
  const where = status === undefined ? sql`true` : sql`status = ${status}`
  const rows = await rowsOf(
    db,
    sql`SELECT ${REQUEST} FROM promotion_requests WHERE ${where} ORDER BY seq DESC LIMIT ${limit}`,
  )
  return rows.map(toRequest)
}

async function findRequest(db: Sql, requestId: string): Promise<PromotionRequest> {
  const { rows } = await db.query(requestStatement(requestId))
  return pendingRequest(rows[0], requestId)
}

function requestStatement(requestId: string): Statement {
  return sql`SELECT ${REQUEST} FROM promotion_requests WHERE request_id = ${requestId}`
}

function pendingRequest(row: Row | undefined, requestId: string): PromotionRequest {
  if (row === undefined) throw refused(`Unknown promotion request: ${requestId}`)
  const request = toRequest(row)
  if (request.status === 'pending') return request
  throw refused(
    `Promotion request ${requestId} is ${request.status} already` +
      (request.completed_action_id === null ? '.' : ` (action ${request.completed_action_id}).`),
  )
}

function toRequest(row: Row): PromotionRequest {
  const text = (column: string): string => String(row[column])
  const optional = (column: string): string | null => (row[column] == null ? null : text(column))
  return {
    request_id: text('request_id'),
    status: text('status') as PromotionRequest['status'],
    release_id: text('release_id'),
    agent_id: text('agent_id'),
    environment: text('environment'),
    window: text('window_text'),
    reason: text('reason'),
    actor: text('actor'),
    baseline_release_id: optional('baseline_release_id'),
    policy: JSON.parse(text('policy_json')) as PolicyVerdict,
    created_at: isoTime(Number(row.created_at)),
    resolved_at: row.resolved_at == null ? null : isoTime(Number(row.resolved_at)),
    resolved_by: optional('resolved_by'),
    resolution_reason: optional('resolution_reason'),
    completed_action_id: optional('completed_action_id'),
  }
}
