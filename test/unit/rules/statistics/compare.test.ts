import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareMeans, compareRates } from '../../../../src/rules/statistics/compare.ts'
import { decideChange } from '../../../../src/rules/statistics/decide.ts'
import type { MetricStatistics } from '../../../../src/rules/statistics/metric.ts'
import { type Sample, sampleOf } from '../../../../src/rules/statistics/samples.ts'
import { blocks, valuesSample } from './samples_of.ts'

/** n values of this mean that vary by 30 % of it. */
function steady(n: number, mean: number): Sample {
  return valuesSample(
    Array.from({ length: n }, (_, index) => Math.round(mean * (1 + 0.3 * Math.sin(index * 12.9898)))),
    blocks,
  )
}

/** Runs that are all alike. */
function alike(value: number, runs = 500): Sample {
  return valuesSample(Array<number>(runs).fill(value), blocks)
}

function failures(n: number, errors: number): Sample {
  return valuesSample(
    Array.from({ length: n }, (_, index) =>
      Math.floor((index * errors) / n) === Math.floor(((index + 1) * errors) / n) ? 0 : 1,
    ),
    blocks,
  )
}

describe('verdicts', () => {
  const cases: readonly [string, () => MetricStatistics, Partial<MetricStatistics>][] = [
    [
      'dearer',
      () => compareMeans(steady(500, 1000), steady(500, 1200)),
      { verdict: 'worse', inconclusive_because: null },
    ],
    ['cheaper', () => compareMeans(steady(500, 1000), steady(500, 800)), { verdict: 'better' }],
    ['the same', () => compareMeans(steady(2000, 1000), steady(2000, 1000)), { verdict: 'no_difference' }],
    [
      'the same, too few to tell',
      () => compareMeans(steady(50, 1000), steady(50, 1000)),
      { verdict: 'inconclusive', inconclusive_because: 'interval_too_wide' },
    ],
    [
      'more of what is good',
      () => compareMeans(steady(500, 1000), steady(500, 1200), { better: 'higher' }),
      { verdict: 'better' },
    ],
    [
      'less of what is good',
      () => compareMeans(steady(500, 1000), steady(500, 800), { better: 'higher' }),
      { verdict: 'worse' },
    ],
    [
      'nine runs',
      () => compareMeans(steady(500, 1000), steady(9, 3000)),
      { verdict: 'inconclusive', inconclusive_because: 'too_few_runs', min_runs: 10 },
    ],
    [
      'fewer than asked for',
      () => compareMeans(steady(500, 1000), steady(49, 3000), { min_runs: 50 }),
      { verdict: 'inconclusive', inconclusive_because: 'too_few_runs', min_runs: 50 },
    ],
    [
      'fewer than a sequential interval takes',
      () => compareMeans(steady(500, 1000), steady(49, 3000), { sequential: true }),
      { verdict: 'inconclusive', inconclusive_because: 'too_few_runs', interval: 'sequential', min_runs: 50 },
    ],
    [
      'no runs',
      () => compareMeans(steady(500, 1000), steady(0, 1)),
      {
        verdict: 'inconclusive',
        inconclusive_because: 'no_data',
        candidate_mean: null,
        difference: null,
        relative_change: null,
      },
    ],
    [
      'never any on either side',
      () => compareMeans(steady(20, 0), steady(30, 0)),
      { verdict: 'no_difference', relative_change: null, difference: { estimate: 0, low: 0, high: 0 } },
    ],
    [
      'some where there was none',
      () => compareMeans(steady(200, 0), steady(100, 10)),
      { verdict: 'worse', relative_change: null },
    ],
    ['constant, and more', () => compareMeans(alike(7), alike(8)), { verdict: 'worse' }],
    ['constant, and less', () => compareMeans(alike(8), alike(7)), { verdict: 'better' }],
    [
      'constant, and a millisecond more',
      () => compareMeans(alike(1000), alike(1001)),
      { verdict: 'no_difference' },
    ],
    [
      'constant, and a millisecond more, of so many that chance makes less',
      () => compareMeans(alike(1000, 5000), alike(1001, 5000)),
      { verdict: 'no_difference' },
    ],
    ['constant, and 6 % more', () => compareMeans(alike(1000), alike(1060)), { verdict: 'worse' }],
    [
      'constant, of ten runs',
      () => compareMeans(alike(1000, 10), alike(1000, 10)),
      { verdict: 'inconclusive' },
    ],
    [
      'one run a side',
      () => compareMeans(valuesSample([5]), valuesSample([8])),
      {
        verdict: 'inconclusive',
        inconclusive_because: 'too_few_runs',
        difference: { estimate: 3, low: null, high: null },
        relative_change: { estimate: 0.6, low: null, high: null },
        baseline_stddev: null,
      },
    ],
    [
      'as many errors',
      () => compareRates(failures(5000, 50), failures(5000, 50)),
      { verdict: 'no_difference' },
    ],
    ['more errors', () => compareRates(failures(1000, 10), failures(1000, 60)), { verdict: 'worse' }],
    ['fewer errors', () => compareRates(failures(1000, 60), failures(1000, 10)), { verdict: 'better' }],
    [
      'no errors',
      () => compareRates(failures(381, 0), failures(381, 0)),
      { verdict: 'no_difference', design_effect: 1 },
    ],
    [
      'no errors in few runs',
      () => compareRates(failures(380, 0), failures(380, 0)),
      { verdict: 'inconclusive', inconclusive_because: 'interval_too_wide' },
    ],
    [
      'no runs to fail',
      () => compareRates(failures(0, 0), failures(380, 0)),
      { verdict: 'inconclusive', inconclusive_because: 'no_data', difference: null },
    ],
  ]

  test.each(cases)('%s', (_, compared, wanted) => {
    expect(compared()).toMatchObject(wanted)
  })

  test('a tenant on each side proves nothing', () => {
    const [b, c] = [100, 200].map(mean => {
      const { moments } = steady(500, mean)
      return { moments, clusters: new Map([[`tenant ${mean}`, { n: 500, sum: moments.mean * 500 }]]) }
    })
    expect(compareMeans(b!, c!, { clusters: 'units' })).toMatchObject({
      verdict: 'inconclusive',
      inconclusive_because: 'too_few_clusters',
      design_effect: null,
      difference: { low: null, high: null },
    })
    expect(compareRates(b!, c!, { clusters: 'units' }).inconclusive_because).toBe('too_few_clusters')
  })

  /** A tenth of n runs at `most`, the others at 1. */
  const skewed = (n: number, most: number): Sample =>
    valuesSample(
      Array.from({ length: n }, (_, index) => (index % 10 === 0 ? most : 1)),
      blocks,
    )

  test('of few skewed runs beside many only a rise is claimed', () => {
    const few = compareMeans(skewed(2000, 400), skewed(400, 40))
    expect(few).toMatchObject({
      is_skewed_small_candidate: true,
      is_skewed_small_baseline: false,
      verdict: 'inconclusive',
      inconclusive_because: 'skewed_small_candidate',
    })
    expect(few.difference!.high).toBeLessThan(0)
    expect(compareMeans(skewed(2000, 40), skewed(400, 400)).verdict).toBe('worse')
    expect(compareMeans(skewed(1600, 400), skewed(400, 40)).verdict).toBe('better')
  })

  test.each([
    ['nothing on either side is unchanged', 0, 0, 'no_difference', 'pass'],
    ['nothing any more is better', 5, 0, 'better', 'pass'],
    ['something where there was nothing is worse', 0, 5, 'worse', 'fail'],
  ] as const)('against the same hours %s', (_, before, after, verdict, outcome) => {
    const hours = (from: number, to: number, mean: number) =>
      Array.from({ length: to - from }, (_hour, index) => ({
        cluster: String(from + index),
        n: 20,
        sum: 20 * mean,
        sum_of_squares: 20 * mean * (mean + 1),
      }))
    const found = compareMeans(sampleOf(hours(0, 144, before)), sampleOf(hours(144, 150, after)), {
      match: { by: 'same_hours', first: 144, end: 150, slots: 6, alike: [] },
    })
    expect(found).toMatchObject({ verdict, comparability_doubt: null })
    expect(decideChange(found, { limit: 0.1, of: 'relative_change' }, 'block').outcome).toBe(outcome)
  })

  test('of skewed runs those count that are compared', () => {
    const aggregates = (n: number, most: number, earlier: number) =>
      Array.from({ length: 13 }, (_, hour) => {
        const runs = hour === 12 ? earlier : n
        const [large, small] = [runs / 10, runs - runs / 10]
        return {
          cluster: String(hour === 12 ? -1 : hour),
          n: runs,
          sum: large * most + small,
          sum_of_squares: large * most ** 2 + small,
        }
      })
    const compared = (b: number, earlier: number, c: number, most: number) =>
      compareMeans(sampleOf(aggregates(b, 400, earlier)), sampleOf(aggregates(c, most, 0)), {
        match: { by: 'common_time', blocks: 12 },
      })
    expect(compared(10, 6000, 500, 4000)).toMatchObject({
      is_skewed_small_baseline: true,
      inconclusive_because: 'skewed_small_baseline',
      matched: { baseline_runs: 120 },
    })
    expect(compared(50, 6000, 50, 40)).toMatchObject({ is_skewed_small_candidate: false, verdict: 'better' })
  })

  test('of many runs beside few skewed ones no rise is claimed', () => {
    const few = compareMeans(skewed(400, 400), skewed(2000, 4000))
    expect(few).toMatchObject({
      is_skewed_small_candidate: false,
      is_skewed_small_baseline: true,
      verdict: 'inconclusive',
      inconclusive_because: 'skewed_small_baseline',
    })
    expect(few.difference!.low).toBeGreaterThan(0)
    expect(compareMeans(skewed(400, 400), skewed(2000, 40)).verdict).toBe('better')
    expect(compareMeans(skewed(400, 400), skewed(1600, 4000)).verdict).toBe('worse')
    // Of scores a rise is an improvement, and a fall is shown by a small baseline no more often than by a large one.
    expect(compareMeans(skewed(400, 400), skewed(2000, 4000), { better: 'higher' })).toMatchObject({
      is_skewed_small_baseline: false,
      verdict: 'better',
    })
  })

  test('a side is small up to 100 times the square of its coefficient of variation', () => {
    // A tenth at 40: mean 4.9, variance 136.89 · n/(n − 1), and 100 · 136.89/4.9² = 570.1.
    for (const [n, isSmall] of [
      [570, true],
      [580, false],
    ] as const) {
      const [small, large] = [skewed(n, 40), skewed(3000, 40)]
      expect(compareMeans(large, small).is_skewed_small_candidate).toBe(isSmall)
      expect(compareMeans(small, large).is_skewed_small_baseline).toBe(isSmall)
    }
  })

  test('a proven rise lacks no runs', () => {
    const { verdict, runs_needed } = compareMeans(steady(500, 1000), steady(500, 1300))
    expect([verdict, runs_needed.candidate_runs_missing]).toEqual(['worse', null])
    expect(
      compareMeans(steady(50, 1000), steady(50, 1000)).runs_needed.candidate_runs_missing,
    ).toBeGreaterThan(0)
  })
})

