import { HOUR_MS, MINUTE_MS } from '../../src/base/time.ts'
import { type BucketRuns, type TimePlan, timePlan } from '../../src/rules/common_time.ts'
import { watchMeanByHours } from '../../src/features/watch/rules_sequential.ts'
import { decideChange } from '../../src/rules/statistics/decide.ts'
import { compareMeans, compareRates } from '../../src/rules/statistics/compare.ts'
import type { MetricStatistics } from '../../src/rules/statistics/metric.ts'
import { type Moments, NO_MOMENTS, type Sample, mergeMoments } from '../../src/rules/statistics/samples.ts'
import type { Asked } from './decisions.ts'
import { type Random, randomOf } from './traffic.ts'

const STEP_MS = 10 * MINUTE_MS
const DAY_STEPS = (24 * HOUR_MS) / STEP_MS
const HOUR_STEPS = HOUR_MS / STEP_MS
/** Of single runs around the level of their time: of comparisons, and of watches. */
const [VARIATION, WATCH_VARIATION] = [0.8, 0.3]
const MEAN = 1000

/** How the level of a metric moves: over each day, and by chance from day to day and from hour to hour. */
export interface Weather {
  readonly daily: number
  readonly day_sd: number
  readonly hour_sd: number
}

export const USUAL: Weather = { daily: 0.12, day_sd: 0.04, hour_sd: 0.05 }

/** Expected runs of both sides in a step of ten minutes, by its number in the window. */
type Traffic = (step: number) => { readonly baseline: number; readonly candidate: number }

/** A way in which two releases share a window, or don't. */
export interface World {
  readonly name: string
  readonly hours: number
  readonly traffic: Traffic
  /** As usual unless given. */
  readonly weather?: Weather
}

const last = (hours: number, of: number) => (step: number) => step >= (of - hours) * HOUR_STEPS
const WEEK = 168

/** A tenth of the runs of a day, by chance. */
const AT_ONCE = { hours: 24, traffic: () => ({ baseline: 312.5, candidate: 5000 / 144 }) } as const

/** Candidates have 5,000 runs. */
export const WORLDS: readonly World[] = [
  { name: 'at once, 10 % of the runs', ...AT_ONCE },
  {
    name: 'the same, hours differ by 15 %',
    ...AT_ONCE,
    weather: { daily: 0.12, day_sd: 0.04, hour_sd: 0.15 },
  },
  {
    name: 'last 6 h of 24 h',
    hours: 24,
    traffic: step => ({ baseline: 139, candidate: last(6, 24)(step) ? 139 : 0 }),
  },
  {
    name: 'last 6 h of 7 d',
    hours: WEEK,
    traffic: step => ({ baseline: 139, candidate: last(6, WEEK)(step) ? 139 : 0 }),
  },
  {
    name: 'ramp 1 to 50 %',
    hours: 24,
    traffic: step => {
      const share = 0.01 + (0.49 * step) / 144
      return { baseline: 136 * (1 - share), candidate: 136 * share }
    },
  },
  {
    name: '6.5 days, then 6 h',
    hours: WEEK,
    traffic: step => ({
      baseline: last(6, WEEK)(step) ? 0 : 139,
      candidate: last(6, WEEK)(step) ? 139 : 0,
    }),
  },
  {
    name: 'yesterday, then today',
    hours: 48,
    traffic: step => ({ baseline: step < 144 ? 35 : 0, candidate: step < 144 ? 0 : 35 }),
  },
]

/** How often intervals hold the truth, and limits of +10 % pass and fail. */
export interface Outcome {
  readonly comparable: number
  readonly covers: number
  readonly passes: number
  readonly fails: number
}

const NOW = 1000 * 24 * HOUR_MS
const LIMIT = 0.1

/** Two releases, of which one is changed by so much, compared by the code that is shipped: by time, or all of the window. */
export function comparedIn(world: World, change: number, by: 'time' | 'window', asked: Asked): Outcome {
  const random = randomOf(asked.seed, `${world.name} ${change} ${by}`)
  return outcomeOf({ of: 'relative_change', limit: LIMIT, change }, asked.reps, () => {
    const steps = drawn(world, random, (n, level, side) =>
      momentsOfRuns(n, MEAN * level * (side === 'candidate' ? 1 + change : 1), random),
    )
    return by === 'time' ? byTime(steps, world, compareMeans) : overWindow(steps, compareMeans)
  })
}

/** The same of errors: 5 % of the runs fail, times the level of their time, and so many more of the candidate's. */
export function errorsIn(world: World, change: number, by: 'time' | 'window', asked: Asked): Outcome {
  const random = randomOf(asked.seed, `errors ${world.name} ${change} ${by}`)
  return outcomeOf({ of: 'difference', limit: RATE_LIMIT, change }, asked.reps, () => {
    const steps = drawn(world, random, (n, level, side) =>
      momentsOfErrors(n, ERRORS * level + (side === 'candidate' ? change : 0), random),
    )
    return by === 'time' ? byTime(steps, world, compareRates) : overWindow(steps, compareRates)
  })
}

