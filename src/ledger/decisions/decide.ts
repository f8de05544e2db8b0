import { refused, ServiceError } from '../../base/errors.ts'
import type { MissingForHigh, Outcome } from '../../models/answers/decision.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { FIRST_PROMOTION_REASON } from '../../rules/policy.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { type Window, parseWindow } from '../../rules/window.ts'
import { type Result, type Statement, sql } from '../../sql/port.ts'
import { announceDecision } from '../webhooks/announcements.ts'
import {
  type AuditRecord,
  HEAD,
  type Head,
  appendStatements,
  headHeldBy,
  seal,
  toHead,
} from '../chain/chain.ts'
import { catalogReport } from '../compare/catalog_pricing.ts'
import { commitOnce } from '../chain/commit.ts'
import { actionCounter, addToCounter } from '../chain/counters.ts'
import { evaluate } from '../compare/evaluation.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { type IdempotencyKey, type RecordedAnswer, recordAnswer } from '../chain/idempotency.ts'
import type { Actor, Ledger } from '../ledger.ts'
import { ACTIVE_POLICY, toPolicy } from '../registry/policies.ts'
import { agreedPointer, chosenStatement } from '../chain/pointers.ts'
import { missingForHigh } from '../compare/reach.ts'
import { type ReleaseFacts, knownRelease, releaseStatement } from '../registry/releases.ts'
import { NO_FILTERS } from '../events/rollups.ts'
import { pricedSides, sideStatements, toRawSides } from '../compare/sides.ts'
import { turnsOf } from '../chain/mutex.ts'

/** A release to be promoted or rolled back to, and on whose word. */
export interface Proposal {
  readonly action: 'promote' | 'rollback'
  readonly release_id: string
  readonly environment: string
  readonly window: string
  readonly reason: string
  readonly actor: Actor
}

/** What the ledger says about a proposal at one point in time. */
export interface Assessment {
  readonly head: Head
  readonly target: ReleaseFacts
  readonly baselineId: string | null
  readonly window: Window
  readonly verdict: PolicyVerdict
  readonly missing: MissingForHigh | null
  readonly evidence: Evidence
}

/** How an operation answers a repeated Idempotency-Key. */
export interface Once<T> {
  readonly key: IdempotencyKey
  readonly answer: (result: T) => RecordedAnswer
}

/** A reader of the start of an assessment, e.g. that a request is still pending. Throws to give up. */
export interface Precondition {
  readonly statement: Statement
  readonly check: (result: Result) => void
}

/** Attempts to win the head of the chain against other writers before giving up with 503. */
const MAX_ATTEMPTS = 200

/** Refuses a proposal without a reason (specification, Errors). */
export function refuseBlankReason(reason: string): void {
  if (isBlank(reason)) throw refused('Reason is required for promote/rollback actions')
}

/**
 * Assesses a proposal and hands it to `commit`, which returns undefined where its guard was lost. Then, and where
 * another decision of this process was written meanwhile, all is read again: where only the head has moved, the
 * assessment stands and is merely tied to the new head.
 */
export async function settle<T>(
  ledger: Ledger,
  proposal: Proposal,
  commit: (assessment: Assessment) => Promise<T | undefined>,
  precondition?: Precondition,
): Promise<T> {
  refuseBlankReason(proposal.reason)
  const turns = turnsOf(ledger.sql)
  let assessment: Assessment | undefined
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { over } = turns
    assessment = await assess(ledger, proposal, precondition, assessment)
    const assessed = assessment
    const result = await turns.take(async () =>
      commit(turns.over === over ? assessed : await assess(ledger, proposal, precondition, assessed)),
    )
    if (result !== undefined) return result
  }
  throw new ServiceError(503, 'Too many other decisions are being written; try again.', {
    headers: { 'Retry-After': '1' },
  })
}

/** Reads where things stand and evaluates the policy. `earlier` is reused where nothing governed has changed. */
export async function assess(
  ledger: Ledger,
  proposal: Proposal,
  precondition?: Precondition,
  earlier?: Assessment,
): Promise<Assessment> {
  const { release_id, environment } = proposal
  const [headResult, release, pointer, chosen, policyResult, ...extra] = await ledger.sql.snapshot([
    HEAD,
    releaseStatement(release_id),
    sql`SELECT p.release_id, b.release_id AS found
      FROM promoted_pointers p JOIN releases r ON r.agent_id = p.agent_id
      LEFT JOIN releases b ON b.release_id = p.release_id
      WHERE r.release_id = ${release_id} AND p.environment = ${environment}`,
    chosenStatement(release_id, environment),
    ACTIVE_POLICY,
    ...(precondition === undefined ? [] : [precondition.statement]),
  ])
  if (precondition !== undefined) precondition.check(extra[0]!)
  const head = toHead(headResult)
  const target = knownRelease(release!.rows[0], release_id)
  const baselineId = agreedPointer(pointer!.rows[0], chosen!.rows[0])
  if (earlier?.head.revision === head.revision && earlier.baselineId === baselineId) {
    return { ...earlier, head }
  }
  const now = ledger.now()
  const window = parseWindow(proposal.window, now)
  if (typeof window === 'string') throw refused(window)
  const facts = {
    windowText: proposal.window,
    window,
    requiresApproval: ledger.workspace.promotion_requires_approval,
    policy: toPolicy(policyResult!.rows[0]),
    evaluatedAt: isoTime(now),
    evaluated: null,
    request: null,
  }
  if (baselineId === null) {
    if (proposal.action === 'rollback') {
      throw refused('No promoted release exists for this agent/environment; nothing to roll back to')
    }
    return {
      head,
      target,
      baselineId,
      window,
      verdict: { passed: true, reasons: [FIRST_PROMOTION_REASON], evaluated_at: facts.evaluatedAt },
      missing: null,
      evidence: evidenceOf(facts),
    }
  }
  const query = { baselineId, candidateId: release_id, environment, window, filters: NO_FILTERS }
  const raw = toRawSides(await ledger.sql.snapshot(sideStatements(query)))
  if (raw.baseline.release === undefined) {
    throw refused(`Promoted baseline release is missing: ${baselineId}`)
  }
  const sides = await pricedSides(ledger, query, raw, LABELS[proposal.action])
  const evaluation = evaluate(ledger, facts.policy, sides, now)
  const { verdict, label, thresholds, policy } = evaluation
  const lacksRuns = policy.require_high_diff_confidence && label.confidence !== 'HIGH'
  return {
    head,
    target,
    baselineId,
    window,
    verdict,
    missing: lacksRuns
      ? await missingForHigh(ledger.sql, sides, thresholds, environment, window.until)
      : null,
    evidence: evidenceOf({
      ...facts,
      evaluated: { evaluation, sides, catalog: catalogReport(await ledger.catalog(), sides) },
    }),
  }
}

