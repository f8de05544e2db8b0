import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { type Result, type Statement, sql } from '../../sql/port.ts'
import { headHeldBy, reviseHead, reviseHeadIf } from '../chain/chain.ts'
import { commitOnce } from '../chain/commit.ts'
import { type IdempotencyKey, type KeepResult, type Repeatable, repeatable } from '../chain/idempotency.ts'
import type { Actor, Ledger } from '../ledger.ts'
import { toOutbox } from '../webhooks/announcements.ts'
import type { Assessment, Proposal } from './assess.ts'
import type { DecisionInput } from './promote.ts'
import { recordDecision } from './record.ts'
import { REQUEST, findPending, pendingRequest, requestStatement, toRequest } from './request_rows.ts'
import { decideWithRetries } from './retries.ts'

/** A request that was made, or the verdict that kept it from being made. */
export type RequestResult =
  | { readonly passed: true; readonly request: PromotionRequest }
  | { readonly passed: false; readonly policy: PolicyVerdict }

/** Asks for a promotion: pending if the policy passes now, nothing written if it doesn't. */
export async function requestPromotion(
  ledger: Ledger,
  input: Omit<DecisionInput, 'dry_run'>,
  key?: IdempotencyKey,
): Promise<Repeatable<RequestResult>> {
  if (!ledger.workspace.promotion_requires_approval) {
    throw badRequest(
      'This workspace does not require approval (promotion_requires_approval is false): promote with ' +
        'POST /v1/promote or `svc release promote`.',
    )
  }
  const proposal: Proposal = { ...input, action: 'promote' }
  return repeatable<RequestResult>(ledger.sql, key, keep =>
    decideWithRetries<RequestResult>(ledger, proposal, async assessed =>
      assessed.verdict.passed
        ? insertRequest(ledger, proposal, assessed, keep)
        : { passed: false, policy: assessed.verdict },
    ),
  )
}

async function insertRequest(
  ledger: Ledger,
  proposal: Proposal,
  { head, target, baselineId, verdict }: Assessment,
  keep: KeepResult<RequestResult>,
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
      ...(proposal.actor.claimed === undefined ? {} : { claimed_actor: proposal.actor.claimed }),
      baseline_release_id: baselineId,
      policy: verdict,
      created_at: isoTime(createdAt),
      resolved_at: null,
      resolved_by: null,
      resolution_reason: null,
      completed_action_id: null,
    },
  }
  const guard = headHeldBy(requestId)
  const statements = [
    reviseHeadIf(head, requestId),
    sql`INSERT INTO promotion_requests (
        request_id, status, release_id, agent_id, environment, window_text, reason, actor, actor_source,
        claimed_actor, baseline_release_id, policy_json, created_at
      )
      SELECT ${requestId}, 'pending', ${target.release_id}, ${target.agent_id}, ${proposal.environment},
        ${proposal.window}, ${proposal.reason}, ${proposal.actor.name}, ${proposal.actor.source},
        CAST(${proposal.actor.claimed ?? null} AS TEXT), ${baselineId}, ${JSON.stringify(verdict)}, CAST(${createdAt} AS BIGINT)
      WHERE ${guard} RETURNING request_id`,
    toOutbox(
      { event: 'promotion.requested', cause: requestId, createdAt, data: announced(result.request) },
      guard,
      ledger.sql.clock,
    ),
    ...keep(result, createdAt, guard),
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
  confirmation: Confirmation,
  key?: IdempotencyKey,
): Promise<Repeatable<Outcome>> {
  return repeatable<Outcome>(ledger.sql, key, keep => confirm(ledger, confirmation, keep))
}

async function confirm(
  ledger: Ledger,
  { request_id, approval_reason, actor }: Confirmation,
  keep: KeepResult<Outcome>,
): Promise<Outcome> {
  if (isBlank(approval_reason)) throw badRequest('approval_reason is required to confirm a promotion')
  const request = await findPending(ledger.sql, request_id)
  const { release_id, environment, window } = request
  const reason = `${request.reason} | approval: ${approval_reason}`
  // Whoever asked has said that a first promotion is meant, where that is to be said.
  const proposal: Proposal = {
    action: 'promote',
    release_id,
    environment,
    window,
    reason,
    actor,
    first: true,
  }
  const stillPending = {
    statement: requestStatement(request_id),
    check: (result: Result) => pendingRequest(result.rows[0], request_id),
  }
  const completed = (actionId: string, at: number): Statement =>
    sql`UPDATE promotion_requests SET status = 'completed', resolved_at = ${at},
        resolved_by = ${actor.name}, resolution_reason = ${approval_reason},
        completed_action_id = ${actionId}
      WHERE request_id = ${request_id} AND status = 'pending' AND ${headHeldBy(actionId)}`
  return decideWithRetries(
    ledger,
    proposal,
    ({ evidence, ...assessed }) =>
      recordDecision(
        ledger,
        proposal,
        {
          ...assessed,
          evidence: { ...evidence, request: { request_id, requested_by: request.actor } },
        },
        {
          keep,
          statements: (actionId, at) => (assessed.verdict.passed ? [completed(actionId, at)] : []),
        },
      ),
    stillPending,
  )
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
  if (isBlank(reason)) throw badRequest('reason is required to cancel a promotion request')
  await findPending(ledger.sql, request_id)
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