const [ERRORS, RATE_LIMIT] = [0.05, 0.02]

function momentsOfErrors(n: number, rate: number, { uniform }: Random): Moments {
  let failed = 0
  for (let run = 0; run < n; run++) if (uniform() < rate) failed += 1
  return n === 0 ? NO_MOMENTS : { n, mean: failed / n, m2: failed - (failed * failed) / n }
}

/** Two unchanged sides that ran at once, each with a level of its own that drifts from run to run. */
export function driftingIn(runs: number, asked: Asked): Outcome {
  const random = randomOf(asked.seed, `drifting ${runs}`)
  const world: World = {
    name: 'drifting',
    hours: 24,
    traffic: () => ({ baseline: runs / 144, candidate: runs / 144 }),
  }
  return outcomeOf({ of: 'relative_change', limit: LIMIT, change: 0 }, asked.reps, () => {
    const drift = { baseline: random.normal(), candidate: random.normal() }
    const steps = drawn(world, random, (n, _, side) => {
      let own = NO_MOMENTS
      for (let run = 0; run < n; run++) {
        drift[side] = DRIFT * drift[side] + Math.sqrt(1 - DRIFT * DRIFT) * random.normal()
        const mean = MEAN * (1 + VARIATION * (OF_DRIFT * drift[side] + OF_RUN * random.normal()))
        own = mergeMoments(own, { n: 1, mean, m2: 0 })
      }
      return own
    })
    return byTime(steps, world, compareMeans)
  })
}

/** How alike the drift of a run and of the next one are, and weights of both in a run: a fifth of the variance drifts. */
const DRIFT = 0.98
const [OF_DRIFT, OF_RUN] = [Math.sqrt(0.2), Math.sqrt(0.8)]

/** A world in which a candidate has so many runs instead of 5,000, and the baseline as many times fewer. */
export function withRuns(world: World, runs: number): World {
  const share = runs / 5000
  return {
    ...world,
    name: `${world.name}, ${runs}`,
    traffic: step => {
      const { baseline, candidate } = world.traffic(step)
      return { baseline: baseline * share, candidate: candidate * share }
    },
  }
}

interface Judged {
  readonly of: 'relative_change' | 'difference'
  readonly limit: number
  /** The truth. */
  readonly change: number
}

function outcomeOf({ of, limit, change }: Judged, reps: number, compared: () => MetricStatistics): Outcome {
  let [comparable, covers, passes, fails] = [0, 0, 0, 0]
  for (let rep = 0; rep < reps; rep++) {
    const statistics = compared()
    if (statistics.comparability_doubt == null) comparable += 1
    const { low, high } = statistics[of] ?? { low: null, high: null }
    if (low !== null && high !== null && low <= change && high >= change) covers += 1
    const { outcome } = decideChange(statistics, { limit, of }, 'block')
    if (outcome === 'pass') passes += 1
    if (outcome === 'fail') fails += 1
  }
  return { comparable: comparable / reps, covers: covers / reps, passes: passes / reps, fails: fails / reps }
}

type Compare = typeof compareMeans

type Steps = Readonly<Record<'baseline' | 'candidate', readonly Moments[]>>

/** Moments of so many runs of a side, at the level of their time. */
type Draw = (n: number, level: number, side: keyof Steps) => Moments

function drawn({ hours, traffic, weather = USUAL }: World, random: Random, draw: Draw): Steps {
  const level = levels(hours * HOUR_STEPS, weather, random)
  const of = (side: keyof Steps): Moments[] =>
    level.map((own, step) => draw(countOf(traffic(step)[side], random), own, side))
  return { baseline: of('baseline'), candidate: of('candidate') }
}

export function levels(count: number, { daily, day_sd, hour_sd }: Weather, { normal }: Random): number[] {
  let [day, hour] = [1, 1]
  return Array.from({ length: count }, (_, step) => {
    if (step % DAY_STEPS === 0) day = 1 + day_sd * normal()
    if (step % HOUR_STEPS === 0) hour = 1 + hour_sd * normal()
    return day * hour * (1 + daily * Math.sin((2 * Math.PI * step) / DAY_STEPS))
  })
}

/** About so many: their number is Poisson's by its normal approximation. */
function countOf(expected: number, { normal }: Random): number {
  return expected === 0 ? 0 : Math.max(0, Math.round(expected + Math.sqrt(expected) * normal()))
}

