import { DAY_HOURS, DAY_MS, HOUR_MS, MINUTE_MS } from '../base/time.ts'
import {
  type BucketRuns,
  type BucketSums,
  DROPPED_SHARE,
  type Moments,
  type TimePlan,
  blocksOf,
  countWidthOf,
  sharedSpan,
  timeOf,
  timePlan,
  totalOf,
} from './common_time.ts'
import type { OfSides } from './missing_evidence.ts'
import { MOST_RUNS, stepsOf } from './share_steps.ts'
import { LEAST_EFFECTIVE_UNITS } from './statistics/match.ts'
import type { Range, Window } from './window.ts'

/** How long before a window runs are counted, hours: those of it that last longer are few. */
export const HOURS_BEFORE = 24

/** Runs of a release by bucket of a window, and by the hour of the day before it. */
export interface Counts {
  readonly before: readonly BucketRuns[]
  readonly within: readonly BucketSums[]
}

type SideName = keyof OfSides

/** The starts of the first and the last bucket in which both sides run, and which of them did not run before. */
interface BothSince {
  readonly since: number
  readonly last: number
  readonly young: readonly SideName[]
}

/**
 * From when on both sides ran, a day before the window at the earliest; undefined where one has no runs. Runs are dated when
 * they end, so of a side that begins the long ones come in last: both are alike from its first run on.
 */
function bothSince(sides: OfSides<Counts>, { since }: Window, widthMs: number): BothSince | undefined {
  const first = Math.floor(Math.max(0, since) / HOUR_MS) - HOURS_BEFORE
  const timesOf = ({ before, within }: Counts): BucketRuns[] => [
    ...before.map(({ bucket, runs }) => ({ bucket: bucket * HOUR_MS, runs })),
    ...within.map(({ bucket, runs }) => ({ bucket: bucket * widthMs, runs })),
  ]
  const times = { baseline: timesOf(sides.baseline), candidate: timesOf(sides.candidate) }
  const always = { since: -Infinity, until: Infinity }
  const span = sharedSpan(times.baseline, times.candidate, always, 1) ?? timeOf(times.candidate, 1, always)
  if (span === undefined) return undefined
  const from = span.since
  const isYoung = (side: SideName): boolean =>
    from > first * HOUR_MS &&
    totalOf(times[side].filter(({ bucket }) => bucket < from)) <= DROPPED_SHARE * totalOf(times[side])
  return { since: from, last: span.until - 1, young: (['baseline', 'candidate'] as const).filter(isYoung) }
}

/** Share of what both sides ran that may have been under way at a moment without being looked for. */
const NEGLIGIBLE_SHARE = 0.001

/**
 * Whether it changes nothing to leave out the runs that were under way at a moment. Of runs with latencies l
 * that end within T, those under way at a moment have Σl²/T of the latency Σl on average, and a lower share of the runs: their
 * mean is no more than Σl²/Σl. Nor does it below the fewest units of time, where nothing is comparable.
 */
export function areNegligible(
  { since, last }: BothSince,
  sides: OfSides<readonly BucketSums[]>,
  window: Window,
  widthMs: number,
): boolean {
  const from = Math.max(since, window.since)
  if (blocksOf({ since: from, until: last + widthMs }, MINUTE_MS) < LEAST_EFFECTIVE_UNITS) return true
  const shared = last - Math.max(since + (since < window.since ? HOUR_MS : widthMs), window.since)
  return (['baseline', 'candidate'] as const).every(name => {
    const side = sides[name]
    const within = side.filter(({ bucket }) => bucket * widthMs >= since)
    const [sum, squares] = (['latency_sum', 'latency_sq'] as const).map(of =>
      within.reduce((all, own) => all + own[of], 0),
    )
    return squares! <= NEGLIGIBLE_SHARE * Math.max(0, shared) * sum!
  })
}

/** What it takes to leave out the runs of a side that were under way at some moments. */
export interface Reach {
  /** Whether their rows are there, and few enough to read. */
  readonly isReadable: boolean
  /** Behind the last minute that may hold one, epoch ms; null where none does. */
  readonly until: number | null
  /** How long that is after its moment, ms; 0 where none does. */
  readonly over_ms: number
}

/** The rows of the runs of both sides. */
export interface RunRows {
  /** When each of these sides began, by the runs that ended first since a time, epoch ms; undefined without rows. */
  readonly began: (sides: readonly SideName[], since: number) => Promise<readonly (number | undefined)[]>
  /** How many runs that ended within these times, epoch ms, began in each minute: of each side one in so many. */
  readonly starts: (times: readonly Range[], oneIn: OfSides<number>) => Promise<OfSides<BucketRuns[]>>
  /** See {@link Reach}; rows of more runs than that are not read. */
  readonly reach: (moments: Moments, mostRuns: number) => Promise<OfSides<Reach>>
}

/** How many times as many are read where the share of the traffic changed. */
const MOST_AT_STEPS = 3
/** Most starts of a side that are looked at to find when the share changed, and what is looked at before and behind, ms. */
const [MOST_STARTS, LEAST_AROUND] = [20_000, 30 * MINUTE_MS]

