import { type Aggregate, NO_FAILED, NO_SUMS } from '../../src/rules/rollup.ts'
import { type Moments, NO_MOMENTS } from '../../src/rules/statistics/samples.ts'
import { segmentRegressions } from '../../src/features/segments/rules_segment_regressions.ts'
import {
  type ReadSums,
  SEGMENT_KINDS,
  type SegmentSums,
  gathered,
} from '../../src/features/segments/rules_segments.ts'
import type { Sampling } from './decisions.ts'
import { readSums } from './read_sums.ts'
import { type Random, randomOf } from './traffic.ts'
import { USUAL, levelsOf, poisson } from './world/runs.ts'

/** How many runs of a tenant and task a side gets in an hour, as a multiple of the usual share. */
type Mix = (tenant: number, task: number, hour: number) => number

/** A way in which two releases share a day and its tenants and tasks. */
export interface SegmentWorld {
  readonly name: string
  readonly tenants: number
  readonly runs: { readonly baseline: number; readonly candidate: number }
  readonly baseline?: Mix
  readonly candidate?: Mix
  /** How much traffic moves over the day, of its mean; not at all unless given. */
  readonly daily?: number
  /** The first hour in which the candidate runs. */
  readonly from?: number
  /** Runs of one tenant and task in one hour of the candidate, which nobody else has. */
  readonly batch?: number
  /** What becomes worse, for tenant 2 alone unless for all. */
  readonly worse?: {
    readonly metric: 'latency_ms' | 'error_rate'
    readonly by: number
    readonly isAll?: boolean
  }
}

const HOURS = 24
const [BUSY_HOUR, BATCH_LEVEL, FAILING] = [20, 4, 0.02]
/** Shares and levels of four tasks. */
const TASKS = [
  [0.4, 0.6],
  [0.3, 0.9],
  [0.2, 1.2],
  [0.1, 2.4],
] as const
const WORSE = 2

const USUALLY = { tenants: 30, runs: { baseline: 20_000, candidate: 5000 } } as const
/** Ten points of the first task go to the last. */
const shifted: Mix = (_, task) => (task === 0 ? 0.75 : task === 3 ? 2 : 1)
const third: Mix = tenant => (tenant % 3 === 0 ? 1 : 0)

/** Releases that are equal, so that no segment may be named. */
export const UNCHANGED: readonly SegmentWorld[] = [
  { name: 'steady', ...USUALLY },
  { name: 'steady, 200 skewed tenants', tenants: 200, runs: { baseline: 50_000, candidate: 50_000 } },
  { name: 'ten points of the tasks shift', ...USUALLY, candidate: shifted },
  { name: 'the same in the last 8 h', ...USUALLY, candidate: shifted, from: 16 },
  {
    name: 'a batch of one tenant on one side',
    tenants: 30,
    runs: { baseline: 4000, candidate: 4000 },
    batch: 1750,
  },
  {
    name: 'the same batch, quiet nights',
    tenants: 30,
    runs: { baseline: 4000, candidate: 4000 },
    daily: 0.9,
    batch: 1750,
  },
  {
    name: 'the same batch in the last 6 h',
    tenants: 30,
    runs: { baseline: 16_000, candidate: 4000 },
    from: 18,
    batch: 1750,
  },
  {
    name: 'canary by tenant',
    ...USUALLY,
    baseline: (...at) => 1 - third(...at),
    candidate: third,
  },
  { name: 'quiet nights', ...USUALLY, daily: 0.9 },
  { name: 'the last 8 h', ...USUALLY, from: 16 },
  {
    name: 'a ramp while the tasks of the day move',
    ...USUALLY,
    baseline: (_, task, hour) => (task === 3 ? (2 * hour) / HOURS : 1) * (1 - hour / (2 * HOURS)),
    candidate: (_, task, hour) => ((task === 3 ? (2 * hour) / HOURS : 1) * hour) / HOURS,
  },
]

const HUNDRED = { tenants: 30, runs: { baseline: 50_000, candidate: 50_000 } } as const
const slower = { metric: 'latency_ms', by: 0.2 } as const

