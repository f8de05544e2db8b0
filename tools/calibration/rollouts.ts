import { plannedBy, samplesOf } from '../../src/rules/diff_statistics.ts'
import type { DiffStatistics } from '../../src/models/answers/statistics.ts'
import type { Policy } from '../../src/models/documents/policy.ts'
import { decideLimits } from '../../src/rules/limits.ts'
import { NO_SUMS } from '../../src/rules/rollup.ts'
import { effectiveNumber } from '../../src/rules/statistics/variances.ts'
import { type CurrentState, nextMove } from '../../src/features/rollouts/rules_next.ts'
import {
  type StepSides,
  decidingArms,
  guardLimits,
  harmOf,
  readGuard,
} from '../../src/features/rollouts/rules_readings.ts'
import {
  DEFAULT_MAX_DURATION,
  DEFAULT_STEPS,
  SETTLE_MS,
  type Step,
  parseSteps,
} from '../../src/features/rollouts/rules_steps.ts'
import { unitsP } from '../../src/features/rollouts/rules_units.ts'
import { DAY_MS, HOUR_MS, durationMs } from '../../src/base/time.ts'
import { workspaceConfig } from '../../src/runtime/documents.ts'
import type { Effort } from './effort.ts'
import { type Random, randomOf } from './traffic.ts'

const [RUNS_PER_DAY, BUCKETS] = [20_000, 100]
const POLICY = { max_latency_increase_pct: 0.1, max_error_rate_increase: 0.02 } as Policy
const [STEPS, ERRORS] = [parseSteps(DEFAULT_STEPS) as readonly Step[], 0.03]
const DECIDED_BY = plannedBy(POLICY, workspaceConfig({}).diff)

/** What is split: how many there are, how their levels differ, and how unlike their numbers of runs are. */
export interface Units {
  readonly name: string
  readonly by: 'session' | 'user' | 'tenant'
  /** Infinite where each has four runs and is never seen again. */
  readonly count: number
  readonly level_sd: number
  /** The i-th has as many runs as i to the power of minus this. */
  readonly zipf: number
}

export const UNITS: readonly Units[] = [
  { name: 'session', by: 'session', count: Infinity, level_sd: 0.3, zipf: 0 },
  { name: 'user (2,000)', by: 'user', count: 2000, level_sd: 0.4, zipf: 0.5 },
  { name: 'tenant (200)', by: 'tenant', count: 200, level_sd: 0.5, zipf: 0.5 },
  { name: 'tenant (200, one has 17 %)', by: 'tenant', count: 200, level_sd: 0.5, zipf: 1 },
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
  { name: '+4 points errors', latency: 0, errors: 0.04 },
  { name: 'the largest unit five times as slow', latency: 0, errors: 0, largest: 4 },
]

const ENDS = ['completed', 'aborted', 'blocked', 'paused', 'expired'] as const

/** Shares of all rollouts by how they ended; those are `blocked` that were promoted at their end, and not let through. */
export interface Rollouts extends Readonly<Record<(typeof ENDS)[number], number>> {
  /** Mean share of the traffic of a whole rollout that ran the candidate, up to its end. */
  readonly harmed: number
}

/** Rollouts by the default steps, decided by the shipped rules over their sums. */
export function rolledOut(world: World, units: Units, { reps, seed }: Effort): Rollouts {
  const random = randomOf(seed, `rollout ${world.name} ${units.name}`)
  const noise = Float64Array.from({ length: 1 << 16 }, () => Math.exp(0.7 * random.normal() - 0.245))
  const found = Array.from({ length: reps }, () => oneRollout(world, units, random, noise))
  const shareOf = (is: (one: (typeof found)[number]) => boolean): number => found.filter(is).length / reps
  const shares = ENDS.map(end => [end, shareOf(one => one.end === end)] as const)
  return {
    ...(Object.fromEntries(shares) as Record<(typeof ENDS)[number], number>),
    harmed: found.reduce((sum, { harmed }) => sum + harmed, 0) / reps,
  }
}

/** A unit as the hash deals with it, and how slow its runs are. */
interface Unit {
  readonly at: number
  readonly bucket: number
  readonly level: number
  /** Whether it has more runs than any other. */
  readonly isLargest: boolean
  /** The step in which it was last seen. */
  seenIn: number
}

/** Places of a table by which a unit is drawn. */
const PLACES = 65_536

/** Draws the unit of the next run. */
function unitsOf({ count, level_sd, zipf }: Units, { uniform, normal }: Random): () => Unit {
  const unit = (rank: number): Unit => ({
    at: uniform(),
    bucket: Math.floor(BUCKETS * uniform()),
    level: Math.exp(level_sd * normal()),
    isLargest: rank === 1,
    seenIn: -1,
  })
  if (!Number.isFinite(count)) {
    let [session, runs] = [unit(0), 0]
    return () => (runs++ % 4 === 0 ? (session = unit(0)) : session)
  }
  const weights = Array.from({ length: count }, (_, index) => (index + 1) ** -zipf)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const places: Unit[] = []
  let passed = 0
  for (const [index, weight] of weights.entries()) {
    const [own, end] = [unit(index + 1), Math.round((PLACES * (passed += weight)) / total)]
    while (places.length < end) places.push(own)
  }
  return () => places[Math.floor(PLACES * uniform())]!
}

