import { HOUR_MS } from '../../base/time.ts'
import { type BucketSums, countWidthOf } from '../../rules/common_time.ts'
import type { OfSides } from '../../rules/missing_evidence.ts'
import { type Counts, HOURS_BEFORE } from '../../rules/moments.ts'
import { type Window, hoursWithin } from '../../rules/window.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  asNumber,
  asRow,
  asText,
  columns,
  mapped,
  orNull,
  rowsOfSides,
  together,
} from '../../sql/query.ts'
import { daysOf, openHours, stateOfHours, unpacked } from '../events/days.ts'
import { revisionsCte } from '../events/known_sums.ts'
import { matchingRuns } from '../events/matching_runs.ts'
import { IN_SCOPE, bucketsOf, isFiltered, scopeCte, unionAll } from '../events/rollups.ts'
import type { Ledger } from '../world/ledger.ts'
import { keepLatest, remembering } from '../world/memo.ts'
import type { SideQuery } from './sides.ts'

type CountedWindow = Pick<SideQuery, 'environment' | 'window' | 'filters'>

/** Runs of both sides, to choose by what time they are compared: by the hour, below a day by the minute. */
export function countsQuery(ledger: Pick<Ledger, 'sql' | 'memo'>, query: SideQuery): Query<OfSides<Counts>> {
  const hour = Math.floor(Math.max(0, query.window.since) / HOUR_MS) * HOUR_MS
  const before = { since: Math.max(0, hour - HOURS_BEFORE * HOUR_MS), until: hour }
  const widthMs = countWidthOf(query.window)
  if (widthMs < HOUR_MS || isFiltered(query.filters)) {
    const of = (window: Window, width: number) =>
      rowsOfSides(
        side => countsStatement(query[`${side}Id`], { ...query, window }, width),
        'bucket',
        readCount,
      )
    const both = together({ before: of(before, HOUR_MS), within: of(query.window, widthMs) })
    return mapped(both, ({ before: earlier, within }) => ({
      baseline: { before: earlier.baseline, within: within.baseline },
      candidate: { before: earlier.candidate, within: within.candidate },
    }))
  }
  // Both are of hours: one range.
  const hours = hoursUnlessKnown(ledger, query, { ...query.window, since: before.since })
  const counts = (all: readonly BucketSums[]): Counts => ({
    before: all.filter(({ bucket }) => bucket * HOUR_MS < hour),
    within: all.filter(({ bucket }) => bucket * HOUR_MS >= hour),
  })
  return mapped(hours, ({ baseline, candidate }) => ({
    baseline: counts(baseline),
    candidate: counts(candidate),
  }))
}

const COUNT = { bucket: asNumber, runs: asNumber, latency_sum: asNumber, latency_sq: asNumber }
const SUMS = raw('bucket, sum(runs) AS runs, sum(latency_sum) AS latency_sum, sum(latency_sq) AS latency_sq')

function countsStatement(
  releaseId: string,
  { environment, window, filters }: CountedWindow,
  widthMs: number,
): Statement {
  if (isFiltered(filters)) {
    const hours = widthMs === HOUR_MS ? hoursWithin(window) : undefined
    const { ctes, parts } = matchingRuns({ releaseId, environment }, filters, window, hours)
    const [bucket, latency] = [
      raw(`e.ts / ${widthMs}`),
      raw('CAST(coalesce(e.latency_ms, 0) AS DOUBLE PRECISION)'),
    ]
    const all = parts(
      'runs',
      rows => sql`SELECT t.bucket, t.runs, t.latency_sum, t.latency_sq FROM ${rows}`,
      events => sql`SELECT ${bucket} AS bucket, count(*) AS runs, sum(${latency}) AS latency_sum,
        sum(${latency} * ${latency}) AS latency_sq FROM ${events} GROUP BY ${bucket}`,
    )
    return sql`WITH ${ctes} SELECT ${SUMS} FROM (${unionAll(all)}) AS p GROUP BY bucket ORDER BY bucket`
  }
  return sql`WITH ${scopeCte(releaseId, environment)} SELECT ${SUMS} FROM ${raw(widthMs === HOUR_MS ? 'rollup_hours' : 'rollup_minutes')}
    WHERE ${IN_SCOPE} AND ${bucketsOf(window, widthMs)} GROUP BY bucket ORDER BY bucket`
}

