import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import type { PromotionRequest, SinceRequest } from '../../models/answers/promotion_request.ts'
import { type Grounds, sinceRequest } from '../../rules/changes.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import { among, asText, ask, firstRow, together } from '../../sql/query.ts'
import { commitOnce, headChangedBy, headQuery } from '../trail/chain.ts'
import { clockOf, requireClock } from '../trail/clock.ts'
import { holdsOf } from '../trail/bound_rows.ts'
import { type IdempotencyKey, type KeepResult, type Repeatable, repeatable } from '../trail/idempotency.ts'
import { loggingStatements } from '../trail/write_logged.ts'
import type { Actor, Ledger } from '../world/ledger.ts'
import { type Assessment, type Proposal, assess } from '../assess/assess.ts'
import { refuseApprover, wantingBy } from './approvers.ts'
import {
  type CountedApprovals,
  confirmationGrounds,
  confirmationWarnings,
  countApprovals,
  publicApproval,
  voiding,
  withApproval,
} from './grounds.ts'
import { outcomeOf, recordDecision, decideWithRetries } from './record.ts'
import {
  type StoredRequest,
  assessedOf,
  pendingRequest,
  requestColumns,
  requestEntry,
  requestQuery,
  requestStatement,
  toStored,
  updateRequest,
} from './requests.ts'

export interface Confirmation {
  readonly request_id: string
  readonly approval_reason: string
  readonly actor: Actor
  readonly expected_baseline_release_id?: string | null | undefined
  /** Evaluates and says what has changed since the request, and writes nothing. */
  readonly dry_run?: boolean
}

/** What became of a confirmation: a decision, or a request that waits for further ones. */
export type Confirmed = Outcome | PromotionRequest

/**
 * Confirms a pending request: evaluates again, against what is promoted now. Blocked by policy, the attempt is
 * recorded and the request stays pending. Where it takes several, each but the last is kept with the request. Of racing
 * confirmations exactly one settles the request.
 */
export async function confirmPromotion(
  ledger: Ledger,
  confirmation: Confirmation,
  key?: IdempotencyKey,
): Promise<Repeatable<Confirmed>> {
  return repeatable<Confirmed>(ledger.sql, key, keep => confirm(ledger, confirmation, keep))
}

async function confirm(
  ledger: Ledger,
  confirmation: Confirmation,
  keep: KeepResult<Confirmed>,
): Promise<Confirmed> {
  const { request_id, approval_reason, actor, expected_baseline_release_id } = confirmation
  if (isBlank(approval_reason)) throw badRequest('approval_reason is required to confirm a promotion')
  const stored = requestQuery(ledger.sql, request_id)
  const readAt = ledger.now()
  const { head, found } = await ask(
    ledger.sql,
    together({ head: headQuery(ledger.sql.clock), found: stored }),
  )
  const first = stillPending(found, clockOf(ledger, head, readAt), request_id)
  const { request, assessed } = first
  const { release_id, environment, window, reason } = request
  // The requester has said that a first promotion is meant, where that is required.
  const proposal: Proposal = {
    action: 'promote',
    release_id,
    environment,
    window,
    reason: `${reason} | approval: ${approval_reason}`,
    actor,
    expected_baseline_release_id,
    requested_baseline_release_id: assessed?.expected_baseline_release_id,
    first: true,
    wanted_by: wantingBy({ ...request, actor_source: sourceOf(first) }),
  }
  let pending: Pending | undefined
  const precondition = {
    query: together({
      stored,
      grounds: confirmationGrounds(ledger.workspace, request.approvals_required, request),
    }),
    check: (read: ReadRequest, clock: Clock) =>
      void (pending = refuseSettled(read, clock, confirmation, ledger)),
  }
  const saidOf = (assessment: Assessment) => ({
    ...changed(ledger, pending!, assessment),
    ...confirmationWarnings(pending!.request, pending!.voided, actor),
  })
  if (confirmation.dry_run === true) {
    const assessment = await assess(ledger, proposal, precondition)
    return { ...outcomeOf(proposal, assessment, null), ...saidOf(assessment) }
  }
  return decideWithRetries<Confirmed, ReadRequest>(
    ledger,
    proposal,
    (assessment, within) => {
      const step = { confirmation, keep, since: saidOf(assessment) }
      return assessment.verdict.passed && approvalsOf(ledger, pending!, confirmation).missing > 0
        ? approve(within, pending!, assessment, step)
        : complete(within, pending!, assessment, { ...step, proposal })
    },
    precondition,
  )
}

interface ReadRequest {
  readonly stored: StoredRequest | undefined
  readonly grounds: Grounds | undefined
}

/** A request that waits, with the confirmations that count. */
interface Pending extends StoredRequest, CountedApprovals {}

/**
 * Throws 400 where the request isn't pending any more, or this one may not confirm it, and 503 where it has an end and the
 * clock doesn't tell whether it is over.
 */
