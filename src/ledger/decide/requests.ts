import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import type { Clock } from '../../rules/clock.ts'
import { resultOf } from '../../rules/result.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  among,
  asFlag,
  asJson,
  asNumber,
  asText,
  asTime,
  ask,
  changesOf,
  columns,
  firstRow,
  hasRow,
  inTurn,
  mapped,
  orNull,
  together,
  whereDone,
} from '../../sql/query.ts'
import {
  type LogActor,
  type NewEntry,
  SERVICE_ACTOR,
  commitOnce,
  headChangedBy,
  headQuery,
} from '../trail/chain.ts'
import { clockOf, requireClock } from '../trail/clock.ts'
import { type IdempotencyKey, type KeepResult, type Repeatable, repeatable } from '../trail/idempotency.ts'
import { loggingStatements, writeLogged } from '../trail/write_logged.ts'
import type { Actor, Identity, Ledger } from '../world/ledger.ts'
import { ageBefore } from '../world/query.ts'
import { toOutbox } from '../webhooks/announcements.ts'
import type { Assessment, Proposal } from '../assess/assess.ts'
import type { DecisionInput } from './promote.ts'
import { type GivenApproval, publicApproval } from './grounds.ts'
import { decideWithRetries } from './record.ts'
import type { Evidence } from '../../rules/evidence.ts'
import type { Assessed } from '../../rules/changes.ts'
import { boundColumns, holding, holdsOf, insertBound, updateBound } from '../trail/bound_rows.ts'
import { type Scope, placeInScope } from '../world/scope.ts'

/** A request that was made, or the verdict that kept it from being made. */
export type RequestResult =
  | { readonly passed: true; readonly request: PromotionRequest }
  | { readonly passed: false; readonly policy: PolicyVerdict }

/** Asks for a promotion: pending if the policy passes now. If it doesn't, only the answer is kept, for the caller's key. */
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
    decideWithRetries<RequestResult>(ledger, proposal, async (assessed, within) => {
      refuseUnmoved(ledger, proposal, assessed)
      if (assessed.verdict.passed) return insertRequest(within, proposal, assessed, keep)
      const blocked = { passed: false, policy: assessed.verdict } as const
      const kept = keep(blocked, ledger.now(), sql`true`)
      if (kept.length > 0) await within.sql.batch(kept)
      return blocked
    }),
  )
}

/** Throws 400 where the release is live already and the workspace is strict; elsewhere the verdict warns of it. */
function refuseUnmoved(
  { workspace }: Ledger,
  { environment }: Proposal,
  { target, baseline }: Assessment,
): void {
  if (!workspace.strict || baseline?.release_id !== target.release_id) return
  throw badRequest(
    `${target.release_id} is promoted in ${environment} already, so there is nothing to request. This workspace is strict.`,
  )
}