const readCount = columns(COUNT)
const readState = columns({ state: asText })
const readDay = columns({ hours: orNull(asText) })

/** The hours that were over when a process read them last, and what the ledger said of their state then. */
const knownHours = remembering(
  () => new Map<string, { readonly state: string; readonly hours: readonly BucketSums[] }>(),
)

/** Releases and windows of which that is kept: up to a few megabytes. */
const MOST_KEPT = 50

/** Runs by the hour: those that are over are read again only where they have changed, the newest hour each time. */
function hoursUnlessKnown(
  { memo }: Pick<Ledger, 'memo'>,
  { environment, ...query }: SideQuery,
  window: Window,
): Query<OfSides<BucketSums[]>> {
  const known = knownHours(memo)
  const [first, newest] = [
    Math.floor(Math.max(0, window.since) / HOUR_MS),
    Math.floor(window.until / HOUR_MS),
  ]
  const sideOf = (side: keyof OfSides) => {
    const releaseId = query[`${side}Id`]
    const key = [releaseId, environment, first, newest].join('\0')
    return { releaseId, key, before: known.get(key) }
  }
  const sides = { baseline: sideOf('baseline'), candidate: sideOf('candidate') }
  type OfSide = ReturnType<typeof sideOf>
  const end = Math.ceil(window.until / HOUR_MS)
  const statement = ({ releaseId, before }: OfSide): Statement => {
    const [from, to] = ['(SELECT first FROM unknown)', '(SELECT behind FROM unknown)']
    return sql`WITH ${scopeCte(releaseId, environment)}, ${revisionsCte(releaseId)}, given AS (
      SELECT CAST(${first} AS BIGINT) AS first, CAST(${newest} AS BIGINT) AS behind, CAST(${end} AS BIGINT) AS last
    ), now AS MATERIALIZED (
      SELECT ${stateOfHours('first', 'behind')} || ' ' || (SELECT revisions FROM revised) AS state FROM given
    ), unknown AS MATERIALIZED (
      SELECT CASE WHEN state = ${before?.state ?? ''} THEN behind ELSE first END AS first, last AS behind FROM given, now
    )
    SELECT n.state, h.* FROM now n LEFT JOIN (
      SELECT d.hours, NULL AS bucket, NULL AS runs, NULL AS latency_sum, NULL AS latency_sq
      FROM rollup_days d WHERE ${daysOf(from, to)} AND d.hours <> ''
      UNION ALL SELECT NULL, ${SUMS} FROM (SELECT h.* FROM ${openHours(from, to, 'hours')}) AS h GROUP BY bucket
    ) AS h ON true`
  }
  const hoursOf = ({ key, before }: OfSide, rows: readonly Row[]): BucketSums[] => {
    const { state } = readState(rows[0]!)
    const read = rows
      .flatMap(row => {
        const { hours } = readDay(row)
        return hours === null ? (row.bucket === null ? [] : [readCount(row)]) : unpacked(hours)
      })
      .filter(({ bucket }) => bucket >= first && bucket < end)
      .sort((a, b) => a.bucket - b.bucket)
    const isOver = ({ bucket }: BucketSums): boolean => bucket < newest
    const hours = state === before?.state ? before.hours : read.filter(isOver)
    keepLatest(known, key, { state, hours }, MOST_KEPT)
    return [...hours, ...read.filter(own => !isOver(own))]
  }
  return mapped(
    rowsOfSides(side => statement(sides[side]), 'bucket', asRow),
    rows => ({
      baseline: hoursOf(sides.baseline, rows.baseline),
      candidate: hoursOf(sides.candidate, rows.candidate),
    }),
  )
}
