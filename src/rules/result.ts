import type { Result } from '../models/documents/policy.ts'

export const FORCED_REASON = 'forced rollback: the policy was not asked'

export const FIRST_PROMOTION_REASON = 'first promotion: no promoted baseline for agent/environment'

/** How reasons begin or end that say only that evidence is missing. */
export const NOTHING = 'nothing is promoted for '

export const CONFIDENCE = 'diff confidence is '

export const UNPROVEN = 'too little evidence on '

export const TOO_INCOMPLETE = ' with which limits on cost are decided'

export const UNMEASURED = ' cannot be checked: the candidate has no data for it'

/**
 * Whether a policy lets a candidate pass, finds a limit violated, or only lacks evidence: every reason is about
 * confidence, an interval that doesn't tell, or a limit on what has no data, then.
 */
export function verdictOf({
  passed,
  reasons,
}: {
  readonly passed: boolean
  readonly reasons: readonly string[]
}): 'pass' | 'block' | 'inconclusive' {
  if (passed) return 'pass'
  const lacksEvidence = reasons.every(
    reason =>
      reason.startsWith(CONFIDENCE) ||
      reason.startsWith(UNPROVEN) ||
      reason.startsWith(NOTHING) ||
      reason.includes(UNMEASURED) ||
      reason.endsWith(TOO_INCOMPLETE),
  )
  return lacksEvidence ? 'inconclusive' : 'block'
}

/** How a decision came out, in one word that every interface shows. */
export function resultOf(policy: { readonly passed: boolean; readonly reasons: readonly string[] }): Result {
  const { passed, reasons } = policy
  if (passed) return reasons.includes(FIRST_PROMOTION_REASON) ? 'first' : 'passed'
  if (reasons[0] === FORCED_REASON) return 'forced'
  return reasons.length > 0 && verdictOf(policy) === 'inconclusive' ? 'not_yet' : 'blocked'
}

/** How a decision came out, in lists. */
export const RESULT_WORDS: Readonly<Record<Result, string>> = {
  passed: 'passed',
  first: 'first promotion',
  forced: 'forced',
  not_yet: 'not yet',
  blocked: 'blocked',
}
