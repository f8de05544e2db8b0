import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { DiagLogLevel, SpanStatusCode, diag } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acceptedAnswer, refusedAnswer } from '../../../../src/features/traces/answer.ts'
import { formatOf } from '../../../../src/features/traces/body.ts'
import type { Outcome } from '../../../../src/features/traces/receive.ts'
import type { DraftedEvent } from '../../../../src/features/traces/runs.ts'
import { RESOURCE } from '../../../support/otlp/exports.ts'
import { testReceiver } from '../../../support/otlp/receive.ts'
import { decode } from '../../../support/otlp/schema.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const refusing = (refused: Map<string, number>): Outcome => ({
  refused,
  waiting: new Map(),
  warnings: [],
  notes: [],
})

describe('answers', () => {
  test('to an export that was taken whole are empty', () => {
    expect(text(acceptedAnswer('json', refusing(new Map())).body)).toBe('{}')
    expect(acceptedAnswer('protobuf', refusing(new Map())).body).toHaveLength(0)
  })

  test('tell what was rejected and why, the most frequent reason first', () => {
    const rejections = refusing(
      new Map([
        ['too old', 2],
        ['tōo new', 300],
      ]),
    )
    const errorMessage = 'Spans that made no run: 300 × tōo new; 2 × too old'
    const { contentType, body } = acceptedAnswer('json', rejections)
    expect(contentType).toBe('application/json')
    expect(JSON.parse(text(body))).toEqual({ partialSuccess: { rejectedSpans: '302', errorMessage } })
    const inProtobuf = acceptedAnswer('protobuf', rejections)
    expect(inProtobuf.contentType).toBe('application/x-protobuf')
    expect(decode('ExportTraceServiceResponse', inProtobuf.body)).toEqual({
      partialSuccess: { rejectedSpans: '302', errorMessage },
    })
  })

  test('tell warnings beside what was rejected, or beside nothing', () => {
    const warnings = ['no price for m9', 'no such place'.repeat(20)]
    const message = `Warning: ${warnings[0]}; Warning: ${warnings[1]}`
    const [json, protobuf] = (['json', 'protobuf'] as const).map(format =>
      acceptedAnswer(format, { ...refusing(new Map()), warnings }),
    )
    expect(JSON.parse(text(json!.body))).toEqual({
      partialSuccess: { rejectedSpans: '0', errorMessage: message },
    })
    expect(decode('ExportTraceServiceResponse', protobuf!.body)).toEqual({
      partialSuccess: { errorMessage: message },
    })
    const outcome = { ...refusing(new Map([['too old', 2]])), warnings: ['odd'] }
    const both = JSON.parse(text(acceptedAnswer('json', outcome).body)) as object
    expect(both).toEqual({
      partialSuccess: {
        rejectedSpans: '2',
        errorMessage: 'Spans that made no run: 2 × too old; Warning: odd',
      },
    })
  })

  test('stay short, whatever the number of reasons', () => {
    const rejections = refusing(
      new Map(Array.from({ length: 5000 }, (_, index) => [`${index}`.repeat(500), 1])),
    )
    expect(acceptedAnswer('protobuf', rejections).body.length).toBeLessThan(2200)
    const short = refusing(new Map(Array.from({ length: 12 }, (_, index) => [`reason ${index}`, 1])))
    expect(text(acceptedAnswer('json', short).body)).toContain('and 2 more reasons')
  })

  test('say with a count of 0 what waits and what is odd', () => {
    const outcome = {
      refused: new Map(),
      waiting: new Map([['it waits', 3]]),
      warnings: ['twice?'],
      notes: [],
    }
    const errorMessage = 'Spans that wait for others of their trace: 3 × it waits; Warning: twice?'
    expect(JSON.parse(text(acceptedAnswer('json', outcome).body))).toEqual({
      partialSuccess: { rejectedSpans: '0', errorMessage },
    })
    const { body } = acceptedAnswer('protobuf', outcome)
    expect(decode('ExportTraceServiceResponse', body)).toEqual({ partialSuccess: { errorMessage } })
  })

  test('that refuse are a Status', () => {
    expect(text(refusedAnswer('json', 'no').body)).toBe('{"message":"no"}')
    expect(decode('RpcStatus', refusedAnswer('protobuf', 'é'.repeat(200)).body)).toEqual({
      message: 'é'.repeat(200),
    })
  })
})

/** A server that makes runs of what it is sent, as the service does. */
async function receiver() {
  const events: DraftedEvent[] = []
  const service = testReceiver()
  const server = createServer(async (request, response) => {
    const format = formatOf(request.headers['content-type'] ?? null)
    const bytes = Uint8Array.from(await buffer(request))
    const encoding = request.headers['content-encoding'] ?? null
    const { events: stored, answer } = await service.send({ bytes, format, encoding }, Date.now())
    events.push(...stored)
    response.writeHead(200, { 'content-type': answer.contentType }).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { events, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` }
}

describe.each([
  ['exporter-trace-otlp-http', JsonExporter],
  ['exporter-trace-otlp-proto', ProtobufExporter],
])('the stock %s', (_name, Exporter) => {
  test.each(['none', 'gzip'])('sends with compression %s, and understands the answer', async compression => {
    const { events, url } = await receiver()
    const problems: string[] = []
    const log = (...texts: unknown[]): void =>
      void problems.push(texts.map(part => JSON.stringify(part)).join(' '))
    const quiet = (): void => {}
    diag.setLogger({ error: log, warn: log, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN)
    onTestFinished(() => diag.disable())
    const exporter = new Exporter({ url, compression: compression as never })
    const provider = new TracerProvider({
      resource: resourceFromAttributes(RESOURCE),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    })
    const tracer = provider.getTracer('test')
    const agent = tracer.startSpan('invoke_agent bot', {
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.request.model': 'm1',
        'gen_ai.usage.input_tokens': 300,
        'gen_ai.usage.output_tokens': 50,
      },
    })
    agent.recordException(new TypeError('as asked'))
    agent.setStatus({ code: SpanStatusCode.ERROR })
    agent.end()
    tracer
      .startSpan('chat', { attributes: { 'gen_ai.usage.input_tokens': 1, 'gen_ai.usage.output_tokens': 1 } })
      .end()
    await provider.shutdown()
    expect(events).toMatchObject([
      {
        metrics: { success: false, error_type: 'TypeError' },
        usage: { model: { model: 'm1', input_tokens: 300, output_tokens: 50 } },
      },
    ])
    expect(problems.join('\n')).toMatch(
      /partial success.*1 × it reports tokens, but has no agent span above it/i,
    )
  })
})