/**
 * What of a window two sides are compared over. Runs that were under way when the younger side began, or when the share of the
 * traffic changed more than twofold, are left out on both: of those the short ones come in first, and they are more of one side.
 * Where rows are gone or too many, the time begins behind them. No row is read where they can't matter.
 */
export async function planOver(counts: OfSides<Counts>, window: Window, rows: RunRows): Promise<TimePlan> {
  const widthMs = countWidthOf(window)
  const sides = { baseline: counts.baseline.within, candidate: counts.candidate.within }
  const planFrom = (began?: number): TimePlan =>
    timePlan(sides.baseline, sides.candidate, window, widthMs, began)
  const both = bothSince(counts, window, widthMs)
  if (both === undefined || areNegligible(both, sides, window, widthMs)) return planFrom()
  // Where its rows are gone its first runs are somewhere in that bucket.
  const starts = both.young.length === 0 ? [] : await rows.began(both.young, both.since)
  const began = starts.length === 0 ? undefined : Math.max(...starts.map(own => own ?? both.since + widthMs))
  const { cut, ...plan } = planFrom(began)
  const steps =
    plan.match.by === 'common_time'
      ? await stepsIn(sides, { since: Math.max(began ?? 0, cut.from), until: cut.to }, widthMs, rows)
      : []
  const days = plan.match.by === 'same_hours' ? Math.ceil(plan.match.first / DAY_HOURS) : 0
  const births =
    began === undefined ? [] : Array.from({ length: days + 1 }, (_, day) => began - (days - day) * DAY_MS)
  const at = [...births, ...steps]
  if (at.length === 0) return planFrom()
  const reach = await rows.reach({ at }, steps.length === 0 ? MOST_RUNS : MOST_AT_STEPS * MOST_RUNS)
  const { baseline, candidate } = reach
  const until = Math.max(baseline.until ?? 0, candidate.until ?? 0)
  if (until === 0) return planFrom()
  if (!baseline.isReadable || !candidate.isReadable) return planFrom(until)
  const over_ms = Math.max(baseline.over_ms, candidate.over_ms)
  const since = steps.length === 0 ? 'began' : 'share_changed'
  return { ...plan, since, cut: { ...cut, moments: { at, over_ms } } }
}

/**
 * The minutes, epoch ms, within a time at which the share of the traffic changed. Ends tell of it late and little by little, so
 * they say only where starts are looked at.
 */
async function stepsIn(
  sides: OfSides<readonly BucketSums[]>,
  { since, until }: Window,
  widthMs: number,
  rows: RunRows,
): Promise<number[]> {
  const within = (side: SideName): readonly BucketSums[] =>
    sides[side].filter(({ bucket }) => (bucket + 1) * widthMs > since && bucket * widthMs < until)
  const [baseline, candidate] = [within('baseline'), within('candidate')]
  const ends = stepsOf(baseline, candidate)
  if (ends.length === 0) return []
  const all = [...baseline, ...candidate]
  const lasts = all.reduce((sum, { latency_sum }) => sum + latency_sum, 0) / totalOf(all)
  const around = widthMs + Math.max(LEAST_AROUND, 2 * lasts)
  const first = Math.ceil(since / MINUTE_MS) * MINUTE_MS
  const times = joined(
    ends.map(bucket => ({
      from: Math.max(first, Math.floor((bucket * widthMs - around) / MINUTE_MS) * MINUTE_MS),
      to: Math.min(until, bucket * widthMs + around),
    })),
  )
  const runsIn = (side: readonly BucketSums[]): number =>
    totalOf(
      side.filter(({ bucket }) =>
        times.some(({ from, to }) => (bucket + 1) * widthMs > from && bucket * widthMs < to),
      ),
    )
  const runs = { baseline: runsIn(baseline), candidate: runsIn(candidate) }
  const oneIn = {
    baseline: Math.ceil((runs.baseline + 1) / MOST_STARTS),
    candidate: Math.ceil((runs.candidate + 1) / MOST_STARTS),
  }
  const found = await rows.starts(times, oneIn)
  const areGone = (['baseline', 'candidate'] as const).some(
    side => totalOf(found[side]) * oneIn[side] < LEAST_ROWS * runs[side],
  )
  if (areGone) return ends.map(bucket => (bucket + 1) * widthMs).filter(at => at < until)
  const begunWithin = (starts: readonly BucketRuns[]): BucketRuns[] =>
    starts.filter(({ bucket }) =>
      times.some(({ from, to }) => bucket * MINUTE_MS >= from && bucket * MINUTE_MS < to),
    )
  return stepsOf(begunWithin(found.baseline), begunWithin(found.candidate)).map(bucket => bucket * MINUTE_MS)
}

/** Share of the runs of the buckets that those times touch whose rows have to be there. */
const LEAST_ROWS = 0.2

/** The same times, in their order, none of which touches another. */
function joined(times: readonly Range[]): Range[] {
  const found: Range[] = []
  for (const time of times.toSorted((one, other) => one.from - other.from)) {
    const last = found.at(-1)
    if (last === undefined || time.from > last.to) found.push(time)
    else found[found.length - 1] = { from: last.from, to: Math.max(last.to, time.to) }
  }
  return found
}