const LABELS = {
  promote: { baseline: 'promoted_baseline', candidate: 'candidate' },
  rollback: { baseline: 'promoted_baseline', candidate: 'rollback target' },
} as const

/**
 * Writes a decision as one guarded batch: head, audit row, pointer, counters, outbox, and what the caller adds.
 * Returns undefined, and has written nothing, where the head or anything governed has moved since.
 */
export async function recordDecision(
  ledger: Ledger,
  proposal: Proposal,
  assessment: Assessment,
  extras: {
    readonly once?: Once<Outcome> | undefined
    readonly statements?: (actionId: string, createdAt: number) => Statement[]
  } = {},
): Promise<Outcome | undefined> {
  const { head, target, baselineId, verdict, evidence } = assessment
  const actionId = ledger.newId('act_')
  const record: AuditRecord = {
    audit_seq: head.seq + 1,
    prev_hash: head.hash,
    action_id: actionId,
    action: proposal.action,
    release_id: target.release_id,
    agent_id: target.agent_id,
    environment: proposal.environment,
    baseline_release_id: baselineId,
    reason: proposal.reason,
    actor: proposal.actor.name,
    actor_source: proposal.actor.source,
    policy_passed: verdict.passed,
    policy_reasons: verdict.reasons,
    created_at: Math.max(ledger.now(), head.created_at),
    evidence,
  }
  const sealed = await seal(record)
  const outcome = outcomeOf(proposal, assessment, actionId)
  const held = headHeldBy(actionId)
  const statements = [
    ...appendStatements(head, sealed),
    sql`${addToCounterIf(actionCounter(proposal.action), held)}`,
    ...(verdict.passed ? movePointer(record, held) : []),
    ...announceDecision(sealed, verdict, held, ledger.sql.clock),
    ...(extras.statements?.(actionId, record.created_at) ?? []),
    ...(extras.once === undefined
      ? []
      : [recordAnswer(extras.once.key, extras.once.answer(outcome), record.created_at, held)]),
  ]
  const recorded = sql`SELECT 1 AS found FROM actions WHERE action_id = ${actionId}`
  const written = await commitOnce(
    ledger,
    statements,
    results => results[1]!.rows[0],
    async () => (await ledger.sql.query(recorded)).rows[0],
  )
  if (written === undefined) return undefined
  const { action, release_id, agent_id, environment, actor, policy_passed } = record
  ledger.log('info', 'decision recorded', {
    action_id: actionId,
    action,
    release_id,
    agent_id,
    environment,
    actor,
    policy_passed,
  })
  ledger.outboxFilled()
  return outcome
}

function addToCounterIf(name: Parameters<typeof addToCounter>[0], held: Statement): Statement {
  return addToCounter(name, sql`(CASE WHEN ${held} THEN 1 ELSE 0 END)`)
}

function movePointer(record: AuditRecord, held: Statement): Statement[] {
  const { agent_id, environment, release_id, action_id } = record
  return [
    addToCounter(
      'promoted_pointers_total',
      sql`(CASE WHEN ${held} AND NOT EXISTS (
        SELECT 1 FROM promoted_pointers WHERE agent_id = ${agent_id} AND environment = ${environment}
      ) THEN 1 ELSE 0 END)`,
    ),
    sql`INSERT INTO promoted_pointers (agent_id, environment, release_id, action_id)
      SELECT ${agent_id}, ${environment}, ${release_id}, ${action_id} WHERE ${held}
      ON CONFLICT (agent_id, environment) DO UPDATE SET
        release_id = excluded.release_id, action_id = excluded.action_id`,
  ]
}

/** The outcome as it is answered; without an action id it is a dry run's. */
export function outcomeOf(proposal: Proposal, assessment: Assessment, actionId: string | null): Outcome {
  const { target, baselineId, verdict, missing } = assessment
  return {
    action_id: actionId,
    action: proposal.action,
    release_id: target.release_id,
    agent_id: target.agent_id,
    environment: proposal.environment,
    baseline_release_id: baselineId,
    promoted_pointer_changed: verdict.passed && actionId !== null && baselineId !== target.release_id,
    policy: verdict,
    ...(actionId === null ? { dry_run: true } : {}),
    ...(missing === null ? {} : { missing_for_high: missing }),
  }
}
