import { describe, expect, test } from 'vitest'
import type { RunsPage } from '../../../../src/models/answers/runs.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { diffOf, ingest, ok, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** Times to first token: of runs that say one, in addition to their latency. */
export function firstTokensContract(makeService: MakeService): void {
  describe('times to first token', () => {
    test('are compared by mean and percentiles where runs tell them', async () => {
      const { service, ids } = await sides(makeService, { candidate: 300 })
      const plain = (await diffOf(service, ids)).statistics
      expect(plain.ttft_ms).toMatchObject({
        baseline: { estimate: 300 },
        candidate: { estimate: 600 },
        change: { baseline_runs: 400, candidate_runs: 400, relative_change: { estimate: 1 } },
      })
      expect(plain.ttft_ms!.change.verdict).toBe('worse')
      expect(plain.ttft_percentiles).toBeUndefined()
      for (const filter of [{}, { tenant_id: 't1' }]) {
        const found = (await diffOf(service, ids, { tails: true, ...filter })).statistics
        expect(found.latency_percentiles!.p95.candidate).toMatchObject({ estimate: 5000 })
        expect(found.ttft_percentiles!.p50.candidate!.estimate).toBeGreaterThan(590)
        expect(found.ttft_percentiles!.p95.difference!.low).toBeGreaterThan(0)
      }
      expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
    })

    test('are limited by mean, rise and percentile', async () => {
      const { service, ids } = await sides(makeService, { candidate: 300 })
      await setPolicy(service, {
        require_high_diff_confidence: false,
        max_ttft_ms: 500,
        max_ttft_increase_pct: 0.2,
        max_ttft_p95_ms: 550,
        max_ttft_p95_increase_pct: 0.2,
      })
      const { policy, statistics } = await diffOf(service, ids)
      expect(
        statistics.limits.map(({ policy_key, metric, outcome }) => [policy_key, metric, outcome]),
      ).toEqual([
        ['max_ttft_ms', 'ttft_ms', 'fail'],
        ['max_ttft_p95_ms', 'ttft_p95_ms', 'fail'],
        ['max_ttft_p95_increase_pct', 'ttft_p95', 'fail'],
        ['max_ttft_increase_pct', 'ttft_ms', 'fail'],
      ])
      expect(policy.reasons[0]).toMatch(
        /^candidate ttft_ms 600 \[5\d\d, 6\d\d\] exceeds max_ttft_ms 500 \(n 400 baseline, 400 candidate\)$/,
      )
      await setPolicy(service, {
        require_high_diff_confidence: false,
        max_ttft_ms: 700,
        max_ttft_increase_pct: 1.2,
        max_ttft_p95_ms: 700,
        max_ttft_p95_increase_pct: 1.2,
      })
      expect((await diffOf(service, ids)).policy).toMatchObject({ passed: true, reasons: [] })
    })

    test('that no run tells are not there, and block where they are limited', async () => {
      const { service, ids } = await sides(makeService, { none: true })
      const { statistics } = await diffOf(service, ids, { tails: true })
      expect([statistics.ttft_ms, statistics.ttft_percentiles]).toEqual([undefined, undefined])
      await setPolicy(service, {
        require_high_diff_confidence: false,
        max_ttft_ms: 500,
        max_ttft_p95_ms: 500,
      })
      const { policy } = await diffOf(service, ids)
      expect(policy.reasons).toEqual([
        expect.stringMatching(/^too little evidence on ttft_ms: no data against max_ttft_ms 500/),
        expect.stringMatching(/^too little evidence on ttft_p95_ms: no data against max_ttft_p95_ms 500/),
      ])
    })

    test('of runs that failed, and of their starts, are stored and not counted', async () => {
      const { service, ids } = await sides(makeService, { none: true })
      const [release_id] = ids
      await ingest(service, [
        eventOf({ release_id, run_id: 'failed', ttft: 9000, success: false }),
        eventOf({ release_id, run_id: 'start', ttft: 8000, type: 'run_start' }),
        eventOf({ release_id, run_id: 'null', ttft: null }),
        eventOf({ release_id, run_id: 'whole', ttft: 0, latency: 7 }),
      ])
      const page = await ok(service.call('GET /v1/runs', { query: { release_id, window: '1h', limit: '8' } }))
      const stored = new Map(
        (page.events as RunsPage['events']).map(({ run_id, metrics }) => [run_id, metrics.ttft_ms]),
      )
      expect([stored.get('failed'), stored.get('start'), stored.get('null'), stored.get('whole')]).toEqual([
        9000,
        8000,
        undefined,
        0,
      ])
      const { ttft_ms } = (await diffOf(service, ids)).statistics
      expect(ttft_ms).toMatchObject({
        baseline: { estimate: 0 },
        candidate: null,
        change: { baseline_runs: 1 },
      })
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
      const refused = await service.call('POST /v1/events', {
        body: { events: [eventOf({ release_id, run_id: 'odd', ttft: 0.25 })] },
      })
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        400,
        expect.stringContaining('must be an integer (was 0.25): 0, or 250 if these are seconds'),
      ])
    })
  })
}

/** Two releases that run at once for a day; the time to the first token is about 300 ms, and so much more of the candidate. */
async function sides(
  makeService: MakeService,
  { candidate = 0, none = false }: { readonly candidate?: number; readonly none?: boolean },
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [side, release_id] of ids.entries()) {
    const events = Array.from({ length: 400 }, (_, index) =>
      eventOf({
        release_id,
        run_id: `${side}-${index}`,
        at: NOON - 1 - index * 216_000,
        latency: 5000,
        ...(none ? {} : { ttft: 300 + side * candidate + ((index % 5) - 2) * 10 }),
      }),
    )
    await ingest(service, events)
  }
  return { service, ids }
}
