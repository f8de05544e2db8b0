import { HOUR_MS } from '../../src/base/time.ts'
import { timePlan } from '../../src/rules/common_time.ts'
import { samplesOf } from '../../src/rules/diff_statistics.ts'
import { type CellSums, NO_SUMS } from '../../src/rules/rollup.ts'
import { PARTS, type StrataKind, stratified } from '../../src/features/strata/rules_strata.ts'
import { compareMeans } from '../../src/rules/statistics/compare.ts'
import { decideChange } from '../../src/rules/statistics/decide.ts'
import { type Moments, NO_MOMENTS, mergeMoments } from '../../src/rules/statistics/samples.ts'
import type { Asked } from './decisions.ts'
import { type Random, randomOf } from './traffic.ts'
import { type Outcome, USUAL, levels, momentsOfRuns } from './worlds.ts'

const HOURS = 24
const FIRST = 1000 * 24
const [BASELINE_RUNS, CANDIDATE_RUNS] = [20_000, 5000]
const LIMIT = 0.1
/** Shares and levels of four tasks. */
const TASKS = [
  [0.4, 0.6],
  [0.3, 0.9],
  [0.2, 1.2],
  [0.1, 2.4],
] as const

/** How many runs of a tenant and task the candidate gets, as a multiple of its usual share. */
type Mix = (tenant: number, task: number, tenants: number) => number

/** A way in which two releases serve other tenants or tasks. */
export interface StrataWorld {
  readonly name: string
  readonly by: StrataKind
  readonly tenants: number
  readonly candidate: Mix
  readonly baseline?: Mix
  /** The first hour in which the candidate runs. */
  readonly from?: number
}

const busy: Mix = tenant => (tenant === 1 ? 3 : 1)
/** Ten points of the first task go to the last. */
const slower: Mix = (_, task) => (task === 0 ? 0.75 : task === 3 ? 2 : 1)

export const STRATA_WORLDS: readonly StrataWorld[] = [
  { name: 'one tenant 3 times as busy', by: 'tenant', tenants: 30, candidate: busy },
  { name: 'the same, 200 tenants', by: 'tenant', tenants: 200, candidate: busy },
  {
    name: 'a new tenant of 25 %',
    by: 'tenant',
    tenants: 31,
    candidate: (tenant, _, tenants) => (tenant === tenants - 1 ? 41 : 1),
    baseline: (tenant, _, tenants) => (tenant === tenants - 1 ? 0 : 1),
  },
  { name: 'task mix, 10 points', by: 'task', tenants: 30, candidate: slower },
  { name: 'the same, last 6 h', by: 'task', tenants: 30, candidate: slower, from: 18 },
  {
    name: 'canary by tenant',
    by: 'tenant',
    tenants: 30,
    candidate: tenant => (tenant % 3 === 0 ? 1 : 0),
    baseline: tenant => (tenant % 3 === 0 ? 0 : 1),
  },
]

/** Latencies of a side by hour, tenant and task. */
type Drawn = readonly {
  readonly hour: number
  readonly tenant: number
  readonly task: number
  readonly own: Moments
}[]

/** Two releases, of which one is changed by so much, compared by the code that is shipped: by time, or by strata. */
export function comparedByStrata(
  world: StrataWorld,
  change: number,
  by: 'time' | StrataKind,
  { reps, seed }: Asked,
): Outcome {
  const random = randomOf(seed, `${world.name} ${change} ${by}`)
  let [comparable, covers, passes, fails] = [0, 0, 0, 0]
  for (let rep = 0; rep < reps; rep++) {
    const sides = drawn(world, change, random)
    const statistics = by === 'time' ? byTime(sides) : byStrata(sides, by)
    if (statistics.comparability_doubt === null) comparable += 1
    const { low, high } = statistics.relative_change ?? { low: null, high: null }
    if (low !== null && high !== null && low <= change && high >= change) covers += 1
    const { outcome } = decideChange(statistics, { limit: LIMIT, of: 'relative_change' }, 'block')
    if (outcome === 'pass') passes += 1
    if (outcome === 'fail') fails += 1
  }
  return { comparable: comparable / reps, covers: covers / reps, passes: passes / reps, fails: fails / reps }
}

interface Sides {
  readonly baseline: Drawn
  readonly candidate: Drawn
}

