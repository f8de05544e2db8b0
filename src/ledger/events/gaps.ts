import { DAY_MS, HOUR_MS, MINUTE_MS, dayText } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  asFlag,
  asNumber,
  asText,
  columns,
  field,
  firstRow,
  mapped,
  onlyRow,
  orNull,
} from '../../sql/query.ts'
import { IN_SCOPE, scopeCte } from './rollups.ts'

/** What of a window's run events is not there any more. */
export interface Gap {
  /** Epoch ms: from here on they are all there. */
  readonly wholeFrom: number
  /** Whether some are there before. */
  readonly hasEarlier: boolean
  /** Who keeps the runs of the last of these days as sums, where somebody does, and where they can be looked at. */
  readonly kept?: Kept
}

/** Who keeps runs as sums, and where they can be looked at. */
export interface Kept {
  readonly by: string
  readonly url: string | null
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
    SELECT last, k.kept_by, k.run_url, CASE WHEN EXISTS (
        SELECT 1 FROM run_events WHERE ${IN_SCOPE} AND ts >= ${from} AND ts < (SELECT (last + 1) * 86400000 FROM gap)
      ) THEN 1 ELSE 0 END AS earlier
    FROM gap LEFT JOIN event_gaps k ON k.${IN_SCOPE} AND k.day = gap.last`
  const read = columns({
    last: orNull(asNumber),
    earlier: asFlag,
    kept_by: orNull(asText),
    run_url: orNull(asText),
  })
  return mapped(onlyRow(statement, read), ({ last, earlier, kept_by, run_url }) => {
    if (last === null) return undefined
    const url = run_url && rowsAt(run_url, releaseId, { since: from, until })
    return {
      wholeFrom: (last + 1) * DAY_MS,
      hasEarlier: earlier,
      ...(kept_by === null ? {} : { kept: { by: kept_by, url } }),
    }
  })
}

/** Who keeps runs of a window as sums; undefined where nobody does. `releaseId` is an expression. */
export function keptByQuery(
  releaseId: Statement,
  environment: string,
  { since, until }: Window,
): Query<string | undefined> {
  const days = [Math.floor(Math.max(0, since) / DAY_MS), Math.ceil(until / DAY_MS)] as const
  return firstRow(
    sql`SELECT g.kept_by FROM event_gaps g JOIN scopes s ON s.id = g.scope
      WHERE s.release_id = ${releaseId} AND s.environment = ${environment}
        AND g.day >= ${days[0]} AND g.day < ${days[1]} AND g.kept_by IS NOT NULL ORDER BY g.day DESC LIMIT 1`,
    field('kept_by', asText),
  )
}

/** Where the runs of a release in a window can be looked at, by the template of who keeps them. */
export function rowsAt(template: string, releaseId: string, { since, until }: Window): string {
  return template
    .replaceAll('{release}', encodeURIComponent(releaseId))
    .replaceAll('{from_ms}', String(since))
    .replaceAll('{to_ms}', String(until))
}

/** What is said of runs that are kept as sums. */
export function keptText({ by, url }: Kept): string {
  return `these runs are kept as sums by ${by}${url === null ? '' : `; they are at ${url}`}`
}

export function gapWarning({ wholeFrom, kept }: Gap, what: string): string {
  if (kept !== undefined) return `${what}: ${keptText(kept)}`
  const day = dayText(wholeFrom)
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
