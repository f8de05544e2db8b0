import { describe, expect, test } from 'vitest'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { diff, ingest, ok } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** What POST /v1/events stores, once, and gives back. */
export function eventsContract(makeService: MakeService): void {
  describe('stored events', () => {
    test('come back with every default applied, and nothing else', async () => {
      const { service, release } = await oneRelease(makeService)
      const minimal = {
        timestamp: '2026-01-31T11:59:00Z',
        agent_id: 'bot',
        release_id: release,
        run_id: 'a',
        tenant_id: 't1',
        task_id: 'k1',
        environment: 'local',
        usage: { model: { provider: 'acme', model: 'm1', input_tokens: 1, output_tokens: 2 } },
      }
      await ingest(service, [minimal])
      expect(await stored(service, release)).toEqual([
        {
          ...minimal,
          api_version: 'v1',
          type: 'run_end',
          timestamp: '2026-01-31T11:59:00.000Z',
          workspace_id: 'ws_local',
          metrics: { success: true, latency_ms: null, error_type: null },
          usage: { model: { ...minimal.usage.model, cached_input_tokens: 0 }, tools: [] },
          labels: {},
          request: null,
        },
      ])
    })

    test('come back with all that they said', async () => {
      const { service, release } = await oneRelease(makeService)
      const full = fullEvent(release)
      await ingest(service, [full])
      expect(await stored(service, release)).toEqual([full])
    })

    test('lose unknown fields at every level', async () => {
      const { service, release } = await oneRelease(makeService)
      const full = fullEvent(release)
      const { model, tools } = full.usage
      await ingest(service, [
        {
          ...full,
          extra: 1,
          metrics: { ...full.metrics, extra: 1 },
          usage: {
            model: { ...model, extra: 1 },
            tools: tools.map(tool => ({ ...tool, extra: 1 })),
            extra: 1,
          },
          request: { ...full.request, extra: 1 },
        },
      ])
      expect(await stored(service, release)).toEqual([full])
    })

    test('get the defaults of tools and of a request without ids', async () => {
      const { service, release } = await oneRelease(makeService)
      const event = eventOf({ release_id: release, run_id: 'a', request: {} })
      const usage = { ...(event.usage as object), tools: [{ tool_name: 'search' }] }
      await ingest(service, [{ ...event, usage }])
      const [given] = await stored(service, release)
      expect(given!.usage).toMatchObject({
        tools: [{ tool_name: 'search', invocations: 0, cost_units: 0 }],
      })
      expect(given!.request).toEqual({ session_id: null, trace_id: null, span_id: null })
    })

    test.each([
      ['10.0', 10],
      ['1e3', 1000],
      ['0', 0],
      ['-0', 0],
      ['10000000000', 10_000_000_000],
    ])('take the integer %s', async (json, value) => {
      const { service, release } = await oneRelease(makeService)
      const text = JSON.stringify(eventOf({ release_id: release, run_id: 'a', input: 777, latency: 888 }))
      const body = `{"events":[${text.replace('777', json).replace('888', json)}]}`
      await ok(service.call('POST /v1/events', { body }))
      const [event] = await stored(service, release)
      expect(event).toMatchObject({
        metrics: { latency_ms: value },
        usage: { model: { input_tokens: value } },
      })
    })

    test.each([
      ['2026-01-31T11:30:00Z', '2026-01-31T11:30:00.000Z'],
      ['2026-01-31T11:30:00.25Z', '2026-01-31T11:30:00.250Z'],
      ['2026-01-31T13:30:00+02:00', '2026-01-31T11:30:00.000Z'],
      ['2026-01-31T06:00:00-05:30', '2026-01-31T11:30:00.000Z'],
      ['2026-01-31T11:30:00', '2026-01-31T11:30:00.000Z'],
      ['2026-01-31T11:30:00.999999Z', '2026-01-31T11:30:00.999999Z'],
    ])('have the instant %s as %s', async (timestamp, expected) => {
      const { service, release } = await oneRelease(makeService)
      await ingest(service, [{ ...eventOf({ release_id: release, run_id: 'a' }), timestamp }])
      const [event] = await stored(service, release)
      expect(Date.parse(event!.timestamp as string)).toBe(Date.parse(expected))
      expect(event!.timestamp).toMatch(/Z$/)
    })

    test('keep text of every script, and keys named __proto__, without harm', async () => {
      const { service, release } = await oneRelease(makeService)
      const text = JSON.stringify({
        ...eventOf({ release_id: release, run_id: 'ラン-🚀', tenant_id: "O'Brien; --", task_id: '' }),
        labels: { 'ключ "1"': '\\ \t \u2028 é' },
      })
      const body = text
        .replace('"labels":{', '"labels":{"__proto__":"p","constructor":"c",')
        .replace('"metrics":{', '"__proto__":{"tenant_id":"evil"},"metrics":{"__proto__":{"success":false},')
      await ok(service.call('POST /v1/events', { body: `{"events":[${body}]}` }))
      const answer = await service.call('GET /v1/runs', { query: { release_id: release, window: '1h' } })
      expect(answer.body.events).toHaveLength(1)
      expect(answer.body.events[0]).toMatchObject({
        run_id: 'ラン-🚀',
        tenant_id: "O'Brien; --",
        task_id: '',
        metrics: { success: true },
      })
      expect(answer.text).toContain('"__proto__":"p"')
      expect(answer.body.events[0].labels['ключ "1"']).toBe('\\ \t \u2028 é')
      expect(({} as Record<string, unknown>).tenant_id).toBeUndefined()
    })

    test('may name a release that is not registered', async () => {
      const service = await makeService()
      expect(await ingest(service, [eventOf({ release_id: 'rel_later', run_id: 'a' })])).toEqual({
        inserted: 1,
        skipped: 0,
      })
    })
  })

  describe('a run_id is stored once', () => {
    test('across requests, whatever else the second event says', async () => {
      const { service, release } = await oneRelease(makeService)
      const event = eventOf({ release_id: release, run_id: 'a', input: 1 })
      expect(await ingest(service, [event])).toEqual({ inserted: 1, skipped: 0 })
      const others = [
        event,
        { ...event, workspace_id: 'ws_other' },
        eventOf({ release_id: release, run_id: 'a', input: 2 }),
        eventOf({ release_id: 'rel_other', run_id: 'a', environment: 'prod' }),
      ]
      expect(await ingest(service, others)).toEqual({ inserted: 0, skipped: 4 })
      expect(await stored(service, release)).toMatchObject([{ usage: { model: { input_tokens: 1 } } }])
    })

    test('within one request, the first event wins', async () => {
      const { service, release } = await oneRelease(makeService)
      const events = [5, 6, 7].map(input => eventOf({ release_id: release, run_id: 'a', input }))
      expect(await ingest(service, [...events, eventOf({ release_id: release, run_id: 'b' })])).toEqual({
        inserted: 2,
        skipped: 2,
      })
      const inputs = (await stored(service, release)).map(
        event => (event.usage as { model: { input_tokens: number } }).model.input_tokens,
      )
      expect(new Set(inputs)).toEqual(new Set([1000, 5]))
    })

    test('and the comparison is exact', async () => {
      const { service, release } = await oneRelease(makeService)
      const ids = ['a', 'A', 'a ', 'á', 'a\u0301', '1', '01', '1.0']
      const events = ids.map(run_id => eventOf({ release_id: release, run_id }))
      expect(await ingest(service, events)).toEqual({ inserted: ids.length, skipped: 0 })
    })

    test('when the same events come from several senders at once', async () => {
      const { service, release } = await oneRelease(makeService)
      const events = Array.from({ length: 60 }, (_, index) =>
        eventOf({ release_id: release, run_id: `run-${index}` }),
      )
      const answers = await Promise.all(
        [0, 10, 20, 30].map(start => ingest(service, [...events.slice(start), ...events.slice(0, start)])),
      )
      expect(answers.reduce((sum, answer) => sum + answer.inserted, 0)).toBe(60)
      expect(answers.every(answer => answer.inserted + answer.skipped === 60)).toBe(true)
      const report = await ok(diff(service, [release, release]))
      expect(report.samples.baseline_runs).toBe(60)
    })

    test('in a request of more events than one batch takes', async () => {
      const { service, release } = await oneRelease(makeService)
      const events = Array.from({ length: 1203 }, (_, index) =>
        eventOf({ release_id: release, run_id: `run-${index % 1200}`, at: NOON - 1 - index }),
      )
      expect(await ingest(service, events)).toEqual({ inserted: 1200, skipped: 3 })
      expect(await ingest(service, events)).toEqual({ inserted: 0, skipped: 1203 })
      const page = await ok(
        service.call('GET /v1/runs', { query: { release_id: release, window: '1h', limit: 500 } }),
      )
      expect(page).toMatchObject({ matched_total: 1200, returned: 500, truncated: true })
      expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
    })
  })

  test('events that are large together are stored all the same', async () => {
    const { service, release } = await oneRelease(makeService)
    const labels = { note: 'é🚀'.repeat(10_000) }
    const events = Array.from({ length: 40 }, (_, index) => ({
      ...eventOf({ release_id: release, run_id: `run-${index}` }),
      labels,
    }))
    expect(await ingest(service, events)).toEqual({ inserted: 40, skipped: 0 })
    const given = await stored(service, release)
    expect(given).toHaveLength(40)
    expect(given[39]!.labels).toEqual(labels)
  })

  describe('a run_start', () => {
    test('counts as a run and as a failure, but brings neither tokens nor latency', async () => {
      const { service, release } = await oneRelease(makeService)
      await ingest(service, [
        eventOf({ release_id: release, run_id: 'a', type: 'run_start', success: false, latency: 5000 }),
        eventOf({ release_id: release, run_id: 'b', input: 1000, output: 500, latency: 100 }),
      ])
      const { samples, metrics } = await ok(diff(service, [release, release]))
      expect(samples.baseline_runs).toBe(2)
      expect(metrics).toMatchObject({
        baseline_cost_per_run_usd: 1,
        baseline_latency_ms_avg: 100,
        baseline_error_rate: 0.5,
      })
    })

    test('comes back as it was sent', async () => {
      const { service, release } = await oneRelease(makeService)
      await ingest(service, [
        eventOf({ release_id: release, run_id: 'a', type: 'run_start', latency: 5000, input: 9 }),
      ])
      expect(await stored(service, release)).toMatchObject([
        { type: 'run_start', metrics: { latency_ms: 5000 }, usage: { model: { input_tokens: 9 } } },
      ])
    })

    test('drops the run_end of its run_id, which is counted, logged and shown by the doctor', async () => {
      const { service, release } = await oneRelease(makeService)
      const dropped = async () => {
        const { checks } = await ok(service.call('GET /v1/doctor'))
        return checks.find((check: { name: string }) => check.name === 'run_ends_dropped').detail as string
      }
      expect(await dropped()).toBe('none')
      const start = (run_id: string) => eventOf({ release_id: release, run_id, type: 'run_start' })
      const end = (run_id: string) => eventOf({ release_id: release, run_id, type: 'run_end' })
      expect(await ingest(service, [start('a'), end('a'), end('b')])).toEqual({ inserted: 2, skipped: 1 })
      expect(await dropped()).toMatch(/^1 /)
      expect(service.logged).toMatchObject([{ level: 'warn', message: expect.stringContaining('run_start') }])
      expect(await ingest(service, [start('b'), start('a'), end('b')])).toEqual({ inserted: 0, skipped: 3 })
      expect(await dropped()).toMatch(/^1 /)
    })
  })
}

async function oneRelease(makeService: MakeService): Promise<{ service: TestService; release: string }> {
  const service = await makeService()
  await importPrices(service)
  return { service, release: await register(service) }
}

async function stored(service: TestService, release_id: string): Promise<Record<string, unknown>[]> {
  return (await ok(service.call('GET /v1/runs', { query: { release_id, window: '1h' } }))).events
}

/** An event that sets every field to something else than its default. */
function fullEvent(release_id: string) {
  return {
    api_version: 'v1',
    type: 'run_start',
    timestamp: '2026-01-31T11:59:59.123Z',
    workspace_id: 'ws_mine',
    agent_id: 'bot',
    release_id,
    run_id: 'run-full',
    tenant_id: 't9',
    task_id: 'k9',
    environment: 'local',
    metrics: { success: false, latency_ms: 12, error_type: 'Timeout' },
    usage: {
      model: { provider: 'acme', model: 'm2', input_tokens: 3, output_tokens: 4, cached_input_tokens: 5 },
      tools: [{ tool_name: 'search', invocations: 2, cost_units: 0.125 }],
    },
    labels: { team: 'blue' },
    request: { session_id: 's', trace_id: 't', span_id: null },
  }
}