/** Sums of so many runs, whose mean is normal. */
export function momentsOfRuns(n: number, mean: number, { normal }: Random, variation = VARIATION): Moments {
  if (n === 0) return NO_MOMENTS
  const variance = (variation * mean) ** 2
  const spread = n < 2 ? 0 : variance * Math.max(0, n - 1 + Math.sqrt(2 * (n - 1)) * normal())
  return { n, mean: mean + Math.sqrt(variance / n) * normal(), m2: spread }
}

function byTime(steps: Steps, { hours }: World, compare: Compare) {
  const window = { since: NOW - hours * HOUR_MS, until: NOW }
  const plan = timePlan(hourly(steps.baseline, hours), hourly(steps.candidate, hours), window, HOUR_MS)
  return compare(sampleOf(steps.baseline, hours, plan), sampleOf(steps.candidate, hours, plan), {
    match: plan.match,
  })
}

function overWindow({ baseline, candidate }: Steps, compare: Compare) {
  const of = (side: readonly Moments[]): Sample => {
    const width = side.length / 24
    return {
      moments: side.reduce(mergeMoments, NO_MOMENTS),
      clusters: new Map(
        Array.from({ length: 24 }, (_, block) => {
          const own = side.slice(block * width, (block + 1) * width).reduce(mergeMoments, NO_MOMENTS)
          return [String(block), { n: own.n, sum: own.n * own.mean }] as const
        }).filter(([, { n }]) => n > 0),
      ),
    }
  }
  return compare(of(baseline), of(candidate), { over_window: true })
}

function hourly(side: readonly Moments[], hours: number): BucketRuns[] {
  return Array.from({ length: hours }, (_, hour) => ({
    bucket: NOW / HOUR_MS - hours + hour,
    runs: side.slice(hour * HOUR_STEPS, (hour + 1) * HOUR_STEPS).reduce((sum, { n }) => sum + n, 0),
  })).filter(({ runs }) => runs > 0)
}

function sampleOf(side: readonly Moments[], hours: number, { cut }: TimePlan): Sample {
  const blocks = new Map<number, Moments>()
  const first = Math.floor(cut.from / cut.width_ms)
  for (const [step, own] of side.entries()) {
    const at = NOW - hours * HOUR_MS + step * STEP_MS
    const block = at < cut.from ? -1 : at >= cut.to ? MANY : Math.floor(at / cut.width_ms) - first
    blocks.set(block, mergeMoments(blocks.get(block) ?? NO_MOMENTS, own))
  }
  return { moments: side.reduce(mergeMoments, NO_MOMENTS), clusters: new Map(), blocks: () => blocks }
}

const MANY = 1e6

const [WATCH_STEPS, PER_MINUTE] = [12, 10]
const WATCH_MINUTES = 120
const STEP_MINUTES = STEP_MS / MINUTE_MS
const LOOK_MINUTES = 10

/** Of watches of two hours, one metric, ten runs a minute: which raised an alarm by a look, a look each ten minutes. */
export function watchedIn(
  weather: Weather,
  { change, limit, name }: { readonly change: number; readonly limit: number; readonly name: string },
  { reps, seed }: Asked,
): { readonly within30: number; readonly within120: number } {
  const random = randomOf(seed, `watch world ${name} ${change} ${limit}`)
  let [within30, within120] = [0, 0]
  for (let rep = 0; rep < reps; rep++) {
    const week = levels(8 * DAY_STEPS, weather, random)
    const at = 9 * HOUR_STEPS
    const meanOf = (day: number, step: number): number => MEAN * week[day * DAY_STEPS + at + step]!
    const runs = (minutes: number, mean: number): Moments =>
      momentsOfRuns(countOf(PER_MINUTE * minutes, random), mean, random, WATCH_VARIATION)
    const days = Array.from({ length: 7 }, (_, day) =>
      Array.from({ length: WATCH_STEPS }, (_step, step) => runs(STEP_MINUTES, meanOf(day, step))),
    )
    const candidate: Moments[] = []
    let alarm: number | undefined
    for (let minute = 0; minute < WATCH_MINUTES && alarm === undefined; minute += LOOK_MINUTES) {
      const slot = Math.floor(minute / STEP_MINUTES)
      const own = runs(LOOK_MINUTES, meanOf(7, slot) * (1 + change))
      candidate[slot] = mergeMoments(candidate[slot] ?? NO_MOMENTS, own)
      const begun = { days: days.map(day => day.slice(0, slot + 1)), candidate }
      if (watchMeanByHours(begun, limit)?.alarm != null) alarm = minute + LOOK_MINUTES
    }
    if (alarm !== undefined && alarm <= 30) within30 += 1
    if (alarm !== undefined) within120 += 1
  }
  return { within30: within30 / reps, within120: within120 / reps }
}