function drawn(
  { tenants, baseline = () => 1, candidate, from = 0 }: StrataWorld,
  change: number,
  random: Random,
): Sides {
  const level = levels(HOURS * 6, USUAL, random)
  const slow = Array.from({ length: tenants }, () => Math.exp(0.3 * random.normal()))
  const weights = slow.map((_, tenant) => 1 / (tenant + 1))
  const of = (mix: Mix, runs: number, first: number, scale: number): Drawn => {
    const shares = weights.flatMap((weight, tenant) =>
      TASKS.map(([share], task) => ({ tenant, task, weight: weight * share * mix(tenant, task, tenants) })),
    )
    const all = shares.reduce((sum, { weight }) => sum + weight, 0)
    const rows: Drawn[number][] = []
    for (let hour = first; hour < HOURS; hour++) {
      for (const { tenant, task, weight } of shares) {
        if (weight === 0) continue
        const mean = 1000 * level[hour * 6]! * slow[tenant]! * TASKS[task]![1] * scale
        const own = momentsOfRuns(poisson((runs / (HOURS - first)) * (weight / all), random), mean, random)
        if (own.n > 0) rows.push({ hour, tenant, task, own })
      }
    }
    return rows
  }
  return {
    baseline: of(baseline, BASELINE_RUNS, 0, 1),
    candidate: of(candidate, CANDIDATE_RUNS, from, 1 + change),
  }
}

/** A number of Poisson's distribution: that of few runs is not normal. */
function poisson(expected: number, { uniform }: Random): number {
  const least = Math.exp(-expected)
  let [count, product] = [0, uniform()]
  while (product > least) {
    count += 1
    product *= uniform()
  }
  return count
}

function byTime({ baseline, candidate }: Sides) {
  const hourly = (side: Drawn): Map<number, Moments> => {
    const hours = new Map<number, Moments>()
    for (const { hour, own } of side) hours.set(hour, mergeMoments(hours.get(hour) ?? NO_MOMENTS, own))
    return hours
  }
  const [b, c] = [hourly(baseline), hourly(candidate)]
  const counts = (of: Map<number, Moments>) =>
    Array.from(of, ([hour, { n }]) => ({ bucket: FIRST + hour, runs: n }))
  const window = { since: FIRST * HOUR_MS, until: (FIRST + HOURS) * HOUR_MS }
  const plan = timePlan(counts(b), counts(c), window, HOUR_MS)
  const sampleOf = (of: Map<number, Moments>) => {
    const blocks = new Map<number, Moments>()
    const first = Math.floor(plan.cut.from / plan.cut.width_ms)
    for (const [hour, own] of of) {
      const block = Math.floor(((FIRST + hour) * HOUR_MS) / plan.cut.width_ms) - first
      blocks.set(block, mergeMoments(blocks.get(block) ?? NO_MOMENTS, own))
    }
    return {
      moments: [...of.values()].reduce(mergeMoments, NO_MOMENTS),
      clusters: new Map(),
      blocks: () => blocks,
    }
  }
  return compareMeans(sampleOf(b), sampleOf(c), { match: plan.match })
}

function byStrata({ baseline, candidate }: Sides, by: StrataKind) {
  const span = Math.min(...candidate.map(({ hour }) => hour))
  const length = HOURS - span
  const of = (side: Drawn) => {
    const cells = side
      .filter(({ hour }) => hour >= span)
      .map(({ hour, own, ...names }) => ({
        ...cellOf(own),
        block: Math.floor(((hour - span) * PARTS) / length),
        stratum: names[by] + 1,
      }))
    return { cells: side.map(({ own }) => cellOf(own)), parts: [], strata: { cells, parts: [] } }
  }
  const cut = stratified(
    by,
    { from: FIRST + span, to: FIRST + HOURS },
    { baseline: of(baseline), candidate: of(candidate) },
  )
  const latency = (side: { readonly cells: readonly CellSums[] }) =>
    samplesOf({ cells: side.cells, rates: new Map() }).latency_ms
  return compareMeans(latency(cut.baseline), latency(cut.candidate), { match: cut.plan.match })
}

function cellOf({ n, mean, m2 }: Moments): CellSums {
  return {
    ...NO_SUMS,
    agent_id: 'a',
    provider: 'p',
    model: 'm',
    block: 0,
    runs: n,
    latency_count: n,
    latency_sum_ms: Math.round(n * mean),
    latency_sum_ms2: Math.round(m2 + n * mean * mean),
    token_products: [0, 0, 0, 0, 0, 0],
  }
}
