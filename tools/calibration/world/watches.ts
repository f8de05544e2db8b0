import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import { samplesOf } from '../../../src/rules/diff_statistics.ts'
import type { Aggregate } from '../../../src/rules/rollup.ts'
import {
  DAY_STRIDE,
  WATCH_DAYS,
  readWatch,
  slotKind,
  watchLimits,
} from '../../../src/features/watch/rules_readings.ts'
import { DEFAULT_MIN_RUNS, watchVerdict } from '../../../src/features/watch/rules_verdict.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import type { Sampling } from '../decisions.ts'
import { randomOf } from '../traffic.ts'
import { RATES } from './ask.ts'
import { type Change, type Runs, type Traffic, drawsOf } from './runs.ts'
import { LIMITS, UNTIL } from './seen.ts'
import { blocksOfCut } from './plan.ts'
import { addAggregates, aggregatesOf } from './sums.ts'

/** A release that is promoted, and watched for some hours. */
export interface WatchWorld {
  readonly name: string
  readonly lasts_hours: number
  readonly runs_per_hour: number
  readonly traffic: Omit<Traffic, 'per_hour'>
  /** Whether the release before ran for a day alone, so that there are no earlier days to compare with. */
  readonly isYoung?: true
  /** Whether any rise that is proven is one, or a rise beyond +10 %, +10 % or +2 points. */
  readonly isLimited?: true
  readonly worse: Change
  /** Share of false alarms: of any metric, and of errors. */
  readonly most_false?: number
  /** Share of watches that see the worse release: within 30 minutes, and by their end. */
  readonly least_found: { readonly within30?: number; readonly by_end?: number }
  readonly because?: string
}

/** Shares of watches that raised an alarm. */
export interface Watched {
  readonly within30: number
  readonly by_end: number
  /** That of errors alone. */
  readonly errors: number
}

/** A watch is looked at each minute; what comes in first matters most. */
const CHECKS = [2, 4, 6, 8, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]
const DAYS = WATCH_DAYS + 1
/** Hours before a watch in which runs begin that end in it. */
const LEAD_HOURS = 4

/** Watches a release again and again, with a look each ten minutes. */
export function watchedIn(world: WatchWorld, change: Change, { reps, seed }: Sampling): Watched {
  const { name, lasts_hours, runs_per_hour, isYoung = false, isLimited = false } = world
  const started = UNTIL - lasts_hours * HOUR_MS
  const begins = DAYS * 24 - lasts_hours
  const isLong = (world.traffic.lasts_ms ?? 0) > MINUTE_MS
  const reach = isLong ? LEAD_HOURS : 1
  const traffic: Traffic = {
    ...world.traffic,
    per_hour: hour => {
      if (hour >= begins) return [0, runs_per_hour]
      const before = begins - hour
      // Of earlier days the same hours alone.
      const isUsed = isYoung ? before <= 24 : before % 24 <= reach || before % 24 > 24 - lasts_hours
      return [isUsed ? runs_per_hour : 0, 0]
    },
  }
  const draw = drawsOf(traffic, DAYS * 24, UNTIL)
  const random = randomOf(seed, `watch ${name} ${JSON.stringify(change)}`)
  const limits = watchLimits({ ...DEFAULT_POLICY, ...(isLimited ? LIMITS : {}) })
  const slots = slotKind({ since: started, until: UNTIL })
  const perSlot = slots.width_ms / MINUTE_MS
  const found = { within30: 0, by_end: 0, errors: 0 }
  for (let rep = 0; rep < reps; rep++) {
    const runs = draw(random, change)
    const own = byMinute(runs.candidate, started, lasts_hours * 60)
    const days = Array.from({ length: WATCH_DAYS }, (_, day) =>
      byMinute(runs.baseline, started - (day + 1) * DAY_MS, lasts_hours * 60),
    )
    const baseline = samplesOf(sideOf(byHour(runs.baseline, started - DAY_MS)), true)
    const alarm = CHECKS.find(minutes => {
      const readings = readWatch(
        {
          baseline,
          candidate: samplesOf(sideOf(inSlots(own, minutes, perSlot, 0)), true),
          earlier: samplesOf(
            sideOf(days.flatMap((day, index) => inSlots(day, minutes, perSlot, (index + 1) * DAY_STRIDE))),
            true,
          ),
          slots,
        },
        limits,
      )
      const verdict = watchVerdict(readings, { min_runs: DEFAULT_MIN_RUNS, isOver: false })
      if (verdict.regressions.includes('error_rate')) found.errors += 1
      return verdict.state === 'regressed'
    })
    if (alarm === undefined) continue
    found.by_end += 1
    if (alarm <= 30) found.within30 += 1
  }
  return { within30: found.within30 / reps, by_end: found.by_end / reps, errors: found.errors / reps }
}

