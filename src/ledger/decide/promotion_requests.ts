import { badRequest } from '../../base/errors.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import type { PromotionRequest, SinceRequest } from '../../models/answers/promotion_request.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { type Assessed, sinceRequest } from '../../rules/changes.ts'
import type { Clock } from '../../rules/clock.ts'
import type { Evidence } from '../../rules/evidence.ts'
import { resultOf } from '../../rules/result.ts'
import { type Row, sql } from '../../sql/port.ts'
import { asJson, asText, ask, columns, orNull, together } from '../../sql/query.ts'
import { type Assessment, type Proposal, assess } from '../assess/assess.ts'
import { holdsOf } from '../trail/bound_rows.ts'
import { headChangedBy, headQuery } from '../trail/chain.ts'
import { clockOf } from '../trail/clock.ts'
import { type IdempotencyKey, type KeepResult, type Repeatable, repeatable } from '../trail/idempotency.ts'
import { writeChange } from '../trail/write_logged.ts'
import { toOutbox } from '../webhooks/announcements.ts'
import type { Identity, Ledger } from '../world/ledger.ts'
import { wantingBy } from './approvers.ts'
import type { DecisionInput } from './promote.ts'
import { decideWithRetries, outcomeOf, recordDecision } from './record.ts'
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
  requestQuery,
  requireApproval,
  stateOf,
  updateRequest,
} from './requests.ts'

