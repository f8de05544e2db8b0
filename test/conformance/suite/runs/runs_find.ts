import { describe, expect, test } from 'vitest'
import { eventOf, register } from '../../../support/services/builders.ts'
import { ingest, ok, refusal, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const DAY = 24 * 60 * 60_000

/** GET /v1/runs/find: runs by an identifier of theirs, whatever their release. */
export function findRunsContract(makeService: MakeService): void {
  describe('a run is found', () => {
    test.each([
      ['the-run', 'run', ['the-run']],
      ['trace-1', 'trace', ['b', 'a']],
      ['session-1', 'session', ['a', 'c']],
      ['span-1', 'span', ['c']],
    ])('by %s, of whatever release and environment', async (id, matched_by, expected) => {
      const { service } = await threeReleases(makeService)
      const found = await ok(service.call('GET /v1/runs/find', { query: { id } }))
      expect(found).toMatchObject({
        id,
        since: new Date(NOON - 30 * DAY).toISOString(),
        until: new Date(NOON).toISOString(),
        truncated: false,
      })
      expect(namesOf(found)).toEqual(expected)
      for (const run of found.runs) expect(run.matched_by).toBe(matched_by)
    })

    test('as the list of its release has it', async () => {
      const { service, other } = await threeReleases(makeService)
      const query = { release_id: other, environment: 'prod', window: '1h' }
      const { events } = await ok(service.call('GET /v1/runs', { query }))
      const { runs } = await ok(service.call('GET /v1/runs/find', { query: { id: 'b' } }))
      expect(runs).toEqual([{ matched_by: 'run', event: events[0] }])
    })

    test('however old it is, but a trace within the window', async () => {
      const { service } = await threeReleases(makeService)
      const ask = (query: Record<string, string>) => ok(service.call('GET /v1/runs/find', { query }))
      expect(namesOf(await ask({ id: 'old', window: '1h' }))).toEqual(['old'])
      expect(namesOf(await ask({ id: 'old-trace', window: '39d' }))).toEqual([])
      expect(namesOf(await ask({ id: 'old-trace', window: '41d' }))).toEqual(['old'])
    })

    test('once, where one identifier is its run and its trace', async () => {
      const { service, release } = await threeReleases(makeService)
      await ingest(service, [
        eventOf({ release_id: release, run_id: 'same', request: { trace_id: 'same', session_id: 'same' } }),
      ])
      const { runs } = await ok(service.call('GET /v1/runs/find', { query: { id: 'same' } }))
      expect(runs).toMatchObject([{ matched_by: 'run', event: { run_id: 'same' } }])
    })

    test('among the newest, as many as asked for', async () => {
      const { service } = await threeReleases(makeService)
      const query = { id: 'trace-1', limit: 1 }
      const found = await ok(service.call('GET /v1/runs/find', { query }))
      expect(found.truncated).toBe(true)
      expect(namesOf(found)).toEqual(['b'])
    })

    test('or none is, and a window or limit that is none is refused', async () => {
      const { service } = await threeReleases(makeService)
      const ask = (query: Record<string, string | number>) => service.call('GET /v1/runs/find', { query })
      expect(namesOf(await ok(ask({ id: 'trace' })))).toEqual([])
      expect(await refusal(ask({ id: 'a', window: 'x' }), 400)).toMatch(/^Invalid window/)
      expect(await unprocessableAt(ask({}))).toEqual([['query', 'id']])
      expect(await unprocessableAt(ask({ id: 'a', limit: 501 }))).toEqual([['query', 'limit']])
    })
  })
}

function namesOf({ runs }: { runs: readonly { event: { run_id: string } }[] }): string[] {
  return runs.map(({ event }) => event.run_id)
}

async function threeReleases(
  makeService: MakeService,
): Promise<{ service: TestService; release: string; other: string }> {
  const service = await makeService()
  const [release, other] = [await register(service), await register(service)]
  await ingest(service, [
    eventOf({ release_id: release, run_id: 'the-run', at: NOON - 5000 }),
    eventOf({
      release_id: release,
      run_id: 'a',
      at: NOON - 4000,
      request: { trace_id: 'trace-1', session_id: 'session-1' },
    }),
    eventOf({
      release_id: other,
      run_id: 'b',
      at: NOON - 3000,
      environment: 'prod',
      request: { trace_id: 'trace-1', session_id: 'session-2' },
    }),
    eventOf({
      release_id: 'rel_unregistered',
      run_id: 'c',
      at: NOON - 2 * DAY,
      environment: 'dev',
      request: { session_id: 'session-1', span_id: 'span-1' },
    }),
    eventOf({ release_id: release, run_id: 'old', at: NOON - 40 * DAY, request: { trace_id: 'old-trace' } }),
  ])
  return { service, release, other }
}
