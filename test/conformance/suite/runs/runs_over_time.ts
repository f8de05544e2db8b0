import { describe, expect, test } from 'vitest'
import {
  eventOf,
  importPrices,
  ingestMany,
  register,
  twoReleases,
} from '../../../support/services/builders.ts'
import { ingest, ok, refusal, setPolicy, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** GET /v1/runs/series and GET /v1/confidence: what the pages show of runs over time. */
export function runsOverTimeContract(makeService: MakeService): void {
  describe('a series', () => {
    test('holds the runs, cost, latency and errors of each bucket, and no empty one', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      await ingest(service, [
        eventOf({ release_id, run_id: 'a', at: NOON - 30 * MINUTE, latency: 100 }),
        eventOf({ release_id, run_id: 'b', at: NOON - 30 * MINUTE + 1, latency: 300, success: false }),
        eventOf({ release_id, run_id: 'c', at: NOON - 1, input: 2000, output: 0 }),
        eventOf({ release_id, run_id: 'd', at: NOON - 2 * HOUR, latency: 1 }),
        eventOf({ release_id, run_id: 'e', at: NOON - 1, environment: 'prod' }),
      ])
      const series = await ok(service.call('GET /v1/runs/series', { query: { release_id, window: '1h' } }))
      expect(series).toEqual({
        release_id,
        environment: 'local',
        since: new Date(NOON - HOUR).toISOString(),
        until: new Date(NOON).toISOString(),
        bucket_ms: MINUTE,
        buckets: [
          {
            start: new Date(NOON - 30 * MINUTE).toISOString(),
            runs: 2,
            cost_per_run_usd: 2,
            latency_ms_avg: 200,
            error_rate: 0.5,
            tokens_per_run: 1500,
          },
          {
            start: new Date(NOON - MINUTE).toISOString(),
            runs: 1,
            cost_per_run_usd: 2,
            latency_ms_avg: null,
            error_rate: 0,
            tokens_per_run: 2000,
          },
        ],
      })
    })

    test.each([
      ['30m', 1],
      ['96m', 1],
      ['97m', 2],
      ['24h', 30],
      ['4d', 60],
      ['7d', 120],
      ['96d', 1440],
      ['97d', 2880],
      ['9999d', 1440 * 105],
    ])('over %s has buckets of %i minutes that together hold every run', async (window, minutes) => {
      const service = await makeService()
      const release_id = await register(service)
      const ages = [1, 20 * MINUTE, 23 * HOUR, 3 * 24 * HOUR, 95 * 24 * HOUR, 9000 * 24 * HOUR]
      await ingest(
        service,
        ages.map(age => eventOf({ release_id, run_id: `r${age}`, at: NOON - age })),
      )
      const { bucket_ms, buckets, since } = await ok(
        service.call('GET /v1/runs/series', { query: { release_id, window } }),
      )
      expect(bucket_ms).toBe(minutes * MINUTE)
      const starts: number[] = buckets.map((bucket: { start: string }) => Date.parse(bucket.start))
      expect(starts).toEqual(starts.toSorted((a, b) => a - b))
      for (const start of starts) expect(start % bucket_ms).toBe(0)
      const runs = buckets.reduce((total: number, bucket: { runs: number }) => total + bucket.runs, 0)
      expect(runs).toBe(ages.filter(age => NOON - age >= Date.parse(since)).length)
    })

    test.each([
      { tenant_id: 't1' },
      { task_id: 'k2' },
      { tenant_id: 't2', task_id: 'k2' },
      { tenant_id: 'nobody' },
    ])('of %o holds what matches, as a ledger of nothing else would', async filters => {
      const { tenant_id, task_id } = filters
      const matches = (event: Record<string, unknown>): boolean =>
        (tenant_id ?? event.tenant_id) === event.tenant_id && (task_id ?? event.task_id) === event.task_id
      const series = async (isKept: typeof matches, query: object) => {
        const service = await makeService()
        await importPrices(service)
        const release_id = await register(service)
        const events = mixedEvents(release_id).filter(isKept)
        if (events.length > 0) await ingest(service, events)
        const input = { release_id, window: '1h', ...query }
        return (await ok(service.call('GET /v1/runs/series', { query: input }))).buckets
      }
      expect(await series(() => true, filters)).toEqual(await series(matches, {}))
    })

    test('says no cost where a model has no price', async () => {
      const service = await makeService()
      const release_id = await register(service)
      await ingest(service, [eventOf({ release_id, run_id: 'a' })])
      const query = { release_id, window: '1h' }
      expect((await ok(service.call('GET /v1/runs/series', { query }))).buckets).toMatchObject([
        { runs: 1, cost_per_run_usd: null },
      ])
      await importPrices(service)
      await ingest(service, [eventOf({ release_id, run_id: 'b', model: 'unknown', at: NOON - 5 * MINUTE })])
      const { buckets } = await ok(service.call('GET /v1/runs/series', { query }))
      expect(buckets).toMatchObject([{ cost_per_run_usd: null }, { cost_per_run_usd: 2 }])
    })

    test('refuses an unknown release and an invalid window', async () => {
      const service = await makeService()
      const release_id = await register(service)
      const ask = (query: Record<string, string>) => service.call('GET /v1/runs/series', { query })
      expect(await refusal(ask({ release_id: 'rel_none', window: '1h' }), 400)).toBe(
        'Unknown release: rel_none',
      )
      expect(await refusal(ask({ release_id, window: '7w' }), 400)).toMatch(/^Invalid window/)
      expect(await unprocessableAt(ask({ release_id }))).toEqual([['query', 'window']])
    })
  })

  describe('what a comparison lacks for HIGH', () => {
    test('is counted per side, with the thresholds in force and the rate of the last hour', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 4)
      const older = Array.from({ length: 3 }, (_, index) =>
        eventOf({ release_id: candidate, run_id: `old-${index}`, model: 'm2', at: NOON - 90 * MINUTE }),
      )
      await ingest(service, older)
      await setPolicy(service, { min_candidate_runs: 6 })
      const query = { baseline_release_id: baseline, candidate_release_id: candidate, window: '1h' }
      expect(await ok(service.call('GET /v1/confidence', { query }))).toEqual({
        baseline_runs: 4,
        candidate_runs: 4,
        thresholds: { min_baseline_runs: 500, min_candidate_runs: 6, min_low_runs: 50 },
        missing_for_high: { baseline_runs_needed: 496, candidate_runs_needed: 2, shortest_window: null },
        baseline_runs_last_hour: 4,
        candidate_runs_last_hour: 4,
      })
      await setPolicy(service, { min_candidate_runs: 6, min_baseline_runs: 4 })
      const wider = await ok(service.call('GET /v1/confidence', { query }))
      expect(wider.missing_for_high).toEqual({
        baseline_runs_needed: 0,
        candidate_runs_needed: 2,
        shortest_window: '90m',
      })
      const reached = await ok(service.call('GET /v1/confidence', { query: { ...query, window: '90m' } }))
      expect(reached).toMatchObject({ candidate_runs: 7, candidate_runs_last_hour: 4 })
      expect(reached.missing_for_high).toMatchObject({ baseline_runs_needed: 0, candidate_runs_needed: 0 })
    })

    test('refuses unknown releases and an invalid window', async () => {
      const service = await makeService()
      const known = await register(service)
      const ask = (baseline_release_id: string, candidate_release_id: string, window = '1h') =>
        service.call('GET /v1/confidence', { query: { baseline_release_id, candidate_release_id, window } })
      expect(await refusal(ask('rel_x', known), 400)).toBe('Unknown baseline release: rel_x')
      expect(await refusal(ask(known, 'rel_x'), 400)).toBe('Unknown candidate release: rel_x')
      expect(await refusal(ask(known, known, '0h'), 400)).toMatch(/^Invalid window/)
    })

    test('counts the tenant and the task it is asked for, and finds a window that holds enough of those', async () => {
      const service = await makeService()
      const release = await register(service)
      await ingest(service, mixedEvents(release))
      await setPolicy(service, { min_candidate_runs: 8, min_baseline_runs: 0 })
      const query = { baseline_release_id: release, candidate_release_id: release, window: '5m' }
      const whole = await ok(service.call('GET /v1/confidence', { query }))
      expect(whole).toMatchObject({ candidate_runs: 5, missing_for_high: { shortest_window: '8m' } })
      const ask = (filters: object) =>
        ok(service.call('GET /v1/confidence', { query: { ...query, ...filters } }))
      expect(await ask({ tenant_id: 't1' })).toMatchObject({
        candidate_runs: 3,
        candidate_runs_last_hour: 15,
        missing_for_high: { candidate_runs_needed: 5, shortest_window: '15m' },
      })
      expect(await ask({ tenant_id: 't1', task_id: 'k1' })).toMatchObject({
        candidate_runs: 2,
        missing_for_high: { candidate_runs_needed: 6, shortest_window: '23m' },
      })
      expect(await ask({ tenant_id: 't2', task_id: 'k2' })).toMatchObject({
        missing_for_high: { shortest_window: null },
      })
    })

    test('ends where it is asked to, as all that compares does', async () => {
      const service = await makeService()
      await importPrices(service)
      const release = await register(service)
      await ingest(service, mixedEvents(release))
      const until = new Date(NOON - 10 * MINUTE).toISOString()
      const ids = { baseline_release_id: release, candidate_release_id: release }
      const ask = { window: '5m', until }
      const counted = await ok(service.call('GET /v1/confidence', { query: { ...ids, ...ask } }))
      expect(counted).toMatchObject({ candidate_runs: 5, candidate_runs_last_hour: 20 })
      const diff = await ok(service.call('POST /v1/diff', { body: { ...ids, ...ask } }))
      expect(diff).toMatchObject({ until, samples: { candidate_runs: 5 } })
      const groups = await ok(
        service.call('POST /v1/diff/groups', { body: { ...ids, ...ask, by: 'tenant' } }),
      )
      expect(groups.until).toBe(until)
      for (const route of ['GET /v1/runs', 'GET /v1/runs/worst', 'GET /v1/runs/series'] as const) {
        const answer = await ok(service.call(route, { query: { release_id: release, ...ask } }))
        expect(answer.until).toBe(until)
        expect(JSON.stringify(answer)).not.toContain('mixed-0"')
      }
    })

    test('never ends behind now, and refuses an end that is none', async () => {
      const service = await makeService()
      const release = await register(service)
      const ask = (until: string) =>
        service.call('GET /v1/runs', { query: { release_id: release, window: '1h', until } })
      expect((await ok(ask('2999-01-01T00:00:00Z'))).until).toBe(new Date(NOON).toISOString())
      expect(await refusal(ask('2026-02-30T00:00:00Z'), 400)).toMatch(/^Invalid window end/)
      expect(await unprocessableAt(ask('yesterday'))).toEqual([['query', 'until']])
    })

    test('counts the environment it is asked for', async () => {
      const service = await makeService()
      const release = await register(service)
      await ingestMany(service, 3, { release_id: release, environment: 'prod' })
      const query = { baseline_release_id: release, candidate_release_id: release, window: '1h' }
      expect((await ok(service.call('GET /v1/confidence', { query }))).baseline_runs).toBe(0)
      const prod = await ok(service.call('GET /v1/confidence', { query: { ...query, environment: 'prod' } }))
      expect(prod.baseline_runs).toBe(3)
    })
  })
}

/** A run a minute: of two tenants in turn, each third of the second task, some failed, some with a further model. */
function mixedEvents(release_id: string): Record<string, unknown>[] {
  return Array.from({ length: 30 }, (_, index) =>
    eventOf({
      release_id,
      run_id: `mixed-${index}`,
      at: NOON - (index + 1) * MINUTE,
      tenant_id: index % 2 === 0 ? 't1' : 't2',
      task_id: index % 3 === 0 ? 'k2' : 'k1',
      latency: index * 10,
      success: index % 7 !== 0,
      ...(index % 5 === 0 ? { others: [{ model: 'm2', tokens: [10, 20, 0] as const }] } : {}),
    }),
  )
}
