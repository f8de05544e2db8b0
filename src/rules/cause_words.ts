import { hoursText, lastedText, littleOf, milliseconds, minuteText, percent, usd } from '../base/text.ts'
import { HOUR_MS, MINUTE_MS, isoTime } from '../base/time.ts'
import type { DiffStatistics } from '../models/answers/statistics.ts'
import { LEAST_CANDIDATE_SHARE, LEAST_EFFECTIVE_UNITS } from './statistics/match.ts'
import { windowCovering } from './window.ts'

const SAID = {
  cost_per_run_usd: ['cost', usd],
  latency_ms: ['latency', milliseconds],
  error_rate: ['error rate', percent],
} as const

/** Metrics of which it is said why nothing is proven. */
export type CausedMetric = keyof typeof SAID

type Compared = Pick<DiffStatistics, CausedMetric | 'compared'>

/**
 * Why nothing is proven about a metric, where more runs of the same kind would not prove it: one cause, the first that holds.
 * Undefined where they would, and where something is proven. `doubt` is that of a limit, where it is about one.
 */
export function causeText(
  metric: CausedMetric,
  statistics: Compared,
  doubt = statistics[metric].inconclusive_because,
): string | undefined {
  const isApart = statistics.compared?.other_tenants === true
  if (isApart && (doubt === 'not_comparable' || doubt === 'too_few_runs')) {
    return 'the two releases served different tenants'
  }
  if (doubt === 'interval_too_wide') return movedText(metric, statistics)
  return doubt === 'not_comparable' ? apartText(metric, statistics) : undefined
}

/** The level of a side moved, one part of the time differs from the rest, or days differ. */
function movedText(metric: CausedMetric, statistics: Compared): string | undefined {
  const { matched } = statistics[metric]
  if (matched == null) return undefined
  const [noun, written] = SAID[metric]
  if (matched.days_differ === true) return `the days differ in ${noun}`
  const { moved } = matched
  const { compared } = statistics
  if (moved === undefined || compared === undefined) return undefined
  const timeOf = (block: number): number =>
    Date.parse(compared.since) + block * compared.block_minutes * MINUTE_MS
  const [from, to, until] = [timeOf(moved.first_block), timeOf(moved.end_block), Date.parse(compared.until)]
  const distance = (rest: number, here: number): number => Math.abs(here - rest) / Math.max(here, rest)
  const side =
    distance(moved.candidate_rest, moved.candidate_mean) >= distance(moved.baseline_rest, moved.baseline_mean)
      ? 'candidate'
      : 'baseline'
  const [rest, here] = [written(moved[`${side}_rest`]), written(moved[`${side}_mean`])]
  const at = `${minuteText(isoTime(from))} UTC`
  if (to >= until) {
    const window = windowCovering((until - from) / MINUTE_MS)
    return `${noun} of the ${side} moved from ${rest} to ${here} at ${at} (ask with a window of ${window})`
  }
  const minutes = Math.round((to - from) / MINUTE_MS)
  const length = minutes <= 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  return `${length} from ${at} make ${Math.round(100 * moved.share)} % of the spread of ${noun} (${side}: ${here}, else ${rest})`
}

/** How many times the runs that there are a limit may take: of more the number is noise, and the traffic never brings them. */
const MOST_TIMES = 10

/** Whether so many runs of a side are more than its traffic ever brings. */
export function isBeyondTraffic(wanted: number, runs: number): boolean {
  return runs >= FEW_RUNS && wanted > MOST_TIMES * runs
}

/** Runs of a side below which it is their number that leaves blocks of time without any. */
const FEW_RUNS = 24

/** Share of the time in which both releases ran from which on runs of such a length are long. */
const LONG_SHARE = 0.02

/** Why the sides can't be compared, although both have runs. */
function apartText(metric: CausedMetric, statistics: Compared): string | undefined {
  const { compared } = statistics
  const { matched, baseline_runs, candidate_runs } = statistics[metric]
  if (matched == null || compared === undefined) return undefined
  if (Math.min(baseline_runs, candidate_runs) < FEW_RUNS) return undefined
  if (matched.by === 'tenant' || matched.by === 'task') return segmentText(matched.by, matched)
  const shared = {
    hours: (Date.parse(compared.until) - Date.parse(compared.since)) / HOUR_MS,
    block_minutes: compared.block_minutes,
  }
  return youngText(metric, statistics, shared.hours) ?? timesText(matched, shared)
}

