import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { jsonExport, protobufExport } from '../../../support/otlp/exports.ts'
import { decode } from '../../../support/otlp/schema.ts'
import { ok } from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'
import { PROTOBUF, runSpans, send, tracedReleases } from './traces.ts'

const GZIP = { 'content-encoding': 'gzip' }
const whole = (): Uint8Array => protobufExport({ spans: runSpans(1, NOON - 1000) })
const nested = (depth: number): string => '{"resourceSpans":['.repeat(depth)

interface Refused {
  readonly name: string
  readonly body: string | Uint8Array
  readonly headers?: Record<string, string>
  readonly status: number
  readonly says: string
}

const BODIES: readonly Refused[] = [
  { name: 'no JSON', body: '{', status: 400, says: 'the body is not valid JSON' },
  { name: 'other JSON', body: '[]', status: 400, says: 'the body must be an object' },
  {
    name: 'a list that is none',
    body: '{"resourceSpans":7}',
    status: 400,
    says: 'resourceSpans must be a list',
  },
  { name: 'no text', body: Uint8Array.of(0xff, 0xfe), status: 400, says: 'it is not valid UTF-8' },
  { name: 'cut protobuf', body: whole().subarray(0, -3), headers: PROTOBUF, status: 400, says: 'is cut off' },
  {
    name: 'cut gzip',
    body: gzipSync(whole()).subarray(0, -9),
    headers: { ...PROTOBUF, ...GZIP },
    status: 400,
    says: 'not valid gzip',
  },
  { name: 'no gzip', body: whole(), headers: { ...PROTOBUF, ...GZIP }, status: 400, says: 'not valid gzip' },
  {
    name: 'a bomb of gzip',
    body: gzipSync(Buffer.alloc(40_000_000)),
    headers: GZIP,
    status: 413,
    says: 'send smaller batches',
  },
  { name: 'a bomb of nesting', body: nested(100_000), status: 400, says: 'levels deep' },
  {
    name: 'another type',
    body: 'x',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    says: 'application/x-protobuf or application/json',
  },
  {
    name: 'another encoding',
    body: '{}',
    headers: { 'content-encoding': 'br' },
    status: 415,
    says: 'gzip, or none',
  },
  {
    name: 'too many bytes',
    body: '['.repeat(17 * 1024 * 1024),
    status: 413,
    says: 'larger than 16777216 bytes',
  },
]

const SPANS = [
  ['ids in base64', { traceId: 'W47/95gDgQPSabYzgT/GDA==' }, 'traceId, spanId or parentSpanId is not'],
  [
    'a time in the future',
    { startTimeUnixNano: '1769950740000000000', endTimeUnixNano: '1769950741000000000' },
    'it ends in the future',
  ],
  ['no end', { endTimeUnixNano: undefined }, 'startTimeUnixNano or endTimeUnixNano is missing'],
  ['negative tokens', { tokens: { intValue: '-5' } }, 'the input tokens must be a whole number'],
  ['half a token', { tokens: { doubleValue: 1.5 } }, 'the input tokens must be a whole number'],
  [
    'tokens past all bounds',
    { tokens: { intValue: '9000000000000' } },
    'it used more than 1000000000000 tokens',
  ],
] as const

/** What POST /v1/traces does not take. */
export function refusedTracesContract(makeService: MakeService): void {
  describe('an export of spans', () => {
    test.each(BODIES)('that is $name is refused as OTLP has it, and nothing is stored', async given => {
      const service = await tracedReleases(makeService)
      const answer = await send(service, given.body, given.headers)
      expect(answer.status, answer.text).toBe(given.status)
      const isProtobuf = given.headers?.['content-type'] === PROTOBUF['content-type']
      const { message } = (
        isProtobuf ? decode('RpcStatus', new TextEncoder().encode(answer.text)) : answer.body
      ) as { message: string }
      expect(message).toContain(given.says)
      expect((await ok(service.call('GET /v1/metrics'))).counters.run_events_total).toBe(0)
    })

    test.each(SPANS)('with %s is taken but for it', async (_name, { tokens, ...fields }: Fields, says) => {
      const service = await tracedReleases(makeService)
      const exported = JSON.parse(
        jsonExport({
          attributes: { 'service.name': 'bot', 'service.version': '1', 'deployment.environment': 'local' },
          spans: [...runSpans(1, NOON - 1000), ...runSpans(2, NOON - 1000)],
        }),
      )
      const spans = exported.resourceSpans[0].scopeSpans[0].spans as Record<string, any>[]
      if (tokens === undefined) Object.assign(spans[2]!, fields)
      else
        spans[3]!.attributes.find(({ key }: { key: string }) => key.endsWith('input_tokens')).value = tokens
      const { partialSuccess } = await ok(send(service, JSON.stringify(exported)))
      expect(partialSuccess.errorMessage).toContain(says)
      expect((await ok(service.call('GET /v1/metrics'))).counters.run_events_total).toBe(1)
    })

    test('of more spans than a request may hold is refused', async () => {
      const service = await tracedReleases(makeService)
      const span = '{"traceId":"","spanId":""}'
      const many = `{"resourceSpans":[{"scopeSpans":[{"spans":[${Array.from({ length: 20_001 }, () => span).join(',')}]}]}]}`
      const { status, body } = await send(service, many)
      expect([status, body.message]).toEqual([
        400,
        'This is not an OTLP export of traces: more than 20000 spans; send smaller batches.',
      ])
    })

    test('without a token where one is set is refused in the form that it came in', async () => {
      const service = await makeService({ tokens: { main: 'main', ingest: 'in' } })
      const bare = await send(service, whole(), PROTOBUF)
      expect([bare.status, decode('RpcStatus', new TextEncoder().encode(bare.text))]).toEqual([
        401,
        { message: 'A Bearer token is required.' },
      ])
      const headers = { authorization: 'Bearer in' }
      expect((await send(service, '{}', headers)).body).toEqual({})
    })
  })
}

type Fields = { readonly tokens?: unknown; readonly [field: string]: unknown }
