import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Row, type Sql, type Statement, sql, rowsOf } from '../../sql/port.ts'
import { headAt, headHeldBy, toHead } from '../trail/chain.ts'
import { clockOf, requireClock } from '../trail/clock.ts'
import { commitOnce } from '../trail/commit.ts'
import { type IdempotencyKey, type KeepResult, type Repeatable, repeatable } from '../trail/idempotency.ts'
import { type NewEntry, type LogActor, SERVICE_ACTOR } from '../trail/log.ts'
import { loggingStatements, takeUp, writeLogged } from '../trail/write_logged.ts'
import type { Actor, Ledger } from '../world/ledger.ts'
import { ageBefore } from '../world/query.ts'
import { toOutbox } from '../webhooks/announcements.ts'
import type { Assessment, Proposal } from '../assess/assess.ts'
import type { DecisionInput } from './promote.ts'
import { decideWithRetries } from './record.ts'
import type { Evidence } from '../../rules/evidence.ts'
import type { Assessed } from '../../rules/changes.ts'
import { nullable } from '../../sql/query.ts'
import { holding, holdsOf } from '../trail/bound_rows.ts'
import { type Scope, placeInScope } from '../world/scope.ts'

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
    decideWithRetries<RequestResult>(ledger, proposal, async (assessed, within) =>
      assessed.verdict.passed
        ? insertRequest(within, proposal, assessed, keep)
        : { passed: false, policy: assessed.verdict },
    ),
  )
}

