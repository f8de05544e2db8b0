import { expect, test } from 'vitest'
import { BLOCKS, liveVerdict, brokenText } from '../../../../src/features/live/rules_live.ts'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { NO_SUMS } from '../../../../src/rules/rollup.ts'

const POLICY = { max_cost_per_run_usd: null, max_latency_ms: 2000, max_error_rate: 0.03 }
const NEWEST = BLOCKS

/** A block of runs of one variant: latency is 1,000 ms ± 400. */
function aggregate(block: number, runs: number, errors: number, latency = 1000) {
  return {
    ...NO_SUMS,
    block,
    agent_id: 'bot',
    provider: 'acme',
    model: 'm1',
    runs,
    errors,
    latency_count: runs,
    latency_sum_ms: runs * latency,
    latency_sum_ms2: runs * (latency * latency + 400 * 400),
    token_products: [0, 0, 0, 0, 0, 0],
  }
}

function judged(aggregates: readonly ReturnType<typeof aggregate>[], policy = POLICY) {
  return liveVerdict({ aggregates, rates: new Map() }, policy, NEWEST).broken
}

/** Runs that a place gets in 10 minutes at 60 an hour. */
const RUNS = 10

function failures(random: () => number, rate: number): number {
  let failed = 0
  for (let run = 0; run < RUNS; run++) if (random() < rate) failed += 1
  return failed
}

test('30 % failures under a limit of 3 % are found within 30 minutes in 95 % of 400 draws', () => {
  const random = seededRandom(1)
  let found = 0
  for (let draw = 0; draw < 400; draw++) {
    const day = Array.from({ length: BLOCKS - 3 }, (_, index) =>
      aggregate(index + 1, RUNS, failures(random, 0.012)),
    )
    const bad = Array.from({ length: 3 }, () => failures(random, 0.3))
    // Looked at each 10 minutes: the newest block is the first bad one, then the second, then the third.
    const isFound = [1, 2, 3].some(blocks => {
      const aggregates = [
        ...day,
        ...bad.slice(0, blocks).map((errors, index) => aggregate(NEWEST - 2 + index, RUNS, errors)),
      ]
      return liveVerdict({ aggregates, rates: new Map() }, POLICY, NEWEST - 3 + blocks).broken.length > 0
    })
    if (isFound) found += 1
  }
  expect(found / 400).toBeGreaterThanOrEqual(0.95)
})

test('a release at half of its limit gets less than one wrong finding in a month', () => {
  const random = seededRandom(2)
  const months = 1
  const blocks = Array.from({ length: months * 30 * BLOCKS }, () => failures(random, 0.015))
  let [episodes, isIn] = [0, false]
  for (let now = BLOCKS; now < blocks.length; now++) {
    const aggregates = blocks
      .slice(now - BLOCKS, now)
      .map((errors, index) => aggregate(index + 1, RUNS, errors))
    const isFound = judged(aggregates).length > 0
    if (isFound && !isIn) episodes += 1
    isIn = isFound
  }
  expect(episodes / months).toBeLessThan(1)
})

test('few runs, a level at its limit, and no limit are no finding', () => {
  expect(judged([aggregate(NEWEST, 9, 9)])).toEqual([])
  expect(judged([aggregate(NEWEST, 1000, 30)])).toEqual([])
  expect(judged([aggregate(NEWEST, 1000, 300)], { ...POLICY, max_error_rate: null as never })).toEqual([])
  expect(judged([aggregate(NEWEST, 49, 0, 9000)])).toEqual([])
})

test('what happened yesterday and is over is no finding of the last hour, but of the day', () => {
  const aggregates = [
    aggregate(1, 100, 60),
    ...Array.from({ length: 100 }, (_, index) => aggregate(index + 40, 100, 0)),
  ]
  expect(judged(aggregates)).toEqual([])
})

test('the look that proves most is said, with its figures', () => {
  const aggregates = [aggregate(1, 1000, 10), aggregate(NEWEST - 1, 60, 15), aggregate(NEWEST, 57, 14, 5000)]
  const broken = judged(aggregates)
  expect(broken.map(({ limit_key, minutes, runs }) => [limit_key, minutes, runs])).toEqual([
    ['max_latency_ms', 30, 117],
    ['max_error_rate', 30, 117],
  ])
  expect(brokenText(broken[1]!)).toBe(
    'error rate 24.8 % of 117 runs in the last 30 min, at least 14.4 %; max_error_rate is 3.0 %',
  )
})
