import type { Policy } from '../../models/documents/policy.ts'
import { type TimePlan, countWidthOf, timePlan } from '../../rules/common_time.ts'
import { HOUR_MS } from '../../base/time.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, asNumber, columns, mapped, ofSides } from '../../sql/query.ts'
import { matchingEvents } from '../events/matching.ts'
import { IN_SCOPE, bucketsOf, isFiltered, scopeCte } from '../events/rollups.ts'
import type { SideQuery } from './sides.ts'

/** What is compared; unset is `time`. */
export type CompareBy = NonNullable<Policy['compare_by']>

/** Whether what both sides share is compared, or the window as it is. */
export function comparesShared({ compare_by }: { readonly compare_by?: CompareBy | undefined }): boolean {
  return compare_by !== 'window'
}

/** What of a window two sides are compared over: their runs are counted by the hour, below a day by the minute. */
export function timeQuery(dialect: Sql['dialect'], query: SideQuery): Query<TimePlan> {
  const { window } = query
  const widthMs = countWidthOf(window)
  const counts = ofSides(side =>
    allRows(
      countsStatement(dialect, query[`${side}Id`], query, widthMs),
      columns({ bucket: asNumber, runs: asNumber }),
    ),
  )
  return mapped(counts, ({ baseline, candidate }) => timePlan(baseline, candidate, window, widthMs))
}

function countsStatement(
  dialect: Sql['dialect'],
  releaseId: string,
  { environment, window, filters }: SideQuery,
  widthMs: number,
): Statement {
  const scope = sql`WITH ${scopeCte(releaseId, environment)}`
  if (isFiltered(filters)) {
    const bucket = raw(`e.ts / ${widthMs}`)
    return sql`${scope} SELECT ${bucket} AS bucket, count(*) AS runs
      FROM ${matchingEvents(dialect, window, filters)} GROUP BY ${bucket} ORDER BY 1`
  }
  return sql`${scope} SELECT bucket, sum(runs) AS runs
    FROM ${raw(widthMs === HOUR_MS ? 'rollup_hours' : 'rollup_minutes')}
    WHERE ${IN_SCOPE} AND ${bucketsOf(window, widthMs)} GROUP BY bucket ORDER BY bucket`
}
