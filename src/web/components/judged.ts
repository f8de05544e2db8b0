import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { Gate } from '../../models/deploys/gate.ts'
import { type PolicyJudged, judged } from '../../rules/verdict_words.ts'
import { counted } from '../format.ts'
import type { Tone } from './badge.tsx'
import { overallVerdict } from './change.ts'

/** What a promotion is judged by: the gate knows more reasons than the diff, and never fewer. */
export function withGate(policy: PolicyJudged, gate: Gate | undefined): PolicyJudged {
  return gate === undefined || gate.passed
    ? policy
    : { ...policy, passed: false, result: gate.result, reasons: gate.reasons }
}

const CHANGES = {
  worse: ['warn', 'worse'],
  better: ['ok', 'better'],
  no_difference: ['ok', 'no difference'],
  inconclusive: ['plain', 'too early to tell'],
} as const satisfies Readonly<Record<string, readonly [Tone, string]>>

/** The verdict in a few words, where it is one of many: what a promotion would come to now. */
export function inShort(
  policy: PolicyJudged,
  statistics: DiffStatistics | undefined,
): readonly [Tone, string] {
  const { tone, but, isBlocked, isUnsure } = judged(policy, statistics)
  if (policy.result === 'first') return [tone, 'first promotion']
  if (isUnsure) return ['plain', 'not yet: too little evidence']
  if (isBlocked) return [tone, `would be blocked: ${counted(policy.reasons.length, 'reason')}`]
  if (but !== '') return [tone, `passes, but ${but}`]
  if (statistics === undefined) return [tone, 'passes']
  const [change, words] = CHANGES[overallVerdict(statistics)]
  return [change, `passes, ${words}`]
}
