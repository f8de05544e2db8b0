import { describe, expect, test } from 'vitest'
import { importPrices, register, twoReleases } from '../../../support/services/builders.ts'
import { parsePrometheus } from '../../../support/services/prometheus.ts'
import { ok, promote, rollback, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const GAUGES = [
  'service_releases_total',
  'service_run_events_total',
  'service_promoted_pointers_total',
  'service_actions_total',
  'service_actions_by_type',
  'service_pricing_tables_total',
  'service_webhook_deliveries_pending',
  'service_webhook_deliveries_failed',
  'service_schema_version',
  'service_ledger_ready',
]

/** GET /health, /ready, /v1/workspace, /v1/metrics and /metrics. */
export function healthContract(makeService: MakeService): void {
  describe('health and readiness', () => {
    test('health names the access mode of a service without a token', async () => {
      const service = await makeService()
      const answer = await service.call('GET /health')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.body).toEqual({ status: 'ok', mutation_auth: 'loopback', read_auth: 'open' })
    })

    test('health names the access mode of a service with a token, and no token', async () => {
      const tokens = { main: 'secret-main', previous: 'secret-old', ingest: 'secret-in', read: 'secret-out' }
      const service = await makeService({ tokens })
      const answer = await service.call('GET /health')
      expect(answer.body).toEqual({ status: 'ok', mutation_auth: 'bearer', read_auth: 'bearer' })
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain('secret')
    })

    test('a blank token is no token', async () => {
      const service = await makeService({ tokens: { main: ' \t' } })
      expect(await ok(service.call('GET /health'))).toMatchObject({ mutation_auth: 'loopback' })
    })

    test('narrower tokens without the main one are no tokens', async () => {
      const service = await makeService({ tokens: { read: 'r', ingest: 'i', previous: 'p' } })
      expect(await ok(service.call('GET /health'))).toMatchObject({
        mutation_auth: 'loopback',
        read_auth: 'open',
      })
    })

    test('ready answers 200 while the ledger does', async () => {
      const service = await makeService()
      expect(await ok(service.call('GET /ready'))).toEqual({ status: 'ready' })
    })
  })

  describe('the public view of the workspace', () => {
    const view = async (workspace: Record<string, unknown>) =>
      ok((await makeService({ workspace })).call('GET /v1/workspace'))

    test('has the five fields of WorkspacePublic and no other', async () => {
      expect(await view({ default_environment: 'hidden' })).toEqual({
        api_version: 'v1',
        kind: 'WorkspacePublic',
        promotion_requires_approval: false,
        pricing_catalog_configured: false,
        server_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      })
    })

    test('says whether promotions require approval', async () => {
      expect(await view({ promotion_requires_approval: true })).toMatchObject({
        promotion_requires_approval: true,
      })
    })

    test('says whether a catalog is configured without opening it', async () => {
      expect(await view({ pricing_catalog_path: 'no/such/file.yaml' })).toMatchObject({
        pricing_catalog_configured: true,
      })
      expect(await view({ pricing_catalog_path: '' })).toMatchObject({ pricing_catalog_configured: false })
    })
  })

  describe('the doctor', () => {
    test('names its checks as the specification does, and all pass', async () => {
      const service = await makeService()
      await busy(service)
      const { ok: healthy, checks } = await ok(service.call('GET /v1/doctor'))
      expect(healthy).toBe(true)
      expect(checks.every((check: { ok: boolean }) => check.ok)).toBe(true)
      const names = checks.map((check: { name: string }) => check.name)
      expect(names).toEqual(
        expect.arrayContaining([
          'schema_migrations',
          'promoted_pointer:bot:local',
          'promoted_pointer:other:local',
          'audit_seq',
        ]),
      )
    })

    test('finds rollups and counters as before when they were rebuilt', async () => {
      const service = await makeService()
      await busy(service)
      const before = await ok(service.call('GET /v1/metrics'))
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).toMatchObject({
        ok: true,
      })
      expect(await ok(service.call('GET /v1/metrics'))).toEqual(before)
    })
  })

  describe('counters', () => {
    test('are all zero in a new ledger', async () => {
      const service = await makeService()
      const snapshot = await ok(service.call('GET /v1/metrics'))
      expect(snapshot).toEqual({
        counters: {
          releases_total: 0,
          pricing_tables_total: 0,
          run_events_total: 0,
          promoted_pointers_total: 0,
          actions_total: 0,
          actions_by_action: {},
          webhook_deliveries_pending: 0,
          webhook_deliveries_failed: 0,
        },
        schema_version: expect.any(Number),
        generated_at: '2026-01-31T12:00:00.000Z',
      })
      expect(snapshot.schema_version).toBeGreaterThanOrEqual(4)
    })

    test('count releases, tables, events, pointers and actions', async () => {
      const service = await makeService()
      await busy(service)
      service.clock.now = NOON + 1234
      expect(await ok(service.call('GET /v1/metrics'))).toMatchObject({
        counters: {
          releases_total: 3,
          pricing_tables_total: 2,
          run_events_total: 20,
          promoted_pointers_total: 2,
          actions_total: 4,
          actions_by_action: { promote: 3, rollback: 1 },
        },
        generated_at: '2026-01-31T12:00:01.234Z',
      })
    })

    test('are not moved by events that are skipped or requests that are refused', async () => {
      const service = await makeService()
      const { baseline } = await twoReleases(service, 5)
      const before = await ok(service.call('GET /v1/metrics'))
      const { events } = await ok(
        service.call('GET /v1/runs', { query: { release_id: baseline, window: '1h' } }),
      )
      await ok(service.call('POST /v1/events', { body: { events } }))
      await service.call('POST /v1/pricing', { body: { table: { provider: 'x' } } })
      await rollback(service, baseline)
      expect(await ok(service.call('GET /v1/metrics'))).toEqual(before)
    })

    test('are scraped as gauges with the same values', async () => {
      const service = await makeService()
      await busy(service)
      const scrape = await service.call('GET /metrics')
      expect(scrape.status).toBe(200)
      expect(scrape.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
      const { comments, metrics } = parsePrometheus(scrape.text)
      expect(comments).toEqual(['# generated_at 2026-01-31T12:00:00.000Z'])
      for (const name of GAUGES) expect([name, metrics.get(name)?.type]).toEqual([name, 'gauge'])
      expect(metrics.get('service_ledger_ready')!.samples).toEqual([{ labels: {}, value: 1 }])
      const { counters, schema_version } = await ok(service.call('GET /v1/metrics'))
      const value = (name: string) => metrics.get(name)!.samples
      expect(value('service_releases_total')).toEqual([{ labels: {}, value: counters.releases_total }])
      expect(value('service_run_events_total')).toEqual([{ labels: {}, value: counters.run_events_total }])
      expect(value('service_promoted_pointers_total')).toEqual([
        { labels: {}, value: counters.promoted_pointers_total },
      ])
      expect(value('service_actions_total')).toEqual([{ labels: {}, value: counters.actions_total }])
      expect(value('service_pricing_tables_total')).toEqual([
        { labels: {}, value: counters.pricing_tables_total },
      ])
      expect(value('service_schema_version')).toEqual([{ labels: {}, value: schema_version }])
      expect(value('service_actions_by_type').toSorted(byAction)).toEqual([
        { labels: { action: 'promote' }, value: 3 },
        { labels: { action: 'rollback' }, value: 1 },
      ])
    })

    test.each([
      ['application/openmetrics-text', true],
      ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1', true],
      ['application/openmetrics-text;q=0, */*', false],
      ['application/openmetrics-text; version=1.0.0; q=0.0', false],
      ['text/plain', false],
      ['*/*', false],
    ])('are OpenMetrics for who accepts it by name: %s', async (accept, isOpenMetrics) => {
      const service = await makeService()
      const plain = await service.call('GET /metrics')
      const { text, headers } = await service.call('GET /metrics', { headers: { accept } })
      const families = plain.text.slice(plain.text.indexOf('\n') + 1)
      // A counter is named without the ending of its samples.
      const named = families
        .replaceAll(
          /^# HELP (service_(?:http_requests|run_events_received|decisions|sign_ins))_total /gm,
          '# HELP $1 ',
        )
        .replaceAll(/^# TYPE (\w+)_total counter$/gm, '# TYPE $1 counter')
      // What a scrape counts is another figure in the next one.
      const about = (scraped: string): string[] =>
        scraped.split('\n').filter(line => line.startsWith('#') && !line.startsWith('# generated_at'))
      expect(about(text)).toEqual(about(isOpenMetrics ? `${named}# EOF\n` : plain.text))
      expect(headers.get('content-type')).toMatch(
        isOpenMetrics ? /^application\/openmetrics-text; version=1\.0\.0; charset=utf-8$/ : /^text\/plain;/,
      )
    })

    test('that are no counters end in _total only where the specification names them so', async () => {
      const { metrics } = parsePrometheus((await (await makeService()).call('GET /metrics')).text)
      const odd = [...metrics].filter(([name, { type }]) => type !== 'counter' && name.endsWith('_total'))
      expect(odd.map(([name]) => name).toSorted()).toEqual(GAUGES.slice(0, 4).concat(GAUGES[5]!).toSorted())
    })

    test('of a new ledger can be scraped as well', async () => {
      const service = await makeService()
      const { metrics } = parsePrometheus((await service.call('GET /metrics')).text)
      expect([...metrics.keys()].slice(0, GAUGES.length).sort()).toEqual([...GAUGES].sort())
      expect(metrics.get('service_actions_total')!.samples).toEqual([{ labels: {}, value: 0 }])
    })

    test('name the same schema version as the doctor checks', async () => {
      const service = await makeService()
      const { schema_version } = await ok(service.call('GET /v1/metrics'))
      const { checks } = await ok(service.call('GET /v1/doctor'))
      expect(checks[0]).toMatchObject({ name: 'schema_migrations', ok: true })
      expect(checks[0].detail).toContain(String(schema_version))
    })
  })
}

/** Two tables, three releases, twenty events; four actions, one of them blocked; two pointers. */
async function busy(service: TestService): Promise<void> {
  const { baseline, candidate } = await twoReleases(service)
  await importPrices(service, { provider: 'other', pricing_version: 'v1', entries: [] })
  const other = await register(service, { agent: 'other' })
  await ok(promote(service, baseline))
  await ok(promote(service, other))
  await setPolicy(service, { max_error_rate: 0 })
  await ok(rollback(service, candidate))
  await setPolicy(service, { max_cost_per_run_usd: 0 })
  expect((await promote(service, baseline)).status).toBe(409)
}

function byAction(a: { labels: Record<string, string> }, b: { labels: Record<string, string> }): number {
  return a.labels.action! < b.labels.action! ? -1 : 1
}