function byHour(runs: Runs, from: number): Aggregate[] {
  const cut = { from, to: from + DAY_MS, width_ms: HOUR_MS }
  return aggregatesOf(runs, blocksOfCut(runs, cut)).filter(({ block }) => block >= 0 && block < 24)
}

function byMinute(runs: Runs, from: number, count: number): Aggregate[] {
  // What was under way when the watch began counts on neither side.
  const moments = { at: [from] }
  const cut = { from, to: from + count * MINUTE_MS, width_ms: MINUTE_MS, moments }
  return aggregatesOf(runs, blocksOfCut(runs, cut)).filter(
    aggregate => aggregate.block >= 0 && aggregate.block < count,
  )
}

/** The first minutes in slots, numbered from `first` on. */
function inSlots(minutes: readonly Aggregate[], until: number, perSlot: number, first: number): Aggregate[] {
  const slots = Map.groupBy(
    minutes.filter(({ block }) => block < until),
    ({ block }) => first + Math.floor(block / perSlot),
  )
  return Array.from(slots, ([block, aggregates]) => addAggregates(block, aggregates))
}

function sideOf(aggregates: readonly Aggregate[]) {
  return { aggregates, parts: [], rates: RATES }
}

const SHORT: Traffic['sigma'] = [0.3, 0.3]
const CALM = { daily: 0.12, day_sd: 0.02, hour_sd: 0.02 } as const
const RISE: Change = { mean: 0.2, errors: 0 }

/** Runs of so many minutes, of which failures take seconds. */
const long = (minutes: number, errors: number): WatchWorld['traffic'] => ({
  lasts_ms: minutes * MINUTE_MS,
  sigma: [1, 1],
  errors: [errors, errors],
  fails_after_ms: 5000,
})

export const WATCH_WORLDS: readonly WatchWorld[] = [
  {
    name: '±12 % over the day, 2 % by day and hour',
    lasts_hours: 2,
    runs_per_hour: 600,
    traffic: { sigma: SHORT, weather: CALM },
    worse: RISE,
    least_found: {},
  },
  {
    name: '±12 % over the day, 4 % by day, 5 % by hour',
    lasts_hours: 2,
    runs_per_hour: 600,
    traffic: { sigma: SHORT },
    worse: RISE,
    least_found: {},
  },
  {
    name: 'flat, 5 % by hour',
    lasts_hours: 2,
    runs_per_hour: 600,
    traffic: { sigma: SHORT, weather: { daily: 0, day_sd: 0, hour_sd: 0.05 } },
    worse: RISE,
    least_found: {},
  },
  {
    name: 'weekends 30 % lower',
    lasts_hours: 2,
    runs_per_hour: 600,
    traffic: { sigma: SHORT, weather: { ...CALM, weekend: 0.7 } },
    worse: RISE,
    least_found: { within30: 0.89 },
  },
  ...[15, 30].flatMap(minutes =>
    [false, true].map((isYoung): WatchWorld => ({
      name: `runs of ${minutes} min, failures of seconds${isYoung ? ', no earlier days' : ''}`,
      lasts_hours: 2,
      runs_per_hour: isYoung ? 3600 : 1200,
      traffic: long(minutes, 0.05),
      ...(isYoung ? { isYoung } : {}),
      worse: { mean: 0, errors: 0.5 },
      least_found: { within30: 0.9, by_end: 0.9 },
    })),
  ),
  {
    name: '18 runs an hour, all fail',
    lasts_hours: 2,
    runs_per_hour: 18,
    traffic: {},
    isLimited: true,
    isYoung: true,
    worse: { mean: 0, errors: 1 },
    least_found: { by_end: 0.9 },
  },
]
