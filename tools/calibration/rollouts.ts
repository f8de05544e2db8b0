import { type MeasuredSide, samplesOf } from '../../src/rules/diff_statistics.ts'
import type { DiffStatistics } from '../../src/models/answers/statistics.ts'
import type { Policy } from '../../src/models/documents/policy.ts'
import { decideLimits } from '../../src/rules/limits.ts'
import { NO_SUMS } from '../../src/rules/rollup.ts'
import { effectiveNumber } from '../../src/rules/statistics/variances.ts'
import { LEAST_BUCKETS } from '../../src/rules/statistics/arms.ts'
import {
  type StepSides,
  decidingArms,
  guardLimits,
  harmOf,
  readGuard,
} from '../../src/features/rollouts/rules_readings.ts'
import { DEFAULT_STEPS, type Step, parseSteps } from '../../src/features/rollouts/rules_steps.ts'
import { HOUR_MS } from '../../src/base/time.ts'
import type { Asked } from './decisions.ts'
import { randomOf } from './traffic.ts'

const [RUNS_PER_DAY, BUCKETS] = [20_000, 100]
const POLICY = { max_latency_increase_pct: 0.1, max_error_rate_increase: 0.02 } as Policy
const STEPS = parseSteps(DEFAULT_STEPS) as readonly Step[]

/** What is split: how many there are, how their levels differ, and how much more the largest run than the smallest. */
export interface Units {
  readonly name: string
  /** Infinite where each has four runs and is never seen again. */
  readonly count: number
  readonly level_sd: number
  /** Weight of the i-th is i to the power of minus this. */
  readonly zipf: number
}

export const UNITS: readonly Units[] = [
  { name: 'session', count: Infinity, level_sd: 0.3, zipf: 0 },
  { name: 'user (2,000)', count: 2000, level_sd: 0.4, zipf: 0.5 },
  { name: 'tenant (200)', count: 200, level_sd: 0.5, zipf: 0.5 },
]

/** What the candidate does to latency, errors, and to the unit that runs most. */
export interface World {
  readonly name: string
  readonly latency: number
  readonly errors: number
  /** By how much the largest unit is slower. */
  readonly largest?: number
}

export const ROLLOUT_WORLDS: readonly World[] = [
  { name: 'unchanged', latency: 0, errors: 0 },
  { name: '+10 % latency, the limit', latency: 0.1, errors: 0 },
  { name: '+20 % latency', latency: 0.2, errors: 0 },
  { name: '+3 points errors', latency: 0, errors: 0.03 },
  { name: 'the largest unit five times as slow', latency: 0, errors: 0, largest: 4 },
]

export interface Rollouts {
  /** Shares of all rollouts. */
  readonly completed: number
  readonly aborted: number
  /** Share that was aborted by the end of each step in which the candidate ran. */
  readonly aborted_by: readonly number[]
  /** Mean share of the traffic of the whole rollout that ran the candidate before the abort; 0 without any. */
  readonly harmed: number
}

/** Rollouts by the default steps, decided by the shipped rules over their sums, with an hourly look. */
export function rolledOut(world: World, units: Units, { reps, seed }: Asked): Rollouts {
  const random = randomOf(seed, `rollout ${world.name} ${units.name}`)
  const noise = Float64Array.from({ length: 1 << 16 }, () => Math.exp(0.7 * random.normal() - 0.245))
  const aborts = STEPS.map(() => 0)
  let [completed, aborted, harmed] = [0, 0, 0]
  for (let rep = 0; rep < reps; rep++) {
    const { end, step, share } = oneRollout(world, units, random, noise)
    if (end === 'completed') completed++
    if (end !== 'aborted') continue
    aborted++
    harmed += share
    for (let later = step; later < STEPS.length; later++) aborts[later]!++
  }
  return {
    completed: completed / reps,
    aborted: aborted / reps,
    aborted_by: aborts.slice(1).map(count => count / reps),
    harmed: aborted === 0 ? 0 : harmed / aborted,
  }
}

type Sums = Readonly<Record<'baseline' | 'candidate', readonly Float64Array[]>>

