import { studentQuantile } from './distributions.ts'
import {
  type Estimate,
  type IntervalKind,
  normalFactor,
  sequentialFactor,
  sequentialFactorOneSided,
  sequentialRuns,
  squareAndAdd,
  steady,
} from './intervals.ts'
import { type Moments, NO_MOMENTS, mergeMoments, varianceOf } from './moments.ts'
import { type Count, wilson } from './rates.ts'

/** Values of the baseline by day and slot of the day, and of the candidate by the same slots. */
export interface SameHours<T> {
  /** A list of slots per day, in the candidate's order of slots. */
  readonly days: readonly (readonly T[])[]
  readonly candidate: readonly T[]
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
}

/** Undefined where fewer than 4 days have 50 values in the slots, or a slot of the candidate has none on any day. */
export function expectedMean({ days, candidate }: SameHours<Moments>): ExpectedMean | undefined {
  const used = days.filter(day => day.reduce((n, own) => n + own.n, 0) >= LEAST_DAY_RUNS)
  if (used.length < LEAST_DAYS) return undefined
  const slots = candidate.map((own, slot) =>
    pooledSlot(
      used.map(day => day[slot]!),
      own,
    ),
  )
  if (slots.some(({ n, own }) => own.n > 0 && n === 0)) return undefined
  const all = candidate.reduce(mergeMoments, NO_MOMENTS)
  let [mean, variance] = [0, 0]
  for (const { n, mean: level, spread, own } of slots) {
    if (own.n === 0) continue
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
  }
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

/** How high a day was beside what its slots have on all days, and how much of that is chance. */
function dayLevel(day: readonly Moments[], slots: readonly Slot[]): { level: number; variance: number } {
  let [found, expected, variance] = [0, 0, 0]
  for (const [index, { n, mean }] of day.entries()) {
    const slot = slots[index]!
    found += n * mean
    expected += n * slot.mean
    variance += n * slot.spread
  }
  return { level: found / expected, variance: variance / (expected * expected) }
}

function momentsOf(values: readonly number[]): Moments {
  return values.reduce((all, mean) => mergeMoments(all, { n: 1, mean, m2: 0 }), NO_MOMENTS)
}

/** The relative change against the same hours: a day is one draw, so its level counts with Student's t of the days. */
export function sameHoursChange(expected: ExpectedMean, interval: IntervalKind): Estimate {
  const { baseline_mean: b, candidate_mean: c, days } = expected
  const z = interval.sequential
    ? sequentialFactor(runsOf(expected), interval.alpha, interval.tuned_for_runs)
    : normalFactor(interval.alpha)
  const t = steady(studentQuantile(1 - interval.alpha / 2, days - 1))
  const ofRuns = expected.baseline_variance / (b * b) + expected.candidate_variance / (c * c)
  const margin = Math.sqrt(z * z * ofRuns + t * t * expected.day_variance * (1 + 1 / days))
  const log = Math.log(c / b)
  return { estimate: c / b - 1, low: Math.exp(log - margin) - 1, high: Math.exp(log + margin) - 1 }
}

function runsOf({ baseline_runs, candidate_runs }: ExpectedMean): number {
  return sequentialRuns(baseline_runs, candidate_runs)
}

/** The mean of the candidate above which a watch of it alarms, for a limit as a fraction. */
export function watchBound(
  expected: ExpectedMean,
  { limit, alpha, candidateDesignEffect }: { limit: number; alpha: number; candidateDesignEffect: number },
): number {
  const { baseline_mean, days, baseline_variance, candidate_variance, true_day_variance } = expected
  const allowed = (1 + limit) * baseline_mean
  const k = sequentialFactorOneSided(runsOf(expected), alpha)
  const c = steady(studentQuantile(1 - alpha, days - 1))
  const ofRuns = (1 + limit) ** 2 * baseline_variance + candidateDesignEffect * candidate_variance
  const ofDays = true_day_variance * allowed * allowed * (1 + 1 / days)
  return allowed + Math.sqrt(k * k * ofRuns + c * c * ofDays)
}

interface SameHoursRate extends Omit<
  ExpectedMean,
  'baseline_variance' | 'candidate_variance' | 'day_variance' | 'true_day_variance'
> {
  readonly difference: Estimate
}

/** The difference of two rates against the same hours, and undefined as {@link expectedMean} is. */
export function sameHoursRate(
  { days, candidate }: SameHours<Count>,
  interval: IntervalKind,
): SameHoursRate | undefined {
  const used = days.filter(day => day.reduce((n, own) => n + own.runs, 0) >= LEAST_DAY_RUNS)
  if (used.length < LEAST_DAYS) return undefined
  const slots = candidate.map((own, slot) => ({ own, ...totalOf(used.map(day => day[slot]!)) }))
  if (slots.some(({ own, runs }) => own.runs > 0 && runs === 0)) return undefined
  const all = totalOf(candidate)
  let [rate, worth] = [0, 0]
  for (const { own, events, runs } of slots) {
    if (own.runs === 0) continue
    const weight = own.runs / all.runs
    rate += (weight * events) / runs
    worth += (weight * weight) / runs
  }
  const offsets = used.map(day => {
    const found = totalOf(day)
    const expected = day.reduce((sum, own, slot) => sum + rateIn(slots[slot]!) * own.runs, 0)
    return (found.events - expected) / found.runs
  })
  const ofDays = varianceOf(momentsOf(offsets)) * (1 + 1 / used.length)
  const runs = 1 / worth
  const z = interval.sequential
    ? sequentialFactor(sequentialRuns(runs, all.runs), interval.alpha, interval.tuned_for_runs)
    : normalFactor(interval.alpha)
  const t = steady(studentQuantile(1 - interval.alpha / 2, used.length - 1))
  const margin = t * Math.sqrt(ofDays)
  const { estimate, low, high } = squareAndAdd(wilson({ events: rate * runs, runs }, z), wilson(all, z))
  return {
    days: used.length,
    baseline_runs: slots.reduce((sum, own) => sum + own.runs, 0),
    candidate_runs: all.runs,
    baseline_mean: rate,
    candidate_mean: rateIn(all),
    difference: {
      estimate,
      low: estimate - Math.hypot(estimate - low!, margin),
      high: estimate + Math.hypot(high! - estimate, margin),
    },
  }
}

function rateIn({ events, runs }: Count): number {
  return runs === 0 ? 0 : events / runs
}

function totalOf(counts: readonly Count[]): Count {
  return counts.reduce((sum, own) => ({ events: sum.events + own.events, runs: sum.runs + own.runs }), {
    events: 0,
    runs: 0,
  })
}
