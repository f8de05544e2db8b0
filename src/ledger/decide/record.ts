import { verdictOf } from '../../rules/result.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import { type Evidence, hasMoved } from '../../rules/evidence.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { among, ask, hasRow, whereDone } from '../../sql/query.ts'
import {
  type AuditRecord,
  LOCK_HEAD,
  type NewEntry,
  type Sealed,
  appendQuery,
  commitOnce,
  entryStatement,
  headBehind,
  headChangedBy,
  seal,
  sealEntries,
} from '../trail/chain.ts'
import { type Holds, holding } from '../trail/bound_rows.ts'
import { actionCounter, addToCounters } from '../trail/counters.ts'
import type { KeepResult } from '../trail/idempotency.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import { announceDecision } from '../webhooks/announcements.ts'
import { countDecision } from '../world/tally.ts'
import { type Assessment, type Proposal, type Precondition, assess } from '../assess/assess.ts'
import type { Contribution, NewDecision } from '../assess/parts.ts'
import { ServiceError, badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { noteLive } from '../assess/expected.ts'
import { headBehindSent, noteSent } from './sent.ts'
import { arrive } from '../assess/waves.ts'
import { bounded, keepingPlans } from '../../sql/deadline.ts'

/** What goes into the batch of a decision contributed the decision itself. */
export interface Along {
  readonly keep: KeepResult<Outcome>
  readonly statements?: (actionId: string, createdAt: number, guard: Statement) => readonly Statement[]
  /** Rows that these statements change, as they are then. */
  readonly holds?: (actionId: string, createdAt: number) => Promise<Holds>
}

/**
 * Writes a decision as one guarded batch: head, audit row, pointer, counters, outbox, and what the caller adds.
 * Returns undefined, and has written nothing, where the head or anything governed has moved since.
 */
export async function recordDecision(
  ledger: Ledger,
  proposal: Proposal,
  assessment: Assessment,
  { keep, statements: more = () => [], holds = async () => ({}) }: Along,
): Promise<Outcome | undefined> {
  const { head } = assessment
  const record = recordOf(ledger, proposal, assessment)
  const { action_id, created_at } = record
  const sealed = await seal(record)
  const { policy, window } = assessment.evidence
  const isMoved = hasMoved(record)
  const decision = { record, policy, since: window.since, now: head.now, newId: ledger.newId }
  const contributed = await contributions(ledger, assessment, decision)
  const effective = Object.assign(
    {},
    ...contributed.map(each => each.holds),
    await holds(action_id, created_at),
  ) as Holds
  const [entry] = await sealEntries(head.log, [decisionEntry(sealed, effective)])
  const outcome: Outcome = Object.assign(
    outcomeOf(proposal, assessment, action_id),
    ...contributed.map(({ answer }) => answer),
  )
  const guard = headChangedBy(action_id)
  const { clock } = ledger.sql
  const after = headBehind(head, sealed, entry!)
  const takeBack = noteSent(ledger.memo, { agentId: record.agent_id, before: head, after })
  const written = await commitOnce(
    ledger,
    among([], whereDone(appendQuery(head, sealed, entry!)), [
      entryStatement(entry!, guard),
      addToCounters([
        [actionCounter(proposal.action), sql`(CASE WHEN ${guard} THEN 1 ELSE 0 END)`],
        ...(isMoved ? [['promoted_pointers_total', isNewPlace(record, guard)] as const] : []),
      ]),
      ...(isMoved ? [movePointer(record, guard)] : []),
      ...contributed.flatMap(({ statements: of }) => of(guard)),
      ...announceDecision(sealed, entry!, outcome, guard, clock),
      ...more(action_id, created_at, guard),
      ...keep(outcome, created_at, guard),
    ]),
    () =>
      ask(ledger.sql, whereDone(hasRow(sql`SELECT 1 AS found FROM actions WHERE action_id = ${action_id}`))),
  ).catch((error: unknown) => {
    takeBack()
    throw error
  })
  if (written === undefined) {
    takeBack()
    return undefined
  }
  const cameOut = proposal.force === true ? 'forced' : verdictOf(assessment.verdict)
  countDecision(ledger.tally, proposal.action, cameOut)
  if (isMoved) noteLive(ledger.memo, record.agent_id, record.environment, record.release_id)
  logDecision(ledger, record)
  ledger.outboxFilled()
  return outcome
}

async function contributions(
  { features }: Ledger,
  { parts: read }: Assessment,
  decision: NewDecision,
): Promise<Contribution[]> {
  const parts = await partsOf(features, 'decision')
  const all = parts.map(({ name, contribute }) => contribute(decision, read[name] as never))
  return (await Promise.all(all)).filter(contributed => contributed !== undefined)
}

function recordOf(ledger: Ledger, proposal: Proposal, assessment: Assessment): AuditRecord {
  const { head, target, baseline, verdict, evidence } = assessment
  return {
    audit_seq: head.seq + 1,
    prev_hash: head.hash,
    action_id: ledger.newId('act_'),
    action: proposal.action,
    release_id: target.release_id,
    agent_id: target.agent_id,
    environment: proposal.environment,
    baseline_release_id: baseline?.release_id ?? null,
    reason: proposal.reason,
    actor: proposal.actor.name,
    actor_source: proposal.actor.source,
    ...(proposal.actor.claimed === undefined ? {} : { claimed_actor: proposal.actor.claimed }),
    ...(proposal.actor.identity === undefined ? {} : { actor_identity: proposal.actor.identity }),
    policy_passed: verdict.passed,
    policy_reasons: verdict.reasons,
    ...(proposal.force === true ? { forced: true } : {}),
    created_at: Math.max(ledger.now(), head.created_at),
    decided_at: head.now,
    evidence,
  }
}

/** What the audit log says of a decision: whose it was, the hash of its record, and what else it changed. */
export function decisionEntry({ record, hash }: Sealed, holds: Holds = {}): NewEntry {
  const { audit_seq, action, release_id, agent_id, environment, policy_passed, forced } = record
  return {
    kind: 'decision',
    subject: record.action_id,
    actor: { name: record.actor, source: record.actor_source, identity: record.actor_identity },
    reason: record.reason,
    // That of the record is never before the decision before it, and so stays ahead after a clock was.
    created_at: record.decided_at ?? record.created_at,
    fact: hash,
    details: {
      audit_seq,
      action,
      release_id,
      agent_id,
      environment,
      policy_passed,
      ...(forced === true ? { forced } : {}),
      ...holding(holds),
    },
  }
}

/** 1 where nothing was live in a place, as a number to count. */
function isNewPlace({ agent_id, environment }: AuditRecord, guard: Statement): Statement {
  return sql`(CASE WHEN ${guard} AND NOT EXISTS (
    SELECT 1 FROM promoted_pointers WHERE agent_id = ${agent_id} AND environment = ${environment}
  ) THEN 1 ELSE 0 END)`
}

function movePointer(
  { agent_id, environment, release_id, action_id }: AuditRecord,
  guard: Statement,
): Statement {
  return sql`INSERT INTO promoted_pointers (agent_id, environment, release_id, action_id)
    SELECT ${agent_id}, ${environment}, ${release_id}, ${action_id} WHERE ${guard}
    ON CONFLICT (agent_id, environment) DO UPDATE SET
      release_id = excluded.release_id, action_id = excluded.action_id`
}

function logDecision({ log }: Ledger, record: AuditRecord): void {
  const { action_id, action, release_id, agent_id, environment, actor, policy_passed } = record
  const facts = { action_id, action, release_id, agent_id, environment, actor, policy_passed }
  if (record.forced === true) log('warn', 'rollback was forced', { ...facts, reason: record.reason })
  else log('info', 'decision recorded', facts)
}

/** What of either side was left out, where anything was. */
function leftOutOf({ evaluation }: Evidence): Pick<Outcome, 'left_out'> {
  const sides = (['baseline', 'candidate'] as const).flatMap(side => {
    const leftOut = evaluation?.[side].left_out
    return leftOut === undefined ? [] : [[side, leftOut] as const]
  })
  return sides.length === 0 ? {} : { left_out: Object.fromEntries(sides) }
}

/** The outcome as it is answered; without an action id it is a dry run's. */
export function outcomeOf(proposal: Proposal, assessment: Assessment, actionId: string | null): Outcome {
  const { target, baseline, verdict, missing, evidence } = assessment
  const { policy, policy_scope, window_used } = evidence
  return {
    action_id: actionId,
    action: proposal.action,
    release_id: target.release_id,
    version: target.version,
    agent_id: target.agent_id,
    environment: proposal.environment,
    baseline_release_id: baseline?.release_id ?? null,
    baseline_version: baseline?.version ?? null,
    promoted_pointer_changed:
      (verdict.passed || proposal.force === true) &&
      actionId !== null &&
      baseline?.release_id !== target.release_id,
    policy: verdict,
    ...(proposal.force === true ? { forced: true } : {}),
    ...(actionId === null ? { dry_run: true } : {}),
    ...(missing === null ? {} : { missing_for_high: missing }),
    ...leftOutOf(evidence),
    ...(policy_scope === undefined ? {} : { policy_scope: { ...policy_scope, policy } }),
    ...(window_used === undefined ? {} : { window_used }),
  }
}

/** Attempts to win the head of the chain against other writers before giving up with 503. */
const MAX_ATTEMPTS = 200

/** How long an assessment may wait for its turn before it is read again, ms. */
const MOST_AGE_MS = 1000

/**
 * Assesses a proposal and hands it to `commit`, which returns undefined where its guard was lost, together with the ledger
 * whose operations end in time. Then, and where this process changed anything but other agents meanwhile, all is read again:
 * where only the head has moved, the assessment is still valid and is merely tied to the new head. Behind decisions of the same
 * place it is read when they are written, and what one of them measured meanwhile is not measured again.
 */
export async function decideWithRetries<T, R = unknown>(
  given: Ledger,
  proposal: Proposal,
  commit: (assessment: Assessment, ledger: Ledger) => Promise<T | undefined>,
  precondition?: Precondition<R>,
): Promise<T> {
  refuseBlankReason(proposal.reason)
  const own = bounded(given)
  const on = (db: Sql): Ledger => ({ ...own, sql: keepingPlans(db) })
  const { decisions } = own.memo
  let assessment: Assessment | undefined
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const arrival = arrive(own.memo, proposal.release_id, proposal.environment)
    try {
      const { released } = decisions
      const early =
        arrival.isBehind || assessment !== undefined
          ? undefined
          : await assess(on(own.sql), proposal, precondition)
      if (early !== undefined) arrival.isOf(early.target.agent_id)
      const readAt = own.elapsed()
      const result = await decisions.act(own.sql, LOCK_HEAD, async (db, isShared) => {
        const ledger = on(db)
        const wave = arrival.wave(ledger.now())
        const isRecent = early !== undefined && own.elapsed() - readAt < MOST_AGE_MS
        const head = isRecent && !isShared ? headBehindSent(own.memo, early.head, released) : undefined
        const isCurrent = head === early?.head || precondition === undefined
        const assessed =
          head !== undefined && isCurrent
            ? { ...early!, head }
            : await assess(ledger, proposal, precondition, early ?? assessment, wave)
        // What was seen in a transaction of several may never have been.
        if (!isShared) assessment = assessed
        return commit(assessed, ledger)
      })
      if (result !== undefined) return result
    } finally {
      arrival.leave()
    }
  }
  throw new ServiceError(503, 'Too many other decisions are being written; try again.', {
    headers: { 'Retry-After': '1' },
  })
}

/** Refuses a proposal without a reason (specification, Errors). */
export function refuseBlankReason(reason: string): void {
  if (isBlank(reason)) throw badRequest('Reason is required for promote/rollback actions')
}
