import { expect, test } from 'vitest'
import { mergedBuckets, pointsOf } from '../../../src/web/places/buckets.ts'

const HOUR = 3_600_000
const NOON = Date.parse('2026-11-20T12:00:00.000Z')
const iso = (ms: number): string => new Date(ms).toISOString()

function bucketOf(start: number, latency_ms_avg: number | null, runs = 10, error_rate = 0) {
  return { start: iso(start), runs, cost_per_run_usd: 1, latency_ms_avg, error_rate, tokens_per_run: 5 }
}

function seriesOf(buckets: ReturnType<typeof bucketOf>[], hours: number) {
  const span = { since: iso(NOON - hours * HOUR), until: iso(NOON), bucket_ms: HOUR }
  return { release_id: 'r', environment: 'prod', ...span, buckets }
}

test('48 buckets become 24, each the mean by runs; the one that is not over is left out', () => {
  const hourly = Array.from({ length: 48 }, (_, index) =>
    bucketOf(NOON - (48 - index) * HOUR, index % 2 === 0 ? 100 : 400, index % 2 === 0 ? 30 : 10),
  )
  const late = bucketOf(NOON - HOUR / 2, 9999)
  const merged = mergedBuckets(seriesOf([...hourly, late], 48), 'latency_ms_avg')
  expect(merged).toHaveLength(24)
  expect(merged.every(({ runs, latency_ms_avg }) => runs === 40 && latency_ms_avg === 175)).toBe(true)
})

test('buckets without a figure take no part in its mean', () => {
  const buckets = [bucketOf(NOON - 4 * HOUR, null), bucketOf(NOON - 3 * HOUR, 100)]
  expect(mergedBuckets(seriesOf(buckets, 4), 'latency_ms_avg').map(bucket => bucket.latency_ms_avg)).toEqual([
    null,
    100,
  ])
})

test('a rate has the interval of Wilson; a mean has one by how far neighbours differ, of five or more', () => {
  const noisy = [100, 120, 90, 115, 95, 110].map((value, index) => bucketOf(NOON - (9 - index) * HOUR, value))
  const [first] = pointsOf(noisy, 'error_rate')
  expect(first?.spread?.[0]).toBe(0)
  expect(first?.spread?.[1]).toBeCloseTo(0.278, 3)
  const [low, high] = pointsOf(noisy, 'latency_ms_avg')[0]!.spread!
  // Σ difference² / (2/10) over 5 pairs: a variance of 2,550 for one run, and 16.0 ms for the mean of ten, ± 1.96 of it.
  expect(low).toBeCloseTo(100 - 1.96 * Math.sqrt(255), 6)
  expect(high).toBeCloseTo(100 + 1.96 * Math.sqrt(255), 6)
  expect(pointsOf(noisy.slice(0, 4), 'latency_ms_avg')[0]!.spread).toBeUndefined()
})

test('a rate is of 150 runs or more, where that leaves six points', () => {
  const hourly = Array.from({ length: 18 }, (_, index) => bucketOf(NOON - (18 - index) * HOUR, 100, 60))
  expect(mergedBuckets(seriesOf(hourly, 18), 'error_rate').map(({ runs }) => runs)).toEqual([
    180, 180, 180, 180, 180, 180,
  ])
  expect(mergedBuckets(seriesOf(hourly, 18), 'latency_ms_avg')).toHaveLength(18)
  const few = hourly.slice(0, 8).map(bucket => ({ ...bucket, runs: 1 }))
  expect(mergedBuckets(seriesOf(few, 18), 'error_rate')).toHaveLength(8)
})