describe('sides that share too little time', () => {
  /** n values in so many blocks from `first` on. */
  const during = (n: number, count: number, first = 0): Sample =>
    valuesSample(
      Array.from({ length: n }, (_, index) => 1000 + ((index * 7919) % 500)),
      index => String(first + (index % count)),
    )

  test.each<[string, Sample, Sample, MetricStatistics['comparability_doubt']]>([
    ['the same 24 blocks', during(480, 24), during(480, 24), null],
    ['four blocks', during(480, 4), during(480, 4), null],
    ['three blocks', during(480, 3), during(480, 3), 'too_few_blocks'],
    ['one block', during(480, 1), during(480, 1), 'too_few_blocks'],
    ['24 blocks and three of them', during(240, 24), during(480, 3), 'too_few_blocks'],
    ['24 blocks and six of them', during(480, 24), during(480, 6), null],
    ['24 blocks and the last one', during(4800, 24), during(480, 1, 23), 'not_comparable'],
    ['one after the other', during(480, 12), during(480, 12, 12), 'not_comparable'],
    ['an overlap of half of them', during(480, 12), during(480, 12, 6), null],
    ['an overlap of less', during(480, 12), during(480, 12, 7), 'not_comparable'],
  ])('%s', (_, baseline, candidate, doubt) => {
    const shared = [...baseline.clusters].filter(([key]) => candidate.clusters.has(key))
    const inBoth = shared.reduce((runs, [key, { n }]) => runs + n + candidate.clusters.get(key)!.n, 0)
    const found = compareMeans(baseline, candidate)
    expect(found.clusters.shared_runs_share).toBeCloseTo(
      inBoth / (baseline.moments.n + candidate.moments.n),
      12,
    )
    expect(found.comparability_doubt).toBe(doubt)
    expect(found.inconclusive_because).toBe(doubt)
    expect(compareRates(failures(480, 9), failures(480, 9)).comparability_doubt).toBeNull()
    // The interval is shown as it is; it is judged where the settings say so.
    expect(compareMeans(baseline, candidate, { over_window: true })).toEqual({
      ...found,
      comparability_doubt: null,
      verdict: 'no_difference',
      inconclusive_because: null,
    })
    // Sessions and tenants are units of their own.
    expect(compareMeans(baseline, candidate, { clusters: 'units' }).comparability_doubt).toBeNull()
  })

  test('are not asked where a side has no runs', () => {
    expect(compareMeans(during(480, 24), during(0, 1))).toMatchObject({
      comparability_doubt: null,
      inconclusive_because: 'no_data',
    })
  })
})

