import { round12 } from '../../base/numbers.ts'
import type { LimitResult } from '../../models/answers/statistics.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { samplesOf } from '../../rules/diff_statistics.ts'
import { SCORE_LIMITS, TAIL_LIMITS, isOfSuite, limitReasons } from '../../rules/limits.ts'
import { POINT_LIMITS } from '../../rules/policy.ts'
import type { PolicyRule } from '../../rules/scope.ts'
import { lowOfMean, lowOfRate } from '../../rules/statistics/guard.ts'
import { nearlyAllLast, pooled } from '../../rules/statistics/samples.ts'

type Samples = ReturnType<typeof samplesOf>

/** Limits on the candidate alone, by the key of the policy; null is no limit. */
export type AbsoluteLimits = Readonly<Record<(typeof POINT_LIMITS)[number]['key'], number | null>>

export function absoluteLimits(policy: Policy): AbsoluteLimits {
  const { max_cost_per_run_usd, max_latency_ms, max_error_rate } = policy
  return { max_cost_per_run_usd, max_latency_ms, max_error_rate }
}

/** False alarms that these limits may raise, over all checks, besides those of rises. */
const ABSOLUTE_ALPHA = 0.01 / POINT_LIMITS.length

/** A step of a rollout: when it began, and when it ended or how late it is, epoch ms; and its runs. */
interface Step {
  readonly from: number
  readonly to: number
  readonly baseline: Pick<Samples, 'latency_ms'>
  readonly candidate: Samples
}

/**
 * The same of a rollout. Of errors those steps count that lasted longer than nearly all runs of the baseline do: before,
 * quick failures have come in, and few of the other runs.
 */
export function absoluteHarmIn(steps: readonly Step[], limits: AbsoluteLimits): string[] {
  const lasts = nearlyAllLast(pooled(steps.map(({ baseline }) => baseline.latency_ms)).moments)
  const old = steps.filter(({ from, to }) => to - from >= lasts)
  const of = (some: readonly Step[], own: Partial<AbsoluteLimits>): string[] =>
    absoluteHarm(
      some.map(({ candidate }) => candidate),
      { ...limits, ...own },
    )
  const { max_error_rate } = limits
  return [...of(steps, { max_error_rate: null }), ...of(old, { ...NO_LIMITS, max_error_rate })]
}

const NO_LIMITS: AbsoluteLimits = { max_cost_per_run_usd: null, max_latency_ms: null, max_error_rate: null }

/** The limits that runs of the candidate prove to be broken, with the figures. `candidates` are its runs, by step. */
export function absoluteHarm(candidates: readonly Samples[], limits: AbsoluteLimits): string[] {
  return POINT_LIMITS.flatMap(({ key, name, sample: of, digits: [digits] }) => {
    const limit = limits[key]
    if (limit === null) return []
    const sample = pooled(candidates.map(samples => samples[of]))
    const low = (key === 'max_error_rate' ? lowOfRate : lowOfMean)(sample, ABSOLUTE_ALPHA)
    if (low === undefined || round12(low) <= round12(limit)) return []
    const { n, mean } = sample.moments
    return [
      `candidate ${name} ${mean.toFixed(digits)}, at least ${low.toFixed(digits)}, exceeds ${key} ${limit} (n ${n})`,
    ]
  })
}

/**
 * The decided limits that a release has to keep before it gets any traffic: those on itself that are proven to be broken, and
 * all that the policy asks of evaluations. Limits on a change wait for the rollout, and so does what more runs would decide.
 */
export function brokenLimits(limits: readonly LimitResult[], rules: readonly PolicyRule[]): string[] {
  const decided = limits.filter(({ policy_key, outcome, inconclusive_because }) => {
    const isBroken = outcome === 'fail'
    const lacks = inconclusive_because === 'no_data'
    if (policy_key.startsWith('suites.')) return isBroken || lacks
    const [key, ...name] = policy_key.split('.')
    if (key === SCORE_LIMITS[0]) return isBroken || (lacks && isOfSuite(name.join('.')))
    return isBroken && TAIL_LIMITS.some(tail => tail.key === key)
  })
  return limitReasons(decided, rules)
}