export const PROMOTION: RequestKind<PromotionRequest> = {
  what: 'promotion',
  table: 'promotion_requests',
  atOnce: 'promote with POST /v1/promote or `svc release promote`',
  cameTo: ({ completed_action_id: id }) => (id == null ? null : `action ${id}`),
  show: toRequest,
}

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
  requireApproval(ledger, PROMOTION)
  const proposal: Proposal = { ...input, action: 'promote' }
  return repeatable<RequestResult>(ledger.sql, key, keep =>
    decideWithRetries<RequestResult>(ledger, proposal, async (assessed, within) => {
      refuseUnmoved(ledger, proposal, assessed)
      if (assessed.verdict.passed) return makeRequest(within, proposal, assessed, keep)
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
    `${target.release_id} is live in ${environment} already, so there is nothing to request. This workspace is strict.`,
  )
}

async function makeRequest(
  ledger: Ledger,
  proposal: Proposal,
  { head, clock, target, baseline, verdict, evidence }: Assessment,
  keep: KeepResult<RequestResult>,
): Promise<RequestResult | undefined> {
  const [id, at] = [ledger.newId('prq_'), ledger.now()]
  const { actor, reason, environment, window, expected_baseline_release_id } = proposal
  const row: Row = {
    ...pendingRow(ledger, id, proposal, clock),
    release_id: target.release_id,
    agent_id: target.agent_id,
    environment,
    window_text: window,
    baseline_release_id: baseline?.release_id ?? null,
    policy_json: JSON.stringify(verdict),
    created_at: at,
    assessed_json: JSON.stringify({ ...assessedOf(baseline, evidence), expected_baseline_release_id }),
    actor_identity: actor.identity === undefined ? null : JSON.stringify(actor.identity),
  }
  const request = { ...toRequest(row), policy: verdict }
  const said = { id, kind: 'request.made', actor, reason, at } as const
  const change = await requestChange(PROMOTION, undefined, row, said, (_, guard) => [
    toOutbox(
      { event: 'promotion.requested', cause: id, createdAt: at, data: announced(request) },
      guard,
      ledger.sql.clock,
    ),
    ...keep({ passed: true, request }, at, guard),
  ])
  if ((await writeChange(ledger, head, change)) === undefined) return undefined
  ledger.outboxFilled()
  return { passed: true, request }
}

/** What is announced of a request. */
function announced(request: PromotionRequest): Record<string, unknown> {
  const { request_id, release_id, agent_id, environment, baseline_release_id, window } = request
  const { actor, reason, policy } = request
  return { request_id, release_id, agent_id, environment, baseline_release_id, window, actor, reason, policy }
}

/** Cancels a pending request. */
export function cancelPromotion(ledger: Ledger, ending: Ending): Promise<PromotionRequest> {
  const at = ledger.now()
  return endRequest(ledger, PROMOTION, ending, () => ({ kind: 'request.cancelled', resolution: null, at }))
}

/** The same by somebody who was to confirm it, and says no. */
export function rejectPromotion(ledger: Ledger, ending: Ending): Promise<PromotionRequest> {
  const end = { kind: 'request.rejected', resolution: 'rejected', at: ledger.now() } as const
  return endRequest(ledger, PROMOTION, ending, () => end)
}

export interface Confirmation extends Confirming {
  readonly expected_baseline_release_id?: string | null | undefined
  /** Evaluates and says what has changed since the request, and writes nothing. */
  readonly dry_run?: boolean
}

/** What became of a confirmation: a decision, or a request that waits for further ones. */
type Result = Outcome | PromotionRequest

/**
 * Confirms a pending request: evaluates again, against what is promoted now. Blocked by policy, the attempt is
 * recorded and the request stays pending. Where it takes several, each but the last is kept with the request. Of racing
 * confirmations exactly one settles the request.
 */
export async function confirmPromotion(
  ledger: Ledger,
  confirmation: Confirmation,
  key?: IdempotencyKey,
): Promise<Repeatable<Result>> {
  return repeatable<Result>(ledger.sql, key, keep => confirm(ledger, confirmation, keep))
}

async function confirm(
  ledger: Ledger,
  confirmation: Confirmation,
  keep: KeepResult<Result>,
): Promise<Result> {
  const { request_id, approval_reason, actor, expected_baseline_release_id } = confirmation
  refuseBlankApproval(PROMOTION, confirmation)
  const readAt = ledger.now()
  const { head, found } = await ask(
    ledger.sql,
    together({
      head: headQuery(ledger.sql.clock),
      found: requestQuery(ledger.sql, PROMOTION.table, request_id),
    }),
  )
  const first = pendingRequest(PROMOTION, found, request_id, clockOf(ledger, head, readAt))
  const { release_id, environment, window, reason, ...requester } = toRequest(first)
  // The requester has said that a first promotion is meant, where that is required.
  const proposal: Proposal = {
    action: 'promote',
    release_id,
    environment,
    window,
    reason: `${reason} | approval: ${approval_reason}`,
    actor,
    expected_baseline_release_id,
    requested_baseline_release_id: assessedBy(first)?.expected_baseline_release_id,
    first: true,
    wanted_by: wantingBy({ ...requester, actor_source: asText(first.actor_source) }),
  }
  let confirmed: Confirmed | undefined
  const precondition = {
    query: confirmationQuery(ledger, PROMOTION, first),
    check: (read: ReadRequest, clock: Clock) =>
      void (confirmed = confirmedBy(ledger.workspace, PROMOTION, read, clock, confirmation, ledger.now())),
  }
  const saidOf = (assessment: Assessment) => ({
    ...changedSince(ledger, confirmed!.row, assessment),
    ...confirmed!.warned,
  })
  if (confirmation.dry_run === true) {
    const assessment = await assess(ledger, proposal, precondition)
    return { ...outcomeOf(proposal, assessment, null), ...saidOf(assessment) }
  }
  return decideWithRetries<Result, ReadRequest>(
    ledger,
    proposal,
    (assessment, within) => {
      const step = { confirmation, keep, since: saidOf(assessment) }
      return assessment.verdict.passed && confirmed!.missing > 0
        ? approve(within, confirmed!, assessment, step)
        : complete(within, confirmed!, assessment, { ...step, proposal })
    },
    precondition,
  )
}

/** What has changed since the request, where the workspace demands more of approvals than that there is one. */
function changedSince(
  { workspace }: Ledger,
  row: Row,
  { baseline, evidence }: Assessment,
): { since_request?: SinceRequest } {
  const { approvals_required = 1, approval_by_another = false, approval_expires } = workspace
  const isPlain = approvals_required === 1 && !approval_by_another && approval_expires == null
  const assessed = assessedBy(row)
  if (isPlain || assessed === null) return {}
  return { since_request: sinceRequest(assessed, assessedOf(baseline, evidence)) }
}

interface Step {
  readonly confirmation: Confirmation
  readonly keep: KeepResult<Result>
  readonly since: { readonly since_request?: SinceRequest; readonly warnings?: string[] }
}

/** Keeps an approval that is not the last. */
async function approve(
  ledger: Ledger,
  { row, changed, at, voiding }: Confirmed,
  { head }: Assessment,
  { confirmation: { actor, approval_reason: reason }, keep, since }: Step,
): Promise<PromotionRequest | undefined> {
  const said = {
    id: ledger.newId('apv_'),
    kind: 'request.approved',
    actor,
    reason,
    at,
    more: voiding,
  } as const
  const answer = (after: Row): PromotionRequest => ({ ...toRequest(after), ...since })
  const change = await requestChange(PROMOTION, row, changed, said, (after, guard) =>
    keep(answer(after), at, guard),
  )
  const after = await writeChange(ledger, head, change)
  return after && answer(after)
}

/** Records the decision, and settles the request if the policy passes. */
async function complete(
  ledger: Ledger,
  confirmed: Confirmed,
  { evidence, ...assessed }: Assessment,
  { confirmation, keep, since, proposal }: Step & { readonly proposal: Proposal },
): Promise<Outcome | undefined> {
  const { row, requester, approvals, required, voiding } = confirmed
  const completion = (actionId: string, at: number): Row => ({
    ...completed(confirmed, confirmation, at),
    completed_action_id: actionId,
  })
  const request = {
    request_id: requester.request_id,
    requested_by: requester.actor,
    ...(required === 1 ? {} : { approvals }),
    ...voiding,
  }
  const outcome = await recordDecision(
    ledger,
    proposal,
    { ...assessed, evidence: { ...evidence, request } },
    {
      keep: (result, at, guard) => keep({ ...result, ...since }, at, guard),
      statements: (actionId, at) => {
        if (!assessed.verdict.passed) return []
        const changed = completion(actionId, at)
        const guard = headChangedBy(actionId)
        return [updateRequest(PROMOTION.table, { ...row, ...changed }, Object.keys(changed), guard)]
      },
      holds: (actionId, at) =>
        holdsOf(
          'promotion_requests',
          assessed.verdict.passed ? [{ ...row, ...completion(actionId, at) }] : [],
        ),
    },
  )
  return outcome === undefined ? undefined : { ...outcome, ...since }
}

const readRequest = columns({
  release_id: asText,
  window_text: asText,
  claimed_actor: orNull(asText),
  actor_identity: orNull(asJson<Identity>),
  baseline_release_id: orNull(asText),
  policy_json: asJson<PolicyVerdict>,
  completed_action_id: orNull(asText),
})

/** What a request keeps of the evaluation that it passed; null in requests of version 0.1.0. */
function assessedBy(row: Row): Assessed | null {
  return orNull(asJson<Assessed>)(row.assessed_json)
}

function toRequest(row: Row): PromotionRequest {
  const state = stateOf(row)
  const { release_id, window_text, claimed_actor, actor_identity, ...stored } = readRequest(row)
  const { expires_at, resolution, approvals_required, approvals_json: approvals } = state
  const expected = assessedBy(row)?.expected_baseline_release_id
  return {
    request_id: state.request_id,
    status: state.status,
    release_id,
    agent_id: state.agent_id,
    environment: state.environment,
    window: window_text,
    reason: state.reason,
    actor: state.actor,
    ...(claimed_actor === null ? {} : { claimed_actor }),
    ...(actor_identity === null ? {} : { actor_identity }),
    baseline_release_id: stored.baseline_release_id,
    ...(expected === undefined ? {} : { expected_baseline_release_id: expected }),
    policy: { ...stored.policy_json, result: resultOf(stored.policy_json) },
    created_at: state.created_at,
    resolved_at: state.resolved_at,
    resolved_by: state.resolved_by,
    resolution_reason: state.resolution_reason,
    completed_action_id: stored.completed_action_id,
    ...(resolution === null ? {} : { resolution }),
    ...(expires_at === null ? {} : { expires_at }),
    ...(approvals_required === 1 ? {} : { approvals_required, approvals }),
  }
}

/** What a request keeps of the evaluation that it passed. */
function assessedOf(baseline: Assessment['baseline'], { policy, evaluation }: Evidence): Assessed {
  return { baseline_release_id: baseline?.release_id ?? null, policy, metrics: evaluation?.metrics ?? null }
}
