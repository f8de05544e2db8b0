import type { Outcome } from '../../models/answers/decision.ts'
import type { WebhookEvent } from '../../models/answers/webhook.ts'
import { isoTime } from '../../base/time.ts'
import { type Statement, sql } from '../../sql/port.ts'
import type { Sealed, SealedEntry } from '../trail/chain.ts'

/**
 * Writes the announcement of a decision to the outbox, in the batch of the decision. A blocked rollback is
 * not announced.
 */
export function announceDecision(
  { record, hash }: Sealed,
  entry: SealedEntry,
  outcome: Pick<Outcome, 'policy' | 'version' | 'baseline_version'>,
  guard: Statement,
  clock: Statement,
): Statement[] {
  const event = eventOf(record)
  if (event === undefined) return []
  const { action_id, action, release_id, agent_id, environment, baseline_release_id, actor, reason } = record
  const data = {
    action_id,
    audit_seq: record.audit_seq,
    // What receivers keep of the chain, nobody can rewrite.
    hash,
    log_seq: entry.record.log_seq,
    log_hash: entry.hash,
    action,
    release_id,
    agent_id,
    environment,
    baseline_release_id,
    version: outcome.version,
    baseline_version: outcome.baseline_version,
    // A promotion of what is live already is recorded and announced like any other.
    promoted_pointer_changed: event !== 'promote.blocked' && baseline_release_id !== release_id,
    actor,
    reason,
    policy: outcome.policy,
  }
  return [toOutbox({ event, cause: action_id, createdAt: record.created_at, data }, guard, clock)]
}

function eventOf({ action, policy_passed, forced }: Sealed['record']): WebhookEvent | undefined {
  if (forced === true) return 'rollback.forced'
  if (policy_passed) return `${action}.succeeded`
  return action === 'promote' ? 'promote.blocked' : undefined
}

/** What is announced. */
export interface Announcement {
  readonly event: WebhookEvent
  /** Id of what it is about, such as an action; it ends in 12 hex characters. */
  readonly cause: string
  /** Epoch ms. */
  readonly createdAt: number
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * One delivery for each subscription that lists the event when the batch commits. The database completes the body,
 * because only then is it known which subscriptions there are. It is due by the database's `clock`: `createdAt` never
 * goes back, so that of one server that is ahead would be the future of all others.
 */
export function toOutbox(announcement: Announcement, guard: Statement, clock: Statement): Statement {
  const { event, cause, createdAt } = announcement
  const [before, after] = payloadAround(announcement)
  const deliveryId = sql`${deliveryIdStart(cause)} || substr(w.webhook_id, 5)`
  return sql`INSERT INTO webhook_deliveries (
      delivery_id, webhook_id, event, body, status, attempts, due_at, created_at
    )
    SELECT ${deliveryId}, w.webhook_id, ${event}, ${before} || ${deliveryId} || ${after}, 'pending', 0,
      ${clock}, CAST(${createdAt} AS BIGINT)
    FROM webhooks w
    WHERE w.enabled = 1 AND w.events LIKE ${`%"${event}"%`} AND ${guard}
    ORDER BY w.seq`
}

/** A payload before and behind its delivery_id. */
export function payloadAround({ event, createdAt, data }: Announcement): [before: string, after: string] {
  const rest = JSON.stringify({ created_at: isoTime(createdAt), data })
  return [`{"event":${JSON.stringify(event)},"delivery_id":"`, `",${rest.slice(1)}`]
}

/**
 * The start of a UUID of version 8 (RFC 9562, 5.8) from the 12 random characters of the cause. The 12 of the
 * webhook's id complete it, so that one cause is one delivery per webhook, whoever writes it and how often.
 */
export function deliveryIdStart(cause: string): string {
  const [kind, hex] = [cause.slice(0, -12), cause.slice(-12)]
  return `${hex.slice(0, 8)}-${hex.slice(8)}-8${KINDS[kind] ?? blockedKind(kind)}-8000-`
}

/** Of a rollback that was blocked again and again, by the number of the attempt. */
function blockedKind(kind: string): string {
  const [, nth] = /^wrb(\d*)_$/.exec(kind) ?? []
  return nth === undefined ? '000' : `${Number(nth).toString(16).padStart(2, '0')}8`
}

/** Keeps apart the ids of causes of different kinds. */
const KINDS: Readonly<Record<string, string>> = {
  act_: '001',
  prq_: '002',
  tst_: '003',
  wch_: '007',
  rlc_: '009',
}