/** Releases that are worse for one tenant, which is to be named in this share of comparisons at least. */
export const WORSE_FOR_ONE: readonly (SegmentWorld & { readonly least: number })[] = [
  { name: '20 % slower', ...HUNDRED, worse: slower, least: 0.8 },
  { name: 'the same, quiet nights', ...HUNDRED, daily: 0.9, worse: slower, least: 0.8 },
  { name: 'the same, the last 8 h', ...HUNDRED, from: 16, worse: slower, least: 0.7 },
  {
    name: '1.6 to 20.8 % errors in 547 and 610 runs',
    // Of 8 tenants by the harmonic series, and three tasks and itself: 11 groups.
    tenants: 8,
    runs: { baseline: 4460, candidate: 4970 },
    daily: 0.9,
    worse: { metric: 'error_rate', by: 0.192 },
    least: 0.9,
  },
]

/** Releases that are as much worse for everybody, whom naming one tenant would accuse. */
export const WORSE_FOR_ALL: SegmentWorld = {
  name: '20 % slower for all',
  ...HUNDRED,
  worse: { ...slower, isAll: true },
}

interface Found {
  /** Share of comparisons that name some segment. */
  readonly some: number
  /** Share that names the tenant that the release is worse for. */
  readonly right: number
  /** Share that names a segment, or a metric of that tenant, that nothing is worse of. */
  readonly wrong: number
}

/** How often segments are named by the code that is shipped. */
export function segmentsFound(world: SegmentWorld, { reps, seed }: Sampling): Found {
  const random = randomOf(seed, world.name)
  let [some, right, wrong] = [0, 0, 0]
  for (let rep = 0; rep < reps; rep++) {
    const { found } = segmentRegressions(...drawn(world, random), { min_runs: 50 })!
    const own = found.filter(({ kind, segment }) => kind === 'tenant' && segment === WORSE + 1)
    const isWorse = new Set(worseMetrics(world))
    if (found.length > 0) some += 1
    if (own.some(({ metric }) => metric === world.worse?.metric)) right += 1
    if (found.some(spot => !own.includes(spot) || !isWorse.has(spot.metric))) wrong += 1
  }
  return { some: some / reps, right: right / reps, wrong: wrong / reps }
}

/** Where more runs fail, one that succeeds costs more: a tenant of 1.6 and 20.8 % errors pays 24 % more for each. */
function worseMetrics({ worse }: SegmentWorld): readonly string[] {
  if (worse === undefined) return []
  return worse.metric === 'error_rate' ? ['error_rate', 'cost_per_run_usd'] : [worse.metric]
}

type Sides = [Parameters<typeof segmentRegressions>[0], Parameters<typeof segmentRegressions>[1]]

export function drawn(world: SegmentWorld, random: Random): Sides {
  const level = levelsOf(0, 0, HOURS * 6, USUAL, random)
  const tenants = Array.from({ length: world.tenants }, (_, tenant) => ({
    slow: Math.exp(0.3 * random.normal()),
    weight: 1 / (tenant + 1),
  }))
  const of = (side: 'baseline' | 'candidate'): Map<'tenant' | 'task', ReadSums> => {
    const { from = 0, daily = 0, worse, batch = 0 } = world
    const mix = world[side] ?? (() => 1)
    const shares = Array.from({ length: HOURS }, (_, hour) =>
      side === 'candidate' && hour < from
        ? []
        : tenants.flatMap(({ weight, slow }, tenant) =>
            TASKS.map(([share, scale], task) => ({
              hour,
              tenant,
              task,
              slow: slow * scale,
              weight:
                weight *
                share *
                mix(tenant, task, hour) *
                (1 + daily * Math.sin((2 * Math.PI * hour) / HOURS)),
            })),
          ),
    ).flat()
    const all = shares.reduce((sum, { weight }) => sum + weight, 0)
    const aggregates = {
      tenant: new Map<string, SegmentAggregate>(),
      task: new Map<string, SegmentAggregate>(),
    }
    const add = (hour: number, tenant: number, task: number, aggregate: Aggregate): void => {
      for (const kind of SEGMENT_KINDS) {
        const segment = (kind === 'tenant' ? tenant : task) + 1
        const key = `${hour} ${segment}`
        aggregates[kind].set(key, merged({ ...aggregate, block: hour, segment }, aggregates[kind].get(key)))
      }
    }
    for (const { hour, tenant, task, slow, weight } of shares) {
      const runs = poisson((world.runs[side] * weight) / all, random)
      if (runs === 0) continue
      const isWorse =
        side === 'candidate' && worse !== undefined && (worse.isAll === true || tenant === WORSE)
      const rise = isWorse ? worse.by : 0
      const now = slow * level[hour * 6]!
      const [latency, errors] =
        worse?.metric === 'error_rate' ? [1, 0.016 + rise] : [1 + rise, FAILING * slow]
      add(hour, tenant, task, aggregateOf(runs, { latency: now * latency, cost: now, errors }, random))
    }
    if (side === 'candidate' && batch > 0) {
      add(
        BUSY_HOUR,
        3,
        1,
        aggregateOf(batch, { latency: BATCH_LEVEL, cost: BATCH_LEVEL, errors: 0.1 }, random),
      )
    }
    return new Map(
      SEGMENT_KINDS.map(kind => [kind, readSums({ aggregates: [...aggregates[kind].values()] })]),
    )
  }
  const segments = gathered({ baseline: of('baseline'), candidate: of('candidate') })
  return [
    { segments: segments.baseline, rates: RATES },
    { segments: segments.candidate, rates: RATES },
  ]
}

