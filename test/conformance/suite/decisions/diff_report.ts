import { describe, expect, test } from 'vitest'
import { eventOf, importPrices, register, twoReleases } from '../../../support/services/builders.ts'
import { actionsOf, diff, ingest, ok, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const HOUR = 3_600_000

/** What POST /v1/diff measures and answers. */
export function diffReportContract(makeService: MakeService): void {
  describe('a diff', () => {
    test('answers every field of the specification', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service)
      const answer = await diff(service, [baseline, candidate])
      expect(answer.headers.get('content-type')).toBe('application/json')
      // Their capabilities are the matter of a feature.
      const { capabilities: _, ...report } = await ok(Promise.resolve(answer))
      expect(report).toEqual({
        window: '1h',
        since: '2026-01-31T11:00:00.000Z',
        until: '2026-01-31T12:00:00.000Z',
        filters: { environment: 'local', tenant_id: null, task_id: null },
        pricing: {
          baseline_provider: 'acme',
          baseline_version: 'v1',
          baseline_model: 'm1',
          candidate_provider: 'acme',
          candidate_version: 'v1',
          candidate_model: 'm2',
          pricing_or_model_changed: true,
          prices: {
            baseline_input_usd_per_1k_tokens: 1,
            baseline_output_usd_per_1k_tokens: 2,
            baseline_cached_input_usd_per_1k_tokens: null,
            baseline_cache_write_input_usd_per_1k_tokens: null,
            candidate_input_usd_per_1k_tokens: 2,
            candidate_output_usd_per_1k_tokens: 4,
            candidate_cached_input_usd_per_1k_tokens: 0.5,
            candidate_cache_write_input_usd_per_1k_tokens: 2.5,
          },
          warnings: [],
          hints: [],
          catalog: {
            enabled: false,
            catalog_version: null,
            baseline_slot_id: null,
            candidate_slot_id: null,
            baseline_cost_per_run_usd: null,
            candidate_cost_per_run_usd: null,
            delta_cost_per_run_usd: null,
            warnings: [],
          },
        },
        samples: {
          baseline_runs: 10,
          candidate_runs: 10,
          confidence: 'LOW',
          confidence_reason: 'candidate sample < 500 runs; baseline sample < 500 runs; LOW floor is 50 runs',
        },
        summary: 'Nothing is proven about 2 against 1 yet, because there are too few runs.',
        traffic: { baseline_runs_per_hour: 10, candidate_runs_per_hour: 10 },
        metrics: {
          baseline_cost_per_run_usd: 2,
          candidate_cost_per_run_usd: 1.6,
          delta_cost_per_run_usd: -0.4,
          delta_cost_per_run_pct: -0.2,
          baseline_latency_ms_avg: 100,
          candidate_latency_ms_avg: 80,
          delta_latency_ms_avg: -20,
          baseline_error_rate: 0,
          candidate_error_rate: 0,
          delta_error_rate: 0,
        },
        statistics: expect.any(Object),
        policy: {
          passed: false,
          result: 'not_yet',
          reasons: [
            'diff confidence is LOW (candidate sample < 500 runs; baseline sample < 500 runs; ' +
              'LOW floor is 50 runs); promotion requires HIGH',
          ],
          evaluated_at: '2026-01-31T12:00:00.000Z',
          missing_evidence: {
            baseline_runs_needed: 490,
            candidate_runs_needed: 490,
            baseline_runs_per_hour: 10,
            candidate_runs_per_hour: 10,
            hours: 49,
            window: '50h',
          },
        },
      })
    })

    test('of two sides without events completes with zeros and nulls', async () => {
      const { service, pair } = await twoEmpty(makeService)
      const { samples, metrics } = await ok(diff(service, pair))
      expect(samples).toMatchObject({ baseline_runs: 0, candidate_runs: 0, confidence: 'LOW' })
      expect(metrics).toEqual({
        baseline_cost_per_run_usd: 0,
        candidate_cost_per_run_usd: 0,
        delta_cost_per_run_usd: 0,
        delta_cost_per_run_pct: null,
        baseline_latency_ms_avg: null,
        candidate_latency_ms_avg: null,
        delta_latency_ms_avg: null,
        baseline_error_rate: 0,
        candidate_error_rate: 0,
        delta_error_rate: 0,
      })
    })

    test('has a null percentage where the baseline costs nothing, and null latency where one side has none', async () => {
      const { service, pair } = await twoEmpty(makeService)
      await ingest(service, [
        eventOf({ release_id: pair[0], run_id: 'a', input: 0, output: 0, latency: 10 }),
        eventOf({ release_id: pair[1], run_id: 'b' }),
      ])
      expect((await ok(diff(service, pair))).metrics).toMatchObject({
        delta_cost_per_run_usd: 2,
        delta_cost_per_run_pct: null,
        baseline_latency_ms_avg: 10,
        candidate_latency_ms_avg: null,
        delta_latency_ms_avg: null,
      })
    })

    test('prices cached tokens only where the table has a cached rate', async () => {
      const { service, pair } = await twoEmpty(makeService)
      const tokens = { input: 100, output: 10, cached: 1000 }
      await ingest(service, [
        eventOf({ release_id: pair[0], run_id: 'a', model: 'm1', ...tokens }),
        eventOf({ release_id: pair[1], run_id: 'b', model: 'm2', ...tokens }),
      ])
      expect((await ok(diff(service, pair))).metrics).toMatchObject({
        baseline_cost_per_run_usd: 0.12,
        candidate_cost_per_run_usd: 0.74,
      })
    })

    test('averages latency over the events that have one, errors and cost over all', async () => {
      const { service, pair } = await twoEmpty(makeService)
      await ingest(service, [
        eventOf({ release_id: pair[1], run_id: 'a', latency: 100, input: 1000, output: 0 }),
        eventOf({ release_id: pair[1], run_id: 'b', latency: null, input: 0, output: 0, success: false }),
        eventOf({ release_id: pair[1], run_id: 'c', latency: 0, input: 0, output: 0 }),
        eventOf({ release_id: pair[1], run_id: 'd', latency: 50, input: 1000, output: 1000 }),
      ])
      expect((await ok(diff(service, pair))).metrics).toMatchObject({
        candidate_cost_per_run_usd: 1,
        candidate_latency_ms_avg: 50,
        candidate_error_rate: 0.25,
        delta_error_rate: 0.25,
      })
    })

    test('prices each event by its own model', async () => {
      const { service, pair } = await twoEmpty(makeService)
      await ingest(service, [
        eventOf({ release_id: pair[0], run_id: 'a', model: 'm1', input: 1000, output: 0 }),
        eventOf({ release_id: pair[0], run_id: 'b', model: 'm2', input: 1000, output: 0 }),
      ])
      expect((await ok(diff(service, pair))).metrics.baseline_cost_per_run_usd).toBe(1.5)
    })

    test('adds large token counts without loss', async () => {
      const { service, pair } = await twoEmpty(makeService)
      await ingest(service, [
        eventOf({ release_id: pair[0], run_id: 'a', input: 1e12, output: 0 }),
        eventOf({ release_id: pair[0], run_id: 'b', input: 1e12 - 2000, output: 0 }),
      ])
      const { metrics } = await ok(diff(service, pair))
      expect(metrics.baseline_cost_per_run_usd).toBe(1e9 - 1)
    })

    test('of a release with itself shows no difference', async () => {
      const service = await makeService()
      const { candidate } = await twoReleases(service)
      const { metrics, pricing } = await ok(diff(service, [candidate, candidate]))
      expect(metrics).toMatchObject({
        delta_cost_per_run_usd: 0,
        delta_cost_per_run_pct: 0,
        delta_latency_ms_avg: 0,
        delta_error_rate: 0,
      })
      expect(pricing.pricing_or_model_changed).toBe(false)
    })

    test('writes nothing', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service)
      const before = await ok(service.call('GET /v1/metrics'))
      await ok(diff(service, [baseline, candidate]))
      await diff(service, [baseline, 'rel_none'])
      expect(await ok(service.call('GET /v1/metrics'))).toEqual(before)
      expect(await actionsOf(service)).toEqual([])
    })
  })

  describe('the window of a diff', () => {
    test.each([NOON, NOON + 1, NOON + 12_345, NOON + HOUR - 1])(
      'includes its first millisecond and excludes its last, at clock %i',
      async now => {
        const { service, pair } = await twoEmpty(makeService)
        const times = [-HOUR - 1, -HOUR, -HOUR + 1, -60_000, -1, 0, 1].map(offset => now + offset)
        await ingest(
          service,
          times.map((at, index) =>
            eventOf({ release_id: pair[0], run_id: `run-${index}`, at, latency: 10 ** index }),
          ),
        )
        service.clock.now = now
        for (const more of [{ window: '1h' }, { window: '60m' }, { tenant_id: 't1' }, { task_id: 'k1' }]) {
          const { samples, metrics } = await ok(diff(service, pair, more))
          expect(samples.baseline_runs).toBe(4)
          expect(metrics.baseline_latency_ms_avg).toBe(11_110 / 4)
        }
      },
    )

    test.each([
      ['30m', 1_800_000],
      ['24h', 86_400_000],
      ['7d', 604_800_000],
      ['100000d', 8_640_000_000_000],
    ])('%s ends at the clock and starts that much before', async (window, width) => {
      const { service, pair } = await twoEmpty(makeService)
      service.clock.now = NOON + 777
      const report = await ok(diff(service, pair, { window }))
      expect(report).toMatchObject({ window, until: '2026-01-31T12:00:00.777Z' })
      expect(Date.parse(report.until) - Date.parse(report.since)).toBe(width)
    })

    test.each([' 1h ', '1H', '1 h', '01h'])('tolerates %j', async window => {
      const { service, pair } = await twoEmpty(makeService)
      expect(await ok(diff(service, pair, { window }))).toMatchObject({
        since: '2026-01-31T11:00:00.000Z',
      })
    })
  })

  describe('the filters of a diff', () => {
    test('match tenant and task exactly, alone and together', async () => {
      const { service, pair } = await twoEmpty(makeService)
      const dimensions = ['a', 'A', '', 'a b']
      await ingest(
        service,
        dimensions.flatMap(tenant_id =>
          dimensions.map(task_id =>
            eventOf({ release_id: pair[0], run_id: `${tenant_id}/${task_id}`, tenant_id, task_id }),
          ),
        ),
      )
      const runs = async (filters: Record<string, string | null>) => {
        const { samples, filters: echoed } = await ok(diff(service, pair, filters))
        expect(echoed).toEqual({ environment: 'local', tenant_id: null, task_id: null, ...filters })
        return samples.baseline_runs
      }
      expect(await runs({})).toBe(16)
      expect(await runs({ tenant_id: 'a' })).toBe(4)
      expect(await runs({ task_id: 'A' })).toBe(4)
      expect(await runs({ tenant_id: 'a', task_id: 'a b' })).toBe(1)
      expect(await runs({ tenant_id: '' })).toBe(4)
      expect(await runs({ tenant_id: 'nobody' })).toBe(0)
      expect(await runs({ tenant_id: "a' OR '1'='1" })).toBe(0)
      expect(await runs({ tenant_id: null, task_id: null })).toBe(16)
    })

    test('take the environment of the events, by default that of the workspace', async () => {
      const service = await makeService({ workspace: { default_environment: 'prod' } })
      await importPrices(service)
      const release = await register(service)
      await ingest(service, [
        eventOf({ release_id: release, run_id: 'a', environment: 'prod' }),
        eventOf({ release_id: release, run_id: 'b', environment: 'local' }),
        eventOf({ release_id: release, run_id: 'c', environment: 'local' }),
      ])
      const runs = async (more: Record<string, unknown>) => {
        const { samples, filters } = await ok(diff(service, [release, release], more))
        return [filters.environment, samples.baseline_runs]
      }
      expect(await runs({})).toEqual(['prod', 1])
      expect(await runs({ environment: null })).toEqual(['prod', 1])
      expect(await runs({ environment: 'local' })).toEqual(['local', 2])
      expect(await runs({ environment: 'nowhere' })).toEqual(['nowhere', 0])
    })

    test('take thresholds and policy like any diff', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 4)
      await setPolicy(service, { min_candidate_runs: 4, min_baseline_runs: 4, max_latency_ms: 10 })
      const report = await ok(diff(service, [baseline, candidate], { tenant_id: 'nobody' }))
      expect(report.samples.confidence).toBe('LOW')
      expect(report.policy.reasons).toEqual([])
    })
  })
}

/** Two releases of one agent, on m1 and m2, without events. */
async function twoEmpty(
  makeService: MakeService,
): Promise<{ service: TestService; pair: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  return { service, pair: [await register(service), await register(service, { version: '2', model: 'm2' })] }
}
