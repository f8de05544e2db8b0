import { isoTime } from '../../base/time.ts'
import type { Watch } from '../../models/answers/watch.ts'
import type { Watched } from './rules_readings.ts'
import type { Retry } from './rules_retry.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import { type Query, among, hasRow } from '../../sql/query.ts'
import type { WebhookEvent } from '../../models/answers/webhook.ts'
import { blockedCause, toOutbox } from '../../ledger/webhooks/announcements.ts'
import { LOOK_MS } from './begin.ts'
import type { Claimed } from './claim.ts'
import { KEPT_LOOKS, type LookFacts, type Rollback, rollbackOf } from './rows.ts'

/** The result of a look, as it is written and announced. */
export interface Conclusion {
  readonly state: Watch['state']
  readonly because: string | null
  readonly regressions: readonly Watched[]
  readonly rollback: Rollback | null
  /** The retries of a blocked rollback; null where there is none. */
  readonly retry: Retry | null
  /** Who ended it; null where the watch itself did. */
  readonly by: string | null
}

/** The row of a watch as a look leaves it. A rollback that is blocked once more leaves when and why the watch ended. */
export function concludedRow(
  { row, now, retry }: Claimed,
  { state, because, by, rollback }: Conclusion,
): Row {
  const isBlockedAgain = retry !== null && state === 'regressed'
  return {
    ...row,
    state,
    ended_at: state === 'watching' ? null : isBlockedAgain ? row.ended_at! : now,
    ended_because: isBlockedAgain ? row.ended_because! : because,
    ended_by: by,
    rollback_json: rollback === null ? null : JSON.stringify(rollback),
  }
}

/**
 * Writes a look, and the end of the watch where it is one. `guard` says whether a decision of the same batch was written;
 * without one it is the claim that has to. Says whether it did.
 */
export function lookQuery(
  watch: Claimed,
  facts: LookFacts,
  conclusion: Conclusion,
  clock: Statement,
  guard?: Statement,
): Query<boolean> {
  const { watch_id, lease, looks } = watch
  const { state, retry } = conclusion
  const row = concludedRow(watch, conclusion)
  const mayWrite = guard ?? sql`state = 'watching' AND lease = ${lease} AND looks = ${looks}`
  const isWritten = sql`watch_id = ${watch_id} AND lease = ${lease} AND state = ${state} AND looks > ${looks}`
  const isNoted = sql`EXISTS (SELECT 1 FROM watches WHERE ${isWritten})`
  const noted =
    hasRow(sql`UPDATE watches SET looks = CAST(${looks + 1} AS BIGINT), due_at = ${clock} + ${LOOK_MS}, state = ${state}, lease = ${lease},
        ended_at = CAST(${row.ended_at!} AS BIGINT), ended_because = ${row.ended_because!}, ended_by = ${row.ended_by!},
        rollback_json = ${row.rollback_json!}, retry_json = ${retry === null ? null : JSON.stringify(retry)}
      WHERE watch_id = ${watch_id} AND ${mayWrite} RETURNING watch_id`)
  return among([], noted, [
    sql`INSERT INTO watch_looks (watch_id, look, at, look_json)
      SELECT watch_id, looks, CAST(${watch.now} AS BIGINT), ${JSON.stringify(facts)} FROM watches
      WHERE ${isWritten} ON CONFLICT (watch_id, look) DO NOTHING`,
    sql`DELETE FROM watch_looks WHERE watch_id = ${watch_id} AND look <= ${looks + 1 - KEPT_LOOKS}`,
    ...announcementsOf(watch, facts, conclusion).map(announcement => toOutbox(announcement, isNoted, clock)),
  ])
}

const EVENTS: Readonly<Partial<Record<Watch['state'], WebhookEvent>>> = {
  passed: 'watch.passed',
  inconclusive: 'watch.inconclusive',
  regressed: 'watch.regressed',
  rolled_back: 'watch.regressed',
}

/** Announcements of the end of a watch; for one that a decision ended, the decision's own announce it. */
function announcementsOf(
  watch: Claimed,
  facts: LookFacts,
  { state, because, regressions, rollback, by, retry }: Conclusion,
): Parameters<typeof toOutbox>[0][] {
  const event = EVENTS[state]
  if (event === undefined || by !== null) return []
  const { watch_id, agent_id, environment, release_id, baseline_release_id, auto_rollback, min_runs } = watch
  const data = {
    watch_id,
    agent_id,
    environment,
    release_id,
    baseline_release_id,
    actor: WATCH_ACTOR.name,
    reason: because,
    state,
    regressions,
    auto_rollback,
    min_runs,
    rollback: rollbackOf(rollback, retry),
    look: { look: watch.looks + 1, at: isoTime(watch.now), ...facts },
  }
  const message = { event, cause: watch_id, createdAt: watch.now, data }
  const isBlocked = rollback !== null && !rollback.passed
  const blocked = {
    ...message,
    event: 'watch.rollback_blocked',
    cause: blockedCause(watch_id, rollback?.attempts),
  } as const
  // The regression was announced with the first attempt.
  return [...(watch.retry === null ? [message] : []), ...(isBlocked ? [blocked] : [])]
}

/** Who rolls back where a watch does. */
export const WATCH_ACTOR = { name: 'watch', source: 'watch' } as const
