import { safe } from '../../base/text.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Retirement } from './models.ts'
import type { ConditionEvidence } from '../../rules/judge.ts'
import { type JudgedKey, conditionBy } from '../../rules/judged_keys.ts'
import { ruleText } from '../../rules/scope.ts'

/** Days from an instant, epoch ms, until a day of the calendar begins, both in UTC; negative where it has. */
export function daysUntil(day: string, now: number): number {
  return Math.round((Date.parse(`${day}T00:00:00Z`) - Math.floor(now / DAY_MS) * DAY_MS) / DAY_MS)
}

/** `ends in 12 days, on 2026-01-31`. */
export function endText({ retires_on, days_left }: Pick<Retirement, 'retires_on' | 'days_left'>): string {
  if (days_left < 0) return `ended on ${retires_on}`
  if (days_left === 0) return `ends today, ${retires_on}`
  return `ends in ${days_left === 1 ? '1 day' : `${days_left} days`}, on ${retires_on}`
}

export const ROLE_TEXTS = { runtime: '', fallback: ' (fallback)', further: '' } as const

/** A model of a candidate of which an end is known, as evidence keeps it. */
export interface EndingModel extends Pick<
  Retirement,
  'provider' | 'model' | 'retires_on' | 'days_left' | 'source'
> {
  readonly role: keyof typeof ROLE_TEXTS
}

export interface RetirementFacts {
  /** Those whose end is known, the first to end first. */
  readonly models: readonly EndingModel[]
  /** Why the clock that days are counted by is not to be believed, where it isn't. */
  readonly doubt?: string
}

/** A condition on how long models last. A model without a known end passes: dates are never guessed. */
export const RETIREMENT_RULE = conditionBy(['min_days_to_retirement'], judgeRetirement)

function judgeRetirement({ gates = {}, policy, policy_scope }: ConditionEvidence): readonly JudgedKey[] {
  const { min_days_to_retirement: facts } = gates as { min_days_to_retirement?: RetirementFacts }
  const least = policy.min_days_to_retirement
  if (least == null || facts === undefined) return []
  const { models, doubt } = facts
  const rules = policy_scope?.rules ?? []
  const [first] = models
  const row = {
    policy_key: 'min_days_to_retirement',
    metric: 'days_to_retirement',
    value: first?.days_left ?? 'no known end',
    limit: least,
  }
  if (first === undefined) return [{ ...row, passed: true, text: null }]
  const behind = ` (min_days_to_retirement)${ruleText(rules, 'min_days_to_retirement')}`
  if (doubt !== undefined) {
    return [
      { ...row, passed: false, text: `how many days the models have left is not known: ${doubt}${behind}` },
    ]
  }
  const short = models.filter(({ days_left }) => days_left < least)
  if (short.length === 0) return [{ ...row, passed: true, text: null }]
  const texts = short.map(
    one => `${safe(one.model)}${ROLE_TEXTS[one.role]} of ${safe(one.provider)} ${endText(one)}`,
  )
  return [
    { ...row, passed: false, text: `${texts.join('; ')}: at least ${least} days are demanded${behind}` },
  ]
}
