import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/time.ts'
import {
  type TimePlan,
  overWindowWarnings,
  sharedWindow,
  timeWarnings,
} from '../../../src/rules/common_time.ts'
import type { MatchedPart } from '../../../src/rules/statistics/metric.ts'

const DAY = 24 * HOUR_MS
const WEEK = { since: 0, until: 7 * DAY }
const plan = (hours: number): TimePlan => ({
  cut: { from: 7 * DAY - hours * HOUR_MS, to: 7 * DAY, width_ms: HOUR_MS },
  hours: { from: 0, to: 0 },
  match: { by: 'common_time', blocks: hours },
})
const matched = (units: number, candidate_share: number, candidate_runs = 300) => ({
  by: 'common_time' as MatchedPart['by'],
  baseline_mean: 1,
  candidate_mean: 1,
  baseline_runs: 300,
  candidate_runs,
  baseline_share: 0.1,
  candidate_share,
  units,
})

describe('the window that two sides share', () => {
  const candidate = [
    { block: -1, runs: 900 },
    { block: 3, runs: 300 },
    { block: 12, runs: 200 },
  ]

  test.each<[string, TimePlan, ReturnType<typeof matched> | null, string | null]>([
    ['both ran in the last hours', plan(12), matched(7, 300 / 1400), '12h'],
    ['enough is shared already', plan(12), matched(7, 0.6), null],
    ['too few units of time, which a shorter window has too', plan(12), matched(5, 0.2), null],
    ['most later runs are of the candidate alone', plan(12), matched(7, 0.1, 100), null],
    ['nothing is shared', plan(12), null, null],
  ])('%s', (_, by, part, expected) => {
    expect(sharedWindow(candidate, { matched: part }, by, WEEK)).toBe(expected)
  })

  test('is none where the window is compared as it is', () => {
    expect(sharedWindow(candidate, { matched: matched(7, 0.2) }, undefined, WEEK)).toBeNull()
  })
})

describe('what is said of time that both share', () => {
  const metric = (part: ReturnType<typeof matched>, runs = 500) => ({
    baseline_runs: runs,
    candidate_runs: 500,
    min_runs: 50,
    clusters: { baseline: 7, candidate: 7, shared_runs_share: 1 },
    comparability_doubt: 'not_comparable' as const,
    matched: part,
  })

  test.each([
    [
      matched(7, 0.189),
      '12h',
      /^only 18 % of the candidate's .*: choose a window of 12h, in which both ran$/,
    ],
    [matched(7, 0.189), null, /^only 18 % .*: run both releases at once, keep 4 days .* compare_by: window/],
    [
      matched(4, 0.9),
      null,
      /^both releases ran at once for about 12 h, and about 18 h are needed, so .*: run both at once for about 6 h more, or set compare_by: window/,
    ],
    [matched(7, 0.9, 20), null, /^only 20 runs of a side are of times in which both ran \(it takes 50\)/],
  ])('%o', (part, shorter, said) => {
    expect(timeWarnings(metric(part), { plan: plan(12), shorter })).toEqual([expect.stringMatching(said)])
  })

  test('nothing where there is no doubt, or too few runs for anything', () => {
    const here = { plan: plan(12), shorter: null }
    expect(timeWarnings({ ...metric(matched(7, 0.9)), comparability_doubt: null }, here)).toEqual([])
    expect(timeWarnings(metric(matched(1, 0.1), 49), here)).toEqual([])
  })

  test('with which days, where both never ran at once', () => {
    const part = { ...matched(6, 1), by: 'same_hours' as const }
    expect(
      timeWarnings({ ...metric(part), comparability_doubt: null }, { plan: plan(12), shorter: null }),
    ).toEqual([
      'both releases did not run at once: the candidate is compared with the same hours of 6 earlier days of the baseline',
    ])
  })
})

describe('what is said of a window that is compared as it is', () => {
  const of = (baseline: number, candidate: number, shared_runs_share: number) => ({
    baseline_runs: 500,
    candidate_runs: 500,
    min_runs: 50,
    clusters: { baseline, candidate, shared_runs_share },
  })

  test.each<[ReturnType<typeof of>, boolean, RegExp | null]>([
    [of(24, 24, 1), false, null],
    [of(4, 24, 0.5), true, null],
    [
      of(24, 1, 0.189),
      true,
      /^only 18 % of the runs .*: this is a rollback, so its limits are judged over the whole/,
    ],
    [
      of(24, 1, 0.189),
      false,
      /^only 18 % of the runs .*: compare_by is window, so its limits are judged over the/,
    ],
    [
      of(3.44, 12, 1),
      false,
      /^most runs of the baseline lie in 3 of the 24 blocks of time of the window \(it takes 4\)/,
    ],
    [of(24, 1, 1), true, /^most runs of the candidate lie in 1 of /],
    [{ ...of(24, 1, 0), candidate_runs: 49 }, true, null],
  ])('%o, of a rollback: %s', (metric, isRollback, said) => {
    expect(overWindowWarnings(metric, isRollback)).toEqual(said === null ? [] : [expect.stringMatching(said)])
  })
})
