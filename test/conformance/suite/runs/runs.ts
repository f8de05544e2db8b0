import type { Answer } from '../../../support/services/call.ts'
import { describe, expect, test } from 'vitest'
import { type EventOptions, eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { ingest, ok, refusal, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const BOTH = ['GET /v1/runs', 'GET /v1/runs/export'] as const

/** GET /v1/runs and /v1/runs/export: fields, ranges, order and headers. The model test compares contents. */
export function runsContract(makeService: MakeService): void {
  describe('a page of runs', () => {
    test('has every field of the specification', async () => {
      const { service, release } = await withRuns(makeService, [{ run_id: 'a' }])
      const page = await ok(runs(service, { release_id: release, window: '1h' }))
      expect(page).toEqual({
        release_id: release,
        since: '2026-01-31T11:00:00.000Z',
        until: '2026-01-31T12:00:00.000Z',
        filters: {
          environment: 'local',
          tenant_id: null,
          task_id: null,
          trace_id: null,
          session_id: null,
          span_id: null,
        },
        offset: 0,
        limit: 100,
        matched_total: 1,
        returned: 1,
        truncated: false,
        events: [expect.objectContaining({ run_id: 'a' })],
      })
    })

    test('of very large events ends early, and the next begins where it ended', async () => {
      const { service, release } = await withRuns(makeService, [])
      const labels = { text: 'x'.repeat(250_000) }
      for (let batch = 0; batch < 5; batch++) {
        const ids = Array.from({ length: 8 }, (_, index) => `large-${batch}-${index}`)
        const events = ids.map(run_id => ({ ...eventOf({ release_id: release, run_id }), labels }))
        await ingest(service, events)
      }
      const seen: string[] = []
      for (let offset = 0; offset < 40;) {
        const page = await ok(runs(service, { release_id: release, window: '1h', limit: 500, offset }))
        expect(page.returned).toBeGreaterThan(0)
        expect(page.returned).toBeLessThan(35)
        expect(page.truncated).toBe(offset + page.returned < 40)
        seen.push(...page.events.map((event: { run_id: string }) => event.run_id))
        offset += page.returned
      }
      expect(new Set(seen).size).toBe(40)
      expect(seen).toHaveLength(40)
    })

    test('is of runs by how they ended, by type of error and by latency', async () => {
      const { service, release } = await withRuns(makeService, [])
      const ran = (run_id: string, at: number, latency_ms: number, error_type?: string) => ({
        ...eventOf({ release_id: release, run_id, at: NOON - at }),
        metrics: { success: error_type === undefined, latency_ms, error_type: error_type ?? null },
      })
      await ingest(service, [
        ran('fine', 1, 100),
        ran('slow', 2, 900),
        ran('timeout', 3, 950, 'timeout'),
        ran('tool', 50 * 60_000, 100, 'tool_error'),
      ])
      const listed = async (query: object) => {
        const page = await ok(runs(service, { release_id: release, window: '1h', ...query }))
        return [
          page.matched_total,
          page.events.map((event: { run_id: string }) => event.run_id),
          page.filters,
        ]
      }
      expect(await listed({ outcome: 'success' })).toMatchObject([
        2,
        ['fine', 'slow'],
        { outcome: 'success' },
      ])
      expect(await listed({ outcome: 'failed' })).toMatchObject([2, ['timeout', 'tool'], {}])
      expect(await listed({ error_type: 'tool_error' })).toMatchObject([
        1,
        ['tool'],
        { error_type: 'tool_error' },
      ])
      expect(await listed({ min_latency_ms: 900 })).toMatchObject([
        2,
        ['slow', 'timeout'],
        { min_latency_ms: 900 },
      ])
      expect(await listed({ min_latency_ms: 900, outcome: 'failed' })).toMatchObject([1, ['timeout'], {}])
      expect(await listed({ outcome: 'success', error_type: 'timeout' })).toMatchObject([0, [], {}])
      expect(await listed({ outcome: 'failed', limit: 1, offset: 1 })).toMatchObject([2, ['tool'], {}])
    })

    test('of a release without events is empty', async () => {
      const { service, release } = await withRuns(makeService, [])
      expect(await ok(runs(service, { release_id: release, window: '7d' }))).toMatchObject({
        matched_total: 0,
        returned: 0,
        truncated: false,
        events: [],
      })
    })

    test('is newest first, and later arrivals come before earlier ones of the same time', async () => {
      const at = (ms: number) => NOON - ms
      const { service, release } = await withRuns(makeService, [
        { run_id: 'tie-1', at: at(5000) },
        { run_id: 'oldest', at: at(9000) },
        { run_id: 'tie-2', at: at(5000) },
        { run_id: 'newest', at: at(1) },
        { run_id: 'tie-3', at: at(5000) },
      ])
      await ingest(service, [eventOf({ release_id: release, run_id: 'tie-4', at: at(5000) })])
      const ids = ['newest', 'tie-4', 'tie-3', 'tie-2', 'tie-1', 'oldest']
      expect(await idsOf(service, { release_id: release, window: '1h' })).toEqual(ids)
      for (let offset = 0; offset < ids.length; offset++) {
        const page = { release_id: release, window: '1h', offset, limit: 2 }
        expect(await idsOf(service, page)).toEqual(ids.slice(offset, offset + 2))
      }
    })

    test.each([NOON, NOON + 1, NOON + 3_599_999])(
      'includes the first millisecond of its window and excludes the last, at clock %i',
      async now => {
        const times = [-3_600_001, -3_600_000, -60_000, -1, 0, 1]
        const { service, release } = await withRuns(
          makeService,
          times.map(offset => ({ run_id: String(offset), at: now + offset })),
        )
        service.clock.now = now
        for (const more of [{ window: '1h' }, { window: '60m' }, { window: '1h', tenant_id: 't1' }]) {
          const ids = await idsOf(service, { release_id: release, ...more })
          expect(ids).toEqual(['-1', '-60000', '-3600000'])
        }
      },
    )

    test('echoes its filters, and each of them matches exactly', async () => {
      const request = { trace_id: 'tr', session_id: 'se', span_id: 'sp' }
      const { service, release } = await withRuns(makeService, [
        { run_id: 'all', tenant_id: 'te', task_id: 'ta', request },
        { run_id: 'cased', tenant_id: 'TE', task_id: 'TA', request: { trace_id: 'TR' } },
        { run_id: 'other', request: { trace_id: 'se', session_id: 'sp', span_id: 'tr' } },
        { run_id: 'bare', request: null },
        { run_id: 'elsewhere', tenant_id: 'te', task_id: 'ta', environment: 'prod', request },
      ])
      const filters = { tenant_id: 'te', task_id: 'ta', ...request }
      const base = { release_id: release, window: '1h' }
      for (const [name, value] of Object.entries(filters)) {
        const page = await ok(runs(service, { ...base, [name]: value }))
        expect(page.filters).toMatchObject({ environment: 'local', [name]: value })
        expect(page.events.map((event: { run_id: string }) => event.run_id)).toEqual(['all'])
      }
      expect(await idsOf(service, { ...base, ...filters })).toEqual(['all'])
      expect(await idsOf(service, { ...base, ...filters, span_id: 'tr' })).toEqual([])
      expect(await idsOf(service, { ...base, environment: 'prod', tenant_id: 'te' })).toEqual(['elsewhere'])
    })

    test('takes the default environment of the workspace', async () => {
      const service = await makeService({ workspace: { default_environment: 'prod' } })
      const release = await register(service)
      await ingest(service, [
        eventOf({ release_id: release, run_id: 'a', environment: 'prod' }),
        eventOf({ release_id: release, run_id: 'b', environment: 'local' }),
      ])
      const page = await ok(runs(service, { release_id: release, window: '1h' }))
      expect(page).toMatchObject({ matched_total: 1, filters: { environment: 'prod' } })
      expect(page.events[0].run_id).toBe('a')
    })
  })

  describe.each(BOTH)('%s', route => {
    const ask = (service: TestService, query: Record<string, string | number>): Promise<Answer> =>
      service.call(route, { query })

    test('refuses an unknown release and an invalid window', async () => {
      const { service, release } = await withRuns(makeService, [])
      expect(await refusal(ask(service, { release_id: 'rel_none', window: '1h' }), 400)).toBe(
        'Unknown release: rel_none',
      )
      for (const window of ['0h', '-7d', '7w', 'soon']) {
        expect(await refusal(ask(service, { release_id: release, window }), 400)).toMatch(/^Invalid window/)
      }
    })

    test.each(['release_id', 'window'])('needs %s', async name => {
      const service = await makeService()
      const query: Record<string, string> = { release_id: 'rel_a', window: '1h' }
      delete query[name]
      expect(await unprocessableAt(ask(service, query))).toEqual([['query', name]])
    })

    test.each([
      ['offset', -1],
      ['offset', 500_001],
      ['offset', '99999999999999999999'],
      ['offset', 'x'],
      ['offset', '1.5'],
      ['limit', 0],
      ['limit', -1],
      ['limit', 501],
      ['limit', 'x'],
      ['limit', '1e2'],
      ['tenant_id', 'a\0'],
      ['trace_id', 'x'.repeat(513)],
      ['tenant_id', ''],
      ['task_id', ''],
      ['trace_id', ''],
      ['session_id', ''],
      ['span_id', ''],
    ])('refuses %s=%j', async (name, value) => {
      const service = await makeService()
      const answer = ask(service, { release_id: 'rel_a', window: '1h', [name]: value })
      expect(await unprocessableAt(answer)).toEqual([['query', name]])
    })

    test('takes the ends of the ranges, also beyond the last event', async () => {
      const { service, release } = await withRuns(makeService, [{ run_id: 'a' }, { run_id: 'b' }])
      for (const more of [{ offset: 500_000 }, { limit: 500 }, { limit: 1 }, { offset: 2 }]) {
        expect((await ask(service, { release_id: release, window: '1h', ...more })).status).toBe(200)
      }
    })
  })

  describe('an export', () => {
    test('is NDJSON with a line per event, in the order of the list, and tells its place in headers', async () => {
      const { service, release } = await withRuns(
        makeService,
        Array.from({ length: 7 }, (_, index) => ({ run_id: `run-${index}`, at: NOON - 1 - index })),
      )
      const query = { release_id: release, window: '1h', offset: 2, limit: 3 }
      const answer = await service.call('GET /v1/runs/export', { query })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
      expect(placeOf(answer)).toEqual({ matched: '7', returned: '3', offset: '2', truncated: 'true' })
      expect(answer.text.endsWith('\n')).toBe(true)
      const page = await ok(runs(service, query))
      expect(linesOf(answer)).toEqual(page.events)
      expect(page).toMatchObject({ matched_total: 7, returned: 3, truncated: true })
    })

    test('has 500 lines unless told otherwise, and says when there are more', async () => {
      const { service, release } = await withRuns(
        makeService,
        Array.from({ length: 501 }, (_, index) => ({ run_id: `run-${index}`, at: NOON - 1 - index })),
      )
      const base = { release_id: release, window: '1h' }
      const first = await service.call('GET /v1/runs/export', { query: base })
      expect(placeOf(first)).toEqual({ matched: '501', returned: '500', offset: '0', truncated: 'true' })
      const rest = await service.call('GET /v1/runs/export', { query: { ...base, offset: 500 } })
      expect(placeOf(rest)).toEqual({ matched: '501', returned: '1', offset: '500', truncated: 'false' })
      expect([...linesOf(first), ...linesOf(rest)].map(event => event.run_id)).toEqual(
        Array.from({ length: 501 }, (_, index) => `run-${index}`),
      )
      expect(await ok(runs(service, base))).toMatchObject({ limit: 100, returned: 100, truncated: true })
    })

    test('beyond the last event is empty', async () => {
      const { service, release } = await withRuns(makeService, [{ run_id: 'a' }])
      const query = { release_id: release, window: '1h', offset: 9 }
      const answer = await service.call('GET /v1/runs/export', { query })
      expect(answer.text).toBe('')
      expect(placeOf(answer)).toEqual({ matched: '1', returned: '0', offset: '9', truncated: 'false' })
    })

    test('can be ingested into another ledger, and comes out of that the same', async () => {
      const { service, release } = await withRuns(makeService, [
        { run_id: 'minimal' },
        { run_id: 'start', type: 'run_start', latency: 5, at: NOON - 2 },
        { run_id: 'traced', request: { trace_id: 't' }, at: NOON - 3 },
        { run_id: 'empty-trace', request: {}, success: false, latency: 9, cached: 4, at: NOON - 4 },
        { run_id: 'größe\n"\u2028', tenant_id: '', at: NOON - 5 },
      ])
      const query = { release_id: release, window: '1h' }
      const exported = await service.call('GET /v1/runs/export', { query })
      expect(linesOf(exported)).toHaveLength(5)
      const other = await makeService()
      const renamed = await register(other, { version: 'imported' })
      const events = linesOf(exported).map(event => ({ ...event, release_id: renamed }))
      expect(await ingest(other, events.toReversed())).toEqual({ inserted: 5, skipped: 0 })
      const again = await other.call('GET /v1/runs/export', { query: { ...query, release_id: renamed } })
      expect(again.text.replaceAll(renamed, release)).toBe(exported.text)
    })
  })
}

function runs(service: TestService, query: Record<string, string | number>): Promise<Answer> {
  return service.call('GET /v1/runs', { query })
}

async function idsOf(service: TestService, query: Record<string, string | number>): Promise<string[]> {
  return (await ok(runs(service, query))).events.map((event: { run_id: string }) => event.run_id)
}

function linesOf({ text }: Answer): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>)
}

function placeOf({ headers }: Answer): Record<string, string | null> {
  return {
    matched: headers.get('x-service-matched-total'),
    returned: headers.get('x-service-returned'),
    offset: headers.get('x-service-offset'),
    truncated: headers.get('x-service-truncated'),
  }
}

async function withRuns(
  makeService: MakeService,
  events: readonly Omit<EventOptions, 'release_id'>[],
): Promise<{ service: TestService; release: string }> {
  const service = await makeService()
  await importPrices(service)
  const release = await register(service)
  if (events.length > 0) {
    await ingest(
      service,
      events.map(event => eventOf({ ...event, release_id: release })),
    )
  }
  return { service, release }
}
