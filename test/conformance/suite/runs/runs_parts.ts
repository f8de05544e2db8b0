import { describe, expect, test } from 'vitest'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  diff,
  diffOf,
  failedChecks,
  ingest,
  ok,
  promote,
  setPolicy,
} from '../../../support/services/requests.ts'
import { prune } from '../../../support/services/retention.ts'
import type { StoredEvent } from '../../../../src/models/documents/stored_event.ts'
import { raw, sql } from '../../../../src/sql/port.ts'
import { DAY_MS } from '../../../../src/base/time.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** Runs of several models, writes to a cache, and models without a price. */
export function runPartsContract(makeService: MakeService): void {
  describe('a run of several models', () => {
    test('costs what each of them costs, and is one run', async () => {
      const { service, one, two } = await releases(makeService)
      const others = [{ model: 'm2', tokens: [1000, 500, 200] as const }]
      await ingest(service, [
        eventOf({ release_id: one, run_id: 'a', input: 1000, output: 0 }),
        eventOf({ release_id: two, run_id: 'b', input: 1000, output: 0, others }),
      ])
      const { metrics, samples } = await ok(diff(service, [one, two]))
      expect([samples.baseline_runs, samples.candidate_runs]).toEqual([1, 1])
      expect(metrics).toMatchObject({
        baseline_cost_per_run_usd: 1,
        candidate_cost_per_run_usd: 1 + 2 + 2 + 0.1,
      })
      const { buckets } = await ok(
        service.call('GET /v1/runs/series', { query: { release_id: two, window: '1h' } }),
      )
      expect(buckets).toMatchObject([{ runs: 1, cost_per_run_usd: 5.1 }])
      const worst = await ok(
        service.call('GET /v1/runs/worst', { query: { release_id: two, window: '1h', by: 'cost' } }),
      )
      expect(worst.runs).toMatchObject([{ cost_usd: 5.1, event: { usage: { models: [{ model: 'm2' }] } } }])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('whose usage is incomplete is out of cost and token means, and is a run', async () => {
      const { service, one, two } = await releases(makeService)
      const others = [{ model: 'm2', tokens: [70, 0, 0] as const }]
      const partial = eventOf({
        release_id: two,
        run_id: 'c',
        success: false,
        latency: 50,
        input: 10,
        incomplete: true,
        others,
      })
      await ingest(service, [
        eventOf({ release_id: one, run_id: 'a', input: 1000, output: 0 }),
        eventOf({ release_id: two, run_id: 'b', input: 1000, output: 0, latency: 100, incomplete: false }),
        partial,
      ])
      const { metrics, samples, statistics, policy, pricing } = await ok(diff(service, [one, two]))
      expect(samples).toMatchObject({ candidate_runs: 2, baseline_cost_runs: 1, candidate_cost_runs: 1 })
      expect(metrics).toMatchObject({
        candidate_cost_per_run_usd: 1,
        candidate_latency_ms_avg: 75,
        candidate_error_rate: 0.5,
      })
      expect(statistics.tokens_per_run.input_tokens).toMatchObject({ candidate_runs: 1 })
      expect(policy.warnings?.join()).toContain('candidate: the usage of 1 of 2 runs (50.0 %) is incomplete')
      expect(pricing.warnings.join()).not.toContain('incomplete')
      const query = { release_id: two, window: '1h' }
      const { events } = await ok(service.call('GET /v1/runs', { query }))
      expect(events.map((event: StoredEvent) => event.usage.incomplete)).toEqual([true, undefined])
      expect(events[0]!.usage).toMatchObject({
        model: { model: 'm1', input_tokens: 10 },
        models: [{ model: 'm2' }],
      })
      const { buckets } = await ok(service.call('GET /v1/runs/series', { query }))
      expect(buckets).toMatchObject([{ runs: 2, cost_per_run_usd: 1, error_rate: 0.5 }])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('has its own parts alone, whoever sends it at once with others', async () => {
      const { service, one } = await releases(makeService)
      const others = [{ model: 'm2', tokens: [10, 20, 0] as const }]
      const more = [{}, { scores: { quality: 0.5 } }, {}, {}, { others }] as const
      // Each request shares half of its runs with the next, which says something else of them.
      const requests = Array.from({ length: 40 }, (_, request) =>
        Array.from({ length: 6 }, (__, index) =>
          eventOf({ release_id: one, run_id: `r${request * 3 + index}`, ...more[request % more.length] }),
        ),
      )
      const answers = await Promise.all(requests.map(events => ingest(service, events)))
      expect(answers.reduce((sum, { inserted }) => sum + inserted, 0)).toBe(123)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('that was sent twice with another time has the parts and scores of the one that is stored', async () => {
      const { service, one } = await releases(makeService)
      const before = Math.floor(NOON / DAY_MS) * DAY_MS
      await prune(service.context, { before, restored: false })
      const expired = NOON - 2 * DAY_MS
      const others = [{ model: 'm2', tokens: [1, 2, 0] as const }]
      await ingest(service, [
        eventOf({ release_id: one, run_id: 'a', at: expired, others, scores: { quality: 0.5 } }),
        eventOf({ release_id: one, run_id: 'a' }),
        eventOf({ release_id: one, run_id: 'b', at: expired }),
        eventOf({ release_id: one, run_id: 'b', others, scores: { quality: 0.25 } }),
      ])
      const { rows } = await service.sql.query(sql`SELECT e.run_id,
          (SELECT count(*) FROM run_parts p WHERE p.event = e.seq) AS parts,
          (SELECT count(*) FROM run_scores p WHERE p.event = e.seq) AS scores
        FROM run_events e ORDER BY e.run_id`)
      expect(rows.map(({ run_id, parts, scores }) => [run_id, Number(parts), Number(scores)])).toEqual([
        ['a', 0, 0],
        ['b', 1, 1],
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test.each(['run_parts', 'run_scores'])('without its %s is found by the doctor', async table => {
      const { service, one } = await releases(makeService)
      const others = [{ model: 'm2', tokens: [1, 2, 0] as const }]
      await ingest(service, [eventOf({ release_id: one, run_id: 'a', others, scores: { quality: 0.5 } })])
      expect(await failedChecks(service, true)).toEqual([])
      await service.sql.batch([raw(`DELETE FROM ${table}`)])
      expect(await failedChecks(service, true)).toContainEqual([
        'run_parts_and_scores',
        `${table} of event 1 are incomplete`,
      ])
    })

    test('stands with all that it cost in the group of its session', async () => {
      const { service, one, two } = await releases(makeService)
      const events = [one, two].flatMap((release_id, side) =>
        Array.from({ length: 60 }, (_, index) =>
          eventOf({
            release_id,
            run_id: `${side}-${index}`,
            input: 1000,
            output: 0,
            others: [{ model: 'm2', tokens: [Math.round(500 + 400 * Math.sin(index * 2.4)), 0, 0] as const }],
          }),
        ),
      )
      await ingest(service, events)
      const { statistics } = await diffOf(service, [one, two], {
        cluster_by: 'session',
        compare_by: 'window',
      })
      // Without sessions each run is a cluster of its own, and resembles no other.
      expect(statistics.cluster_by).toBe('session')
      expect(statistics.cost_per_run_usd.candidate_stddev).toBeGreaterThan(0.1)
      expect(statistics.cost_per_run_usd.design_effect).toBeCloseTo(60 / 59, 9)
    })

    test('is stored once, with the parts of the event that came first', async () => {
      const { service, one, two } = await releases(makeService)
      const others = (input: number) => [{ model: 'm2', tokens: [input, 0, 0] as const }]
      const given = { release_id: two, run_id: 'a', input: 0, output: 0 }
      await ingest(service, [
        eventOf({ ...given, others: others(1000) }),
        eventOf({ ...given, others: others(7) }),
      ])
      await ingest(service, [eventOf({ ...given, others: others(9) })])
      const { metrics } = await ok(diff(service, [one, two]))
      expect(metrics.candidate_cost_per_run_usd).toBe(2)
    })

    test('outlives a rebuild of the rollups', async () => {
      const { service, one, two } = await releases(makeService)
      const others = [{ model: 'm2', tokens: [1000, 0, 0] as const, written: 1000 }]
      await ingest(service, [eventOf({ release_id: two, run_id: 'a', input: 0, output: 0, others })])
      const before = await ok(diff(service, [one, two]))
      expect(before.metrics.candidate_cost_per_run_usd).toBe(2.5)
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect((await ok(diff(service, [one, two]))).metrics).toEqual(before.metrics)
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  describe('tokens written to a cache', () => {
    test('cost the rate of the table, or what other input costs', async () => {
      const { service, one, two } = await releases(makeService)
      const given = { input: 1000, output: 0, written: 400 }
      await ingest(service, [
        eventOf({ release_id: one, run_id: 'a', ...given }),
        eventOf({ release_id: two, run_id: 'b', ...given, model: 'm2' }),
      ])
      const { metrics, pricing } = await ok(diff(service, [one, two]))
      expect(metrics).toMatchObject({ baseline_cost_per_run_usd: 1, candidate_cost_per_run_usd: 2.2 })
      expect(pricing.prices).toMatchObject({
        baseline_cache_write_input_usd_per_1k_tokens: null,
        candidate_cache_write_input_usd_per_1k_tokens: 2.5,
      })
    })

    test('that are more than the input are refused', async () => {
      const { service, one } = await releases(makeService)
      const { status, body } = await service.call('POST /v1/events', {
        body: { events: [eventOf({ release_id: one, run_id: 'a', input: 10, written: 11 })] },
      })
      expect([status, body.detail]).toEqual([
        400,
        'Invalid RunEvent: events[0] (run_id "a") usage.model.cache_write_input_tokens must be at most the ' +
          'input_tokens, of which they are a part (10) (was 11)',
      ])
    })
  })

  test('tokens that are read from a cache without a rate are told of', async () => {
    const { service, one, two } = await releases(makeService)
    await ingest(service, [eventOf({ release_id: one, run_id: 'a', cached: 10 })])
    const { pricing } = await ok(diff(service, [one, two]))
    expect(pricing.warnings).toEqual([
      'baseline: cached input tokens of m1 cost nothing, because acme/v1 has no rate for them ' +
        '(cached_input_usd_per_1k_tokens)',
    ])
  })

  describe('a model without a price', () => {
    test('is refused with how many events are concerned, and what mends it', async () => {
      const { service, one, two } = await releases(makeService)
      await unpriced(service, two)
      const { status, body } = await diff(service, [one, two])
      expect([status, body.detail]).toEqual([
        400,
        `Pricing table missing model entry: acme/v1 has no price for m9, which events of candidate ${two} used ` +
          '(run_id m9-0): 2 events in this window. Add it to the table and import that with ' +
          '`svc pricing import PATH --replace --reason WHY`. Or leave such runs out of the cost with ' +
          '`unpriced: exclude` in the policy.',
      ])
    })

    test('is left out of the cost where the policy says so, and told of', async () => {
      const { service, one, two } = await releases(makeService)
      await unpriced(service, two)
      await setPolicy(service, { unpriced: 'exclude', max_cost_per_run_usd: 3 })
      const { metrics, policy, samples } = await ok(diff(service, [one, two]))
      expect(samples.candidate_runs).toBe(3)
      expect(metrics.candidate_cost_per_run_usd).toBe(2)
      expect(policy.passed).toBe(true)
      expect(policy.warnings).toEqual([
        'candidate: 2 of 3 runs (66.7 %) are left out of the cost, because acme/v1 has no price for m9 and the ' +
          'policy says unpriced: exclude',
      ])
      await ok(promote(service, one))
      expect((await ok(promote(service, two))).policy.warnings).toEqual([
        expect.stringContaining('2 of 3 runs (66.7 %) are left out of the cost'),
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is told of where it is a part of a run', async () => {
      const { service, one, two } = await releases(makeService)
      const others = [{ model: 'm9', tokens: [1000, 0, 0] as const }]
      await ingest(service, [eventOf({ release_id: two, run_id: 'a', others })])
      expect((await diff(service, [one, two])).body.detail).toContain('(run_id a): 1 event in this window')
      await setPolicy(service, { unpriced: 'exclude' })
      const { metrics, policy } = await ok(diff(service, [one, two]))
      expect(metrics.candidate_cost_per_run_usd).toBe(2)
      expect(policy.warnings).toEqual([
        'candidate: tokens that 1 of 1 runs used beside their own model are left out of the cost, because acme/v1 ' +
          'has no price for m9 and the policy says unpriced: exclude',
      ])
    })

    test('is told of where runs that are left out used others that have one', async () => {
      const { service, one, two } = await releases(makeService)
      await unpriced(service, two)
      const others = [{ model: 'm1', tokens: [1000, 0, 0] as const }]
      await ingest(service, [eventOf({ release_id: two, run_id: 'mixed', model: 'm9', others })])
      await setPolicy(service, { unpriced: 'exclude' })
      const { metrics, policy } = await ok(diff(service, [one, two]))
      expect(metrics.candidate_cost_per_run_usd).toBe(3)
      expect(policy.warnings).toEqual([
        expect.stringContaining('3 of 4 runs (75.0 %) are left out of the cost'),
        'candidate: what those runs used beside their own model counts where it has a price, so the cost per run may be ' +
          'too high',
      ])
    })

    test('is refused all the same where it is the own one, or no run with a price is left', async () => {
      const { service, one, two } = await releases(makeService)
      await setPolicy(service, { unpriced: 'exclude' })
      await ingest(service, [eventOf({ release_id: two, run_id: 'a', model: 'm9' })])
      expect((await diff(service, [one, two])).body.detail).toContain('No run that has a price would be left')
      const three = await register(service, { version: '3', model: 'm8' })
      await ingest(service, [
        eventOf({ release_id: three, run_id: 'b', model: 'm8' }),
        eventOf({ release_id: three, run_id: 'c', model: 'm1' }),
      ])
      const { status, body } = await diff(service, [one, three])
      expect([status, body.detail]).toEqual([400, expect.stringContaining('has no price for m8')])
      expect(body.detail).not.toContain('exclude')
    })
  })
}

async function releases(makeService: MakeService) {
  const service = await makeService({ workspace: SMALL_SAMPLES })
  await importPrices(service)
  const one = await register(service, { version: '1' })
  return { service, one, two: await register(service, { version: '2', model: 'm2' }) }
}

/** One run of m1, which costs 2 USD, and two of a model without a price. */
async function unpriced(service: TestService, release_id: string): Promise<void> {
  await ingest(service, [
    eventOf({ release_id, run_id: 'm1' }),
    ...[0, 1].map(index =>
      eventOf({ release_id, run_id: `m9-${index}`, model: 'm9', at: NOON - 60_000 * (2 - index) }),
    ),
  ])
}