type Matched = NonNullable<DiffStatistics['latency_ms']['matched']>

/** Runs last too long for the time since both releases run: then errors are compared, and cost and latency are not. */
function youngText(
  metric: CausedMetric,
  { latency_ms, error_rate }: Compared,
  hours: number,
): string | undefined {
  if (metric === 'error_rate' || error_rate.comparability_doubt !== null) return undefined
  const lasts = Math.max(latency_ms.baseline_mean ?? 0, latency_ms.candidate_mean ?? 0) / HOUR_MS
  return lasts < LONG_SHARE * hours
    ? undefined
    : `runs take ${lastedText(lasts)}, and both releases ran for ${lastedText(hours)}`
}

/** The time in which both releases ran, and the width of the blocks that it is compared in. */
export interface SharedTime {
  readonly hours: number
  readonly block_minutes: number
}

/** Says what the shared time lacks for a comparison; undefined where it lacks nothing. */
export function timesText(matched: Matched, shared: SharedTime): string | undefined {
  const { candidate_share, units } = matched
  if (shared.hours === 0) return 'the two releases never ran at once'
  if (candidate_share < LEAST_CANDIDATE_SHARE && !isTooShort(matched, shared)) {
    return `${littleOf(candidate_share)} the candidate's runs are of times in which the baseline ran too (it takes ${shareOf(LEAST_CANDIDATE_SHARE)})`
  }
  if (units >= LEAST_EFFECTIVE_UNITS) return undefined
  const needed = neededHours(matched, shared)
  const [lasted, wanted] = [lastedText(needed.lasted), hoursText(needed.wanted)]
  return `both releases ran at once for ${lasted}, and ${lasted === wanted ? 'longer is' : `${wanted} are`} needed`
}

/** What two releases take side by side, hours, at even traffic. */
const LEAST_HOURS = 1 / 6

/** Below as many hours the ends of the shared time may be off by more than its length, since days are counted by the hour. */
const SHORT_HOURS = 2

/**
 * How long both releases ran at once, and how long it takes, hours. Runs that all lie in one block of time make no units, and a
 * short time lasts no longer than its units.
 */
export function neededHours(
  { units }: Pick<Matched, 'units'>,
  { hours, block_minutes }: SharedTime,
): { readonly lasted: number; readonly wanted: number } {
  const filled = Math.max(1, units)
  const isKnown = units > 0 && hours >= SHORT_HOURS
  const lasted = isKnown ? hours : Math.min(hours, (filled * block_minutes) / 60)
  return { lasted, wanted: Math.max(LEAST_HOURS, (lasted * LEAST_EFFECTIVE_UNITS) / filled) }
}

/**
 * Whether the shared time is too short, whatever share of the runs it has: of a few seconds most are of runs that were under way when
 * the younger release began, which count for neither.
 */
export function isTooShort(matched: Pick<Matched, 'units'>, shared: SharedTime): boolean {
  return matched.units < LEAST_EFFECTIVE_UNITS && neededHours(matched, shared).lasted < LEAST_HOURS
}

/** The same of the tenants or tasks that both served. */
export function segmentText(by: 'tenant' | 'task', { candidate_share, units }: Matched): string | undefined {
  if (candidate_share < LEAST_CANDIDATE_SHARE) {
    return (
      `${littleOf(candidate_share)} the candidate's runs are of ${by}s that the baseline served in the same hours ` +
      `(it takes ${shareOf(LEAST_CANDIDATE_SHARE)})`
    )
  }
  return units < LEAST_EFFECTIVE_UNITS
    ? `the runs are of too few ${by}s in too few hours: ${units.toFixed(1)} of ${LEAST_EFFECTIVE_UNITS} units`
    : undefined
}

function shareOf(share: number): string {
  return `${Math.floor(100 * share)} %`
}
