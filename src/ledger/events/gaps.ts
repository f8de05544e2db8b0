import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, onlyRow } from '../../sql/query.ts'
import { IN_SCOPE, scopeCte } from './rollups.ts'
import { type Job, isHeld } from './jobs.ts'

/** What of a window's run events is not there any more. */
export interface Gap {
  /** Epoch ms: from here on they are all there. */
  readonly wholeFrom: number
  /** Whether some are there before. */
  readonly hasEarlier: boolean
}

/** Of a release in an environment; undefined where nothing is gone. */
export function gapQuery(
  releaseId: string,
  environment: string,
  { since, until }: Window,
): Query<Gap | undefined> {
  const from = Math.max(0, since)
  const statement = sql`WITH ${scopeCte(releaseId, environment)}, gap AS (
      SELECT max(day) AS last FROM event_gaps
      WHERE ${IN_SCOPE} AND day >= ${Math.floor(from / DAY_MS)} AND day < ${Math.ceil(until / DAY_MS)}
    )
    SELECT last, CASE WHEN EXISTS (
        SELECT 1 FROM run_events WHERE ${IN_SCOPE} AND ts >= ${from} AND ts < (SELECT (last + 1) * 86400000 FROM gap)
      ) THEN 1 ELSE 0 END AS earlier
    FROM gap`
  return onlyRow(statement, ({ last, earlier }) =>
    last === null ? undefined : { wholeFrom: (Number(last) + 1) * DAY_MS, hasEarlier: earlier === 1 },
  )
}

export function gapWarning({ wholeFrom }: Gap, what: string): string {
  const day = isoTime(wholeFrom).slice(0, 10)
  return `run events before ${day} were pruned or erased, so ${what}; \`svc runs restore\` brings archived ones back`
}

/** Whether a bucket of a roll-up, of the given column and width, is of a day whose events are all there. */
export function isWhole(
  scope: Statement,
  bucket: Statement,
  widthMs: 1 | typeof MINUTE_MS | typeof HOUR_MS,
): Statement {
  const perDay = raw(String(DAY_MS / widthMs))
  return sql`NOT EXISTS (
    SELECT 1 FROM event_gaps g WHERE g.scope = ${scope} AND g.day = ${bucket} / ${perDay})`
}

/**
 * Marks a day of a scope as not whole, in the batch in which the first of its events goes; `done` is set with the last one
 * that is pruned.
 */
export function markGap(
  { scope, day }: { readonly scope: number; readonly day: number },
  { done, job }: { readonly done: boolean; readonly job: Job },
): Statement {
  return sql`INSERT INTO event_gaps (scope, day, done)
    SELECT CAST(${scope} AS BIGINT), CAST(${day} AS BIGINT), CAST(${done ? 1 : 0} AS BIGINT) WHERE ${isHeld(job)}
    ON CONFLICT (scope, day) DO UPDATE SET done = excluded.done`
}