/** What is counted of a step: of each side runs, Σx, Σx² and errors by bucket, and its units. */
interface Counted {
  readonly baseline: readonly Float64Array[]
  readonly candidate: readonly Float64Array[]
  readonly units: Record<'baseline' | 'candidate', number>
}

interface Ended {
  readonly end: (typeof ENDS)[number]
  readonly harmed: number
}

/** Looks come every ten minutes in steps of an hour, every hour in longer ones. */
function oneRollout(world: World, units: Units, random: Random, noise: Float64Array): Ended {
  const { uniform } = random
  const nextUnit = unitsOf(units, random)
  const steps: Counted[] = []
  const sides: StepSides[] = []
  const planned = STEPS.reduce((sum, { lasts_ms }) => sum + lasts_ms, 0)
  let [now, startedAt, candidateRuns] = [0, 0, 0]
  const ended = (end: Ended['end']): Ended => {
    const harmed = candidateRuns / ((RUNS_PER_DAY * Math.max(planned, now)) / DAY_MS)
    return { end, harmed }
  }
  for (;;) {
    if (now === startedAt) steps.push(nothing())
    const [counted, step] = [steps.at(-1)!, steps.length - 1]
    const { share, lasts_ms } = STEPS[step]!
    const passing = lasts_ms > HOUR_MS ? HOUR_MS : HOUR_MS / 6
    const daily = Math.sin((2 * Math.PI * now) / DAY_MS)
    const runs = Math.round(((RUNS_PER_DAY * passing) / DAY_MS) * (1 + 0.5 * daily))
    const unsettled = now === startedAt ? (runs * SETTLE_MS) / passing : 0
    for (let run = 0; run < runs; run++) {
      const unit = nextUnit()
      const side = unit.at < (share === 0 ? STEPS.at(-1)!.share : share) ? 'candidate' : 'baseline'
      const isNew = side === 'candidate' && share > 0
      if (isNew) candidateRuns++
      if (run < unsettled) continue
      const slower = isNew ? (1 + world.latency) * (unit.isLargest ? 1 + (world.largest ?? 0) : 1) : 1
      const level = 300 * (1 + 0.12 * daily) * unit.level * slower
      const latency = Math.round(level * noise[Math.floor(65_536 * uniform())]!)
      const bucket = counted[side][unit.bucket]!
      bucket[0]! += 1
      bucket[1]! += latency
      bucket[2]! += latency * latency
      if (uniform() < ERRORS + (isNew ? world.errors : 0)) bucket[3]! += 1
      if (unit.seenIn !== step) counted.units[side] += 1
      unit.seenIn = step
    }
    now += passing
    sides[step] = sidesOf(counted)
    const { kind } = nextMove(stateOf(steps, sides, { by: units.by, now, startedAt }))
    if (kind === 'complete') return ended(mayComplete(sides) ? 'completed' : 'blocked')
    if (kind === 'abort') return ended('aborted')
    if (kind === 'pause') return ended('paused')
    if (kind === 'expire') return ended('expired')
    if (kind === 'advance') startedAt = now
  }
}

function nothing(): Counted {
  const buckets = () => Array.from({ length: BUCKETS }, () => new Float64Array(4))
  return {
    baseline: buckets(),
    candidate: buckets(),
    units: { baseline: 0, candidate: 0 },
  }
}

/** What a look sees. */
function stateOf(
  steps: readonly Counted[],
  sides: readonly StepSides[],
  { by, now, startedAt }: { readonly by: Units['by']; readonly now: number; readonly startedAt: number },
): CurrentState {
  const step = steps.length - 1
  const { baseline, candidate } = sides[step]!
  return {
    state: 'running',
    steps: STEPS,
    step,
    step_started_at: startedAt,
    ends_at: durationMs(DEFAULT_MAX_DURATION)!,
    now,
    clock_problem: undefined,
    promotion_runs: 0,
    is_live: true,
    harm: harmOf(
      readGuard(
        sides.filter((_, index) => STEPS[index]!.share > 0),
        guardLimits(POLICY),
      ),
    ),
    baseline_runs: baseline.error_rate.moments.n,
    candidate_runs: candidate.error_rate.moments.n,
    missing_runs: 0,
    ahead_runs: 0,
    wrong_runs: 0,
    buckets: Math.min(effectiveNumber(baseline.error_rate), effectiveNumber(candidate.error_rate)),
    units_p: steps.map(({ units }, index) => {
      const { share } = STEPS[index]!
      return share === 0 ? null : unitsP(units, share)
    }),
    by,
    gates: [],
  }
}

function sidesOf({ baseline, candidate }: Counted): StepSides {
  return { baseline: sideOf(baseline), candidate: sideOf(candidate), knowsFailed: false }
}

function sideOf(buckets: readonly Float64Array[]): StepSides['baseline'] {
  const aggregates = buckets.flatMap(([runs, sum, squares, errors], block) =>
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
  return samplesOf({ aggregates, rates: new Map() }, false)
}

/** Whether the last step alone passes the limits, as the promotion is decided. */
function mayComplete(sides: readonly StepSides[]): boolean {
  const arms = decidingArms({
    last: sides.at(-1)!,
    before: sides[0]!,
    values: [],
    from: 0,
    to: 0,
    sequential: false,
  })
  const { statistics } = arms({ policy: POLICY, options: DECIDED_BY, planned: () => ({}), measured: {} })
  return decideLimits(POLICY, statistics as DiffStatistics).every(({ outcome }) => outcome === 'pass')
}
