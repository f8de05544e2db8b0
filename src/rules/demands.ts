import type { Policy } from '../models/documents/policy.ts'
import type { Decided, Evidence } from './evidence.ts'
import type { HeldPolicy, PolicyRule } from './scope.ts'

/** How one key of the policy came out that a feature judges promotions by. */
export interface Judged {
  readonly policy_key: string
  readonly metric: string
  readonly value: number | string | null
  readonly limit: number | string
  /** Null where the facts don't tell, which only happens by another policy than that of the decision. */
  readonly passed: boolean | null
  /** Why it blocks or isn't known; where it passes, what to mind, if anything. */
  readonly text: string | null
}

/** What a demand is judged by besides its facts. */
export interface DemandQuestion extends Decided {
  /** As it holds for the agent in the environment. */
  readonly policy: Policy
  /** Overrides that set its keys. */
  readonly rules: readonly PolicyRule[]
  /** Whether what can't be told blocks. */
  readonly strict: boolean
}

/** Judges by the facts that evidence keeps: no I/O, no clock, so that decisions replay. */
export type JudgeDemand = (facts: never, question: DemandQuestion) => readonly Judged[]

/** By the name that evidence keeps facts under; `keys` are those of a policy that it judges by. */
export type DemandJudges = ReadonlyMap<
  string,
  { readonly keys: readonly (keyof Policy)[]; readonly judge: JudgeDemand }
>

export const NO_JUDGES: DemandJudges = new Map()

/** The demands of a decision, judged again. Undefined where this program lacks the feature that judges one. */
export function judgedAgain(
  { demands = {}, policy, policy_scope, strict }: Evidence,
  decided: Decided,
  judges: DemandJudges,
): Judged[] | undefined {
  const question = { ...decided, policy, rules: policy_scope?.rules ?? [], strict: strict === true }
  const names = Object.keys(demands)
  if (names.some(name => !judges.has(name))) return undefined
  return names.flatMap(name => judges.get(name)!.judge(demands[name] as never, question))
}

/** The same by another policy, of which evidence may lack the facts. */
export function judgedOtherwise(
  { demands = {}, evaluation, strict }: Evidence,
  decided: Decided,
  { policy, scope }: HeldPolicy,
  judges: DemandJudges,
): Judged[] {
  // Neither first promotions nor rollbacks are asked.
  if (evaluation === null || decided.action === 'rollback') return []
  const question = { ...decided, policy, rules: scope?.rules ?? [], strict: strict === true }
  return Array.from(judges).flatMap(([name, { keys, judge }]) =>
    name in demands
      ? judge(demands[name] as never, question)
      : keys.filter(key => policy[key] != null).map(key => untold(key, policy)),
  )
}

/** A key that no policy had when the decision was made. */
export function untold(key: keyof Policy, policy: Policy): Judged {
  const limit = policy[key]
  return {
    policy_key: key,
    metric: key,
    value: null,
    limit: typeof limit === 'number' ? limit : 'set',
    passed: null,
    text: `${key} can't be told: no policy asked for it then`,
  }
}

export function blockingTexts(judged: readonly Judged[]): string[] {
  return judged.filter(({ passed }) => passed === false).map(({ text }) => text!)
}

export function warningTexts(judged: readonly Judged[]): string[] {
  return judged.filter(({ passed }) => passed === true).flatMap(({ text }) => text ?? [])
}
