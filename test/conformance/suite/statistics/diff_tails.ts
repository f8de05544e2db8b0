import { describe, expect, test } from 'vitest'
import { binOf, edgesOfBin } from '../../../../src/rules/statistics/bins.ts'
import { sql } from '../../../../src/sql/port.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import {
  diffOf,
  decision,
  failedChecks,
  ingest,
  ok,
  promote,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** Percentiles of the latency, from counts that are stored with the rollups. */
export function diffTailsContract(makeService: MakeService): void {
  describe('percentiles of the latency', () => {
    test('come where they are asked for, with intervals', async () => {
      const { service, ids } = await sides(makeService, 400)
      expect((await diffOf(service, ids)).statistics.latency_percentiles).toBeNull()
      const { latency_percentiles: found } = (await diffOf(service, ids, { tails: true })).statistics
      expect(found).toMatchObject({ known_since: null })
      // Latencies are 1 to 400 ms, and twice that.
      for (const [name, rank] of [
        ['p50', 200],
        ['p90', 360],
        ['p95', 380],
        ['p99', 396],
      ] as const) {
        expect(found![name].baseline!.estimate).toBe(Math.min(400, edgesOfBin(binOf(rank))[1]))
        expect(found![name].candidate!.estimate).toBe(Math.min(800, edgesOfBin(binOf(2 * rank))[1]))
        expect(found![name].difference!.low).toBeGreaterThan(0)
      }
    })

    test('are null with too few runs', async () => {
      const { service, ids } = await sides(makeService, 72)
      const { latency_percentiles: found } = (await diffOf(service, ids, { tails: true })).statistics
      expect(found!.p50.baseline).not.toBeNull()
      expect([found!.p95.baseline, found!.p99.difference]).toEqual([null, null])
    })

    test('are limited by their interval', async () => {
      const { service, ids } = await sides(makeService, 400)
      await setPolicy(service, {
        require_high_diff_confidence: false,
        max_latency_p90_ms: 800,
        max_latency_p95_ms: 500,
        max_latency_p99_ms: 900,
      })
      const { policy, statistics } = await diffOf(service, ids)
      expect(policy.reasons).toEqual([
        expect.stringMatching(
          /^candidate latency_p95_ms 7\d\d \[7\d\d, 7\d\d\] exceeds max_latency_p95_ms 500 \(n 400 baseline, 400 candidate\)$/,
        ),
      ])
      expect(statistics.limits).toMatchObject([
        { passed: true, metric: 'latency_p90_ms' },
        { passed: false },
        { passed: true, metric: 'latency_p99_ms' },
      ])
      await promote(service, ids[0])
      const blocked = await service.call('POST /v1/promote', { body: decision(ids[1], { window: '24h' }) })
      expect(blocked.body.detail.outcome.policy.reasons).toEqual(policy.reasons)
      expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
    })

    test('of runs that end at the limit keep it, and break the one below', async () => {
      const { service, ids } = await timedOut(makeService)
      const p95 = async (limit: number) => {
        await setPolicy(service, { require_high_diff_confidence: false, max_latency_p95_ms: limit })
        const { statistics } = await diffOf(service, ids)
        return statistics.limits[0]
      }
      expect(await p95(30_000)).toMatchObject({ outcome: 'pass', estimate: 30_000, high: 30_000 })
      expect(await p95(29_999)).toMatchObject({ outcome: 'inconclusive' })
      expect(await p95(29_000)).toMatchObject({ outcome: 'fail' })
      // A server of an older version counts, but doesn't know the largest.
      await service.sql.batch([
        sql`UPDATE rollup_latency_10m SET largest_of = largest_of - 1`,
        sql`UPDATE rollup_latency_1d SET largest_of = largest_of - 1`,
      ])
      expect(await p95(30_000)).toMatchObject({ outcome: 'inconclusive', high: 30_343 })
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await p95(30_000)).toMatchObject({ outcome: 'pass', high: 30_000 })
      expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
    })

    test('say from when on they are known, until older runs are counted too', async () => {
      const { service, ids } = await sides(makeService, 400)
      // Those of all but the last hour are missing.
      const kept = Math.floor((NOON - 3_600_000) / 600_000)
      await service.sql.batch([
        sql`DELETE FROM rollup_latency_10m WHERE bucket < ${kept}`,
        sql`DELETE FROM rollup_latency_1d`,
      ])
      const before = (await diffOf(service, ids, { tails: true })).statistics
      expect(before.latency_percentiles).toMatchObject({
        p50: { baseline: null },
        known_since: '2026-01-31T11:00:00.000Z',
      })
      expect(before.warnings).toEqual([expect.stringContaining('known from 2026-01-31T11:00:00.000Z on')])
      expect((await failedChecks(service, true)).map(([name]) => name)).toEqual(['rollups'])
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      const after = (await diffOf(service, ids, { tails: true })).statistics
      expect(after.latency_percentiles!.p99.candidate).not.toBeNull()
      expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
    })

    test('count every latency in the bin that the rules say', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const latencies = [
        0, 1, 2, 3, 7, 49, 50, 51, 52, 99, 100, 101, 1234, 59_999, 60_000, 1e6, 123_456_789, 1e10,
      ]
      await ingest(
        service,
        latencies.map(latency => eventOf({ release_id, run_id: `run ${latency}`, latency })),
      )
      const { rows } = await service.sql.query(sql`SELECT counts FROM rollup_latency_10m`)
      const expected = Map.groupBy(latencies.map(binOf), bin => String(bin))
      expect(JSON.parse(String(rows[0]!.counts))).toEqual(
        Object.fromEntries(Array.from(expected, ([bin, same]) => [bin, same.length])),
      )
    })
  })
}

