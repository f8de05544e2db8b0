import { describe, expect, test } from 'vitest'
import {
  UNCHANGED,
  WORSE_FOR_ALL,
  WORSE_FOR_ONE,
  segmentsFound,
} from '../../../../tools/calibration/segment_worlds.ts'
import { readSums } from '../../../../tools/calibration/read_sums.ts'
import { isMixMoved } from '../../../../src/features/segments/rules_mix.ts'
import { type SegmentSums, gathered } from '../../../../src/features/segments/rules_segments.ts'
import { decideLimits } from '../../../../src/rules/limits.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { NO_SUMS } from '../../../../src/rules/rollup.ts'
import { scaled } from '../../../support/scale.ts'

// The long form is of 1,000 each.
const effort = { reps: scaled(5, 1000), seed: 41 }

test.each(UNCHANGED.map(world => [world.name, world] as const))(
  'names no segment of a release that is unchanged: %s',
  (_, world) => {
    expect(segmentsFound(world, effort).some).toBeLessThanOrEqual(scaled(0, 0.05))
  },
)

test.each(WORSE_FOR_ONE.map(world => [world.name, world] as const))(
  'names the tenant that a release is worse for, and nobody else: %s',
  (_, world) => {
    const { right, wrong } = segmentsFound(world, effort)
    expect(right).toBeGreaterThanOrEqual(scaled(0.6, world.least))
    expect(wrong).toBeLessThanOrEqual(scaled(0, 0.05))
  },
)

test('names nobody where a release is as much worse for all', () => {
  // All intervals together miss the truth in 5 of 100, and half of these to the side of worse.
  expect(segmentsFound(WORSE_FOR_ALL, effort).some).toBeLessThanOrEqual(scaled(0, 0.025))
})

function sumsOf(runs: readonly (readonly [block: number, segment: number, runs: number])[]): SegmentSums {
  const aggregates = runs.map(([block, segment, own]) => ({
    ...NO_SUMS,
    agent_id: 'bot',
    provider: 'p',
    model: 'm',
    block,
    segment,
    runs: own,
    latency_sum_ms2: 0,
    token_products: [1, 0, 0, 0, 0, 0],
  }))
  return { aggregates, parts: [] }
}

describe('the mix of two sides', () => {
  const even = sumsOf([
    [0, 1, 500],
    [0, 2, 500],
  ])

  test.each([
    [
      'moved',
      [
        [0, 1, 600],
        [0, 2, 400],
      ],
      true,
    ],
    [
      'moved by chance, of few runs',
      [
        [0, 1, 11],
        [0, 2, 9],
      ],
      false,
    ],
    [
      'moved by less than two points, of many runs',
      [
        [0, 1, 509_000],
        [0, 2, 491_000],
      ],
      false,
    ],
    [
      'moved by a segment of one side',
      [
        [0, 1, 450],
        [0, 2, 450],
        [0, 3, 100],
      ],
      true,
    ],
    [
      'alike in less of it',
      [
        [0, 1, 50],
        [0, 2, 50],
      ],
      false,
    ],
  ] as const)('%s', (_, runs, isMoved) => {
    expect(isMixMoved(even, sumsOf(runs))).toBe(isMoved)
  })

  test('that moves over the day alike on both sides does not count', () => {
    const [b, c] = [
      sumsOf([
        [0, 1, 900],
        [0, 2, 100],
        [1, 1, 10],
        [1, 2, 90],
      ]),
      sumsOf([
        [0, 1, 90],
        [0, 2, 10],
        [1, 1, 100],
        [1, 2, 900],
      ]),
    ]
    expect(isMixMoved(b, c)).toBe(false)
  })
})

test('stretches of both sides are gathered in parts of equal weight; one without the other is left out', () => {
  const quiet = Array.from({ length: 24 }, (_, block) => [block, 1, block < 8 ? 10 : 100] as const)
  const busy = new Map([['tenant', readSums(sumsOf(quiet))]] as const)
  const late = new Map([['tenant', readSums(sumsOf(quiet.filter(([block]) => block !== 9)))]] as const)
  const runs = gathered({ baseline: busy, candidate: late })
    .baseline.get('tenant')!
    .aggregates.map(aggregate => aggregate.runs)
  expect(runs.reduce((sum, own) => sum + own, 0)).toBe(24 * 100 - 8 * 90 - 100)
  expect(runs).toHaveLength(8)
  for (const own of runs) expect(Math.abs(own - 1580 / 8)).toBeLessThanOrEqual(100)
})

test('a limit counts a rise that is no larger than that of the whole', () => {
  const spot = {
    kind: 'tenant',
    segment: 7,
    metric: 'latency_ms',
    baseline_runs: 100,
    candidate_runs: 100,
    baseline_mean: 100,
    candidate_mean: 150,
    difference: { estimate: 50, low: 40, high: 60 },
    relative_change: { estimate: 0.5, low: 0.4, high: 0.6 },
  } as const
  const segment_regressions = { groups: 9, found_in_all: 0, found: [], with_the_whole: [spot] }
  const decided = (limit: number) =>
    decideLimits({ ...DEFAULT_POLICY, max_segment_latency_increase_pct: limit }, {
      segment_regressions,
    } as unknown as Parameters<typeof decideLimits>[1])
  expect(decided(0.3)).toMatchObject([{ outcome: 'fail', metric: 'latency_ms of tenant 7', low: 0.4 }])
  expect(decided(0.5)).toMatchObject([{ outcome: 'pass' }])
})
