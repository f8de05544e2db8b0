import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/base/time.ts'
import type { DiffReport } from '../../../../src/models/answers/diff.ts'
import { normalQuantile, studentQuantile } from '../../../../src/rules/statistics/distributions.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { diffOf, ingest, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

const WINDOWS = ['6h', '24h', '72h', '7d'] as const
const LIMITS = {
  max_latency_increase_pct: 0.1,
  max_error_rate_increase: 0.05,
  max_cost_increase_pct: 0.1,
  compare_by: 'time',
}

/** A baseline that has run for days and a candidate of the last hours, under traffic that has a day. */
const world = fc.record({
  seed: fc.integer(),
  hours: fc.integer({ min: 2, max: 20 }),
  days: fc.integer({ min: 1, max: 7 }),
  runs: fc.integer({ min: 150, max: 400 }),
  // How much slower the candidate is, and how much slower the busiest hour than the mean one.
  change: fc.constantFrom(1, 1, 1, 1.5),
  swing: fc.constantFrom(0, 0.12, 0.4),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

interface Run {
  readonly at: number
  readonly latency: number
  readonly success: boolean
}

/** Diffs of random logs over several windows: what they compare, and what that has to give. */
export function randomWindowsContract(makeService: MakeService): void {
  describe('windows of one log', () => {
    test('never pass against fail, agree where they share their time, and equal sums made in two passes', async () => {
      let compared = 0
      await fc.assert(
        fc.asyncProperty(world, async given => {
          const service = await makeService()
          await importPrices(service)
          const ids = [await register(service), await register(service)] as const
          await setPolicy(service, LIMITS)
          const sides = runsOf(given)
          for (const [side, runs] of sides.entries()) {
            await ingest(
              service,
              runs.map((run, index) =>
                eventOf({ ...run, release_id: ids[side]!, run_id: `${side}-${index}` }),
              ),
            )
          }
          const answers: DiffReport[] = []
          for (const window of WINDOWS) answers.push(await diffOf(service, ids, { window }))
          for (const { statistics } of answers) {
            compared += expectTwoPasses(statistics, sides)
          }
          expectAgreement(answers)
        }),
        { numRuns: 5, seed: 38 },
      )
      expect(compared).toBeGreaterThan(10)
    })
  })
}

function expectAgreement(answers: readonly DiffReport[]): void {
  const outcomes = new Map<string, Set<string>>()
  const byTime = new Map<string, unknown>()
  for (const { statistics } of answers) {
    for (const { policy_key, outcome } of statistics.limits) {
      outcomes.set(policy_key, (outcomes.get(policy_key) ?? new Set()).add(outcome))
    }
    const { latency_ms: latency, error_rate: errors, compared } = statistics
    const figures = [latency.difference, latency.relative_change, errors.difference]
    const time = JSON.stringify(compared)
    expect(figures).toEqual(byTime.get(time) ?? figures)
    byTime.set(time, figures)
  }
  for (const found of outcomes.values())
    expect([...found]).not.toEqual(expect.arrayContaining(['pass', 'fail']))
}

/** Runs of both sides, in no order of time. */
function runsOf({ seed, hours, days, runs, change, swing }: World): readonly [Run[], Run[]] {
  const random = randomOf(seed)
  const make = (count: number, from: number, slower: number): Run[] =>
    Array.from({ length: count }, () => {
      const at = Math.floor(from + random() * (NOON - from))
      const day = 1 + swing * Math.sin((2 * Math.PI * (at % DAY_MS)) / DAY_MS)
      const noise = Math.exp(0.5 * normalQuantile(0.001 + 0.998 * random()))
      return { at, latency: Math.round(800 * day * slower * noise), success: random() > 0.05 }
    })
  return [make(4 * runs, NOON - days * DAY_MS, 1), make(runs, NOON - hours * HOUR_MS, change)]
}

/** Numbers from 0 to below 1 (mulberry32, public domain). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Works out again, from the values themselves, what the answer says of common time. Returns of how many metrics. */
function expectTwoPasses(
  { compared, latency_ms, error_rate }: DiffReport['statistics'],
  sides: Sides,
): number {
  if (compared?.by !== 'common_time') return 0
  let metrics = 0
  const [since, until] = [Date.parse(compared.since), Date.parse(compared.until)]
  const width = compared.block_minutes * MINUTE_MS
  const blocksBy = (value: (run: Run) => number, isCounted = (_run: Run) => true): Block[] => {
    const blocks = new Map<number, Block>()
    for (const [side, runs] of sides.entries()) {
      for (const run of runs) {
        if (run.at < since || run.at >= until || !isCounted(run)) continue
        const number = Math.floor(run.at / width)
        const block = blocks.get(number) ?? [[], []]
        block[side]!.push(value(run))
        blocks.set(number, block)
      }
    }
    return [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block)
  }
  if (latency_ms.matched != null && latency_ms.difference !== null) {
    metrics++
    const blocks = blocksBy(
      ({ latency }) => latency,
      ({ success }) => success,
    )
    const found = meanOf(
      blocks.filter(([b, c]) => b.length > 0 && c.length > 0),
      blocks,
    )
    expectNear(latency_ms.matched.baseline_mean, found.means[0])
    expectNear(latency_ms.matched.candidate_mean, found.means[1])
    expectNear(latency_ms.matched.units, found.units)
    // An end near 0 is the difference of larger numbers.
    const span = found.high - found.low
    for (const end of ['estimate', 'low', 'high'] as const)
      expectNear(latency_ms.difference[end], found[end], span)
  }
  if (error_rate.matched != null && error_rate.difference !== null) {
    metrics++
    const found = rateOf(
      blocksBy(({ success }) => (success ? 0 : 1)).filter(([b, c]) => b.length > 0 && c.length > 0),
    )
    expectNear(error_rate.matched.baseline_mean, found.means[0])
    expectNear(error_rate.matched.candidate_mean, found.means[1])
    const span = found.high - found.low
    for (const end of ['estimate', 'low', 'high'] as const)
      expectNear(error_rate.difference[end], found[end], span)
  }
  return metrics
}

type Sides = readonly [readonly Run[], readonly Run[]]
type Block = [baseline: number[], candidate: number[]]

function expectNear(found: number | null, wanted: number, least = 1e-3): void {
  expect(Math.abs(found! - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(least, 1e-3, Math.abs(wanted)))
}

const sum = (terms: readonly number[]): number => terms.reduce((all, term) => all + term, 0)
const average = (values: readonly number[]): number => sum(values) / values.length

/** Weights of blocks, both means, how they vary within blocks, and between up to twelve units of them. */
function weighed(blocks: readonly Block[]) {
  const weights = blocks.map(([b, c]) => (b.length * c.length) / (b.length + c.length))
  const total = sum(weights)
  const [first, second] = [0, 1].map(
    side => sum(blocks.map((block, index) => weights[index]! * average(block[side]!))) / total,
  ) as [number, number]
  const means: [number, number] = [first, second]
  const units = Array.from({ length: 12 }, () => ({ weight: 0, apart: 0, apartByRatio: 0 }))
  let before = 0
  for (const [index, block] of blocks.entries()) {
    const weight = weights[index]!
    const unit = units[Math.min(11, Math.floor((12 * (before + weight / 2)) / total))]!
    before += weight
    unit.weight += weight
    const [b, c] = [average(block[0]) - first, average(block[1]) - second]
    unit.apart += weight * (c - b)
    unit.apartByRatio += weight * (c - (second / first) * b)
  }
  const filled = units.filter(({ weight }) => weight > 0)
  return {
    weights,
    total,
    means,
    between: sum(filled.map(({ weight, apart }) => (apart / (total - weight)) ** 2)),
    betweenByRatio: sum(filled.map(({ weight, apartByRatio }) => (apartByRatio / (total - weight)) ** 2)),
    units: total ** 2 / sum(filled.map(({ weight }) => weight ** 2)),
  }
}

/**
 * A difference of means: overlap weights, the larger of two variances, Student's t; of values that spread at least as two more would.
 * A side with fewer than four values a block varies as all of them do, and the interval is then that of the logarithm of the ratio.
 */
function meanOf(blocks: readonly Block[], all: readonly Block[]) {
  const { weights, total, means, between, betweenByRatio, units } = weighed(blocks)
  const plainSquares = (values: readonly number[]): number =>
    sum(values.map(value => (value - average(values)) ** 2))
  const sides = [0, 1].map(side => all.flatMap(block => block[side]!))
  const missing = sides.map((own, side) => {
    const [n, other] = [own.length, sides[1 - side]!.length]
    const square = sum(own.map(value => value ** 2)) / n
    return Math.max(0, (2 * square * other) / (n + other) - plainSquares(own)) / n
  })
  const squares = (values: readonly number[], side: number): number =>
    plainSquares(values) + missing[side]! * values.length
  // The variance of a single run is that of runs within the other blocks of its side.
  const singles = ([0, 1] as const).map(side => {
    const df = sum(blocks.map(block => block[side].length - 1))
    if (df > 0) return { variance: sum(blocks.map(block => squares(block[side], side))) / df, df }
    const values = blocks.flatMap(block => block[side])
    return { variance: squares(values, side) / Math.max(1, values.length - 1), df: values.length - 1 }
  })
  const few = ([0, 1] as const).map(side => sum(blocks.map(block => block[side].length)) < 4 * blocks.length)
  const isFew = few.some(Boolean)
  const ratio = isFew ? means[1] / means[0] : 1
  const terms = ([0, 1] as const).flatMap(side => {
    const scale = side === 0 ? ratio ** 2 : 1
    const shares = blocks.map((block, index) => (weights[index]! / total) ** 2 / block[side].length)
    if (few[side]) {
      const values = blocks.flatMap(block => block[side])
      const variance = squares(values, side) / (values.length - 1)
      return [{ term: scale * sum(shares) * variance, df: (values.length - 1) / 2 }]
    }
    return blocks.map((block, index) => {
      const values = block[side]
      const { variance, df } =
        values.length === 1
          ? singles[side]!
          : { variance: squares(values, side) / (values.length - 1), df: values.length - 1 }
      return { term: scale * shares[index]! * variance, df }
    })
  })
  const within = sum(terms.map(({ term }) => term))
  const dfWithin = within ** 2 / sum(terms.map(({ term, df }) => term ** 2 / df))
  const ofUnits = isFew ? betweenByRatio : between
  const variance = Math.max(within, ofUnits)
  const df =
    ofUnits > within
      ? variance ** 2 / (within ** 2 / dfWithin + (ofUnits - within) ** 2 / (units - 1))
      : dfWithin
  const half = studentQuantile(0.975, df) * Math.sqrt(variance)
  const estimate = means[1] - means[0]
  if (!isFew) return { means, units, estimate, low: estimate - half, high: estimate + half }
  const margin = half / means[1]
  const end = (logarithm: number): number => means[1] * Math.exp(logarithm) - means[0]
  return { means, units, estimate, low: end(-margin), high: end(margin) }
}

/** A difference of rates: Newcombe's interval of as many runs as the blocks are worth. */
function rateOf(blocks: readonly Block[]) {
  const { weights, total, means, between, units } = weighed(blocks)
  const runs = [0, 1].map(
    side => total ** 2 / sum(blocks.map((block, index) => weights[index]! ** 2 / block[side]!.length)),
  )
  const within = sum(means.map((mean, side) => (mean * (1 - mean)) / runs[side]!))
  const effect = within === 0 ? 1 : Math.max(1, between / within)
  const factor =
    effect === 1
      ? normalQuantile(0.975)
      : studentQuantile(0.975, between ** 2 / ((between - within) ** 2 / (units - 1)))
  const wilson = means.map((mean, side) => {
    const n = runs[side]! / effect
    const middle = (mean + factor ** 2 / (2 * n)) / (1 + factor ** 2 / n)
    const half =
      (factor / (1 + factor ** 2 / n)) * Math.sqrt((mean * (1 - mean)) / n + factor ** 2 / (4 * n ** 2))
    return { low: middle - half, high: middle + half }
  })
  const estimate = means[1] - means[0]
  const [b, c] = wilson as [{ low: number; high: number }, { low: number; high: number }]
  return {
    means,
    estimate,
    low: estimate - Math.hypot(means[1] - c.low, b.high - means[0]),
    high: estimate + Math.hypot(c.high - means[1], means[0] - b.low),
  }
}
