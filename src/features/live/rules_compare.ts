import { counted } from '../../base/text.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { CHANGE_LIMITS, doubtText } from '../../rules/limits.ts'
import type { Window } from '../../rules/window.ts'
import { provenText } from './rules_live.ts'

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
  /** Limits that the runs are proven to keep. */
  readonly kept: readonly ChangeKey[]
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
  const [broken, kept]: [BrokenChange[], ChangeKey[]] = [[], []]
  const unclear = new Set<string>()
  for (const result of limits) {
    const row = CHANGE_LIMITS.find(({ key }) => key === result.policy_key)
    if (row === undefined) continue
    const { outcome, inconclusive_because: doubt, limit, estimate: value, low, candidate_runs: runs } = result
    if (outcome === 'pass') kept.push(row.key)
    if (outcome === 'inconclusive' && doubt !== 'interval_too_wide')
      unclear.add(`${row.what} against ${before}: ${doubtText(result)}`)
    if (outcome !== 'fail' || value === null || low === null) continue
    const found = { limit_key: row.key, limit, value, at_least: low }
    const text = provenText(found, `against ${before} by ${counted(runs, 'run')}`)
    broken.push({ ...found, minutes, runs, text })
  }
  return { broken, kept, not_checked: [...unclear] }
}