/** The same where they are read from the events. */
export function filteredTailsContract(makeService: MakeService): void {
  describe('percentiles of the latency of some runs', () => {
    test('are less sure where the slow runs are of one hour, with a filter too', async () => {
      const service = await makeService()
      await importPrices(service)
      const ids = [await register(service), await register(service)] as const
      for (const [side, release_id] of ids.entries()) {
        // 8 of 100 runs are slow all over the day, or 6 of 100 in one and a half of its hours.
        const isSlow = (index: number) => (side === 0 ? index % 25 < 2 : index >= 200 && index < 230)
        const events = Array.from({ length: 500 }, (_, index) =>
          eventOf({
            release_id,
            run_id: `${side}-${index}`,
            at: NOON - 86_400_000 + index * 172_800,
            latency: isSlow(index) ? 9000 : 1000,
          }),
        )
        await ingest(service, events)
      }
      for (const filter of [{}, { tenant_id: 't1' }]) {
        const { p95 } = (await diffOf(service, ids, { tails: true, ...filter })).statistics
          .latency_percentiles!
        expect(p95.baseline).toEqual({ estimate: 9000, low: expect.toSatisfy(low => low > 8000), high: 9000 })
        expect(p95.candidate).toBeNull()
      }
    })

    test('of one tenant go by the events themselves', async () => {
      const { service, ids } = await timedOut(makeService)
      const { statistics } = await diffOf(service, ids, { tails: true, tenant_id: 'slow' })
      const { baseline, candidate, difference } = statistics.latency_percentiles!.p95
      expect(baseline).toEqual({ estimate: 30_000, low: 30_000, high: 30_000 })
      expect([candidate, difference!.estimate]).toEqual([baseline, 0])
    })
  })
}

/** Two releases of which a tenth of the runs ends at 30 s, those of the tenant `slow`, over two days. */
async function timedOut(
  makeService: MakeService,
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [side, release_id] of ids.entries()) {
    const events = Array.from({ length: 800 }, (_, index) =>
      eventOf({
        release_id,
        run_id: `${side}-${index}`,
        at: NOON - 1 - index * 100_000,
        ...(index % 10 === 0
          ? { tenant_id: 'slow', latency: 30_000 }
          : { latency: 100 + ((index * 7919) % 20_000) }),
      }),
    )
    await ingest(service, events.slice(0, 400))
    await ingest(service, events.slice(400))
  }
  return { service, ids }
}

/** Two releases with runs over a day, in requests of 100; the candidate takes twice as long. */
async function sides(
  makeService: MakeService,
  runs: number,
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [side, release_id] of ids.entries()) {
    const events = Array.from({ length: runs }, (_, index) =>
      eventOf({
        release_id,
        run_id: `${side}-${index}`,
        at: NOON - 86_400_000 + Math.floor(((index + 0.5) * 86_400_000) / runs),
        // Every latency once, in no order.
        latency: (1 + ((index * 7) % runs)) * (side + 1),
      }),
    )
    for (let from = 0; from < runs; from += 100) await ingest(service, events.slice(from, from + 100))
  }
  return { service, ids }
}