function oneRollout(
  world: World,
  { count, level_sd, zipf }: Units,
  { uniform, normal }: ReturnType<typeof randomOf>,
  noise: Float64Array,
): { readonly end: 'completed' | 'aborted' | 'blocked'; readonly step: number; readonly share: number } {
  const unit = () => ({
    at: uniform(),
    bucket: Math.floor(BUCKETS * uniform()),
    level: Math.exp(level_sd * normal()),
  })
  const isPool = Number.isFinite(count)
  const pool = isPool ? Array.from({ length: count }, unit) : []
  const ends: number[] = []
  for (let rank = 1; rank <= pool.length; rank++) ends.push((ends.at(-1) ?? 0) + rank ** -zipf)
  const drawn = (): number => {
    const at = uniform() * ends.at(-1)!
    let [low, high] = [0, ends.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! < at) low = middle + 1
      else high = middle
    }
    return low
  }
  const last = STEPS.length - 1
  const sums: Sums[] = []
  let [hour, candidateRuns] = [0, 0]
  const total = (STEPS.reduce((sum, { lasts_ms }) => sum + lasts_ms, 0) / HOUR_MS) * (RUNS_PER_DAY / 24)
  for (const [step, { share, lasts_ms }] of STEPS.entries()) {
    const own = { baseline: emptySums(), candidate: emptySums() }
    sums.push(own)
    for (let passed = 0; passed < lasts_ms / HOUR_MS; passed++, hour++) {
      const daily = Math.sin((2 * Math.PI * hour) / 24)
      const level = 300 * (1 + 0.12 * daily)
      const runs = Math.round((RUNS_PER_DAY / 24) * (1 + 0.5 * daily))
      for (let run = 0, session = unit(); run < runs; run++) {
        if (!isPool && run % 4 === 0) session = unit()
        const rank = isPool ? drawn() : -1
        const from = isPool ? pool[rank]! : session
        const side = from.at < (share === 0 ? STEPS[last]!.share : share) ? 'candidate' : 'baseline'
        const isNew = side === 'candidate' && share > 0
        if (isNew) candidateRuns++
        const slower = isNew ? (1 + world.latency) * (rank === 0 ? 1 + (world.largest ?? 0) : 1) : 1
        const latency = Math.round(level * from.level * slower * noise[Math.floor(65_536 * uniform())]!)
        const bucket = own[side][from.bucket]!
        bucket[0]! += 1
        bucket[1]! += latency
        bucket[2]! += latency * latency
        if (uniform() < 0.03 + (isNew ? world.errors : 0)) bucket[3]! += 1
      }
      if (share === 0) continue
      const harm = harmOf(readGuard(sums.slice(1).map(sidesOf), guardLimits(POLICY)))
      if (harm.length > 0) return { end: 'aborted', step, share: candidateRuns / total }
    }
  }
  return { end: mayComplete(sums) ? 'completed' : 'blocked', step: last, share: candidateRuns / total }
}

function emptySums(): Float64Array[] {
  return Array.from({ length: BUCKETS }, () => new Float64Array(4))
}

function sidesOf({ baseline, candidate }: Sums): StepSides {
  return { baseline: sideOf(baseline), candidate: sideOf(candidate) }
}

function sideOf(buckets: readonly Float64Array[]): MeasuredSide {
  const cells = buckets.flatMap(([runs, sum, squares, errors], block) =>
    runs === 0
      ? []
      : [
          {
            ...NO_SUMS,
            agent_id: 'bot',
            provider: 'acme',
            model: 'm1',
            block,
            runs: runs!,
            errors: errors!,
            latency_count: runs!,
            latency_sum_ms: sum!,
            latency_sum_ms2: squares!,
            token_products: [0, 0, 0, 0, 0, 0],
          },
        ],
  )
  return { cells, rates: new Map() }
}

/** Whether the last step alone passes the limits, as the promotion is decided. */
function mayComplete(sums: readonly Sums[]): boolean {
  const last = sidesOf(sums.at(-1)!)
  const buckets = (['baseline', 'candidate'] as const).map(side =>
    effectiveNumber(samplesOf(last[side]).error_rate),
  )
  if (Math.min(...buckets) < LEAST_BUCKETS) return false
  const arms = decidingArms({
    last,
    before: sidesOf(sums[0]!),
    values: [],
    from: 0,
    to: 0,
    sequential: false,
  })
  const { statistics } = arms({
    policy: POLICY,
    options: { min_runs: 50, limits: 2 },
    planned: () => ({}),
    measured: {},
  })
  return decideLimits(POLICY, statistics as DiffStatistics).every(({ outcome }) => outcome === 'pass')
}
