import { counted } from '../base/text.ts'
import type { DiffStatistics } from '../models/answers/statistics.ts'
import type { PolicyVerdict } from '../models/documents/policy.ts'
import { verdictOf } from './policy.ts'

const ENOUGH = { HIGH: 'enough runs', MEDIUM: 'nearly enough runs', LOW: 'too few runs' } as const

/** Says what the contract's label means: it counts runs, and says nothing of whether a change is good. */
export function confidenceText(confidence: keyof typeof ENOUGH): string {
  return `${ENOUGH[confidence]} (confidence ${confidence})`
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
export type PolicyJudged = Pick<PolicyVerdict, 'passed' | 'reasons' | 'warnings' | 'missing_evidence'>

/** Whether a release passes, in one title. `verdict` is what the policy came to, where that is known. */
export function judged(
  policy: {
    readonly passed: boolean
    readonly reasons: readonly string[]
    readonly warnings?: readonly string[] | undefined
  },
  statistics: DiffStatistics | undefined,
  verdict = verdictOf(policy),
): Judged {
  const { reasons, warnings = [] } = policy
  if (verdict !== 'pass') {
    const isUnsure = verdict === 'inconclusive'
    const title = `Blocked by policy: ${isUnsure ? 'too little evidence' : counted(reasons.length, 'reason')}`
    return { tone: isUnsure ? 'warn' : 'bad', title, but: '', isBlocked: true, isUnsure }
  }
  const but = worseWords(statistics)
  return {
    tone: but !== '' || warnings.length > 0 ? 'warn' : 'ok',
    title: but === '' ? 'Passes the policy' : `Passes the policy, but ${but}`,
    but,
    isBlocked: false,
    isUnsure: false,
  }
}

const WORSE = [
  ['latency_ms', 'slower'],
  ['cost_per_run_usd', 'costlier'],
  ['error_rate', 'failing more often'],
] as const

/** In what it is worse for all; else that it is for some. */
function worseWords(statistics: DiffStatistics | undefined): string {
  if (statistics === undefined) return ''
  const worse = WORSE.filter(([metric]) => statistics[metric].verdict === 'worse').map(([, words]) => words)
  const spots = statistics.hot_spots?.found_in_all ?? 0
  if (worse.length > 0) return worse.join(' and ')
  return spots > 0 ? `worse for ${counted(spots, 'group')}` : ''
}
