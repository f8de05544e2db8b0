import { DAY_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import type { UsedWindow } from '../../models/answers/window_used.ts'
import { type EndWidths, type Window, wholeWindow } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, asNumber, columns, mapped, onlyRow } from '../../sql/query.ts'
import { type Filters, isFiltered } from './rollups.ts'

/** What a window is read for. */
export interface WindowQuestion {
  readonly baselineId: string
  readonly candidateId: string
  readonly environment: string
  readonly window: Window
  readonly filters: Filters
}

/**
 * Whether the bucket that an end of the window cuts lacks events of either release: roll-ups count more runs in it than
 * are there, so which of them are in the window can't be told. How wide the buckets are that {@link readWindow} has to
 * take whole. With a filter only events that are there are read, and nothing is cut.
 */
export function endsQuery(
  { baselineId, candidateId, environment, window, filters }: WindowQuestion,
  bucketMs = 0,
): Query<EndWidths> {
  const widthMs = Math.max(MINUTE_MS, bucketMs)
  const [since, until] = [window.since, window.until].map(at =>
    isFiltered(filters) ? raw('0') : cutBuckets(at, widthMs),
  )
  const statement = sql`WITH sides AS (
      SELECT id FROM scopes WHERE environment = ${environment} AND release_id IN (${baselineId}, ${candidateId})
    ) SELECT ${since!} AS since_cut, ${until!} AS until_cut`
  const width = (cut: number): number => (cut > 0 ? widthMs : 1)
  return mapped(
    onlyRow(statement, columns({ since_cut: asNumber, until_cut: asNumber })),
    ({ since_cut, until_cut }) => ({ since: width(since_cut), until: width(until_cut) }),
  )
}

/** Of how many sides events are gone from the bucket around a moment. Days that are whole cost one look by key. */
function cutBuckets(at: number, widthMs: number): Statement {
  if (at <= 0 || at % widthMs === 0) return raw('0')
  const from = Math.floor(at / widthMs) * widthMs
  const to = from + widthMs
  return sql`(SELECT count(*) FROM sides s WHERE CASE
      WHEN EXISTS (SELECT 1 FROM event_gaps g WHERE g.scope = s.id AND g.day = ${Math.floor(at / DAY_MS)})
      THEN (SELECT coalesce(sum(r.runs), 0) FROM rollup_minutes r
          WHERE r.scope = s.id AND r.bucket >= ${from / MINUTE_MS} AND r.bucket < ${to / MINUTE_MS})
        > (SELECT count(*) FROM run_events e WHERE e.scope = s.id AND e.ts >= ${from} AND e.ts < ${to})
      ELSE false END)`
}

/**
 * Reads a window, and where it begins or ends in a bucket of which events are gone, reads what is left of it in whole
 * buckets. `read` gives what {@link endsQuery} reads in the same snapshot as all else, or none where nothing is counted.
 */
export async function readWindow<T extends { readonly ends?: EndWidths | undefined }>(
  asked: Window,
  read: (window: Window) => Promise<T>,
): Promise<{ readonly window: Window; readonly window_used?: UsedWindow; readonly found: T }> {
  for (let window = asked; ;) {
    const found = await read(window)
    const whole = found.ends === undefined ? window : wholeWindow(window, found.ends)
    if (whole.since !== window.since || whole.until !== window.until) {
      window = whole
      continue
    }
    const isCut = window.since !== asked.since || window.until !== asked.until
    const window_used = { since: isoTime(window.since), until: isoTime(window.until) }
    return { window, found, ...(isCut ? { window_used } : {}) }
  }
}

/** What to say of it: a sentence, or nothing. */
export function windowWarnings(used: UsedWindow | undefined): string[] {
  if (used === undefined) return []
  return [
    `run events at the ends of this window were pruned or erased, so it counts whole minutes, or ten of them where ` +
      `percentiles are read: from ${used.since} to ${used.until}`,
  ]
}
