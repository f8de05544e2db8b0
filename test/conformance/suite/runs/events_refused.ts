import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { eventOf } from '../../../support/services/builders.ts'
import { ok, refusal, unprocessableAt } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

const BEFORE_1970 = '1969-12-31T23:59:59.999Z'

/** What POST /v1/events refuses, with which status and in which words; and that it then wrote nothing. */
export function refusedEventsContract(makeService: MakeService): void {
  const post = (service: TestService, body: unknown, headers: Record<string, string> = {}) =>
    service.call('POST /v1/events', { body, headers })

  describe('a body of the wrong shape is 422', () => {
    test.each([
      ['an empty events array', '{"events":[]}', ['body', 'events']],
      ['no events', '{}', ['body', 'events']],
      ['null events', '{"events":null}', ['body', 'events']],
      ['events that are an object', '{"events":{"0":{}}}', ['body', 'events']],
      ['events that are a text', '{"events":"[]"}', ['body', 'events']],
      ['a bare array', '[]', ['body']],
      ['a bare event', JSON.stringify(eventOf({ release_id: 'r', run_id: 'a' })), ['body', 'events']],
      ['null', 'null', ['body']],
      ['a number', '1', ['body']],
      ['a text', '"events"', ['body']],
      ['a number for an event', '{"events":[1]}', ['body', 'events', 0]],
      ['null for an event', '{"events":[{},null]}', ['body', 'events', 1]],
      ['an array for an event', '{"events":[[]]}', ['body', 'events', 0]],
      ['malformed JSON', '{"events":[', ['body']],
      ['JSON with a trailing comma', '{"events":[],}', ['body']],
      ['JSON Lines', '{"a":1}\n{"a":2}', ['body']],
      ['nothing', '', ['body']],
    ])('%s', async (_what, text, loc) => {
      const service = await makeService()
      expect(await unprocessableAt(post(service, text))).toEqual([loc])
    })

    test('bytes that are no UTF-8', async () => {
      const service = await makeService()
      const bytes = new TextEncoder().encode('{"events":[{"run_id":"?"}]}')
      bytes[bytes.indexOf(63)] = 0xff
      expect(await unprocessableAt(post(service, bytes))).toEqual([['body']])
    })

    test('bytes in an encoding that is not taken, which is 415', async () => {
      const service = await makeService()
      const body = gzipSync(JSON.stringify({ events: [eventOf({ release_id: 'r', run_id: 'a' })] }))
      const sent = post(service, Uint8Array.from(body), { 'content-encoding': 'gzip' })
      expect(await refusal(sent, 415)).toMatch(/Content-Encoding gzip.*without one; \/v1\/traces and/)
      expect(await stored(service)).toBe(0)
    })

    test.each(['text/plain', 'application/x-ndjson', 'application/jsonp', 'multipart/form-data', ''])(
      'the content type %j',
      async type => {
        const service = await makeService()
        const body = { events: [eventOf({ release_id: 'r', run_id: 'a' })] }
        expect(await unprocessableAt(post(service, body, { 'content-type': type }))).toEqual([['body']])
        expect(await stored(service)).toBe(0)
      },
    )

    test.each(['application/json', 'Application/JSON', 'application/json; charset=utf-8'])(
      'but not the content type %s',
      async type => {
        const service = await makeService()
        const body = { events: [eventOf({ release_id: 'r', run_id: 'a' })] }
        expect(await ok(post(service, body, { 'content-type': type }))).toMatchObject({ inserted: 1 })
      },
    )
  })

  describe('an api_version that is not v1 is 400', () => {
    test.each([
      ['"v2"', "'v2'"],
      ['"V1"', "'V1'"],
      ['" v1"', "' v1'"],
      ['""', "''"],
      ['null', 'null'],
      ['1', '1'],
      ['true', 'true'],
      ['["v1"]', '["v1"]'],
      ['{"v":1}', '{"v":1}'],
    ])('%s', async (json, shown) => {
      const service = await makeService()
      const event = JSON.stringify(eventOf({ release_id: 'r', run_id: 'a' }))
      const text = `{"events":[${event.replace('{', `{"api_version":${json},`)}]}`
      expect(await refusal(post(service, text), 400)).toBe(
        `Unsupported api_version for POST /v1/events: ${shown} (only 'v1' is accepted).`,
      )
      expect(await stored(service)).toBe(0)
    })

    test('and is looked at before the fields of its event', async () => {
      const service = await makeService()
      const detail = await refusal(post(service, { events: [{ api_version: 'v2' }] }), 400)
      expect(detail).toMatch(/^Unsupported api_version/)
    })

    test('but events are looked at in their order', async () => {
      const service = await makeService()
      const events = [{ run_id: 'first' }, { api_version: 'v2' }]
      expect(await refusal(post(service, { events }), 400)).toMatch(/^Invalid RunEvent: /)
      expect(await refusal(post(service, { events: events.toReversed() }), 400)).toMatch(/^Unsupported/)
    })

    test('while v1, or none at all, is accepted', async () => {
      const service = await makeService()
      const events = [
        { ...eventOf({ release_id: 'r', run_id: 'a' }), api_version: 'v1' },
        eventOf({ release_id: 'r', run_id: 'b' }),
      ]
      expect(await ok(post(service, { events }))).toMatchObject({ inserted: 2 })
    })
  })

  describe('an invalid field is 400 and is named with its run', () => {
    test.each(FAULTS)('%s = %s', async (path, json) => {
      const service = await makeService()
      const event = withField(eventOf({ release_id: 'r', run_id: 'run-7' }), path, json)
      const detail = await refusal(post(service, `{"events":[${event}]}`), 400)
      expect(detail.startsWith('Invalid RunEvent: ')).toBe(true)
      expect(detail).toContain(
        path
          .split('.')
          .at(-1)!
          .replaceAll(/\[.*\]/g, ''),
      )
      expect(detail).not.toContain('\n')
      expect(detail).toContain(path === 'run_id' ? 'events[0]' : 'run-7')
      expect(await stored(service)).toBe(0)
    })

    test('and so is an event of more than 256,000 bytes', async () => {
      const service = await makeService()
      const event = eventOf({ release_id: 'r', run_id: 'run-7' })
      const labelled = (bytes: number) => ({ ...event, labels: { note: 'é'.repeat(bytes / 2) } })
      const detail = await refusal(post(service, { events: [labelled(256_000)] }), 400)
      expect(detail).toMatch(/^Invalid RunEvent: .*run-7.*256000 bytes/)
      expect(await ok(post(service, { events: [labelled(255_000)] }))).toMatchObject({ inserted: 1 })
    })

    test('with its place in the request', async () => {
      const service = await makeService()
      const events = [0, 1, 2].map(index => eventOf({ release_id: 'r', run_id: `run-${index}` }))
      delete events[2]!.timestamp
      const detail = await refusal(post(service, { events }), 400)
      expect(detail).toMatch(/^Invalid RunEvent: .*2.*run-2.*timestamp/)
    })
  })

  describe('what is refused has written nothing', () => {
    test.each([0, 1, 250, 499, 500, 700])('when event %i of 701 is at fault', async position => {
      const service = await makeService()
      const events = Array.from({ length: 701 }, (_, index) =>
        eventOf({ release_id: 'r', run_id: `run-${index}` }),
      )
      events[position]!.tenant_id = null
      expect(await refusal(post(service, { events }), 400)).toContain(`events[${position}]`)
      expect(await stored(service)).toBe(0)
    })
  })
}

const INTEGERS = [
  'usage.model.input_tokens',
  'usage.model.output_tokens',
  'usage.model.cached_input_tokens',
  'usage.tools[0].invocations',
  'metrics.latency_ms',
]
const NOT_COUNTS = ['1.5', '"10"', 'true', '-1', '9007199254740992', '1e999', '[1]', '{}']
const REQUIRED = ['timestamp', 'agent_id', 'release_id', 'run_id', 'tenant_id', 'task_id', 'environment']

/** A field and a JSON text that it doesn't take; the text `absent` leaves the field out. */
const FAULTS: (readonly [path: string, json: string])[] = [
  ...[...REQUIRED, 'usage', 'usage.model', 'usage.model.provider', 'usage.model.model'].map(
    path => [path, 'absent'] as const,
  ),
  ...['usage.model.input_tokens', 'usage.model.output_tokens', 'usage.tools[0].tool_name'].map(
    path => [path, 'absent'] as const,
  ),
  ...REQUIRED.flatMap(path => [[path, 'null'] as const, [path, '7'] as const]),
  ...INTEGERS.flatMap(path => NOT_COUNTS.map(json => [path, json] as const)),
  ['usage.model.input_tokens', 'null'],
  ['usage.tools[0].invocations', 'null'],
  ['usage.tools[0].cost_units', '-0.5'],
  ['usage.tools[0].cost_units', '1e999'],
  ['usage.tools[0].cost_units', '"1"'],
  ['usage.tools', '{}'],
  ['usage.model', '[]'],
  ['metrics', '[]'],
  ['metrics', '"ok"'],
  ['metrics.success', '"true"'],
  ['metrics.success', '1'],
  ['metrics.success', 'null'],
  ['metrics.error_type', '5'],
  ['labels', '[]'],
  ['labels', '{"a":1}'],
  ['labels', '{"a":null}'],
  ['request', '"trace"'],
  ['request', '[]'],
  ['request.trace_id', '5'],
  ['type', '"run_middle"'],
  ['type', 'null'],
  ['workspace_id', '1'],
  ['run_id', '""'],
  ['agent_id', '""'],
  ['release_id', '""'],
  ['environment', '""'],
  ['agent_id', `"${'x'.repeat(513)}"`],
  ['tenant_id', `"${'é'.repeat(257)}"`],
  ['timestamp', '"yesterday"'],
  ['timestamp', '"2026-01-31"'],
  ['timestamp', '"2026-02-30T12:00:00Z"'],
  ['timestamp', '"2026-01-31T25:00:00Z"'],
  ['timestamp', '"2026-01-31T12:00:00+25:00"'],
  ['timestamp', `"${BEFORE_1970}"`],
  ['timestamp', '1769860800000'],
  ...['tenant_id', 'task_id', 'metrics.error_type', 'usage.tools[0].tool_name', 'request.span_id'].flatMap(
    path => [[path, '"a\\u0000b"'] as const, [path, '"\\ud800"'] as const, [path, '"\\udc00x"'] as const],
  ),
  ['labels', '{"a\\u0000":"b"}'],
]

/** The JSON text of an event with the value at `path` replaced by a JSON text. */
function withField(event: Record<string, unknown>, path: string, json: string): string {
  const copy = structuredClone(event) as { usage: { tools?: unknown[] }; request?: unknown; metrics: object }
  copy.usage.tools = [{ tool_name: 'search', invocations: 1, cost_units: 0.5 }]
  copy.request ??= { trace_id: 't' }
  const keys = path.split(/\.|(?=\[)/).map(key => key.replaceAll(/[[\]]/g, ''))
  const parent = keys
    .slice(0, -1)
    .reduce<Record<string, unknown>>((node, key) => node[key] as Record<string, unknown>, copy as never)
  parent[keys.at(-1)!] = json === 'absent' ? undefined : 'REPLACED'
  return JSON.stringify(copy).replace('"REPLACED"', () => json)
}

async function stored(service: TestService): Promise<number> {
  return (await ok(service.call('GET /v1/metrics'))).counters.run_events_total
}
