import { DAY_MS, HOUR_MS, MINUTE_MS, dayText, isoTime } from '../../base/time.ts'
import { type EndWidths, type Window, wholeWindow } from '../../rules/window.ts'
import { type Statement, join, raw, sql } from '../../sql/port.ts'
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
import { type Filters, IN_SCOPE, isFiltered, scopeCte } from './rollups.ts'
import type { UsedWindow } from '../../models/answers/window_used.ts'
import { keepLatest } from '../world/memo.ts'

/** What of a window's run events is not there any more. */
export interface Gap {
  /** Epoch ms: from here on they are all there. */
  readonly wholeFrom: number
  /** Whether some are there before. */
  readonly hasEarlier: boolean
  /** Who keeps the runs of the last of these days as sums, where somebody does, and where they can be looked at. */
  readonly kept?: AggregateSource
}

/** Who keeps runs as sums, and where they can be looked at. */
export interface AggregateSource {
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
export function keptText({ by, url }: AggregateSource): string {
  return `these runs are kept as sums by ${by}${url === null ? '' : `; they are at ${url}`}`
}

export function gapWarning({ wholeFrom, kept }: Gap, what: string): string {
  if (kept !== undefined) return `${what}: ${keptText(kept)}`
  const day = dayText(wholeFrom)
  return `run events before ${day} were pruned or erased, so ${what}; \`svc runs ingest --restored\` brings archived ones back`
}

/** Whether a bucket of a rollup, of the given column and width, is of a day whose events are all there. */
export function isWhole(
  scope: Statement,
  bucket: Statement,
  widthMs: 1 | typeof MINUTE_MS | typeof HOUR_MS,
): Statement {
  const perDay = raw(String(DAY_MS / widthMs))
  return sql`NOT EXISTS (
    SELECT 1 FROM event_gaps g WHERE g.scope = ${scope} AND g.day = ${bucket} / ${perDay})`
}

/** What a window is read for. */
interface WindowQuestion {
  readonly baselineId: string
  readonly candidateId: string
  readonly environment: string
  readonly window: Window
  readonly filters: Filters
  /** Epoch ms. No run is later, so a window that ends now takes the whole of its last bucket. */
  readonly now: number
}

/**
 * Whether the bucket that an end of the window cuts lacks events of either release: rollups count more runs in it than
 * are there, so which of them are in the window is unknown. How wide the buckets are that {@link readWindow} has to
 * take whole. With a filter only events that are there are read, and nothing is cut.
 */
export function endsQuery(
  { baselineId, candidateId, environment, window, filters, now }: WindowQuestion,
  bucketMs = 0,
): Query<EndWidths> {
  const widthMs = Math.max(MINUTE_MS, bucketMs)
  const [since, until] = [window.since, window.until].map(at =>
    isFiltered(filters) || at >= now ? raw('1') : cutWidth(at, widthMs),
  )
  const statement = sql`WITH sides AS (
      SELECT id FROM scopes WHERE environment = ${environment} AND release_id IN (${baselineId}, ${candidateId})
    ) SELECT ${since!} AS since, ${until!} AS until`
  return onlyRow(statement, columns({ since: asNumber, until: asNumber }))
}

/**
 * How wide the bucket around a moment is, ms, of which events are gone from a side; 1 where none are. Sums of a day may be
 * by the hour. Days that are whole cost one look by key.
 */
function cutWidth(at: number, widthMs: number): Statement {
  if (at <= 0) return raw('1')
  const widths = [widthMs, HOUR_MS].filter(width => at % width !== 0)
  if (widths.length === 0) return raw('1')
  const cut = widths.map(width => {
    const from = Math.floor(at / width) * width
    const to = from + width
    return sql`WHEN coalesce(g.width_ms, 0) ${raw(width === widthMs ? `<= ${widthMs}` : `= ${HOUR_MS}`)}
        AND (SELECT coalesce(sum(r.runs), 0) FROM rollup_minutes r
          WHERE r.scope = s.id AND r.bucket >= ${from / MINUTE_MS} AND r.bucket < ${to / MINUTE_MS})
        > (SELECT count(*) FROM run_events e WHERE e.scope = s.id AND e.ts >= ${from} AND e.ts < ${to})
      THEN ${raw(String(width))}`
  })
  return sql`coalesce((SELECT max(CASE ${join(cut, ' ')} ELSE 1 END) FROM sides s
    JOIN event_gaps g ON g.scope = s.id AND g.day = ${Math.floor(at / DAY_MS)}), 1)`
}

/** What {@link endsQuery} reads, or none where nothing is counted, and up to when both sides are known at all, epoch ms. */
interface Ends {
  readonly ends?: EndWidths | undefined
  readonly coveredTo?: number | undefined
}

/** How to learn the ends of a window without reading it. */
export interface EndsFirst {
  /** Comparisons whose windows were cut when they were read last: of these it is likely again. The latest are kept. */
  readonly cutBefore: Map<string, true>
  /** This one among them. */
  readonly key: string
  readonly read: (window: Window) => Promise<Ends>
}

/**
 * Reads a window, and where it begins or ends in a bucket of which events are gone, reads what is left of it in whole
 * buckets. `read` gives the ends as the snapshot has them that all else is read in; what was looked up `first` only saves
 * a reading that would come to nothing.
 */
export async function readWindow<T extends Ends>(
  wanted: Window,
  read: (window: Window) => Promise<T>,
  first?: EndsFirst,
): Promise<{ readonly window: Window; readonly window_used?: UsedWindow; readonly found: T }> {
  const isLikelyCut = first?.cutBefore.delete(first.key) === true
  for (let window = isLikelyCut ? wholeOf(wanted, await first.read(wanted)) : wanted; ;) {
    const found = await read(window)
    const whole = wholeOf(window, found)
    if (!isSame(whole, window)) {
      window = whole
      continue
    }
    if (isSame(window, wanted)) return { window, found }
    if (first !== undefined) keepLatest(first.cutBefore, first.key, true)
    const window_used = { since: isoTime(window.since), until: isoTime(window.until) }
    return { window, found, window_used }
  }
}

function wholeOf(window: Window, { ends, coveredTo = Infinity }: Ends): Window {
  const { since, until } = ends === undefined ? window : wholeWindow(window, ends)
  return { since, until: Math.max(since, Math.min(until, coveredTo)) }
}

function isSame(one: Window, other: Window): boolean {
  return one.since === other.since && one.until === other.until
}

/** What to say of it: a sentence, or nothing. */
export function windowWarnings(used: UsedWindow | undefined, requested: Window): string[] {
  if (used === undefined) return []
  if (Date.parse(used.since) < requested.since) {
    return [
      'sequential intervals use all runs of the candidate, so the window begins at its first: ' +
        `from ${used.since} to ${used.until}`,
    ]
  }
  return [
    'run events at the ends of this window are not here, because they were pruned or erased or are kept as sums, so it ' +
      'counts whole minutes, ten of them where percentiles are read, hours where sums are by the hour: ' +
      `from ${used.since} to ${used.until}`,
  ]
}
