import type { Policy } from '../../models/documents/policy.ts'
import { POINT_LIMITS } from '../../rules/policy.ts'
import type { LivePlace } from './models.ts'
import { LEAST_FOR_MEAN, LEAST_FOR_RATE, type LimitKey } from './rules_live.ts'

type LiveFindings = Pick<LivePlace, 'broken' | 'silence' | 'other_model'>

/** The facts about a live release that its check used. */
interface Checked {
  /** Runs of the last 24 hours. */
  readonly runs: number
  readonly policy: Pick<Policy, LimitKey>
  /** Whether the release has a price table. */
  readonly isPriced: boolean
  /** Whether no run came in the last hour, so that earlier days were looked at. */
  readonly isQuiet: boolean
}

/** What a check could not look at, and why; of changes see {@link Comparison}. */
export function notChecked(
  { silence }: LiveFindings,
  { runs, policy, isPriced, isQuiet }: Checked,
): string[] {
  const unset = POINT_LIMITS.filter(({ key }) => policy[key] === null).map(({ key }) => key)
  const least = policy.max_error_rate === null ? LEAST_FOR_MEAN : LEAST_FOR_RATE
  return [
    ...(unset.length === 0 ? [] : [`the policy sets no ${unset.join(', ')}`]),
    ...(unset.length < POINT_LIMITS.length && runs < least
      ? [
          runs === 0
            ? 'no runs in the last 24 hours'
            : `only ${runs} runs in the last 24 hours, too few to check limits`,
        ]
      : []),
    ...(policy.max_cost_per_run_usd !== null && !isPriced
      ? ['the cost: the release has no price table']
      : []),
    ...(isQuiet && silence === null
      ? ['whether runs stopped arriving: earlier days have too few runs at these hours']
      : []),
  ]
}

/** What a check says in one word. */
export function stateOf(
  { broken, silence, other_model }: LiveFindings,
  { runs, policy }: Checked,
): LivePlace['state'] {
  if (broken.length > 0) return 'worse'
  if (silence !== null) return 'silent'
  if (other_model !== null) return 'other_model'
  if (POINT_LIMITS.every(({ key }) => policy[key] === null)) return 'no_limits'
  return runs === 0 ? 'no_runs' : 'nothing_found'
}
