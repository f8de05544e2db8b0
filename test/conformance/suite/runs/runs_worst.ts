import { describe, expect, test } from 'vitest'
import { type EventOptions, eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { ingest, ok, refusal, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** GET /v1/runs/worst */
export function worstRunsContract(makeService: MakeService): void {
  describe('the worst runs', () => {
    const EVENTS = [
      { run_id: 'plain', latency: 50 },
      { run_id: 'dear', model: 'm2', input: 3000, latency: 40 },
      { run_id: 'cheap but long', input: 1, output: 1, latency: 9000 },
      { run_id: 'no latency', success: false },
      { run_id: 'failed later', success: false, latency: 10, at: NOON - 1 },
      { run_id: 'unpriced', model: 'unknown', latency: 60, tenant_id: 't2' },
      { run_id: 'elsewhere', environment: 'prod', input: 99_999 },
      { run_id: 'too old', input: 99_999, at: NOON - 7_200_000 },
    ]

    test('by cost are priced one by one; those without a price come last', async () => {
      const { service, release_id } = await withEvents(makeService, EVENTS)
      const page = await ok(worst(service, { release_id, window: '1h' }))
      expect(page).toMatchObject({ by: 'cost', examined: 6, truncated: false, release_id })
      expect(page.filters).toEqual({ environment: 'local', tenant_id: null, task_id: null })
      const costs = page.runs.map((run: { cost_usd: number; event: { run_id: string } }) => [
        run.event.run_id,
        run.cost_usd,
      ])
      expect(costs[0]).toEqual(['dear', 8])
      expect(costs.at(-2)).toEqual(['cheap but long', 0.003])
      expect(costs.at(-1)).toEqual(['unpriced', null])
    })

    test('by latency leave out those without one, and by failure are the newest failures', async () => {
      const { service, release_id } = await withEvents(makeService, EVENTS)
      const base = { release_id, window: '1h' }
      expect(await ids(service, { ...base, by: 'latency' })).toEqual([
        'cheap but long',
        'unpriced',
        'plain',
        'dear',
        'failed later',
      ])
      expect(await ids(service, { ...base, by: 'failure' })).toEqual(['failed later', 'no latency'])
      expect(await ids(service, { ...base, by: 'latency', limit: 1 })).toEqual(['cheap but long'])
    })

    test('can be filtered, and are answered with the event as it is stored', async () => {
      const { service, release_id } = await withEvents(makeService, EVENTS)
      const base = { release_id, window: '1h' }
      expect(await ids(service, { ...base, tenant_id: 't2' })).toEqual(['unpriced'])
      expect(await ids(service, { ...base, tenant_id: 't1', task_id: 'none' })).toEqual([])
      expect(await ids(service, { ...base, environment: 'prod' })).toEqual(['elsewhere'])
      const [run] = (await ok(worst(service, { ...base, tenant_id: 't2' }))).runs
      const listed = await ok(service.call('GET /v1/runs', { query: { ...base, tenant_id: 't2' } }))
      expect(run.event).toEqual(listed.events[0])
    })

    test('of a release without a price table have no cost', async () => {
      const service = await makeService()
      const release_id = await register(service, { pricing: 'none' })
      await ingest(service, [eventOf({ release_id, run_id: 'a' })])
      const page = await ok(worst(service, { release_id, window: '1h' }))
      expect(page.runs).toMatchObject([{ cost_usd: null, event: { run_id: 'a' } }])
    })

    test('need a known release, a window, and a measure that there is', async () => {
      const { service, release_id } = await withEvents(makeService, [])
      const query = { release_id, window: '1h' }
      expect(await refusal(worst(service, { ...query, release_id: 'rel_x' }), 400)).toBe(
        'Unknown release: rel_x',
      )
      expect(await refusal(worst(service, { ...query, window: 'soon' }), 400)).toMatch(/^Invalid window/)
      expect(await unprocessableAt(worst(service, { ...query, by: 'colour' }))).toEqual([['query', 'by']])
      expect(await unprocessableAt(worst(service, { ...query, limit: 101 }))).toEqual([['query', 'limit']])
    })
  })
}

async function withEvents(
  makeService: MakeService,
  events: readonly Omit<EventOptions, 'release_id'>[],
): Promise<{ service: TestService; release_id: string }> {
  const service = await makeService()
  await importPrices(service)
  const release_id = await register(service)
  if (events.length > 0) {
    await ingest(
      service,
      events.map(event => eventOf({ ...event, release_id })),
    )
  }
  return { service, release_id }
}

function worst(service: TestService, query: Record<string, string | number>) {
  return service.call('GET /v1/runs/worst', { query })
}

async function ids(service: TestService, query: Record<string, string | number>): Promise<string[]> {
  const { runs } = await ok(worst(service, query))
  return runs.map((run: { event: { run_id: string } }) => run.event.run_id)
}