function refuseSettled(
  { stored, grounds }: ReadRequest,
  clock: Clock,
  { request_id, actor }: Confirmation,
  { workspace }: Ledger,
): Pending {
  const pending = stillPending(stored, clock, request_id)
  const counted = countApprovals(pending.approvals, grounds)
  const request = { ...pending.request, approvals: counted.approvals.map(publicApproval) }
  refuseApprover({ ...request, actor_source: sourceOf(pending) }, 'promotion', actor, workspace)
  return { ...pending, ...counted, request }
}

/** Where the requester's name comes from. */
function sourceOf({ row }: StoredRequest): string {
  return asText(row.actor_source)
}

function stillPending(stored: StoredRequest | undefined, clock: Clock, requestId: string): StoredRequest {
  if (stored?.row.status === 'pending' && stored.expires) requireClock(clock)
  return pendingRequest(stored, requestId)
}

/** The confirmations that count with this one, and how many are missing then. */
function approvalsOf(
  { workspace, now }: Ledger,
  pending: Pending,
  { approval_reason: reason, actor }: Confirmation,
): ReturnType<typeof withApproval> {
  return withApproval(workspace, pending.request, pending, actor, { reason, created_at: isoTime(now()) })
}

/** What has changed since the request, where the workspace demands more of approvals than that there is one. */
function changed(
  { workspace }: Ledger,
  { assessed }: StoredRequest,
  { baseline, evidence }: Assessment,
): { since_request?: SinceRequest } {
  const { approvals_required = 1, approval_by_another = false, approval_expires } = workspace
  const isPlain = approvals_required === 1 && !approval_by_another && approval_expires == null
  if (isPlain || assessed === null) return {}
  return { since_request: sinceRequest(assessed, assessedOf(baseline, evidence)) }
}

interface Step {
  readonly confirmation: Confirmation
  readonly keep: KeepResult<Confirmed>
  readonly since: { readonly since_request?: SinceRequest; readonly warnings?: string[] }
}

/** Keeps an approval that is not the last. */
async function approve(
  ledger: Ledger,
  pending: Pending,
  { head }: Assessment,
  { confirmation, keep, since }: Step,
): Promise<PromotionRequest | undefined> {
  const { request_id, approval_reason: reason, actor } = confirmation
  const { approvals, required } = approvalsOf(ledger, pending, confirmation)
  const id = ledger.newId('apv_')
  const [at, guard, json] = [ledger.now(), headChangedBy(id), JSON.stringify(approvals)]
  const after = { ...pending.row, approvals_json: json, approvals_required: required }
  const entry = await requestEntry('request.approved', after, { actor, reason }, at, voiding(pending.voided))
  const first = await loggingStatements(head, id, [entry], { revises: 'none' })
  const request = {
    ...pending.request,
    approvals_required: required,
    approvals: approvals.map(publicApproval),
    ...since,
  }
  const updated = sql`${updateRequest(after, ['approvals_json', 'approvals_required'], guard)}
    RETURNING ${requestColumns(ledger.sql.clock)}`
  const recorded = sql`${requestStatement(ledger.sql, request_id)} AND approvals_json = ${json}`
  const written = await commitOnce(
    ledger,
    among(first, firstRow(updated, toStored), keep(request, at, guard)),
    () => ask(ledger.sql, firstRow(recorded, toStored)),
  )
  return written === undefined ? undefined : { ...written.request, ...since }
}

/** Records the decision, and settles the request if the policy passes. */
async function complete(
  ledger: Ledger,
  pending: Pending,
  { evidence, ...assessed }: Assessment,
  { confirmation, keep, since, proposal }: Step & { readonly proposal: Proposal },
): Promise<Outcome | undefined> {
  const { request_id, approval_reason, actor } = confirmation
  const { approvals, required } = approvalsOf(ledger, pending, confirmation)
  const completion = (actionId: string, at: number) => ({
    status: 'completed',
    resolved_at: at,
    resolved_by: actor.name,
    resolution_reason: approval_reason,
    completed_action_id: actionId,
    approvals_json: JSON.stringify(approvals),
  })
  const after = (actionId: string, at: number): Row => ({ ...pending.row, ...completion(actionId, at) })
  const completed = (actionId: string, at: number): Statement =>
    updateRequest(after(actionId, at), Object.keys(completion(actionId, at)), headChangedBy(actionId))
  const request = {
    request_id,
    requested_by: pending.request.actor,
    ...(required === 1 ? {} : { approvals: approvals.map(publicApproval) }),
    ...voiding(pending.voided),
  }
  const outcome = await recordDecision(
    ledger,
    proposal,
    { ...assessed, evidence: { ...evidence, request } },
    {
      keep: (result, at, guard) => keep({ ...result, ...since }, at, guard),
      statements: (actionId, at) => (assessed.verdict.passed ? [completed(actionId, at)] : []),
      holds: (actionId, at) =>
        holdsOf('promotion_requests', assessed.verdict.passed ? [after(actionId, at)] : []),
    },
  )
  return outcome === undefined ? undefined : { ...outcome, ...since }
}
