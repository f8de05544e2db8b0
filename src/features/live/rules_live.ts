import { count } from '../../base/text.ts'
import { limitOf } from '../../models/limits.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { type MeasuredSide, samplesOf } from '../../rules/diff_statistics.ts'
import { limitWriter } from '../../rules/limit_words.ts'
import { POINT_LIMITS } from '../../rules/policy.ts'
import { studentFactor } from '../../rules/statistics/intervals.ts'
import { clopperPearsonLower } from '../../rules/statistics/rates.ts'
import { type Sample, varianceOf } from '../../rules/statistics/samples.ts'
import type { LivePlace } from './models.ts'

/** Width of the blocks that runs are read in. */
export const BLOCK_MINUTES = 10
/** How far back a check goes, in blocks: a day. */
export const BLOCKS = 144

/**
 * The periods that a check judges, in newest blocks, and the chance of a wrong finding in each of a release whose true level is
 * at its limit: a sudden failure shows in few blocks, a rare one in many. Only 30 minutes have a large one: to find 30 %
 * failures under a limit of 3 % in 30 runs in 95 % of cases, 5 failures have to be a finding, which a release at 3 % has in
 * 0.2 %. How often a healthy place is found is in test/server/live_world.
 */
const CHECKS = [
  { blocks: 2, alpha: 2e-4 },
  { blocks: 3, alpha: 2e-3 },
  { blocks: 6, alpha: 2e-4 },
  { blocks: 36, alpha: 5e-5 },
  { blocks: BLOCKS, alpha: 5e-5 },
] as const
export const PERIODS = CHECKS.map(({ blocks }) => blocks)

/** Fewest runs for a finding: of a rate by its exact bound, and of a mean. */
export const [LEAST_FOR_RATE, LEAST_FOR_MEAN] = [10, 50]

/** Fewest runs of the last hour that say whether a limit is kept again. */
export const LEAST_OF_HOUR = 30

type Limit = (typeof POINT_LIMITS)[number]
export type LimitKey = Limit['key']

/** A limit on the release itself that its runs prove to be broken. */
export interface Broken {
  readonly limit_key: Limit['key']
  readonly limit: number
  /** Minutes back from now that the runs are of; at most that many. */
  readonly minutes: number
  readonly runs: number
  /** The mean or rate of these runs: USD, ms, or a fraction. */
  readonly value: number
  /** What the true value is at least. */
  readonly at_least: number
}

/** What the newest runs say of the limits on a release itself. */
export interface LiveVerdict {
  /** Limits that they prove to be broken, each in the period that proves most. */
  readonly broken: readonly Broken[]
  /** Limits that the last hour is above, proven or not. */
  readonly above: readonly LimitKey[]
  /** Limits that enough runs of the last hour keep. */
  readonly kept: readonly LimitKey[]
}

/**
 * Judges the newest runs by the limits on a release itself. `newest` is the number of the block that is now. Cost is judged by
 * the runs whose model has a price. Once the last hour keeps a limit, what lies further back no longer breaks it.
 */
export function liveVerdict(
  { aggregates, parts = [], rates }: MeasuredSide,
  policy: Pick<Policy, LimitKey>,
  newest: number,
): LiveVerdict {
  const periods = CHECKS.map(({ blocks, alpha }) => {
    const isIn = ({ block }: { readonly block: number }): boolean => block > newest - blocks
    const samples = samplesOf(
      { aggregates: aggregates.filter(isIn), parts: parts.filter(isIn), rates },
      false,
    )
    return { minutes: blocks * BLOCK_MINUTES, alpha, ...samples }
  })
  const hour = periods.find(({ minutes }) => minutes === 60)!
  const [broken, above, kept]: [Broken[], LimitKey[], LimitKey[]] = [[], [], []]
  for (const { key, sample: of } of POINT_LIMITS) {
    const limit = policy[key]
    if (limit === null) continue
    const { n, mean } = hour[of].moments
    const isEnough = n >= LEAST_OF_HOUR
    const isKept = isEnough && mean <= limit
    if (isEnough) (isKept ? kept : above).push(key)
    const found = periods.flatMap(period => {
      const sample = period[of]
      const at_least = of === 'error_rate' ? lowOfRate(sample, period.alpha) : lowOfMean(sample, period.alpha)
      if (at_least === undefined || at_least <= limit || (isKept && period.minutes > hour.minutes)) return []
      const { n: runs, mean: value } = sample.moments
      return [{ limit_key: key, limit, minutes: period.minutes, runs, value, at_least }]
    })
    const most = found.toSorted((a, b) => b.at_least - a.at_least)[0]
    if (most !== undefined) broken.push(most)
  }
  return { broken, above, kept }
}

function lowOfRate({ moments: { n, mean } }: Sample, alpha: number): number | undefined {
  if (n < LEAST_FOR_RATE) return undefined
  return clopperPearsonLower({ events: Math.round(mean * n), runs: n }, alpha)
}

function lowOfMean({ moments }: Sample, alpha: number): number | undefined {
  const { n, mean } = moments
  if (n < LEAST_FOR_MEAN) return undefined
  return mean - studentFactor(n - 1, 2 * alpha) * Math.sqrt(varianceOf(moments) / n)
}

/** A broken limit as a sentence: `error rate 22.4 % of 117 runs in the last 60 min, at least 12.6 %; max_error_rate is 3.0 %`. */
export function brokenText({ minutes, runs, ...broken }: Broken): string {
  const span = minutes % 60 === 0 && minutes > 60 ? `${minutes / 60} h` : `${minutes} min`
  return provenText(broken, `of ${count(runs)} runs in the last ${span}`)
}

/** A limit that is proven to be broken, of these runs. */
export function provenText(
  { limit_key, limit, value, at_least }: Omit<LivePlace['broken'][number], 'minutes' | 'runs' | 'text'>,
  runs: string,
): string {
  const write = limitWriter(limit_key)
  const [what] = limitOf(limit_key)!.what.toLowerCase().split(',')
  return `${what} ${write(value)} ${runs}, at least ${write(at_least)}; ${limit_key} is ${write(limit)}`
}
