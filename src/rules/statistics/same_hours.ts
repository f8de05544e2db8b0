import { DAY_MS } from '../../base/time.ts'
import { studentQuantile } from './distributions.ts'
import {
  type Estimate,
  type IntervalKind,
  factorAt,
  factorFor,
  sequentialFactorOneSided,
  sequentialRuns,
  squareAndAdd,
  steady,
} from './intervals.ts'
import { type Moments, NO_MOMENTS, mergeMoments, varianceOf } from './samples.ts'
import { type Count, NO_COUNT, addCounts, deflated, rateOf, wilson } from './rates.ts'

/** Values of the baseline by day and slot of the day, and of the candidate by the same slots. */
export interface SameHours<T> {
  /** A list of slots per day, in the candidate's order of slots. */
  readonly days: readonly (readonly T[])[]
  readonly candidate: readonly T[]
  /** Which of the days are of the candidate's kind: see {@link daysAlike}. */
  readonly alike: readonly boolean[]
}

/** Which of so many days before a time, the last one first, are weekdays, or of a weekend, in its hours where it is; UTC. */
export function daysAlike(
  { since, until }: { readonly since: number; readonly until: number },
  days: number,
): boolean[] {
  const kind = kindOf(since, until)
  const lasts = Math.min(until - since, DAY_MS)
  return Array.from({ length: days }, (_, index) => {
    const start = since - (index + 1) * DAY_MS
    return kindOf(start, start + lasts) === kind
  })
}

/** Weekdays and weekends from one time to another, a letter each. */
function kindOf(from: number, to: number): string {
  const first = Math.floor(from / DAY_MS)
  const days = Array.from({ length: Math.max(1, Math.ceil(to / DAY_MS) - first) }, (_, index) =>
    // The epoch began on a Thursday.
    ((first + index + 4) % 7) % 6 === 0 ? 'e' : 'd',
  )
  return days.filter((day, index) => day !== days[index - 1]).join('')
}

/** Fewest runs of a day in the slots, and fewest such days. */
export const LEAST_DAY_RUNS = 50
export const LEAST_DAYS = 4

/** What the same hours of earlier days say of the mean that the candidate would have without a change. */
export interface ExpectedMean {
  readonly days: number
  readonly baseline_runs: number
  readonly candidate_runs: number
  /** The baseline's mean over the candidate's slots, weighted by the candidate's runs. */
  readonly baseline_mean: number
  readonly candidate_mean: number
  /** Variances of the two means where values are independent. */
  readonly baseline_variance: number
  readonly candidate_variance: number
  /** Variance of a day's level, as a fraction of the mean squared: as measured, and without what chance alone brings. */
  readonly day_variance: number
  readonly true_day_variance: number
  /** How many times the variance of independent runs that of the candidate's mean is, by slots; 1 below six of them. */
  readonly candidate_design_effect: number
}

/**
 * Slots in which the baseline has no values on any day are left out. Undefined where they hold more than half of the
 * candidate's values, or fewer than 4 days have 50 values in the others.
 */
export function expectedMean({ days, candidate, alike }: SameHours<Moments>): ExpectedMean | undefined {
  const used = usedDays({ days, alike }, day => day.reduce((n, own) => n + own.n, 0))
  if (used === undefined) return undefined
  const slots = candidate.map((own, slot) =>
    pooledSlot(
      used.map(day => day[slot]!),
      own,
    ),
  )
  const shared = slots.filter(({ n, own }) => own.n > 0 && n > 0)
  const all = shared.map(({ own }) => own).reduce(mergeMoments, NO_MOMENTS)
  if (
    !isMost(
      all.n,
      candidate.reduce((n, own) => n + own.n, 0),
    )
  )
    return undefined
  let [mean, variance] = [0, 0]
  for (const { n, mean: level, spread, own } of shared) {
    const weight = own.n / all.n
    mean += weight * level
    variance += (weight * weight * spread) / n
  }
  const levels = used.map(day => dayLevel(day, slots))
  const measured = varianceOf(momentsOf(levels.map(({ level }) => level)))
  const byChance = levels.reduce((total, own) => total + own.variance, 0) / levels.length
  return {
    days: used.length,
    baseline_runs: slots.reduce((total, { n }) => total + n, 0),
    candidate_runs: all.n,
    baseline_mean: mean,
    candidate_mean: all.mean,
    baseline_variance: variance,
    candidate_variance: varianceOf(all) / all.n,
    day_variance: measured,
    true_day_variance: Math.max(0, measured - byChance),
    candidate_design_effect: slotEffect(shared, all, mean),
  }
}

