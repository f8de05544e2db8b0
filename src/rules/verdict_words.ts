import { counted } from '../base/text.ts'
import type { DiffStatistics } from '../models/answers/statistics.ts'
import type { PolicyVerdict, Result } from '../models/documents/policy.ts'

const ENOUGH = { HIGH: 'enough runs', MEDIUM: 'nearly enough runs', LOW: 'too few runs' } as const

/** Says what the contract's label means: it counts runs, and says nothing of whether a change is good. */
export function confidenceText(confidence: keyof typeof ENOUGH): string {
  return `${ENOUGH[confidence]} (confidence ${confidence})`
}

const COMPARED = {
  common_time: 'shared time',
  same_hours: 'same hours',
  tenant: 'shared tenants',
  task: 'shared tasks',
  rollout: 'both arms',
} as const

/** Names the runs that a change with its interval is of. What is said of each side alone is of all runs. */
export function comparedText({ compared }: Pick<DiffStatistics, 'compared'>): string {
  return compared === undefined ? ALL_RUNS : COMPARED[compared.by]
}

export const ALL_RUNS = 'all runs'

/** Whether changes of cost and latency are of other runs than the figures of each side: of those that succeeded. */
export function isOfSucceeded({
  of_succeeded,
  cost_per_run_usd,
  error_rate,
}: Pick<DiffStatistics, 'of_succeeded' | 'cost_per_run_usd' | 'error_rate'>): boolean {
  const hasFailed = (side: 'baseline_runs' | 'candidate_runs'): boolean =>
    cost_per_run_usd[side] < error_rate[side]
  return of_succeeded === true && (hasFailed('baseline_runs') || hasFailed('candidate_runs'))
}

/** What a reader learns of a candidate, wherever it is: in diff, dialog, approval, ledger, board, and a report elsewhere. */
export interface Judged {
  /** How the policy is shown. */
  readonly tone: 'ok' | 'warn' | 'bad'
  readonly title: string
  /** How it is worse although it passes: `slower`; empty where it is not. */
  readonly but: string
  readonly isBlocked: boolean
  /** Whether only evidence is missing. */
  readonly isUnsure: boolean
}

/** As much of what a policy says as is shown. */
export type PolicyJudged = Pick<
  PolicyVerdict,
  'passed' | 'result' | 'reasons' | 'warnings' | 'missing_evidence'
>

/** Whether a release passes, in one title. */
export function judged(
  {
    result,
    reasons,
    warnings = [],
  }: {
    readonly result: Result
    readonly reasons: readonly string[]
    readonly warnings?: readonly string[] | undefined
  },
  statistics: DiffStatistics | undefined,
): Judged {
  const plain = { but: '', isBlocked: false, isUnsure: false }
  if (result === 'blocked') {
    const title = `Blocked by policy: ${counted(reasons.length, 'reason')}`
    return { ...plain, tone: 'bad', title, isBlocked: true }
  }
  if (result === 'not_yet') {
    return { tone: 'warn', title: 'Not yet: too little evidence', but: '', isBlocked: true, isUnsure: true }
  }
  if (result !== 'passed') {
    return { ...plain, tone: 'warn', title: `${UNASKED[result]}: no policy is evaluated` }
  }
  const but = worseWords(statistics)
  return {
    ...plain,
    tone: but !== '' || warnings.length > 0 ? 'warn' : 'ok',
    title: but === '' ? 'Passes the policy' : `Passes the policy, but ${but}`,
    but,
  }
}

const UNASKED = { first: 'First promotion', forced: 'Forced' } as const

const WORSE = [
  ['latency_ms', 'slower'],
  ['cost_per_run_usd', 'costlier'],
  ['error_rate', 'failing more often'],
] as const

/** In what it is worse for all; else that it is for some. */
function worseWords(statistics: DiffStatistics | undefined): string {
  if (statistics === undefined) return ''
  const worse = WORSE.filter(([metric]) => statistics[metric].verdict === 'worse').map(([, words]) => words)
  const spots = statistics.segment_regressions?.found_in_all ?? 0
  if (worse.length > 0) return worse.join(' and ')
  return spots > 0 ? `worse for ${counted(spots, 'group')}` : ''
}
