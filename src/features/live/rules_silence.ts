import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { count } from '../../base/text.ts'
import { daysAlike } from '../../rules/statistics/same_hours.ts'

/** How far back from now no run may have come, in hours, shortest first: of these spans the runs are summed. */
export const STRETCHES = [1, 6, 24] as const

/** How many earlier days are looked at. */
export const EARLIER_DAYS = 14

/**
 * Runs that an earlier day has at least where it says something, how many such days there are at least, and which share of the
 * days of its kind. One day of an outage, or a holiday, hides no other one.
 */
const [LEAST_RUNS, LEAST_DAYS, LEAST_SHARE] = [5, 3, 0.75]

/** Fewest runs that the days have on average: by chance alone 20 become none once in 500 million times. */
const LEAST_MEAN = 20

/** Runs that stopped arriving. */
export interface Silence {
  /** Hours back from now in which none came. */
  readonly hours: number
  /** Earlier days whose same hours it is compared with, of the same kind: weekdays, or of a weekend. */
  readonly days: number
  /** Runs of these hours on such a day, on average. */
  readonly usual_runs: number
}

/**
 * Compares hours without a run with the same hours of earlier days. `runsIn` says how many runs came in so many hours before
 * `now`, epoch ms; `past` has the runs of earlier hours by their number since the epoch; the release is live since `liveSince`.
 * Days before the first of these runs say nothing. Of one hour the lesser of the two clock hours counts that it lies in, of others the whole clock hours.
 */
export function silenceOf(
  runsIn: (hours: number) => number,
  past: ReadonlyMap<number, number>,
  { now, liveSince }: { readonly now: number; readonly liveSince: number },
): Silence | undefined {
  const first = Math.min(...past.keys()) * HOUR_MS
  for (const hours of STRETCHES) {
    const since = now - hours * HOUR_MS
    if (runsIn(hours) > 0 || liveSince > since) return undefined
    const alike = daysAlike({ since, until: now }, EARLIER_DAYS)
    const runs = alike.flatMap((isAlike, index) => {
      const start = since - (index + 1) * DAY_MS
      return isAlike && start >= first ? [runsBetween(past, start, hours)] : []
    })
    const days = runs.filter(each => each >= LEAST_RUNS).length
    const usual_runs = runs.reduce((sum, each) => sum + each, 0) / runs.length
    const isUsual = days >= Math.max(LEAST_DAYS, LEAST_SHARE * runs.length)
    if (isUsual && usual_runs >= LEAST_MEAN) return { hours, days, usual_runs }
  }
  return undefined
}

function runsBetween(past: ReadonlyMap<number, number>, since: number, hours: number): number {
  const first = Math.ceil(since / HOUR_MS)
  const runs = (hour: number): number => past.get(hour) ?? 0
  if (hours === 1) return Math.min(runs(first - 1), runs(first))
  return Array.from({ length: hours - 1 }, (_, index) => runs(first + index)).reduce((a, b) => a + b, 0)
}

/** Silence as a sentence: `no run came in the last hour; these hours of 10 earlier days had 58 on average`. */
export function silenceText({ hours, days, usual_runs }: Silence): string {
  const span = hours === 1 ? 'hour' : `${hours} hours`
  return `no run came in the last ${span}; these hours of ${days} earlier days had ${count(Math.round(usual_runs))} on average`
}
