import { describe, expect, test } from 'vitest'
import type { DiffReport } from '../../../../src/models/answers/diff.ts'
import { PRICES, importPrices, register } from '../../../support/services/builders.ts'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { type LoggedEvent, randomLog } from '../../../support/databases/random_log.ts'
import { scaled } from '../../../support/scale.ts'
import { NOON, type ServiceOptions, type TestService } from '../../../support/services/service.ts'

/** Random logs that one run compares. */
const LOGS = scaled(3, 500)
const EVENTS = 400
const QUERIES = 40
/** Runs that depend on each other count less, down to one in so many. */
const MOST = 8

/**
 * The diff adds up rollups and ragged edges; this test compares it with sums over the events themselves, written
 * down from the specification's computation rules without any of the service's code.
 */
export function diffEquivalence(makeService: (options?: ServiceOptions) => Promise<TestService>): void {
  describe('a diff from rollups equals a recompute from the raw events', () => {
    for (let seed = 1; seed <= LOGS; seed++) {
      test(`on random log ${seed}`, async () => {
        const random = seededRandom(seed)
        const service = await makeService()
        await importPrices(service)
        const releases = [await register(service), await register(service, { model: 'm2' })]
        const log = randomLog(random, releases, EVENTS)
        await ingestInPieces(service, log, random)
        const stored = firstOfEachRun(log)
        for (let query = 0; query < QUERIES; query++) {
          service.clock.now = NOON + Math.floor((random() - 0.3) * 200_000)
          const { body, widthMs } = randomQuery(random, releases)
          const answer = await service.call('POST /v1/diff', { body })
          expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
          expectEqualSides(
            answer.body as DiffReport,
            stored,
            service.clock.now - widthMs,
            service.clock.now,
            body,
          )
        }
      })
    }
  })
}

type Query = ReturnType<typeof randomQuery>['body']

/** A diff of two releases over any window, narrowed or not. */
export function randomQuery(random: () => number, releases: readonly string[]) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const unit = pick(['m', 'h', 'd'] as const)
  const count = 1 + Math.floor(random() * { m: 300, h: 50, d: 5 }[unit])
  const body = {
    baseline_release_id: releases[0]!,
    candidate_release_id: releases[1]!,
    window: `${count}${unit}`,
    environment: pick([null, 'local', 'prod']),
    tenant_id: pick([null, null, 't1', 't2', 'nobody']),
    task_id: pick([null, null, 'k1']),
    tails: true,
  }
  return { body, widthMs: { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] * count }
}

/** Sends a log in requests of any size, in order. */
export async function ingestInPieces(
  service: TestService,
  log: readonly LoggedEvent[],
  random: () => number,
): Promise<void> {
  for (let start = 0; start < log.length;) {
    const end = start + 1 + Math.floor(random() * 120)
    const events = log.slice(start, end).map(event => event.json)
    const answer = await service.call('POST /v1/events', { body: { events } })
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
    start = end
  }
}

function firstOfEachRun(log: readonly LoggedEvent[]): LoggedEvent[] {
  const seen = new Map<string, LoggedEvent>()
  for (const event of log) if (!seen.has(event.run_id)) seen.set(event.run_id, event)
  return [...seen.values()]
}

function expectEqualSides(
  report: DiffReport,
  stored: readonly LoggedEvent[],
  since: number,
  until: number,
  query: Query,
): void {
  const side = (releaseId: string) =>
    measure(
      stored.filter(
        event =>
          event.release_id === releaseId &&
          event.environment === (query.environment ?? 'local') &&
          event.at >= since &&
          event.at < until &&
          (query.tenant_id === null || event.tenant_id === query.tenant_id) &&
          (query.task_id === null || event.task_id === query.task_id),
      ),
    )
  const [baseline, candidate] = [side(query.baseline_release_id), side(query.candidate_release_id)]
  const { samples, metrics, statistics } = report
  expect([samples.baseline_runs, samples.candidate_runs]).toEqual([baseline.runs, candidate.runs])
  const spreadOf = ({ latencySpread, goodLatencySpread }: ReturnType<typeof measure>): number | null =>
    statistics.of_succeeded === true ? goodLatencySpread : latencySpread
  const compared = [
    [metrics.baseline_cost_per_run_usd, baseline.cost],
    [metrics.candidate_cost_per_run_usd, candidate.cost],
    [metrics.baseline_latency_ms_avg, baseline.latency],
    [metrics.candidate_latency_ms_avg, candidate.latency],
    [metrics.baseline_error_rate, baseline.errorRate],
    [metrics.candidate_error_rate, candidate.errorRate],
  ] as const
  for (const [given, expected] of compared) expectSame(given, expected)
  for (const [given, expected] of [
    [statistics.latency_ms.baseline_stddev, spreadOf(baseline)],
    [statistics.latency_ms.candidate_stddev, spreadOf(candidate)],
  ] as const) {
    expect(given === null).toBe(expected === null)
    // Sums of squares lose digits where runs hardly differ.
    expect(given ?? 0).toBeCloseTo(expected ?? 0, 5)
  }
  for (const [given, expected, own] of [
    [statistics.cost_per_run_usd.baseline_stddev, baseline.costSpread, baseline.isOwn],
    [statistics.cost_per_run_usd.candidate_stddev, candidate.costSpread, candidate.isOwn],
  ] as const) {
    expect(given === null).toBe(expected === null)
    // Of runs that used several models only a bound of the spread is known.
    expect(given ?? 0).toBeGreaterThanOrEqual((expected ?? 0) - 1e-5)
    if (own) expect(given ?? 0).toBeCloseTo(expected ?? 0, 5)
  }
  const { p50, p95, known_since } = statistics.latency_percentiles!
  expect(known_since).toBeNull()
  expectQuantile(p50.baseline, baseline.latencies, 0.5, 20)
  expectQuantile(p95.candidate, candidate.latencies, 0.95, 73)
}