type SegmentAggregate = SegmentSums['aggregates'][number]

const RATES = new Map([
  ['m', { input_usd_per_1k_tokens: 1, output_usd_per_1k_tokens: 0, cached_input_usd_per_1k_tokens: null }],
])

interface Levels {
  readonly latency: number
  readonly cost: number
  /** The share that fails. */
  readonly errors: number
}

function aggregateOf(runs: number, { latency, cost, errors }: Levels, random: Random): Aggregate {
  const [slow, costly] = [latency, cost].map(level => momentsOfRuns(runs, 1000 * level, random))
  const failed = Math.min(runs, poisson(runs * Math.min(1, errors), random))
  // Failed runs are like the others, but for chance, which their share of the sums leaves out.
  const ofFailed = (sum: number): number => Math.round((sum * failed) / runs)
  const [sum, squares] = [Math.round(runs * slow!.mean), Math.round(slow!.m2 + runs * slow!.mean ** 2)]
  const tokens = Math.round(runs * costly!.mean)
  return {
    ...NO_SUMS,
    agent_id: 'a',
    provider: 'p',
    model: 'm',
    block: 0,
    runs,
    errors: failed,
    latency_count: runs,
    latency_sum_ms: sum,
    latency_sum_ms2: squares,
    input_tokens: tokens,
    failed_count: failed,
    failed_latency_count: failed,
    failed_latency_sum_ms: ofFailed(sum),
    failed_latency_sum_ms2: ofFailed(squares),
    failed_input_tokens: ofFailed(tokens),
    failed_output_tokens: 0,
    failed_cached_input_tokens: 0,
    token_products: [Math.round(costly!.m2 + runs * costly!.mean ** 2), 0, 0, 0, 0, 0],
  }
}

/** Sums of so many runs that vary by 0.8 of their mean, which is normal. */
function momentsOfRuns(n: number, mean: number, { normal }: Random): Moments {
  if (n === 0) return NO_MOMENTS
  const variance = (0.8 * mean) ** 2
  const spread = n < 2 ? 0 : variance * Math.max(0, n - 1 + Math.sqrt(2 * (n - 1)) * normal())
  return { n, mean: mean + Math.sqrt(variance / n) * normal(), m2: spread }
}

function merged(aggregate: SegmentAggregate, other: SegmentAggregate | undefined): SegmentAggregate {
  if (other === undefined) return aggregate
  const names = Object.keys({ ...NO_SUMS, ...NO_FAILED, latency_sum_ms2: 0 }) as 'runs'[]
  return {
    ...aggregate,
    ...Object.fromEntries(names.map(name => [name, aggregate[name] + other[name]])),
    token_products: aggregate.token_products.map((product, index) => product + other.token_products[index]!),
  }
}
