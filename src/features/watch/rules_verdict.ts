import type { Reading } from '../../models/answers/reading.ts'
import { LEAST_DAYS, LEAST_DAY_RUNS } from '../../rules/statistics/same_hours.ts'
import { WATCHED, type WatchReadings, type Watched } from './rules_readings.ts'

/** What a check comes to. */
export interface WatchVerdict {
  readonly state: 'watching' | 'regressed' | 'passed' | 'inconclusive'
  /** Why it ended so; null while it goes on. */
  readonly because: string | null
  readonly regressions: readonly Watched[]
  /**
   * Whether it is proven against the same hours of earlier days, or the release fails outright. What is above the
   * baseline of other hours may be so by the hour: it is announced, and not rolled back.
   */
  readonly mayRollBack: boolean
}

/** Runs of the candidate that a watch takes by default. */
export const DEFAULT_MIN_RUNS = 50

/**
 * What a watch concludes from one check. Below `min_runs` of the candidate nothing is claimed but what the exact bound of
 * errors proves; at the end a watch that could have seen nothing is inconclusive, never passed; so is one of sums that are behind.
 */
export function watchVerdict(
  readings: WatchReadings,
  {
    min_runs,
    isOver,
    stale = [],
  }: { readonly min_runs: number; readonly isOver: boolean; readonly stale?: readonly string[] },
): WatchVerdict {
  const { candidate_runs, baseline_runs, smallest_detectable } = readings.error_rate
  const isEnough = candidate_runs >= min_runs
  const regressions = WATCHED.filter(metric => {
    const { alarm } = readings[metric]
    return alarm === 'exact' || (isEnough && alarm !== null)
  })
  if (regressions.length > 0) {
    const mayRollBack = regressions.some(metric => isProvenAlike(metric, readings[metric]))
    const texts = regressions.map(metric => regressionText(metric, readings[metric]))
    const because = [...texts, ...(mayRollBack ? [] : [OTHER_HOURS])].join('; ')
    return { state: 'regressed', because, regressions, mayRollBack }
  }
  const nothing = { regressions, mayRollBack: false }
  if (!isOver) return { state: 'watching', because: null, ...nothing }
  if (stale.length > 0) return { state: 'inconclusive', because: stale.join('; '), ...nothing }
  if (isEnough && smallest_detectable !== null) {
    const seen = WATCHED.flatMap(metric => detectableText(metric, readings[metric]))
    const because = `no regression was proven; about half of all rises of ${seen.join(', ')} would have been`
    return { state: 'passed', because, ...nothing }
  }
  const because = `too few runs: ${candidate_runs} of the release since the watch began (at least ${min_runs}, and 50 for every metric), ${baseline_runs} of the baseline (at least 200)`
  return { state: 'inconclusive', because, ...nothing }
}

/** Points of failures above the limit, proven, that no hour of the day explains. */
const OUTRIGHT = 0.1

/** Whether a regression is one for sure: by the same hours, or because the release fails outright. */
function isProvenAlike(metric: Watched, { by, low, limit }: Reading): boolean {
  return by !== 'window' || (metric === 'error_rate' && low !== null && low >= limit + OUTRIGHT)
}

/** Why a regression is announced alone. */
const OTHER_HOURS =
  `the baseline has fewer than ${LEAST_DAYS} earlier days with ${LEAST_DAY_RUNS} runs in these hours, so it may be one of ` +
  'times: it is announced, and not rolled back'

/** What is proven of a metric, with the figures. */
function regressionText(metric: Watched, reading: Reading): string {
  const { change, low, limit, baseline_runs, candidate_runs } = reading
  const write = writerOf(metric)
  const least = low === null ? '' : `, at least ${write(low)}`
  const rise = change === null ? 'above a baseline of 0' : `${write(change)}${least}`
  return `${metric} ${rise}, beyond the limit of ${write(limit)} (n ${baseline_runs} baseline, ${candidate_runs} candidate)`
}

function detectableText(metric: Watched, { smallest_detectable }: Reading): string[] {
  return smallest_detectable === null ? [] : [`${metric} by ${writerOf(metric)(smallest_detectable)}`]
}

function writerOf(metric: Watched): (value: number) => string {
  const unit = metric === 'error_rate' ? 'points' : '%'
  return value => `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)} ${unit}`
}
