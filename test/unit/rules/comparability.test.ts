import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/time.ts'
import { comparabilityWarnings, sharedWindow } from '../../../src/rules/comparability.ts'

/** So many runs in each block of time. */
const cells = (runs: Readonly<Record<number, number>>) =>
  Object.entries(runs).map(([block, count]) => ({ block: Number(block), runs: count }))
const everywhere = (runs: number) =>
  cells(Object.fromEntries(Array.from({ length: 24 }, (_, block) => [block, runs])))
const week = { since: 0, until: 7 * 24 * HOUR_MS }

describe('the window that two sides share', () => {
  test.each<[string, ReturnType<typeof cells>, ReturnType<typeof cells>, string | null]>([
    ['a canary of the last hours', everywhere(1000), cells({ 23: 500 }), '7h'],
    ['a canary of the last two days', everywhere(1000), cells({ 17: 9, 18: 9, 20: 9, 23: 9 }), '49h'],
    ['a canary of the last block but one', everywhere(1000), cells({ 22: 500 }), '14h'],
    ['all of it', everywhere(10), everywhere(10), null],
    ['none of it', cells({ 3: 10 }), cells({ 4: 10 }), null],
    ['no runs', everywhere(10), [], null],
    [
      'a burst long ago, which a shorter window would hold in as few blocks',
      cells({ 5: 10 }),
      cells({ 5: 9 }),
      null,
    ],
    ['a burst behind which one side ran alone', everywhere(100), cells({ 10: 9 }), null],
  ])('%s', (_, baseline, candidate, expected) => {
    expect(sharedWindow(baseline, candidate, week)).toBe(expected)
    expect(sharedWindow(candidate, baseline, week)).toBe(expected)
  })

  test('begins where both ran, and holds at least half of its runs in blocks of both', () => {
    const side = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 24, maxLength: 24 })
    fc.assert(
      fc.property(side, side, fc.integer({ min: 0, max: 23 }), (b, all, first) => {
        const c = all.map((runs, block) => (block < first ? 0 : runs))
        const found = sharedWindow(cells(b), cells(c), { since: 0, until: 24 * 60_000 })
        if (found === null) return
        // A block is a minute.
        const from = 24 - Number(found.replace('m', ''))
        expect([b[from]! > 0, c[from]! > 0]).toEqual([true, true])
        const both = b.map((runs, block) =>
          block >= from && runs > 0 && c[block]! > 0 ? runs + c[block]! : 0,
        )
        const sum = (runs: number[]) => runs.reduce((total, count) => total + count, 0)
        expect(2 * sum(both)).toBeGreaterThanOrEqual(sum(b.slice(from)) + sum(c.slice(from)))
      }),
    )
  })
})

describe('what is said of it', () => {
  const of = (baseline: number, candidate: number, shared_runs_share: number) => ({
    baseline_runs: 500,
    candidate_runs: 500,
    min_runs: 50,
    clusters: { baseline, candidate, shared_runs_share },
  })
  const here = { shorter: null, over_window: false }

  test.each<[ReturnType<typeof of>, Parameters<typeof comparabilityWarnings>[1], string[]]>([
    [of(24, 24, 1), here, []],
    [of(4, 24, 0.5), here, []],
    [
      of(24, 1, 0.189),
      { ...here, shorter: '7h' },
      [
        'only 18 % of the runs are of times in which both sides ran (it takes 50 %), so a difference may be one of times: ' +
          'choose a window of 7h, in which both ran',
      ],
    ],
    [of(24, 12, 0), here, [expect.stringMatching(/^only 0 % .*: run both releases at once$/)]],
    [
      of(3.44, 12, 1),
      here,
      [
        'the runs of the baseline lie in 3.4 of the 24 blocks of time of the window (it takes 4), so a difference may be ' +
          'one of times: let it run for longer',
      ],
    ],
    [of(24, 1, 1), here, [expect.stringMatching(/^the runs of the candidate lie in 1\.0 of /)]],
    [
      of(24, 1, 0.189),
      { shorter: '7h', over_window: true },
      [
        expect.stringMatching(
          /^only 18 % .*: this is a rollback, so its limits are judged over the whole window/,
        ),
      ],
    ],
    [{ ...of(24, 0, 0), candidate_runs: 0 }, here, []],
    [{ ...of(24, 1, 0), candidate_runs: 49 }, here, []],
  ])('%o, %o', (shared, asked, expected) => {
    expect(comparabilityWarnings(shared, asked)).toEqual(expected)
  })
})
