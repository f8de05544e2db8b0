import { expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { mixWarnings } from '../../../../src/features/segments/rules_compared.ts'
import { fewSharedText, sharedTenants } from '../../../../src/features/segments/rules_shared.ts'
import type { SegmentKind, SegmentSums } from '../../../../src/features/segments/rules_segments.ts'
import { NO_SUMS } from '../../../../src/rules/rollup.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'

const policy = { ...DEFAULT_POLICY, max_latency_increase_pct: 0.1, max_error_rate_increase: 0.02 }

/** Runs of so many of each segment, the second of which takes three times as long. */
function sumsOf(runs: readonly number[]): SegmentSums {
  const aggregates = runs.map((own, index) => ({
    ...NO_SUMS,
    agent_id: 'bot',
    provider: 'p',
    model: 'm',
    block: 0,
    segment: index + 1,
    runs: own,
    latency_count: own,
    latency_sum_ms: own * (index === 1 ? 3000 : 1000),
    latency_sum_ms2: own * 1e6,
    token_products: [0, 0, 0, 0, 0, 0],
  }))
  return { aggregates: aggregates.filter(aggregate => aggregate.runs > 0), parts: [] }
}

type Mix = Readonly<Record<SegmentKind, readonly number[]>>

function warned(b: Mix, c: Mix): string[] {
  const side = ({ tenant, task }: Mix) => ({
    rates: new Map(),
    segments: new Map([
      ['tenant', sumsOf(tenant)],
      ['task', sumsOf(task)],
    ] as const),
  })
  return mixWarnings(side(b), side(c), policy)
}

const even = { tenant: [500, 500], task: [500, 500] }

test.each([
  ['not moved', even, []],
  ['moved for tasks', { ...even, task: [300, 700] }, [/shares of tasks.* latency by \+.*compare_by: task/]],
  [
    'moved for both, which no comparison tells apart',
    { tenant: [300, 700], task: [300, 700] },
    [/shares of tenants.*both differ, so run both/, /shares of tasks.*both differ, so run both/],
  ],
])('a mix that is %s', (_, candidate, texts) => {
  expect(warned(even, candidate)).toEqual(texts.map(text => expect.stringMatching(text)))
})

test('little traffic that is split by chance is hardly ever warned of', () => {
  const random = seededRandom(7)
  const drawn = (runs: number): number[] => {
    const own = [0, 0, 0, 0]
    for (let run = 0; run < runs; run++) own[Math.floor(4 * random())]! += 1
    return own
  }
  const warnings = Array.from({ length: 100 }, () => {
    const task = drawn(70)
    return warned({ tenant: [70], task }, { tenant: [70], task: drawn(70) }).length
  })
  expect(warnings.filter(count => count > 0).length).toBeLessThanOrEqual(3)
})

test('a good share of runs of tenants that only the candidate served is said, one by accident is not', () => {
  const text = (b: readonly (readonly [number, number])[], c: readonly (readonly [number, number])[]) =>
    fewSharedText(sharedTenants(new Map(b), new Map(c))!)
  const usual = [
    [1, 500],
    [2, 500],
  ] as const
  expect(text(usual, [...usual, [3, 370]])).toMatch(
    /^27 % of the candidate's runs are of tenants that only it served/,
  )
  expect(text(usual, [...usual, [3, 90]])).toBeUndefined()
  expect(text([[1, 30]], [[2, 30]])).toMatch(/^none of .* of tenants that the baseline served too/)
  // The last run of one release, and the first of the next.
  expect(text([[1, 1]], [[1, 1]])).toBeUndefined()
  const single = (from: number) => Array.from({ length: 300 }, (_, index) => [from + index, 1] as const)
  expect(text([...usual, ...single(1000)], [...usual, ...single(2000)])).toBeUndefined()
})
