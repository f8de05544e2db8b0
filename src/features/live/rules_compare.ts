import { counted } from '../../base/text.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { CHANGE_LIMITS, doubtText, limitValue } from '../../rules/limits.ts'
import type { Window } from '../../rules/window.ts'

type ChangeKey = (typeof CHANGE_LIMITS)[number]['key']

/** A limit on a change that a live release is proven to break against the one before it. */
interface BrokenChange {
  readonly limit_key: ChangeKey
  /** A fraction, or of a rate a difference; `value` and `at_least` too. */
  readonly limit: number
  /** Minutes back from now that its runs are of. */
  readonly minutes: number
  readonly runs: number
  readonly value: number
  readonly at_least: number
  readonly text: string
}

/** What a comparison with the release before says. */
export interface Comparison {
  readonly broken: readonly BrokenChange[]
  /** What was not compared, and why. */
  readonly not_checked: readonly string[]
}

/** What the statistics of a release say over a window against `before`, the version that was live before it. */
export function comparisonOf(
  { limits, compared }: Pick<DiffStatistics, 'limits' | 'compared'>,
  before: string,
  window: Window,
): Comparison {
  const since = compared === undefined ? window.since : Date.parse(compared.since)
  const minutes = Math.max(0, Math.round((window.until - since) / MINUTE_MS))
  const broken: BrokenChange[] = []
  const unclear = new Set<string>()
  for (const result of limits) {
    const row = CHANGE_LIMITS.find(({ key }) => key === result.policy_key)
    if (row === undefined) continue
    const { outcome, inconclusive_because: doubt, limit, estimate: value, low, candidate_runs: runs } = result
    if (outcome === 'inconclusive' && doubt !== 'interval_too_wide')
      unclear.add(`${row.what} against ${before}: ${doubtText(result)}`)
    if (outcome !== 'fail' || value === null || low === null) continue
    const write = (of: number): string => limitValue(row.key, of)
    const text =
      `${row.what} ${write(value)} against ${before} by ${counted(runs, 'run')}, at least ${write(low)}; ` +
      `${row.key} is ${write(limit)}`
    broken.push({ limit_key: row.key, limit, minutes, runs, value, at_least: low, text })
  }
  return { broken, not_checked: [...unclear] }
}
