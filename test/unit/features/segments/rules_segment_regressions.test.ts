import { expect, test } from 'vitest'
import { segmentRegressions } from '../../../../src/features/segments/rules_segment_regressions.ts'
import { NO_SUMS } from '../../../../src/rules/rollup.ts'

type Side = Parameters<typeof segmentRegressions>[0]

/** Ten tenants with 80 runs each, of which the first is so many times as slow, and 100 with one run. */
function served(slower: number): Side {
  const aggregate = (segment: number, block: number, runs: number, ms: number) => ({
    ...NO_SUMS,
    agent_id: 'bot',
    provider: 'p',
    model: 'm',
    segment,
    block,
    runs,
    latency_count: runs,
    latency_sum_ms: runs * ms,
    latency_sum_ms2: runs * ms * (ms + 90),
    token_products: [0, 0, 0, 0, 0, 0],
  })
  const aggregates = Array.from({ length: 110 }, (_, index) =>
    index < 10
      ? Array.from({ length: 8 }, (_block, block) =>
          aggregate(index + 1, block, 10, index === 0 ? 1000 * slower : 1000),
        )
      : [aggregate(index + 1, 0, 1, 1000)],
  ).flat()
  const tasks = aggregates.map(own => ({ ...own, segment: 1 }))
  return {
    rates: new Map(),
    segments: new Map([
      ['tenant', { aggregates, parts: [] }],
      ['task', { aggregates: tasks, parts: [] }],
    ]),
  }
}

test.each([0, 1, 10])(
  'tenants of a run or two hide no segment regression, where the policy asks for %i',
  least => {
    const found = segmentRegressions(served(1), served(1.2), { min_runs: least })!
    expect(found).toMatchObject({ groups: 10, found_in_all: 1, found: [{ kind: 'tenant', segment: 1 }] })
  },
)

test('at many looks a segment regression takes more than at one, where the policy asks for that', () => {
  const found = (slower: number) =>
    segmentRegressions(served(1), served(slower), { sequential: true })!.found_in_all
  expect([found(1.17), found(1.5)]).toEqual([0, 1])
})