/**
 * A percentile no smaller than the value of its rank, and less than 2.1 % larger. It needs `least` runs, and up to `MOST`
 * times as many where the slow runs are of few times.
 */
function expectQuantile(
  given: { readonly estimate: number } | null,
  latencies: readonly number[],
  p: number,
  least: number,
): void {
  if (latencies.length < least) expect(given, `of ${latencies.length}`).toBeNull()
  if (given === null) return expect(latencies.length).toBeLessThan(MOST * least)
  const exact = latencies.toSorted((a, b) => a - b)[Math.ceil(latencies.length * p) - 1]!
  expect(given.estimate).toBeGreaterThanOrEqual(exact)
  expect(given.estimate).toBeLessThan(1.021 * exact + 1e-9)
}

function expectSame(given: number | null, expected: number | null): void {
  if (expected === null || given === null) expect(given).toBe(expected)
  else expect(Math.abs(given - expected)).toBeLessThanOrEqual(1e-11 * Math.max(1e-9, Math.abs(expected)))
}

/** Computation rules 1 to 5 of POST /v1/diff, event by event. */
function measure(events: readonly LoggedEvent[]): {
  runs: number
  cost: number
  latency: number | null
  errorRate: number
  costSpread: number | null
  latencySpread: number | null
  /** The same of runs that succeeded. */
  goodLatencySpread: number | null
  latencies: readonly number[]
  /** Whether all runs used their own model alone. */
  isOwn: boolean
} {
  const latencies = events.filter(event => event.ended && event.latency !== null).map(event => event.latency!)
  const runs = events.length
  return {
    runs,
    cost: runs === 0 ? 0 : sum(events.map(costOf)) / runs,
    latency: latencies.length === 0 ? null : sum(latencies) / latencies.length,
    errorRate: runs === 0 ? 0 : events.filter(event => !event.success).length / runs,
    costSpread: spread(events.map(costOf)),
    latencySpread: spread(latencies),
    goodLatencySpread: spread(
      events
        .filter(event => event.ended && event.success && event.latency !== null)
        .map(event => event.latency!),
    ),
    latencies,
    isOwn: events.every(({ written, other }) => written === 0 && other === undefined),
  }
}

function spread(values: readonly number[]): number | null {
  if (values.length < 2) return null
  const mean = sum(values) / values.length
  return Math.sqrt(sum(values.map(value => (value - mean) ** 2)) / (values.length - 1))
}

function costOf({ model, tokens, written, other, ended }: LoggedEvent): number {
  if (!ended) return 0
  return (
    priceOf(model, tokens, written) +
    (other === undefined ? 0 : priceOf(other.model, other.tokens, other.written))
  )
}

/** Tokens written to a cache are among the input tokens, and cost what the table says of them. */
function priceOf(model: string, [input, output, cached]: LoggedEvent['tokens'], written: number): number {
  const price = PRICES.entries.find(entry => entry.model === model)!
  const of = (name: string, otherwise: number): number => (price as Record<string, any>)[name] ?? otherwise
  const rate = price.input_usd_per_1k_tokens
  return (
    ((input - written) / 1000) * rate +
    (written / 1000) * of('cache_write_input_usd_per_1k_tokens', rate) +
    (output / 1000) * price.output_usd_per_1k_tokens +
    (cached / 1000) * of('cached_input_usd_per_1k_tokens', 0)
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