describe('properties', () => {
  const values = fc.array(fc.integer({ min: 0, max: 1e10 }), { minLength: 2, maxLength: 60 })
  const kinds = fc.record({ sequential: fc.boolean() })

  test('swapped sides flip the signs of the difference', () => {
    fc.assert(
      fc.property(values, values, kinds, (b, c, options) => {
        const [there, back] = [
          compareMeans(valuesSample(b, blocks), valuesSample(c, blocks), options),
          compareMeans(valuesSample(c, blocks), valuesSample(b, blocks), options),
        ]
        expect(there.difference!.estimate).toBeCloseTo(-back.difference!.estimate, 4)
        const scale = Math.abs(there.difference!.high!) + Math.abs(there.difference!.low!) + 1
        expect(Math.abs(there.difference!.low! + back.difference!.high!)).toBeLessThan(1e-9 * scale)
        expect(there.design_effect).toBe(back.design_effect)
      }),
    )
  })

  test('more of the same shrinks intervals and what can be proved, for every kind of interval', () => {
    for (const options of [{}, { sequential: true }]) {
      const found = [100, 1000, 10_000, 100_000].map(n => [
        compareMeans(steady(n, 1000), steady(n, 1010), options),
        compareRates(failures(n, n / 50), failures(n, n / 50), options),
      ])
      for (const metric of [0, 1]) {
        const widths = found.map(pair => pair[metric]!.difference!.high! - pair[metric]!.difference!.low!)
        const limits = found.map(pair => pair[metric]!.smallest_provable_limit!)
        expect(widths).toEqual(widths.toSorted((a, b) => b - a))
        expect(widths.at(-1)).toBeLessThan(widths[0]! / 20)
        expect(limits).toEqual(limits.toSorted((a, b) => b - a))
      }
    }
  })

  test('a sequential interval holds the fixed one, and a level of 99 % that of 95 %', () => {
    fc.assert(
      fc.property(values, values, (b, c) => {
        const [x, y] = [valuesSample(b, String), valuesSample(c, String)]
        const fixed = compareMeans(x, y).difference!
        // With 40 or more the factor of Student's t is below that of the sequential interval.
        if (b.length + c.length < 40) return
        for (const wider of [compareMeans(x, y, { sequential: true }), compareMeans(x, y, { alpha: 0.01 })]) {
          expect(wider.difference!.low!).toBeLessThanOrEqual(fixed.low!)
          expect(wider.difference!.high!).toBeGreaterThanOrEqual(fixed.high!)
        }
      }),
    )
  })

  test('the change and the difference agree on whether there is one, of independent runs', () => {
    fc.assert(
      fc.property(values, values, (b, c) => {
        const found = compareMeans(valuesSample(b), valuesSample(c), { sequential: true })
        const { difference, relative_change } = found
        if (relative_change?.low == null) return
        const near = (value: number, scale: number): boolean => Math.abs(value) < 1e-6 * scale
        const scale = Math.abs(difference!.low!) + Math.abs(difference!.high!)
        if (near(difference!.low!, scale) || near(difference!.high!, scale)) return
        expect(relative_change.low > 0).toBe(difference!.low! > 0)
        expect(relative_change.high! < 0).toBe(difference!.high! < 0)
      }),
    )
  })
})