async function insertRequest(
  ledger: Ledger,
  proposal: Proposal,
  { head, clock, target, baseline, verdict, evidence }: Assessment,
  keep: KeepResult<RequestResult>,
): Promise<RequestResult | undefined> {
  const requestId = ledger.newId('prq_')
  const createdAt = ledger.now()
  const { approvals_required = 1, approval_expires } = ledger.workspace
  const { name: actor, source: actor_source, claimed: claimed_actor = null, identity } = proposal.actor
  const row: Row = {
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
    baseline_release_id: baseline?.release_id ?? null,
    policy_json: JSON.stringify(verdict),
    created_at: createdAt,
    approvals_required,
    approvals_json: '[]',
    expires_at: approval_expires == null ? null : endOf(approval_expires, clock),
    assessed_json: JSON.stringify({
      ...assessedOf(baseline, evidence),
      expected_baseline_release_id: proposal.expected_baseline_release_id,
    }),
    actor_identity: identity === undefined ? null : JSON.stringify(identity),
  }
  const { request } = toStored({ ...row, has_expired: 0 })
  const result: RequestResult = { passed: true, request: { ...request, policy: verdict } }
  const guard = headChangedBy(requestId)
  const entry = await requestEntry('request.made', row, proposal, createdAt)
  const first = await loggingStatements(head, requestId, [entry], { revises: 'none' })
  const inserted = hasRow(sql`${insertBound('promotion_requests', row, guard)} RETURNING request_id`)
  const announcement = {
    event: 'promotion.requested',
    cause: requestId,
    createdAt,
    data: announced(result.request),
  } as const
  const written = await commitOnce(
    ledger,
    among(first, whereDone(inserted), [
      toOutbox(announcement, guard, ledger.sql.clock),
      ...keep(result, createdAt, guard),
    ]),
    async () =>
      (await ask(ledger.sql, requestQuery(ledger.sql, requestId))) === undefined ? undefined : true,
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

/** What is announced of a request. */
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

/** The same by somebody who was to confirm it, and says no. */
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
  const found = requestQuery(ledger.sql, request_id)
  const end = {
    status: 'cancelled',
    resolution,
    resolved_at: resolvedAt,
    resolved_by: actor.name,
    resolution_reason: reason,
  }
  const ended = await writeLogged(ledger, found, async pending => {
    const row = { ...pendingRequest(pending, request_id).row, ...end }
    return {
      id,
      revises: 'none',
      entries: [await requestEntry(kind, row, { actor, reason }, resolvedAt)],
      write: guard =>
        firstRow(
          sql`${updateRequest(row, Object.keys(end), guard)} RETURNING ${requestColumns(ledger.sql.clock)}`,
          toStored,
        ),
      recorded: () =>
        ask(
          ledger.sql,
          firstRow(
            sql`${requestStatement(ledger.sql, request_id)} AND status = 'cancelled'
            AND resolved_at = ${resolvedAt} AND resolved_by = ${actor.name} AND resolution_reason = ${reason}`,
            toStored,
          ),
        ),
    }
  })
  return ended.request
}

/** Ends requests whose time is over, and returns how many; none by a clock that is wrong. Until then they only look ended. */
export async function expireRequests(ledger: Ledger): Promise<number> {
  const { clock } = ledger.sql
  const over = allRows(
    sql`SELECT ${requestColumns(clock)} FROM promotion_requests WHERE ${hasExpired(clock)} LIMIT ${MOST_AT_ONCE}`,
    toStored,
  )
  const readAt = ledger.now()
  const { head, due } = await ask(ledger.sql, together({ head: headQuery(clock), due: over }))
  const { apart, doubt } = clockOf(ledger, head, readAt)
  if (due.length === 0 || apart !== undefined || doubt !== undefined) return 0
  const id = ledger.newId('exp_')
  return writeLogged(ledger, over, async requests => {
    const ended = requests.map(({ row }): Row => ({ ...row, ...EXPIRED, resolved_at: row.expires_at! }))
    const by = { actor: SERVICE_ACTOR, reason: EXPIRED.resolution_reason }
    return {
      id,
      revises: 'none',
      entries: await Promise.all(ended.map(row => requestEntry('request.expired', row, by, ledger.now()))),
      write: guard => {
        const changed = [...Object.keys(EXPIRED), 'resolved_at']
        const updates = ended.map(row => changesOf(updateRequest(row, changed, guard)))
        return mapped(inTurn(updates), counts =>
          counts.every(count => count === 1) ? requests.length : undefined,
        )
      },
      recorded: async () => undefined,
    }
  })
}

const MOST_AT_ONCE = 20
const EXPIRED = {
  status: 'cancelled',
  resolution: 'expired',
  resolved_by: SERVICE_ACTOR.name,
  resolution_reason: 'nobody confirmed it in time',
}

/** Writes columns of the row of a request that is still pending, where the guard lets it through. */
export function updateRequest(row: Row, changed: readonly string[], guard: Statement): Statement {
  return sql`${updateBound('promotion_requests', row, changed, guard)} AND status = 'pending'`
}

/** Named, because a newer server may have added others. What waited too long has ended, by the database's clock. */
export function requestColumns(clock: Statement): Statement {
  return sql`${boundColumns('promotion_requests')}, CASE WHEN ${hasExpired(clock)} THEN 1 ELSE 0 END AS has_expired`
}

/** True for a request that waits still, though its time is over. */
function hasExpired(clock: Statement): Statement {
  return sql`(status = 'pending' AND expires_at IS NOT NULL AND expires_at <= ${clock})`
}

/** True for a request of that status as it is shown; for any unless one is named. */
export function hasStatus(status: PromotionRequest['status'] | undefined, clock: Statement): Statement {
  return {
    pending: sql`status = 'pending' AND NOT ${hasExpired(clock)}`,
    completed: sql`status = 'completed'`,
    cancelled: sql`(status = 'cancelled' OR ${hasExpired(clock)})`,
    all: sql`true`,
  }[status ?? 'all']
}

interface RequestListing {
  readonly status?: PromotionRequest['status'] | undefined
  readonly limit: number
  readonly scope: Scope
}

/** Promotion requests, newest first. */
export async function listRequests(
  db: Sql,
  { status, limit, scope }: RequestListing,
): Promise<PromotionRequest[]> {
  const listed = sql`SELECT ${requestColumns(db.clock)} FROM promotion_requests
    WHERE ${hasStatus(status, db.clock)} AND ${placeInScope(scope)} ORDER BY seq DESC LIMIT ${limit}`
  return ask(
    db,
    allRows(listed, row => toStored(row).request),
  )
}

export function requestStatement({ clock }: Sql, requestId: string): Statement {
  return sql`SELECT ${requestColumns(clock)} FROM promotion_requests WHERE request_id = ${requestId}`
}

export function requestQuery(db: Sql, requestId: string): Query<StoredRequest | undefined> {
  return firstRow(requestStatement(db, requestId), toStored)
}

/** Throws 400 for an unknown request, and for one that is settled. */
export function pendingRequest(stored: StoredRequest | undefined, requestId: string): StoredRequest {
  if (stored === undefined) throw badRequest(`Unknown promotion request: ${requestId}`)
  const { status, resolution, completed_action_id, resolved_at, resolved_by } = stored.request
  if (status === 'pending') return stored
  if (resolution === 'expired') {
    throw badRequest(`Promotion request ${requestId} expired at ${resolved_at}: request the promotion again.`)
  }
  const how = resolution === 'rejected' ? ` (rejected by ${resolved_by})` : ''
  throw badRequest(
    `Promotion request ${requestId} is ${status} already${how}` +
      (completed_action_id === null ? '.' : ` (action ${completed_action_id}).`),
  )
}

/** A request as it is stored. */
export interface StoredRequest {
  readonly request: PromotionRequest
  /** Whether it has an end. */
  readonly expires: boolean
  readonly approvals: readonly GivenApproval[]
  /** What it keeps of the evaluation that it passed; null in requests of version 0.1.0. */
  readonly assessed: Assessed | null
  /** All of it, for entries of the audit log. */
  readonly row: Row
}

const readRequest = columns({
  request_id: asText,
  status: asText<PromotionRequest['status']>,
  release_id: asText,
  agent_id: asText,
  environment: asText,
  window_text: asText,
  reason: asText,
  actor: asText,
  claimed_actor: orNull(asText),
  actor_identity: orNull(asJson<Identity>),
  baseline_release_id: orNull(asText),
  policy_json: asJson<PolicyVerdict>,
  created_at: asTime,
  resolved_at: orNull(asTime),
  resolved_by: orNull(asText),
  resolution_reason: orNull(asText),
  completed_action_id: orNull(asText),
  resolution: orNull(asText<NonNullable<PromotionRequest['resolution']>>),
  approvals_required: asNumber,
  approvals_json: asJson<StoredRequest['approvals']>,
  expires_at: orNull(asTime),
  assessed_json: orNull(asJson<Assessed>),
  has_expired: asFlag,
})

export function toStored(row: Row): StoredRequest {
  const stored = readRequest(row)
  const { has_expired: hasEnded, expires_at, approvals_required, approvals_json: approvals } = stored
  const resolution = hasEnded ? 'expired' : stored.resolution
  const expected = stored.assessed_json?.expected_baseline_release_id
  const request: PromotionRequest = {
    request_id: stored.request_id,
    status: hasEnded ? 'cancelled' : stored.status,
    release_id: stored.release_id,
    agent_id: stored.agent_id,
    environment: stored.environment,
    window: stored.window_text,
    reason: stored.reason,
    actor: stored.actor,
    ...(stored.claimed_actor === null ? {} : { claimed_actor: stored.claimed_actor }),
    ...(stored.actor_identity === null ? {} : { actor_identity: stored.actor_identity }),
    baseline_release_id: stored.baseline_release_id,
    ...(expected === undefined ? {} : { expected_baseline_release_id: expected }),
    policy: { ...stored.policy_json, result: resultOf(stored.policy_json) },
    created_at: stored.created_at,
    resolved_at: hasEnded ? expires_at : stored.resolved_at,
    resolved_by: stored.resolved_by,
    resolution_reason: stored.resolution_reason,
    completed_action_id: stored.completed_action_id,
    ...(resolution === null ? {} : { resolution }),
    ...(expires_at === null ? {} : { expires_at }),
    ...(approvals_required === 1 ? {} : { approvals_required, approvals: approvals.map(publicApproval) }),
  }
  return { request, expires: expires_at !== null, approvals, assessed: stored.assessed_json, row }
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
  more: Readonly<Record<string, unknown>> = {},
): Promise<NewEntry> {
  const { request_id, release_id, agent_id, environment } = row
  const holds = await holdsOf('promotion_requests', [row])
  const details = { release_id, agent_id, environment, ...more, ...holding(holds) }
  return { kind, subject: asText(request_id), actor, reason, created_at, fact: null, details }
}