/** The days with enough runs, of the candidate's kind where four of those ran at all; undefined below four. */
function usedDays<T>(
  hours: Pick<SameHours<T>, 'days' | 'alike'>,
  count: (day: readonly T[]) => number,
): readonly (readonly T[])[] | undefined {
  const used = daysOfKind(hours, count).filter(day => count(day) >= LEAST_DAY_RUNS)
  return used.length < LEAST_DAYS ? undefined : used
}

/** How many have enough by now does not choose the kind: other days would come in while days are short of runs. */
function daysOfKind<T>(
  { days, alike }: Pick<SameHours<T>, 'days' | 'alike'>,
  count: (day: readonly T[]) => number,
): readonly (readonly T[])[] {
  const ran = days.filter(day => count(day) > 0)
  const ofKind = days.filter((day, index) => alike[index] === true && count(day) > 0)
  return ofKind.length >= LEAST_DAYS ? ofKind : ran
}

/** Whether there are four days, and what is missing is runs: as time goes on there will be enough. */
export function areShortOfRuns(hours: SameHours<Moments>): boolean {
  const count = (day: readonly Moments[]): number => day.reduce((sum, { n }) => sum + n, 0)
  return daysOfKind(hours, count).length >= LEAST_DAYS && usedDays(hours, count) === undefined
}

/** Whether so many of all values are enough of them. */
function isMost(n: number, all: number): boolean {
  return n > 0 && 2 * n >= all
}

/** Fewest slots that say how much slots differ. */
const LEAST_SLOTS = 6

/** The delete-one jackknife over the candidate's slots, each taken to the level that the baseline has in it. */
function slotEffect(slots: readonly Slot[], all: Moments, level: number): number {
  const used = slots.filter(({ own, mean }) => own.n > 0 && mean > 0)
  const independent = varianceOf(all) / all.n
  if (used.length < LEAST_SLOTS || independent === 0) return 1
  const scaled = used.map(({ own, mean }) => ({ n: own.n, value: (own.mean * level) / mean }))
  const centre = scaled.reduce((sum, { n, value }) => sum + n * value, 0) / all.n
  const variance = scaled.reduce((sum, { n, value }) => {
    const influence = (n * (value - centre)) / (all.n - n)
    return sum + influence * influence
  }, 0)
  return Math.max(1, variance / independent)
}

interface Slot {
  readonly n: number
  readonly mean: number
  /** Variance within days, pooled over them. */
  readonly spread: number
  readonly own: Moments
}

function pooledSlot(ofDays: readonly Moments[], own: Moments): Slot {
  const { n, mean } = ofDays.reduce(mergeMoments, NO_MOMENTS)
  const filled = ofDays.filter(day => day.n > 0)
  const squares = filled.reduce((total, { m2 }) => total + m2, 0)
  const freedom = filled.reduce((total, day) => total + day.n - 1, 0)
  return { n, mean, spread: freedom === 0 ? 0 : squares / freedom, own }
}

/** How high a day was compared with what its slots have on all days, and how much of that is chance. */
function dayLevel(day: readonly Moments[], slots: readonly Slot[]): { level: number; variance: number } {
  let [found, expected, variance] = [0, 0, 0]
  for (const [index, { n, mean }] of day.entries()) {
    const slot = slots[index]!
    found += n * mean
    expected += n * slot.mean
    variance += n * slot.spread
  }
  // Of what never happens no day is above another.
  return expected === 0
    ? { level: 1, variance: 0 }
    : { level: found / expected, variance: variance / (expected * expected) }
}

function momentsOf(values: readonly number[]): Moments {
  return values.reduce((all, mean) => mergeMoments(all, { n: 1, mean, m2: 0 }), NO_MOMENTS)
}

/** The relative change against the same hours: a day is one draw, so its level counts with Student's t of the days. */
export function sameHoursChange(expected: ExpectedMean, interval: IntervalKind): Estimate {
  const { baseline_mean: b, candidate_mean: c, days } = expected
  const z = factorFor(interval, runsOf(expected), Infinity)
  const t = steady(studentQuantile(1 - interval.alpha / 2, days - 1))
  const ofRuns = expected.baseline_variance / (b * b) + expected.candidate_variance / (c * c)
  const margin = Math.sqrt(z * z * ofRuns + t * t * expected.day_variance * (1 + 1 / days))
  const log = Math.log(c / b)
  return { estimate: c / b - 1, low: Math.exp(log - margin) - 1, high: Math.exp(log + margin) - 1 }
}

