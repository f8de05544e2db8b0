import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { JsonValue } from '@bufbuild/protobuf'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'
import { NOON, type TestSpan, hexId, jsonExport } from '../../test/support/otlp/exports.ts'
import { encode } from '../../test/support/otlp/schema.ts'
import { type Figure, type Scenario, median } from '../harness.ts'
import { benchEvent, benchRelease, servedLedger } from '../ledger.ts'
import { type BenchServer, type Payload, sendAll, startBenchServer } from '../load.ts'

const PER_REQUEST = 500
const ROUNDS = 5
const CLIENTS = 4

/** The same runs as events and as spans, in turn, into a ledger each: what reading spans costs. */
export const otlpScenario: Scenario = {
  name: 'otlp',
  about: `POST /v1/traces, ${PER_REQUEST} runs of three spans per request, in turn with POST /v1/events`,
  run: async ({ quick }, report) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
    const servers: BenchServer[] = []
    try {
      const ways = await Promise.all(
        WAYS.map(async way => {
          const own = join(folder, way.what)
          const { services, close } = await servedLedger(own)
          const release = await benchRelease(services, '1')
          await close()
          const server = await startBenchServer('service', own)
          servers.push(server)
          return { ...way, server, make: way.bodies(release) }
        }),
      )
      const rounds = quick ? 1 : ROUNDS
      const requests = quick ? 2 : 40
      // One round to warm up.
      for (let round = -1; round < rounds; round++) {
        for (const { server, path, make, seen } of ways) {
          const bodies = Array.from({ length: requests }, make)
          const before = await server.usage()
          const seconds = await sendAll([server.url + path], bodies, CLIENTS)
          const { cpuSeconds } = await server.usage()
          const runs = requests * PER_REQUEST
          if (round >= 0)
            seen.push({ rate: runs / seconds, cpuUs: ((cpuSeconds - before.cpuSeconds) * 1e6) / runs })
        }
      }
      for (const figure of figuresOf(ways)) report({ scenario: 'otlp', ...figure })
    } finally {
      await Promise.all(servers.map(server => server.stop()))
      await rm(folder, { recursive: true, force: true })
    }
  },
}

interface Round {
  readonly rate: number
  readonly cpuUs: number
}

interface Way {
  readonly what: string
  readonly path: string
  /** What it has to reach of the rate of events. */
  readonly atLeast?: number
  /** Makes bodies of runs that were in none before. */
  readonly bodies: (release: string) => () => Payload
}

const WAYS = (
  [
    { what: 'events', path: '/v1/events', bodies: eventBodies },
    {
      what: 'protobuf',
      path: '/v1/traces',
      atLeast: 0.6,
      bodies: () => protobufBodies(),
    },
    {
      what: 'protobuf, gzip',
      path: '/v1/traces',
      bodies: () => protobufBodies('gzip'),
    },
    { what: 'JSON', path: '/v1/traces', bodies: jsonBodies },
  ] satisfies Way[]
).map((way: Way) => ({ ...way, seen: [] as Round[] }))

function figuresOf(ways: readonly (Way & { seen: readonly Round[] })[]): Omit<Figure, 'scenario'>[] {
  const events = ways[0]!.seen
  return ways.flatMap(({ what, seen, atLeast }) => [
    { what: `${what}: rate`, value: median(seen.map(({ rate }) => rate)), unit: 'events/s' as const },
    {
      what: `${what}: CPU of the service per run`,
      value: median(seen.map(({ cpuUs }) => cpuUs)),
      unit: 'µs' as const,
    },
    ...(seen === events
      ? []
      : [
          {
            what: `${what} / events`,
            value: median(seen.map(({ rate }, round) => rate / events[round]!.rate)),
            unit: 'x' as const,
            ...(atLeast === undefined ? {} : { target: { atLeast } }),
          },
        ]),
  ])
}

/** What the ids of all traces of a template begin with, and what stands there in each body instead. */
const MARK = 'feedfacecafebeef'
let drawn = 0
const nextMark = (): string => (Date.now() * 1000 + drawn++).toString(16).padStart(16, '0')

function eventBodies(release: string): () => Payload {
  const events = RUNS.map((event, index) => {
    const trace_id = MARK + hexId(index + 1, 16)
    return {
      ...event,
      release_id: release,
      run_id: `otlp:${trace_id}:${hexId(1, 16)}`,
      request: { ...event.request!, trace_id, span_id: hexId(1, 16) },
    }
  })
  const text = JSON.stringify({ events })
  return () => ({ body: text.replaceAll(MARK, nextMark()) })
}

function jsonBodies(): () => Payload {
  return () => ({ body: SPANS.replaceAll(MARK, nextMark()) })
}

function protobufBodies(encoding?: 'gzip'): () => Payload {
  // In JSON, the encoder wants ids as every other field of bytes: in base64.
  const spans = JSON.parse(SPANS, (key, value: unknown) =>
    IDS.has(key) ? Buffer.from(String(value), 'hex').toString('base64') : value,
  ) as JsonValue
  const made = Buffer.from(encode('ExportTraceServiceRequest', spans))
  const mark = Buffer.from(MARK, 'hex')
  const places: number[] = []
  for (let at = made.indexOf(mark); at >= 0; at = made.indexOf(mark, at + 1)) places.push(at)
  const headers = { 'content-type': 'application/x-protobuf' }
  return () => {
    const [body, own] = [Buffer.from(made), Buffer.from(nextMark(), 'hex')]
    for (const at of places) own.copy(body, at)
    if (encoding === undefined) return { body, headers }
    return { body: gzipSync(body, { level: 1 }), headers: { ...headers, 'content-encoding': encoding } }
  }
}

const IDS: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId'])

const RUNS = Array.from({ length: PER_REQUEST }, (_, index) => benchEvent('', index, NOON))

/** The runs as spans in JSON. */
const SPANS = jsonExport({
  attributes: { 'service.name': 'bench', 'service.version': '1', 'telemetry.sdk.language': 'nodejs' },
  spans: RUNS.flatMap((event, index) => spansOf(event, index + 1)),
}).replaceAll('"traceId":"0000000000000000', `"traceId":"${MARK}`)

/** An agent, its call of a model and its call of a tool, with what instrumentations say of them by default. */
function spansOf({ metrics, usage, ...event }: StoredEvent, trace: number): TestSpan[] {
  const { model, input_tokens, cached_input_tokens, output_tokens } = usage.model
  const times = { startMs: NOON - metrics.latency_ms!, endMs: NOON }
  const agent = { 'gen_ai.agent.name': 'bench', 'gen_ai.conversation.id': event.request!.session_id! }
  return [
    {
      ...times,
      id: 1,
      trace,
      failed: !metrics.success,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'acme',
        'gen_ai.request.model': model,
        ...agent,
        'release_governance.tenant_id': event.tenant_id,
        'release_governance.task_id': event.task_id,
        'deployment.environment.name': event.environment,
      },
    },
    {
      ...times,
      id: 2,
      trace,
      parent: 1,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'acme',
        'gen_ai.request.model': model,
        'gen_ai.response.model': model,
        'gen_ai.response.id': `resp-${trace}`,
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.output.type': 'text',
        'gen_ai.usage.input_tokens': input_tokens + cached_input_tokens,
        'gen_ai.usage.cache_read.input_tokens': cached_input_tokens,
        'gen_ai.usage.output_tokens': output_tokens,
        ...agent,
      },
    },
    {
      ...times,
      id: 3,
      trace,
      parent: 1,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': usage.tools[0]!.tool_name,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': `call-${trace}`,
      },
    },
  ]
}