describe('runs_needed', () => {
  // 500 values with exactly this variation.
  const varying = (n: number, variation: number): Sample => {
    const value = (index: number): number => 1e6 * (1 + (index % 2 === 0 ? variation : -variation))
    return sampleOf([
      { cluster: 'all', n, sum: n * 1e6, sum_of_squares: (n / 2) * (value(0) ** 2 + value(1) ** 2) },
    ])
  }

  test.each([
    [0.3, 0.1, 157],
    [1, 0.1, 1735],
    [1.31083, 0.1, 2981],
    [0.3, 0.2, 44],
    [1, 0.2, 479],
  ])('of each side: a variation of %d to prove %d', (variation, planned_limit, runs) => {
    const many = varying(1e6, variation)
    expect(compareMeans(many, many, { planned_limit }).runs_needed).toMatchObject({
      limit: planned_limit,
      runs_per_side: runs,
    })
  })

  test('of the candidate beside a baseline, or none where that is too small', () => {
    const needed = (baselineRuns: number) =>
      compareMeans(varying(baselineRuns, 1), varying(1e6, 1), { planned_limit: 0.1 }).runs_needed
    expect(needed(5000)).toMatchObject({ candidate_runs: 969, candidate_runs_missing: 0 })
    expect(needed(900)).toMatchObject({ candidate_runs: null, candidate_runs_missing: null })
    const now = compareMeans(varying(5000, 1), varying(500, 1), { planned_limit: 0.1 }).runs_needed
    expect(now.candidate_runs_missing).toBe(now.candidate_runs! - 500)
  })

  test('prove the limit that they are planned for: the smallest provable limit is it', () => {
    for (const variation of [0.3, 1, 1.5]) {
      const { runs_per_side } = compareMeans(varying(1e6, variation), varying(1e6, variation)).runs_needed
      const [enough, tooFew] = [runs_per_side! + 4, runs_per_side! - 40].map(n =>
        varying(n - (n % 2), variation),
      )
      expect(compareMeans(enough!, enough!).smallest_provable_limit).toBeLessThanOrEqual(0.1005)
      expect(compareMeans(tooFew!, tooFew!).smallest_provable_limit).toBeGreaterThan(0.1)
    }
  })

  test('without errors are as many as exclude the limit, and more with every error', () => {
    expect(compareRates(failures(50, 0), failures(50, 0)).runs_needed).toEqual({
      limit: 0.02,
      runs_per_side: 189,
      candidate_runs: 189,
      candidate_runs_missing: 139,
    })
    const needed = [0, 5, 20, 100].map(
      errors => compareRates(failures(1000, errors), failures(1000, errors)).runs_needed.runs_per_side!,
    )
    expect(needed).toEqual(needed.toSorted((a, b) => a - b))
  })

  test('are more for sequential intervals and for several limits at once', () => {
    const b = steady(500, 1000)
    const plain = compareMeans(b, b).runs_needed.runs_per_side!
    expect(compareMeans(b, b, { sequential: true }).runs_needed.runs_per_side).toBeGreaterThan(1.5 * plain)
    expect(compareMeans(b, b, { limits: 4 }).runs_needed.runs_per_side).toBeGreaterThan(plain)
    expect(
      compareRates(failures(500, 5), failures(500, 5), { sequential: true }).runs_needed.runs_per_side,
    ).toBeGreaterThan(487)
  })
})
