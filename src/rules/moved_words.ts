import { milliseconds, minuteText, percent, usd } from '../base/text.ts'
import { MINUTE_MS, isoTime } from '../base/time.ts'
import type { DiffStatistics } from '../models/answers/statistics.ts'
import { windowCovering } from './window.ts'

const SAID = {
  cost_per_run_usd: ['cost', usd],
  latency_ms: ['latency', milliseconds],
  error_rate: ['error rate', percent],
} as const

/** Metrics of which a part of the time may be the reason. */
export type MovedMetric = keyof typeof SAID

/**
 * Why an interval is too wide, where runs are not the reason: the level of a side moved, one part of the time differs from
 * the rest, or days differ. Undefined where more runs would make it narrower.
 */
export function movedText(
  metric: MovedMetric,
  statistics: Pick<DiffStatistics, MovedMetric | 'compared'>,
): string | undefined {
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
