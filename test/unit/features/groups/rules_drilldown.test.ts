import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type GroupMoments, drillDown } from '../../../../src/features/groups/rules_drilldown.ts'
import { NO_MOMENTS } from '../../../../src/rules/statistics/samples.ts'
import { momentsOf, numbersIn } from '../../rules/statistics/samples_of.ts'

function group(
  key: string | null,
  baseline: readonly [number, number],
  candidate: readonly [number, number],
): GroupMoments {
  const side = ([n, mean]: readonly [number, number]) =>
    n === 0 ? NO_MOMENTS : momentsOf(n, mean, n < 2 ? 0 : 0.1)
  return { key, baseline: side(baseline), candidate: side(candidate) }
}

/** Rate and mix by group, as a table has them. */
function parts(groups: readonly GroupMoments[]): Record<string, readonly [number, number]> {
  return Object.fromEntries(
    drillDown(groups, 'mean')!.groups.map(({ key, rate, mix }) => [key ?? 'rest', [rate, mix] as const]),
  )
}

describe('rate and mix', () => {
  test('of groups that are each cheaper while the total is dearer', () => {
    const groups = [group('small', [800, 1], [200, 0.9]), group('large', [200, 5], [800, 4.5])]
    expect(drillDown(groups, 'mean')).toMatchObject({
      difference: 1.98,
      rate: -0.3,
      mix: 2.28,
      mix_outweighs_rate: true,
    })
    expect(parts(groups)).toEqual({ small: [-0.05, 1.104], large: [-0.25, 1.176] })
  })

  test('of a group that is new', () => {
    const groups = [
      group('acme', [400, 1], [300, 1.3]),
      group('beta', [600, 2], [500, 2]),
      group('new', [0, 0], [200, 3]),
    ]
    expect(drillDown(groups, 'mean')).toMatchObject({ difference: 0.39, merged_groups: 0 })
    expect(parts(groups)).toEqual({ acme: [0.105, 0.0645], beta: [0, -0.0205], new: [0, 0.241] })
    expect(drillDown(groups, 'mean')!.groups.map(({ key }) => key)).toEqual(['new', 'acme', 'beta'])
  })

  test('of a group that is gone', () => {
    const groups = [group('acme', [400, 1], [400, 1]), group('gone', [100, 3], [0, 0])]
    // The mean of acme is 0.2 below that of both sides together, that of gone is 1.8 above.
    expect(parts(groups)).toEqual({ acme: [0, -0.04], gone: [0, -0.36] })
  })

  test('of small groups and of what has no group goes to the rest, however many runs that has', () => {
    const groups = [
      group(null, [60, 1], [60, 2]),
      group('big', [400, 1], [400, 1]),
      group('few', [5, 1], [5, 1]),
      group('fewer', [2, 1], [2, 1]),
    ]
    const found = drillDown(groups, 'mean')!
    expect(found.merged_groups).toBe(2)
    expect(found.groups.map(({ key, baseline_runs }) => [key, baseline_runs])).toEqual([
      ['big', 400],
      [null, 67],
    ])
  })

  test('are listed by their size, equal ones by key, and the rest last, of many groups too', () => {
    const keys = Array.from({ length: 150 }, (_, index) => `g${String((index * 67) % 150).padStart(3, '0')}`)
    const many = keys.map(key => group(key, [30, 1], [30, 1 + (Number(key.slice(1)) % 4)]))
    const listed = drillDown([group(null, [30, 1], [30, 9]), ...many], 'mean')!.groups.map(({ key }) => key)
    const expected = [3, 2, 1, 0].flatMap(rise =>
      keys.filter(key => Number(key.slice(1)) % 4 === rise).sort(),
    )
    expect(listed).toEqual([...expected, null])
  })

  const side = fc.tuple(fc.nat(300), fc.double({ min: 0, max: 1e4, noNaN: true }))
  const given = fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 20 })

  test('sum to the difference however groups are merged, in whatever order they come, without NaN', () => {
    fc.assert(
      fc.property(given, sides => {
        const groups = sides.map(([b, c], index) => group(index === 0 ? null : `group ${index}`, b, c))
        const found = drillDown(groups, 'mean')
        const runs = [0, 1].map(which => sides.reduce((sum, each) => sum + each[which]![0], 0))
        if (Math.min(...runs) === 0) {
          expect(found).toBeUndefined()
          return
        }
        expect(Math.abs(found!.rate + found!.mix - found!.difference)).toBeLessThan(1e-7)
        expect(drillDown(groups.toReversed(), 'mean')).toEqual(found)
        expect(numbersIn(found).every(Number.isFinite)).toBe(true)
        expect(found!.groups.reduce((sum, each) => sum + each.baseline_runs, 0)).toBe(runs[0])
        expect(JSON.parse(JSON.stringify(found))).toEqual(found)
        const contributions = found!.groups
          .filter(({ key }) => key !== null)
          .map(({ rate, mix }) => Math.abs(rate + mix))
        expect(contributions).toEqual(contributions.toSorted((a, b) => b - a))
      }),
    )
  })

  test('swapped sides flip the signs of both', () => {
    fc.assert(
      fc.property(given, sides => {
        const groups = sides.map(([b, c], index) => group(`group ${index}`, b, c))
        const swapped = sides.map(([b, c], index) => group(`group ${index}`, c, b))
        const [there, back] = [drillDown(groups, 'mean'), drillDown(swapped, 'mean')]
        if (there === undefined) return
        expect(there.rate).toBeCloseTo(-back!.rate, 6)
        expect(there.mix).toBeCloseTo(-back!.mix, 6)
      }),
    )
  })
})

