import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { Gate } from '../../models/deploys/gate.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { isAboutConfidence } from '../../rules/policy.ts'
import { counted } from '../format.ts'
import type { Tone } from './badge.tsx'
import { METRICS, type MetricName, overallVerdict } from './change.ts'

/** What a reader learns of a candidate, wherever it is: in the diff, the dialog, an approval, the ledger, on the board. */
export interface Judged {
  /** How the policy is shown. */
  readonly tone: Tone
  readonly title: string
  /** How it is worse although it passes: `slower`; empty where it is not. */
  readonly but: string
  readonly isBlocked: boolean
  /** Whether only runs are missing. */
  readonly isUnsure: boolean
}

const WORSE: Readonly<Record<MetricName, string>> = {
  latency_ms: 'slower',
  cost_per_run_usd: 'costlier',
  error_rate: 'failing more often',
}

/** As much of what a policy says as is shown. */
export type PolicyJudged = Pick<PolicyVerdict, 'passed' | 'reasons' | 'warnings' | 'missing_evidence'>

/** What a promotion is judged by: the gate knows more reasons than the diff, and never fewer. */
export function withGate(policy: PolicyJudged, gate: Gate | undefined): PolicyJudged {
  return gate === undefined || gate.passed ? policy : { ...policy, passed: false, reasons: gate.reasons }
}

export function judged(
  { passed, reasons, warnings = [] }: PolicyJudged,
  statistics: DiffStatistics | undefined,
): Judged {
  if (!passed) {
    const isUnsure = reasons.every(isAboutConfidence)
    const title = isUnsure
      ? 'Blocked by policy: too few runs to tell'
      : `Blocked by policy: ${counted(reasons.length, 'reason')}`
    return { tone: isUnsure ? 'warn' : 'bad', title, but: '', isBlocked: true, isUnsure }
  }
  const but = worseWords(statistics)
  const tone = but !== '' || warnings.length > 0 ? 'warn' : 'ok'
  return {
    tone,
    title: but === '' ? 'Passes the policy' : `Passes the policy, but ${but}`,
    but,
    isBlocked: false,
    isUnsure: false,
  }
}

const CHANGES = {
  worse: ['warn', 'worse'],
  better: ['ok', 'better'],
  no_difference: ['ok', 'no difference'],
  inconclusive: ['plain', 'too early to tell'],
} as const satisfies Readonly<Record<string, readonly [Tone, string]>>

/** The same in a few words, where it is one of many: what a promotion would come to now. */
export function inShort(
  policy: PolicyJudged,
  statistics: DiffStatistics | undefined,
): readonly [Tone, string] {
  const { tone, but, isBlocked, isUnsure } = judged(policy, statistics)
  if (isUnsure) return ['plain', 'too few runs yet']
  if (isBlocked) return [tone, `would be blocked: ${counted(policy.reasons.length, 'reason')}`]
  if (but !== '') return [tone, `passes, but ${but}`]
  if (statistics === undefined) return [tone, 'passes']
  const [change, words] = CHANGES[overallVerdict(statistics)]
  return [change, `passes, ${words}`]
}

/** In what it is worse for all; else that it is for some. */
function worseWords(statistics: DiffStatistics | undefined): string {
  if (statistics === undefined) return ''
  const worse = METRICS.filter(([name]) => statistics[name].verdict === 'worse').map(([name]) => WORSE[name])
  const spots = statistics.hot_spots?.found_in_all ?? 0
  if (worse.length > 0) return worse.join(' and ')
  return spots > 0 ? `worse for ${counted(spots, 'group')}` : ''
}
