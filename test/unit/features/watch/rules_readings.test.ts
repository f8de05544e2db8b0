import { describe, expect, test } from 'vitest'
import type { Sample } from '../../../../src/rules/statistics/samples.ts'
import { readWatch } from '../../../../src/features/watch/rules_readings.ts'
import { valuesSample } from '../../rules/statistics/samples_of.ts'

/** 400 runs in 8 blocks of time. */
const RUNS = Array.from({ length: 400 }, (_, index) => index)
const inBlocks = (value: (index: number) => number): Sample =>
  valuesSample(RUNS.map(value), index => String(index % 8))

/** Runs of 90 and 110 that don't depend on each other, and ones of which each block has its own. */
const even = inBlocks(index => (index % 16 < 8 ? 90 : 110))
const uneven = inBlocks(index => (index % 2 === 0 ? 90 : 110))
const rises = { cost_per_run_usd: 0.05, latency_ms: 0.1, error_rate: 0.02 }
const rarely = inBlocks(index => (index % 41 === 0 ? 1 : 0))
const often = inBlocks(index => (index % 3 === 0 ? 1 : 0))

describe('a watch reads', () => {
  const baseline = { cost_per_run_usd: even, latency_ms: even, error_rate: rarely }

  test('each metric against its own limit', () => {
    const readings = readWatch(baseline, { ...baseline, error_rate: often }, rises)
    const runs = { baseline_runs: 400, candidate_runs: 400 }
    expect(readings).toMatchObject({
      cost_per_run_usd: { ...runs, alarm: null, limit: 0.05, change: 0 },
      latency_ms: { ...runs, alarm: null, limit: 0.1, change: 0 },
      error_rate: { ...runs, alarm: 'sequential', limit: 0.02, change: 0.31 },
    })
  })

  test.each(['cost_per_run_usd', 'latency_ms', 'error_rate'] as const)('a rise of %s alone', metric => {
    const risen = metric === 'error_rate' ? often : inBlocks(index => (index % 16 < 8 ? 190 : 210))
    const readings = readWatch(baseline, { ...baseline, [metric]: risen }, rises)
    const alarmed = Object.entries(readings).flatMap(([name, { alarm }]) => (alarm === null ? [] : [name]))
    expect(alarmed).toEqual([metric])
  })

  test('as far off as the side whose runs depend on each other more, whichever that is', () => {
    const seen = (b: Sample, c: Sample) =>
      readWatch({ ...baseline, latency_ms: b }, { ...baseline, latency_ms: c }, rises).latency_ms
        .smallest_detectable!
    const [both, first, second, neither] = [
      seen(uneven, uneven),
      seen(uneven, even),
      seen(even, uneven),
      seen(even, even),
    ]
    expect(first).toBeCloseTo(both, 2)
    expect(second).toBeCloseTo(both, 2)
    expect(both).toBeGreaterThan(2 * neither)
  })

  test('runs of too few blocks as if they did not depend on each other', () => {
    const whole = valuesSample(RUNS.map(index => (index % 16 < 8 ? 90 : 110)))
    const seen = (sample: Sample) =>
      readWatch({ ...baseline, latency_ms: sample }, { ...baseline, latency_ms: sample }, rises).latency_ms
    expect(seen(whole)).toEqual(seen(even))
  })
})