function runsOf({ baseline_runs, candidate_runs }: ExpectedMean): number {
  return sequentialRuns(baseline_runs, candidate_runs)
}

interface Rise {
  readonly scale: number
  readonly alpha: number
  /** The same of the level of the day, which is one draw for all looks; half of it unless given. */
  readonly day_alpha?: number
}

/**
 * How far above `scale` times the baseline's mean the candidate's mean gets by chance, at any look, in `alpha` of all
 * releases that are no worse.
 */
export function riseMargin(expected: ExpectedMean, { scale, alpha, day_alpha = alpha / 2 }: Rise): number {
  const { baseline_mean, days, baseline_variance, candidate_variance, true_day_variance } = expected
  const k = sequentialFactorOneSided(runsOf(expected), alpha)
  const c = steady(studentQuantile(1 - day_alpha, days - 1))
  const ofRuns = scale * scale * baseline_variance + expected.candidate_design_effect * candidate_variance
  const ofDays = true_day_variance * (scale * baseline_mean) ** 2 * (1 + 1 / days)
  return Math.sqrt(k * k * ofRuns + c * c * ofDays)
}

interface SameHoursRate extends Omit<
  ExpectedMean,
  | 'baseline_variance'
  | 'candidate_variance'
  | 'day_variance'
  | 'true_day_variance'
  | 'candidate_design_effect'
> {
  readonly difference: Estimate
  /** Whether days differ by more than their runs explain. */
  readonly days_differ: boolean
}

/**
 * The difference of two rates against the same hours, and undefined as {@link expectedMean} is. Each side counts as so many
 * times fewer runs as its design effect says.
 */
export function sameHoursRate(
  { days, candidate, alike }: SameHours<Count>,
  interval: IntervalKind,
  effects: { readonly baseline?: number | undefined; readonly candidate?: number | undefined } = {},
): SameHoursRate | undefined {
  const used = usedDays({ days, alike }, day => totalOf(day).runs)
  if (used === undefined) return undefined
  const slots = candidate.map((own, slot) => ({ own, ...totalOf(used.map(day => day[slot]!)) }))
  const shared = slots.filter(({ own, runs }) => own.runs > 0 && runs > 0)
  const all = totalOf(shared.map(({ own }) => own))
  if (!isMost(all.runs, totalOf(candidate).runs)) return undefined
  let [rate, worth] = [0, 0]
  for (const { own, events, runs } of shared) {
    const weight = own.runs / all.runs
    rate += (weight * events) / runs
    worth += (weight * weight) / runs
  }
  const offsets = used.map(day => {
    const found = totalOf(day)
    const expected = day.reduce((sum, own, slot) => sum + rateOf(slots[slot]!) * own.runs, 0)
    return (found.events - expected) / found.runs
  })
  const ofDays = varianceOf(momentsOf(offsets)) * (1 + 1 / used.length)
  const runs = 1 / worth
  const perRun = rate * (1 - rate)
  const byChance = used.reduce((sum, day) => sum + perRun / totalOf(day).runs, 0) / used.length
  const z = factorAt(interval, runs, all.runs, Infinity)
  const t = steady(studentQuantile(1 - interval.alpha / 2, used.length - 1))
  const margin = t * Math.sqrt(ofDays)
  const [b, c] = [
    deflated({ events: rate * runs, runs }, effects.baseline ?? 1),
    deflated(all, effects.candidate ?? 1),
  ]
  const { estimate, low, high } = squareAndAdd(wilson(b, z), wilson(c, z))
  return {
    days: used.length,
    baseline_runs: slots.reduce((sum, own) => sum + own.runs, 0),
    candidate_runs: all.runs,
    baseline_mean: rate,
    candidate_mean: rateOf(all),
    days_differ: ofDays - byChance * (1 + 1 / used.length) > perRun / runs + perRun / all.runs,
    difference: {
      estimate,
      low: estimate - Math.hypot(estimate - low!, margin),
      high: estimate + Math.hypot(high! - estimate, margin),
    },
  }
}

function totalOf(counts: readonly Count[]): Count {
  return counts.reduce(addCounts, NO_COUNT)
}
