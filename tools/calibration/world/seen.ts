import { HOUR_MS } from '../../../src/base/time.ts'
import type { LimitResult } from '../../../src/models/answers/statistics.ts'
import type { Policy } from '../../../src/models/documents/policy.ts'
import type { Sampling } from '../decisions.ts'
import { randomOf } from '../traffic.ts'
import { type Answer, answerOf } from './ask.ts'
import { type Change, type SideName, type Traffic, drawsOf, endedSince } from './runs.ts'

export const METRICS = ['cost', 'latency', 'errors'] as const
export type Metric = (typeof METRICS)[number]
export type PerMetric = readonly [cost: number, latency: number, errors: number]
const NAMES = { cost: 'cost_per_run_usd', latency: 'latency_ms', errors: 'error_rate' } as const

/** What is counted of each metric, and of whole comparisons. */
const OF_METRIC = ['comparable', 'covers', 'worse', 'passes', 'fails'] as const
const OF_ALL = ['gate', 'spots', 'named', 'parts', 'agrees', 'kept'] as const
type Counted = (typeof OF_METRIC)[number] | (typeof OF_ALL)[number]

/** Shares of comparisons. `covers` is of those that are comparable, the others of all. */
export interface Seen extends Readonly<Record<(typeof OF_ALL)[number], number>> {
  readonly of: Readonly<Record<Metric, Readonly<Record<(typeof OF_METRIC)[number], number>>>>
}

/** A way in which two releases run, and the question about them. */
export interface World {
  readonly name: string
  readonly hours: number
  readonly traffic: Traffic
  /** With limits of +10 %, +10 % and +2 points. */
  readonly policy?: Partial<Policy>
  readonly isRollback?: true
  /** Hours of other windows that the same runs are compared over: a metric's verdict should be the same. */
  readonly also?: readonly number[]
  /** Rises of means that are tried; 0 and 0.2 unless given. */
  readonly changes?: readonly number[]
  /** What of a rise errors rise by, as a difference; a quarter unless given. */
  readonly errors_rise?: number
  /** What is true of the whole: of changed releases too unless given, or of unchanged ones alone, or nothing that is known. */
  readonly claims?: 'unchanged' | 'nothing'
  /** Share of intervals that have to hold the truth; 0.93 unless given. */
  readonly covers?: number
  /** Share of comparisons of an unchanged release that may be `worse` in a metric; 0.05 unless given. */
  readonly worse?: number
  /** Shares that have to be reached at least, or at most. */
  readonly least?: readonly Least[]
  readonly most?: readonly Least[]
  /** Why less is claimed of the world than others. */
  readonly because?: string
}

type Least = readonly [change: number, counted: Counted, share: number, metric?: Metric]

/** A Tuesday begins. */
export const UNTIL = Date.UTC(2026, 0, 6)

export const LIMITS = {
  max_cost_increase_pct: 0.1,
  max_latency_increase_pct: 0.1,
  max_error_rate_increase: 0.02,
} as const satisfies Partial<Policy>
const KEYS = {
  cost: 'max_cost_increase_pct',
  latency: 'max_latency_increase_pct',
  errors: 'max_error_rate_increase',
} as const

export function changeOf({ errors_rise = 0.25 }: World, mean: number): Change {
  return { mean, errors: mean * errors_rise }
}

/** Compares two releases, of which one is changed by so much, again and again. */
export async function seenIn(world: World, mean: number, { reps, seed }: Sampling): Promise<Seen> {
  const { hours, traffic, policy = {}, isRollback, also = [] } = world
  const random = randomOf(seed, `${world.name} ${mean}`)
  const draw = drawsOf(traffic, Math.max(hours, ...also), UNTIL)
  const change = changeOf(world, mean)
  const of = { cost: counts(), latency: counts(), errors: counts() }
  const all = { gate: 0, spots: 0, named: 0, parts: 0, agrees: 0, kept: 0 }
  for (let rep = 0; rep < reps; rep++) {
    const runs = draw(random, change)
    const over = (length: number): Promise<Answer> => {
      const window = { since: UNTIL - length * HOUR_MS, until: UNTIL }
      const own = (side: SideName) => (also.length === 0 ? runs[side] : endedSince(runs[side], window.since))
      const both = { baseline: own('baseline'), candidate: own('candidate') }
      return answerOf(both, { policy: { ...LIMITS, ...policy }, window, isRollback })
    }
    const answer = await over(hours)
    for (const metric of METRICS) countMetric(of[metric], metric, answer, truthOf(metric, traffic, change))
    const { statistics, verdict } = answer
    if (verdict.passed) all.gate += 1
    const found = statistics.segment_regressions?.found ?? []
    if (found.length > 0) all.spots += 1
    const tenant = (traffic.changed_tenant ?? -1) + 1
    if (found.some(({ kind, segment }) => kind === 'tenant' && segment === tenant)) all.named += 1
    if (METRICS.some(metric => statistics[NAMES[metric]].matched?.moved !== undefined)) all.parts += 1
    if ((statistics.error_rate.matched?.candidate_share ?? 0) >= 0.99) all.kept += 1
    const verdicts = (own: Answer): string =>
      METRICS.map(metric => own.statistics[NAMES[metric]].verdict).join()
    let agree = true
    for (const length of also) agree &&= verdicts(await over(length)) === verdicts(answer)
    if (agree) all.agrees += 1
  }
  const shares = (counted: Counts): Counts => ({
    comparable: counted.comparable / reps,
    covers: counted.comparable === 0 ? 0 : counted.covers / counted.comparable,
    worse: counted.worse / reps,
    passes: counted.passes / reps,
    fails: counted.fails / reps,
  })
  return {
    of: { cost: shares(of.cost), latency: shares(of.latency), errors: shares(of.errors) },
    gate: all.gate / reps,
    spots: all.spots / reps,
    named: all.named / reps,
    parts: all.parts / reps,
    agrees: all.agrees / reps,
    kept: all.kept / reps,
  }
}

/** Why nothing is claimed of a metric. */
const UNKNOWN: ReadonlySet<string> = new Set(['no_data', 'too_few_runs'])

type Counts = Record<(typeof OF_METRIC)[number], number>

function counts(): Counts {
  return { comparable: 0, covers: 0, worse: 0, passes: 0, fails: 0 }
}

/** How much a metric changes: cost is counted by the runs that succeed, and failed ones cost as much. */
function truthOf(metric: Metric, { errors: [b, c] = [0.03, 0.03] }: Traffic, change: Change): number {
  if (metric === 'errors') return change.errors
  return metric === 'latency' ? change.mean : ((1 + change.mean) * (1 - b)) / (1 - c - change.errors) - 1
}

function countMetric(counted: Counts, metric: Metric, { statistics }: Answer, truth: number): void {
  const own = statistics[NAMES[metric]]
  const estimate = metric === 'errors' ? own.difference : own.relative_change
  if (own.verdict === 'worse') counted.worse += 1
  const limit: LimitResult | undefined = statistics.limits.find(
    ({ policy_key }) => policy_key === KEYS[metric],
  )
  if (limit === undefined || limit.outcome === 'pass') counted.passes += 1
  if (limit?.outcome === 'fail') counted.fails += 1
  const isCompared = !UNKNOWN.has(own.inconclusive_because ?? '') && own.comparability_doubt === null
  if (!isCompared || estimate == null) return
  counted.comparable += 1
  if ((estimate.low ?? -Infinity) <= truth && truth <= (estimate.high ?? Infinity)) counted.covers += 1
}
