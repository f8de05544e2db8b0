import { HOUR_MS, MINUTE_MS } from '../../src/base/time.ts'
import { type BucketRuns, type TimePlan, timePlan } from '../../src/rules/common_time.ts'
import { WATCH_ALPHA, watchMeanByHours } from '../../src/features/watch/rules_sequential.ts'
import { decideChange } from '../../src/rules/statistics/decide.ts'
import { compareMeans } from '../../src/rules/statistics/compare.ts'
import { type Moments, NO_MOMENTS, mergeMoments } from '../../src/rules/statistics/moments.ts'
import type { Sample } from '../../src/rules/statistics/samples.ts'
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
}

const last = (hours: number, of: number) => (step: number) => step >= (of - hours) * HOUR_STEPS
const WEEK = 168

/** Candidates have 5,000 runs. */
export const WORLDS: readonly World[] = [
  { name: 'random 10 %', hours: 24, traffic: () => ({ baseline: 312.5, candidate: 5000 / 144 }) },
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
export function comparedIn(
  world: World,
  change: number,
  by: 'time' | 'window',
  { reps, seed }: Asked,
  weather = USUAL,
): Outcome {
  const random = randomOf(seed, `${world.name} ${change} ${by}`)
  let [comparable, covers, passes, fails] = [0, 0, 0, 0]
  for (let rep = 0; rep < reps; rep++) {
    const steps = drawn(world, change, weather, random)
    const statistics = by === 'time' ? byTime(steps, world) : overWindow(steps)
    if (statistics.comparability_doubt == null) comparable += 1
    const { low, high } = statistics.relative_change ?? { low: null, high: null }
    if (low !== null && high !== null && low <= change && high >= change) covers += 1
    const { outcome } = decideChange(statistics, { limit: LIMIT, of: 'relative_change' }, 'block')
    if (outcome === 'pass') passes += 1
    if (outcome === 'fail') fails += 1
  }
  return {
    comparable: comparable / reps,
    covers: covers / reps,
    passes: passes / reps,
    fails: fails / reps,
  }
}

type Steps = Readonly<Record<'baseline' | 'candidate', readonly Moments[]>>

function drawn({ hours, traffic }: World, change: number, weather: Weather, random: Random): Steps {
  const count = hours * HOUR_STEPS
  const level = levels(count, weather, random)
  const of = (side: 'baseline' | 'candidate', scale: number): Moments[] =>
    level.map((own, step) => momentsOf(traffic(step)[side], MEAN * own * scale, random))
  return { baseline: of('baseline', 1), candidate: of('candidate', 1 + change) }
}

export function levels(count: number, { daily, day_sd, hour_sd }: Weather, { normal }: Random): number[] {
  let [day, hour] = [1, 1]
  return Array.from({ length: count }, (_, step) => {
    if (step % DAY_STEPS === 0) day = 1 + day_sd * normal()
    if (step % HOUR_STEPS === 0) hour = 1 + hour_sd * normal()
    return day * hour * (1 + daily * Math.sin((2 * Math.PI * step) / DAY_STEPS))
  })
}

/** Sums of about so many runs: their number is Poisson's by its normal approximation, their mean normal. */
function momentsOf(expected: number, mean: number, random: Random, variation = VARIATION): Moments {
  const { normal } = random
  const n = expected === 0 ? 0 : Math.max(0, Math.round(expected + Math.sqrt(expected) * normal()))
  return momentsOfRuns(n, mean, random, variation)
}

/** Sums of so many runs. */
export function momentsOfRuns(n: number, mean: number, { normal }: Random, variation = VARIATION): Moments {
  if (n === 0) return NO_MOMENTS
  const variance = (variation * mean) ** 2
  const spread = n < 2 ? 0 : variance * Math.max(0, n - 1 + Math.sqrt(2 * (n - 1)) * normal())
  return { n, mean: mean + Math.sqrt(variance / n) * normal(), m2: spread }
}

function byTime(steps: Steps, { hours }: World) {
  const window = { since: NOW - hours * HOUR_MS, until: NOW }
  const plan = timePlan(hourly(steps.baseline, hours), hourly(steps.candidate, hours), window, HOUR_MS)
  return compareMeans(sampleOf(steps.baseline, hours, plan), sampleOf(steps.candidate, hours, plan), {
    match: plan.match,
  })
}

function overWindow({ baseline, candidate }: Steps) {
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
  return compareMeans(of(baseline), of(candidate), { over_window: true })
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

const WATCH_STEPS = 12
const PER_MINUTE = 10

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
    const slot = (day: number, step: number, scale: number): Moments =>
      momentsOf(PER_MINUTE * 10, MEAN * week[day * DAY_STEPS + at + step]! * scale, random, WATCH_VARIATION)
    const days = Array.from({ length: 7 }, (_, day) =>
      Array.from({ length: WATCH_STEPS }, (_step, step) => slot(day, step, 1)),
    )
    const candidate = Array.from({ length: WATCH_STEPS }, (_, step) => slot(7, step, 1 + change))
    const looked = Array.from({ length: WATCH_STEPS }, (_, index) => index + 1)
    const alarm = looked.find(
      look =>
        watchMeanByHours(
          { days: days.map(day => day.slice(0, look)), candidate: candidate.slice(0, look) },
          limit,
          WATCH_ALPHA,
        )?.alarm != null,
    )
    if (alarm !== undefined && alarm <= 3) within30 += 1
    if (alarm !== undefined) within120 += 1
  }
  return { within30: within30 / reps, within120: within120 / reps }
}