describe('groups stand', () => {
  const shown = (...groups: readonly GroupMoments[]): readonly (string | null)[] =>
    drillDown(groups, 'mean')!.groups.map(({ key }) => key)

  test('by their names where they contribute alike', () => {
    const same = (key: string): GroupMoments => group(key, [100, 1], [100, 1])
    expect(shown(same('b'), same('c'), same('a'))).toEqual(['a', 'b', 'c'])
  })

  test('by what they contribute either way, rate and mix together', () => {
    const up = group('up', [100, 1], [100, 2])
    const down = group('down', [100, 5], [100, 1])
    const rest = group(null, [100, 1], [100, 99])
    expect(shown(rest, up, down)).toEqual(['down', 'up', null])
  })

  test('with the means of the sides that have runs', () => {
    const found = drillDown(
      [group('gone', [100, 2], [0, 0]), group('new', [0, 0], [100, 3]), group('kept', [100, 1], [100, 4])],
      'mean',
    )!
    const means = found.groups.map(({ key, baseline_mean, candidate_mean, difference }) => [
      key,
      baseline_mean,
      candidate_mean,
      difference?.estimate ?? null,
    ])
    expect(Object.fromEntries(means.map(([key, ...rest]) => [key, rest]))).toEqual({
      gone: [2, null, null],
      new: [null, 3, null],
      kept: [1, 4, 3],
    })
  })
})

test.each([
  [
    [0, 1],
    [100, 1],
  ],
  [
    [100, 1],
    [0, 1],
  ],
] as const)('a side without runs, %j against %j, is not split', (baseline, candidate) => {
  expect(drillDown([group('all', baseline, candidate)], 'mean')).toBeUndefined()
})

test.each([
  [0.5, true],
  [-0.5, true],
  [0, false],
])('a group whose mean moved by %d changed: %s', (by, isChanged) => {
  const found = drillDown([group('all', [500, 1], [500, 1 + by])], 'mean')!
  expect(found.groups.map(({ is_changed }) => is_changed)).toEqual([isChanged])
})

test('a group of runs that are all alike, and stay so, has not changed, and nothing outweighs anything', () => {
  const same = momentsOf(500, 1, 0)
  expect(drillDown([{ key: 'all', baseline: same, candidate: same }], 'mean')).toMatchObject({
    groups: [{ is_changed: false }],
    mix_outweighs_rate: false,
  })
})

test('of a difference that is all rate, mix does not outweigh it', () => {
  const groups = [group('a', [100, 1], [100, 2]), group('b', [100, 1], [100, 2])]
  expect(drillDown(groups, 'mean')).toMatchObject({ rate: 1, mix: 0, mix_outweighs_rate: false })
})

describe('small groups', () => {
  test('of under 50 runs are merged into the rest, which stands last', () => {
    const found = drillDown(
      [
        group('tiny', [24, 1], [25, 900]),
        group('just', [25, 1], [25, 1]),
        group('big', [500, 1], [500, 1]),
        group(null, [10, 1], [10, 1]),
      ],
      'mean',
    )!
    expect(found.groups.map(({ key, baseline_runs }) => [key, baseline_runs])).toEqual([
      ['big', 500],
      ['just', 25],
      [null, 34],
    ])
    expect(found.merged_groups).toBe(1)
  })

  test('are not claimed to have changed', () => {
    const found = drillDown([group('nine', [200, 1], [9, 50]), group('ten', [200, 1], [10, 50])], 'mean')!
    expect(Object.fromEntries(found.groups.map(({ key, is_changed }) => [key, is_changed]))).toEqual({
      nine: false,
      ten: true,
    })
  })
})

describe('what changed', () => {
  // 100 groups, of which one changed by 3.2 standard errors: enough alone, not among a hundred.
  const one = (groups: number) => {
    const error = Math.sqrt(0.1 ** 2 / 500 + 0.1 ** 2 / 500)
    return [
      group('changed', [500, 1], [500, 1 + 3.2 * error]),
      ...Array.from({ length: groups - 1 }, (_, index) => group(`group ${index}`, [500, 1], [500, 1])),
    ]
  }

  test.each([
    [2, 1],
    [100, 0],
  ])('is told with the number of groups in mind: of %d groups %d', (groups, changed) => {
    const found = drillDown(one(groups), 'mean')!
    expect(found.groups.filter(({ is_changed }) => is_changed)).toHaveLength(changed)
  })

  test('is not told of two groups by what would do for one', () => {
    const error = Math.sqrt(2 * (0.1 ** 2 / 500))
    const found = drillDown(
      [group('a', [500, 1], [500, 1 + 1.8 * error]), group('b', [500, 1], [500, 1])],
      'mean',
    )!
    expect(found.groups.filter(({ is_changed }) => is_changed)).toEqual([])
  })

  test('of rates goes by the interval of rates', () => {
    const rate = (n: number, p: number) => ({ n, mean: p, m2: n * p * (1 - p) })
    const found = drillDown(
      [
        { key: 'failing', baseline: rate(500, 0.01), candidate: rate(500, 0.1) },
        { key: 'fine', baseline: rate(500, 0.01), candidate: rate(500, 0.012) },
        { key: 'none', baseline: rate(60, 0), candidate: rate(60, 0) },
      ],
      'rate',
    )!
    expect(found.groups.map(({ key, is_changed }) => [key, is_changed])).toEqual([
      ['failing', true],
      ['fine', false],
      ['none', false],
    ])
    expect(found.groups.find(({ key }) => key === 'none')!.difference!.high).toBeGreaterThan(0)
  })
})
