import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type TestSpan, jsonExport, protobufExport } from '../../../support/otlp/exports.ts'
import { decode } from '../../../support/otlp/schema.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import type { Answer } from '../../../support/services/call.ts'
import { diff, ingest, ok } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

export const PROTOBUF = { 'content-type': 'application/x-protobuf' }

/** A run of `bot`: an agent span and a call below it. */
export function runSpans(id: number, endMs: number, input = 1000, output = 500, model = 'm1'): TestSpan[] {
  const [trace, times] = [id, { startMs: endMs - 100, endMs }]
  return [
    { id: id * 10, trace, ...times, attributes: { 'gen_ai.operation.name': 'invoke_agent' } },
    {
      id: id * 10 + 1,
      trace,
      parent: id * 10,
      ...times,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.output_tokens': output,
      },
    },
  ]
}

/** Attributes of the resource of a release. */
export const resourceOf = (version: string) => ({
  'service.name': 'bot',
  'service.version': version,
  'deployment.environment.name': 'local',
})

/** How an export may be written down. */
const FORMS = {
  JSON: (spans: readonly TestSpan[], version: string) => ({
    body: jsonExport({ attributes: resourceOf(version), spans }),
    headers: {},
  }),
  'JSON with gzip': (spans: readonly TestSpan[], version: string) => ({
    body: gzipSync(jsonExport({ attributes: resourceOf(version), spans })),
    headers: { 'content-encoding': 'gzip' },
  }),
  protobuf: (spans: readonly TestSpan[], version: string) => ({
    body: protobufExport({ attributes: resourceOf(version), spans }),
    headers: PROTOBUF,
  }),
  'protobuf with gzip': (spans: readonly TestSpan[], version: string) => ({
    body: gzipSync(protobufExport({ attributes: resourceOf(version), spans })),
    headers: { ...PROTOBUF, 'content-encoding': 'gzip' },
  }),
} as const

/** What POST /v1/traces stores. */
export function tracesContract(makeService: MakeService): void {
  describe.each(Object.entries(FORMS))('spans in %s', (_name, form) => {
    test('make the diff that hand-made events make', async () => {
      const service = await tracedReleases(makeService)
      const [one, two] = [service.releases.one, service.releases.two]
      for (const [release, version] of [
        [one, '1'],
        [two, '2'],
      ] as const) {
        for (let index = 0; index < 12; index++) {
          const at = NOON - 1000 * (index + 1)
          const [input, output] = [700 + index * 13, 90 + index]
          await ingest(service, [
            eventOf({
              release_id: release,
              run_id: `${release}-${index}`,
              at,
              latency: 100,
              input,
              output,
              environment: 'hand',
            }),
          ])
          const { body, headers } = form(runSpans(index + Number(version) * 100, at, input, output), version)
          expect((await send(service, body, headers)).status).toBe(200)
        }
      }
      const [byHand, bySpans] = await Promise.all(
        ['hand', 'local'].map(environment => ok(diff(service, [one, two], { environment }))),
      )
      expect(bySpans.samples).toEqual(byHand.samples)
      expect(bySpans.samples.candidate_runs).toBe(12)
      expect(bySpans.metrics).toEqual(byHand.metrics)
    })

    test('are stored once, however often they come', async () => {
      const service = await tracedReleases(makeService)
      const { body, headers } = form(runSpans(1, NOON - 1000), '1')
      for (let time = 0; time < 3; time++) expect((await send(service, body, headers)).status).toBe(200)
      expect(await eventsOf(service)).toMatchObject([
        {
          run_id: `otlp:${'1'.padStart(32, '0')}:${'a'.padStart(16, '0')}`,
          release_id: service.releases.one,
          timestamp: '2026-01-31T11:59:59.000Z',
          metrics: { success: true, latency_ms: 100 },
          usage: { model: { provider: 'acme', model: 'm1', input_tokens: 1000, output_tokens: 500 } },
        },
      ])
    })
  })

  describe('spans', () => {
    test('that make no run are told of, and those beside them stored', async () => {
      const service = await tracedReleases(makeService)
      const spans = [...runSpans(1, NOON - 1000), ...runSpans(2, NOON - 1000, 5, 5, 'm9')]
      const { body } = await send(service, jsonExport({ attributes: resourceOf('1'), spans }))
      expect(body).toEqual({
        partialSuccess: {
          rejectedSpans: '1',
          errorMessage:
            'Spans that made no run: 1 × the price table acme/v1 of its release has no entry for m9: ' +
            'add it with `svc pricing import --replace`',
        },
      })
      expect(await eventsOf(service)).toHaveLength(1)
      expect(service.logged.map(({ level, message }) => [level, message])).toContainEqual([
        'warn',
        'spans that made no run',
      ])
    })

    test('of protobuf are answered in protobuf', async () => {
      const service = await tracedReleases(makeService)
      const whole = await send(service, FORMS.protobuf(runSpans(1, NOON - 1000), '1').body, PROTOBUF)
      expect([whole.headers.get('content-type'), whole.text]).toEqual(['application/x-protobuf', ''])
      const part = await send(service, FORMS.protobuf(runSpans(2, NOON - 1000), '9').body, PROTOBUF)
      expect(decode('ExportTraceServiceResponse', new TextEncoder().encode(part.text))).toEqual({
        partialSuccess: {
          rejectedSpans: '1',
          errorMessage: expect.stringContaining('no release of bot has version 9: register it'),
        },
      })
    })

    test('with times in milliseconds, long past, are told of', async () => {
      const service = await tracedReleases(makeService)
      const spans = runSpans(1, Math.floor(NOON / 1e6))
      const { partialSuccess } = await ok(send(service, jsonExport({ attributes: resourceOf('1'), spans })))
      expect(partialSuccess.errorMessage).toMatch(/^Warning: 1 event is more than a year old .*1970/)
    })

    test('of a run name its release by id too', async () => {
      const service = await tracedReleases(makeService)
      const [root, call] = runSpans(1, NOON - 1000)
      const attributes = { ...root!.attributes, 'release_governance.release_id': service.releases.two }
      await ok(
        send(service, jsonExport({ attributes: resourceOf('1'), spans: [{ ...root!, attributes }, call!] })),
      )
      expect(await eventsOf(service, service.releases.two)).toHaveLength(1)
    })

    test('of thousands of runs in one request are all stored', async () => {
      const service = await tracedReleases(makeService)
      const spans = Array.from({ length: 1200 }, (_, index) => runSpans(index + 1, NOON - 1000)).flat()
      await ok(send(service, jsonExport({ attributes: resourceOf('1'), spans })))
      const { counters } = await ok(service.call('GET /v1/metrics'))
      expect(counters.run_events_total).toBe(1200)
    })
  })
}

/** Two releases of `bot` that differ in version, at the prices of m1. */
export async function tracedReleases(
  makeService: MakeService,
): Promise<TestService & { releases: { one: string; two: string } }> {
  const service = await makeService()
  await importPrices(service)
  const one = await register(service, { version: '1' })
  return { ...service, releases: { one, two: await register(service, { version: '2' }) } }
}

export function send(
  service: TestService,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return service.call('POST /v1/traces', { body, headers })
}

async function eventsOf(
  service: TestService & { releases: { one: string } },
  release_id = service.releases.one,
): Promise<unknown[]> {
  return (await ok(service.call('GET /v1/runs', { query: { release_id, window: '1h' } }))).events
}