async function insertRequest(
  ledger: Ledger,
  proposal: Proposal,
  { head, clock, target, baseline, verdict, evidence }: Assessment,
  keep: KeepResult<RequestResult>,
): Promise<RequestResult | undefined> {
  if (!head.holdsRows) {
    await takeUp(ledger)
    return undefined
  }
  const requestId = ledger.newId('prq_')
  const baseline_release_id = baseline?.release_id ?? null
  const createdAt = ledger.now()
  const { approvals_required: required = 1, approval_expires } = ledger.workspace
  const expires = approval_expires == null ? null : endOf(approval_expires, clock)
  const { name: actor, source: actor_source, claimed: claimed_actor = null } = proposal.actor
  const row = {
    request_id: requestId,
    status: 'pending',
    release_id: target.release_id,
    agent_id: target.agent_id,
    environment: proposal.environment,
    window_text: proposal.window,
    reason: proposal.reason,
    actor,
    actor_source,
    claimed_actor,
    baseline_release_id,
    policy_json: JSON.stringify(verdict),
    created_at: createdAt,
    approvals_required: required,
    approvals_json: '[]',
    expires_at: expires,
    assessed_json: JSON.stringify(assessedOf(baseline, evidence)),
  }
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
      baseline_release_id,
      policy: verdict,
      created_at: isoTime(createdAt),
      resolved_at: null,
      resolved_by: null,
      resolution_reason: null,
      completed_action_id: null,
      ...(expires === null ? {} : { expires_at: isoTime(expires) }),
      ...(required === 1 ? {} : { approvals_required: required, approvals: [] }),
    },
  }
  const guard = headHeldBy(requestId)
  const entry = await requestEntry('request.made', row, proposal, createdAt)
  const first = await loggingStatements(head, requestId, [entry])
  const statements = [
    ...first,
    sql`INSERT INTO promotion_requests (
        request_id, status, release_id, agent_id, environment, window_text, reason, actor, actor_source,
        claimed_actor, baseline_release_id, policy_json, created_at, approvals_required, expires_at, assessed_json
      )
      SELECT ${requestId}, ${row.status}, ${row.release_id}, ${row.agent_id}, ${row.environment},
        ${row.window_text}, ${row.reason}, ${row.actor}, ${row.actor_source}, CAST(${claimed_actor} AS TEXT),
        ${baseline_release_id}, ${row.policy_json}, CAST(${createdAt} AS BIGINT), CAST(${required} AS BIGINT),
        CAST(${expires} AS BIGINT), ${row.assessed_json}
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
    results => results[first.length]!.rows[0],
    async () => (await ledger.sql.query(requestStatement(ledger.sql, requestId))).rows[0],
  )
  if (written === undefined) return undefined
  ledger.outboxFilled()
  return result
}

/** When a request is over that lasts for such an age from now on, by the database's clock. Throws 503 where that is wrong. */
function endOf(age: string, clock: Clock): number {
  requireClock(clock)
  return 2 * clock.now - ageBefore(age, clock.now)
}

/** What receivers are told of a request. */
function announced(request: PromotionRequest): Record<string, unknown> {
  const { request_id, release_id, agent_id, environment, baseline_release_id, window } = request
  const { actor, reason, policy } = request
  return { request_id, release_id, agent_id, environment, baseline_release_id, window, actor, reason, policy }
}

export interface Cancellation {
  readonly request_id: string
  readonly reason: string
  readonly actor: Actor
}

/** Cancels a pending request. Nothing is promoted by it any more. */
export function cancelPromotion(ledger: Ledger, cancellation: Cancellation): Promise<PromotionRequest> {
  return endRequest(ledger, cancellation, { kind: 'request.cancelled', resolution: null })
}

/** The same by somebody who was asked to confirm it, and says no. */
export function rejectPromotion(ledger: Ledger, cancellation: Cancellation): Promise<PromotionRequest> {
  return endRequest(ledger, cancellation, { kind: 'request.rejected', resolution: 'rejected' })
}

interface End {
  readonly kind: NewEntry['kind']
  readonly resolution: NonNullable<PromotionRequest['resolution']> | null
}

async function endRequest(
  ledger: Ledger,
  { request_id, reason, actor }: Cancellation,
  { kind, resolution }: End,
): Promise<PromotionRequest> {
  if (isBlank(reason)) throw badRequest('reason is required to cancel or reject a promotion request')
  const resolvedAt = ledger.now()
  const id = ledger.newId('cnl_')
  const found = requestStatement(ledger.sql, request_id)
  const row = await writeLogged(ledger, [found], async ([pending]) => ({
    id,
    revises: true,
    entries: [
      await requestEntry(
        kind,
        {
          ...pendingRow(pending!.rows[0], request_id),
          status: 'cancelled',
          resolution,
          resolved_at: resolvedAt,
          resolved_by: actor.name,
          resolution_reason: reason,
        },
        { actor, reason },
        resolvedAt,
      ),
    ],
    statements: guard => [
      sql`UPDATE promotion_requests SET status = 'cancelled', resolution = ${resolution},
          resolved_at = ${resolvedAt}, resolved_by = ${actor.name}, resolution_reason = ${reason}
        WHERE request_id = ${request_id} AND status = 'pending' AND ${guard}
        RETURNING ${requestColumns(ledger.sql.clock)}`,
    ],
    read: ([cancelled]) => cancelled!.rows[0],
    recorded: async () => {
      const { rows } = await ledger.sql.query(sql`${found} AND status = 'cancelled'
        AND resolved_at = ${resolvedAt} AND resolved_by = ${actor.name} AND resolution_reason = ${reason}`)
      return rows[0]
    },
  }))
  return toRequest(row)
}

/** Ends requests whose time is over, and returns how many; none by a clock that is wrong. Until then they only look ended. */
export async function expireRequests(ledger: Ledger): Promise<number> {
  const { clock } = ledger.sql
  const over = sql`SELECT ${requestColumns(clock)} FROM promotion_requests WHERE ${hasExpired(clock)} LIMIT ${MOST_AT_ONCE}`
  const askedAt = ledger.now()
  const [head, due] = await ledger.sql.snapshot([headAt(clock), over])
  const { apart, doubt } = clockOf(ledger, toHead(head), askedAt)
  if (due!.rows.length === 0 || apart !== undefined || doubt !== undefined) return 0
  const id = ledger.newId('exp_')
  return writeLogged<number>(ledger, [over], async ([found]) => {
    const requests = found!.rows
    return {
      id,
      revises: true,
      entries: await Promise.all(
        requests.map(request => {
          const ended: Row = {
            ...request,
            status: 'cancelled',
            resolution: 'expired',
            resolved_at: request.expires_at!,
            resolved_by: SERVICE_ACTOR.name,
            resolution_reason: EXPIRED,
          }
          return requestEntry(
            'request.expired',
            ended,
            { actor: SERVICE_ACTOR, reason: EXPIRED },
            ledger.now(),
          )
        }),
      ),
      statements: guard =>
        requests.map(
          ({ request_id }) => sql`UPDATE promotion_requests SET status = 'cancelled', resolution = 'expired',
              resolved_at = expires_at, resolved_by = ${SERVICE_ACTOR.name}, resolution_reason = ${EXPIRED}
            WHERE request_id = ${request_id!} AND status = 'pending' AND ${guard}`,
        ),
      read: results => (results.every(({ changes }) => changes === 1) ? requests.length : undefined),
      recorded: async () => undefined,
    }
  })
}

const MOST_AT_ONCE = 20
const EXPIRED = 'nobody confirmed it in time'

/** Named, because a newer server may have added others. What waited too long has ended, by the database's clock. */
export function requestColumns(clock: Statement): Statement {
  return sql`request_id, status, release_id, agent_id, environment, window_text, reason, actor, actor_source,
    baseline_release_id, policy_json, created_at, resolved_at, resolved_by, resolution_reason, completed_action_id,
    resolution, approvals_required, approvals_json, expires_at, assessed_json, claimed_actor,
    CASE WHEN ${hasExpired(clock)} THEN 1 ELSE 0 END AS has_expired`
}

/** True for a request that waits still, though its time is over. */
export function hasExpired(clock: Statement): Statement {
  return sql`(status = 'pending' AND expires_at IS NOT NULL AND expires_at <= ${clock})`
}

interface RequestListing {
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
function pendingRow(row: Row | undefined, requestId: string): Row {
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
export function assessedOf(baseline: Assessment['baseline'], { policy, evaluation }: Evidence): Assessed {
  return { baseline_release_id: baseline?.release_id ?? null, policy, metrics: evaluation?.metrics ?? null }
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
