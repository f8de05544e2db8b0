import { seededRandom } from '../../src/base/numbers.ts'
import { type IntegerAggregate, type Sample, sampleOf } from '../../src/rules/statistics/samples.ts'

/** Simulated runs of one side, in order of time: running sums of an integer metric, and the cluster of each run. */
export interface Runs {
  readonly sums: Float64Array
  readonly squares: Float64Array
  /** A session or tenant per run. */
  readonly labels: Int32Array
}

/** The metric's mean in an unchanged release. Values are whole, as tokens and milliseconds are. */
export const MEAN = 10_000

/** A kind of traffic: draws `n` runs of a release whose mean is `change` above the baseline's. */
export type Shape = (random: Random, n: number, change: number) => Runs

export interface Random {
  readonly uniform: () => number
  readonly normal: () => number
}

/** A stream of its own for each name, so that tables don't depend on which others are made. */
export function randomOf(seed: number, name: string): Random {
  let state = seed
  for (const char of name) state = Math.imul(state ^ char.codePointAt(0)!, 0x01000193)
  const uniform = seededRandom(state)
  let spare: number | undefined
  const normal = (): number => {
    if (spare !== undefined) {
      const value = spare
      spare = undefined
      return value
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()))
    const angle = 2 * Math.PI * uniform()
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
  return { uniform, normal }
}

const SIGMA = 0.7

/** Independent values of mean 1. */
const VALUES = {
  normal: ({ normal }: Random) => Math.max(0, 1 + 0.3 * normal()),
  'log-normal': ({ normal }: Random) => Math.exp(normal() - 0.5),
  zeros: ({ normal, uniform }: Random) =>
    uniform() < 0.3 ? 0 : Math.exp(SIGMA * normal() - (SIGMA * SIGMA) / 2) / 0.7,
} as const

/** Normal with a coefficient of variation of 0.3, log-normal with σ 1, and log-normal with σ 0.7 behind 30 % zeros. */
export function independent(name: keyof typeof VALUES): Shape {
  const value = VALUES[name]
  return (random, n, change) => runsOf(n, () => value(random) * (1 + change))
}

/** Independent log-normal runs whose standard deviation is so many times their mean. */
export function varying(variation: number): Shape {
  const sigma = Math.sqrt(Math.log(1 + variation * variation))
  return (random, n, change) =>
    runsOf(n, () => Math.exp(sigma * random.normal() - (sigma * sigma) / 2) * (1 + change))
}

/** Log-normal with σ 0.7, where a change of the mean comes from 5 % of the runs. */
export function tail(): Shape {
  return (random, n, change) =>
    runsOf(n, () => logNormal(random.normal()) + (random.uniform() < 0.05 ? change * 20 : 0))
}

/** Sessions that go on at the same time, so that their runs mix. */
const AT_ONCE = 4

/**
 * Log-normal with σ 0.7 in sessions of 5 runs on average, geometric, four at a time, whose values correlate by so much
 * (ICC).
 */
export function sessions(correlation: number): Shape {
  const [between, within] = parts(correlation)
  return (random, n, change) => {
    const running = Array.from({ length: AT_ONCE }, () => ({ label: 0, left: 0, level: 0 }))
    let [labels, current] = [0, 0]
    const value = (): number => {
      const session = running[Math.floor(random.uniform() * AT_ONCE)]!
      if (session.left === 0) {
        session.label = labels++
        session.left = 1 + Math.floor(Math.log(1 - random.uniform()) / Math.log(0.8))
        session.level = between * random.normal()
      }
      session.left -= 1
      current = session.label
      return logNormal(session.level + within * random.normal()) * (1 + change)
    }
    return runsOf(n, value, () => current)
  }
}

/** Weights of what clusters share and of what single runs have, so that log-normal values correlate by so much. */
function parts(correlation: number): [number, number] {
  const shared = Math.log(1 + correlation * (Math.exp(SIGMA * SIGMA) - 1)) / (SIGMA * SIGMA)
  return [Math.sqrt(shared), Math.sqrt(1 - shared)]
}

/** Two sides that 200 tenants of unequal size (Zipf) share, run by run at random, or each tenant on one side. */
export function tenants(random: Random, n: number, routing: 'runs' | 'tenants'): [Runs, Runs] {
  const [between, within] = parts(0.4)
  const all = Array.from({ length: 200 }, (_, index) => ({
    index,
    weight: 1 / (index + 1),
    level: between * random.normal(),
  }))
  const isFirst = all.map(() => random.uniform() < 0.5)
  const side = (first: boolean): Runs => {
    const own = routing === 'runs' ? all : all.filter(({ index }) => isFirst[index] === first)
    const ends: number[] = []
    for (const { weight } of own) ends.push((ends.at(-1) ?? 0) + weight)
    let current = own[0]!
    const value = (): number => {
      const point = random.uniform() * ends.at(-1)!
      current = own[ends.findIndex(end => end > point)] ?? own.at(-1)!
      return logNormal(current.level + within * random.normal())
    }
    return runsOf(n, value, () => current.index)
  }
  return [side(true), side(false)]
}

/** 1 with this probability, else 0. */
export function errors(rate: number): Shape {
  return (random, n, change) => runsOf(n, () => (random.uniform() < rate + change ? 1 : 0), undefined, 1)
}

function logNormal(normal: number): number {
  return Math.exp(SIGMA * normal - (SIGMA * SIGMA) / 2)
}

function runsOf(n: number, value: () => number, label = (): number => 0, unit = MEAN): Runs {
  const runs = { sums: new Float64Array(n + 1), squares: new Float64Array(n + 1), labels: new Int32Array(n) }
  for (let i = 0; i < n; i++) {
    const drawn = Math.round(value() * unit)
    runs.sums[i + 1] = runs.sums[i]! + drawn
    runs.squares[i + 1] = runs.squares[i]! + drawn * drawn
    runs.labels[i] = label()
  }
  return runs
}

/** The first `n` runs in so many blocks of time; one block says nothing of clusters. */
export function inBlocks(runs: Runs, n: number, blocks: number): Sample {
  const aggregates: IntegerAggregate[] = []
  for (let block = 0; block < blocks; block++) {
    const [from, to] = [Math.floor((block * n) / blocks), Math.floor(((block + 1) * n) / blocks)]
    if (to > from) aggregates.push(aggregateOf(runs, `block ${block}`, from, to))
  }
  return sampleOf(aggregates)
}

function aggregateOf({ sums, squares }: Runs, cluster: string, from: number, to: number): IntegerAggregate {
  return {
    cluster,
    n: to - from,
    sum: sums[to]! - sums[from]!,
    sum_of_squares: squares[to]! - squares[from]!,
  }
}

/** The first `n` runs by session or tenant; `side` tells those of two sides apart where they are no common ones. */
export function byLabel({ sums, labels }: Runs, n: number, side = ''): Sample {
  const aggregates = new Map<number, { n: number; sum: number; squares: number }>()
  for (let i = 0; i < n; i++) {
    const value = sums[i + 1]! - sums[i]!
    const aggregate = aggregates.get(labels[i]!) ?? { n: 0, sum: 0, squares: 0 }
    aggregates.set(labels[i]!, {
      n: aggregate.n + 1,
      sum: aggregate.sum + value,
      squares: aggregate.squares + value * value,
    })
  }
  return sampleOf(
    Array.from(aggregates, ([label, { n: runs, sum, squares }]) => ({
      cluster: `${side}${label}`,
      n: runs,
      sum,
      sum_of_squares: squares,
    })),
  )
}

/** Blocks of time that a diff is cut into by default. */
export const BLOCKS = 24
