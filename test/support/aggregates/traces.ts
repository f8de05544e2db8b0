import { HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import { usageOf } from '../../../src/spans/event.ts'
import { hexId, type TestSpan } from '../otlp/exports.ts'
import { AGENT } from '../otlp/spans.ts'
import { NOON } from '../services/service.ts'
import { eventOf } from '../services/builders.ts'
import type { EngineTable } from './engines.ts'

/** A run as spans tell it. */
interface Trace {
  readonly id: number
  readonly version: 1 | 2
  readonly environment: string
  /** When it ends, epoch ms. */
  readonly at: number
  readonly latency: number
  readonly failed: boolean
  readonly calls: readonly Call[]
  readonly scores: Readonly<Record<string, number>>
}

interface Call {
  readonly model: 'm1' | 'm2'
  /** Without what is read from a cache, with what is written to one. */
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly written: number
}

/** The agent of the tests' releases, whose price table has m1 and m2 of acme. */
const [AGENT_ID, PROVIDER, MODELS] = ['bot', 'acme', ['m1', 'm2']] as const

/** Runs of the last three days: of one or both models, some failed, some before they called a model. */
export function randomTraces(random: () => number, count: number): Trace[] {
  const whole = (below: number): number => Math.floor(random() * below)
  return Array.from({ length: count }, (_, index) => {
    const failed = random() < 0.2
    const calls = Array.from({ length: failed && random() < 0.3 ? 0 : 1 + whole(3) }, (): Call => {
      const written = random() < 0.3 ? whole(5000) : 0
      const model = MODELS[whole(2)]!
      return { model, input: written + 1 + whole(50_000), output: whole(5000), cached: whole(3000), written }
    })
    return {
      id: index + 1,
      version: random() < 0.5 ? 1 : 2,
      environment: random() < 0.7 ? 'local' : 'prod',
      at: NOON - 1 - whole([HOUR_MS, 24 * HOUR_MS, 72 * HOUR_MS][whole(3)]!),
      latency: whole(20 * MINUTE_MS),
      failed,
      calls,
      scores: { helpful: random(), short: random() * 3 - 1 },
    }
  })
}

function spansOf({ id: trace, at: endMs, latency, failed, calls }: Trace): (TestSpan & { scope: string })[] {
  const startMs = endMs - latency
  const root = { trace, id: 1, startMs, endMs, failed, attributes: AGENT, scope: '' }
  const below = calls.map(({ model, input, output, cached, written }, index) => ({
    trace,
    id: index + 2,
    parent: 1,
    startMs,
    endMs: startMs + Math.floor((latency * (index + 1)) / 3),
    ...encoded({ model, input, output, cached, written }, (trace + index) % 4),
  }))
  return [root, ...below]
}

/** A call as four sources write it: two whose input holds the cache, and two that leave it out. */
function encoded({ model, input, output, cached, written }: Call, source: number) {
  const chat = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': PROVIDER,
    'gen_ai.request.model': model,
  }
  const cache = (read: string, write: string) => ({
    ...(cached === 0 ? {} : { [read]: cached }),
    ...(written === 0 ? {} : { [write]: written }),
  })
  const [all, alone] = [input + cached, input - written]
  const today = cache('gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_creation.input_tokens')
  const [newer, older, named, summed] = [
    { ...chat, ...today, 'gen_ai.usage.input_tokens': all, 'gen_ai.usage.output_tokens': output },
    {
      ...chat,
      ...cache('gen_ai.usage.cache_read_input_tokens', 'gen_ai.usage.cache_creation_input_tokens'),
      'gen_ai.usage.prompt_tokens': all,
      'gen_ai.usage.completion_tokens': output,
      'gen_ai.usage.total_tokens': all + output,
    },
    { ...chat, ...today, 'gen_ai.usage.input_tokens': alone, 'gen_ai.usage.output_tokens': output },
    {
      'openinference.span.kind': 'LLM',
      'llm.provider': PROVIDER,
      'llm.model_name': model,
      ...cache('llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_write'),
      'llm.token_count.prompt': alone,
      'llm.token_count.completion': output,
      'llm.token_count.total': all + output,
    },
  ]
  const botocore = 'opentelemetry.instrumentation.botocore.bedrock-runtime'
  return { attributes: [newer, older, named, summed][source]!, scope: source === 2 ? botocore : '' }
}

/** The table of OpenTelemetry's exporter for ClickHouse; one span in ten came twice. */
export function otelTable(traces: readonly Trace[]): EngineTable {
  const rows = traces.flatMap(trace =>
    spansOf(trace).flatMap(span => {
      const row = {
        Timestamp: nanoseconds(span.startMs!),
        TraceId: hexId(span.trace!, 32),
        SpanId: hexId(span.id, 16),
        ScopeName: span.scope,
        ParentSpanId: span.parent === undefined ? '' : hexId(span.parent, 16),
        ResourceAttributes: {
          'service.version': String(trace.version),
          'deployment.environment.name': trace.environment,
        },
        SpanAttributes: Object.fromEntries(
          Object.entries(span.attributes ?? {}).map(([name, value]) => [name, String(value)]),
        ),
        Duration: (span.endMs! - span.startMs!) * 1e6,
        StatusCode: span.failed === true ? 'Error' : 'Unset',
      }
      return trace.id % 10 === 0 ? [row, row] : [row]
    }),
  )
  const columns = `Timestamp DateTime64(9, 'UTC'), TraceId String, SpanId String, ParentSpanId String, ScopeName String,
    ResourceAttributes Map(LowCardinality(String), String), SpanAttributes Map(LowCardinality(String), String),
    Duration UInt64, StatusCode LowCardinality(String)) ENGINE = MergeTree ORDER BY (Timestamp`
  return { name: 'otel_traces', columns, rows }
}

function nanoseconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1).replace('T', ' ')}000000`
}

/** The same as run events. */
export function traceEvents(
  traces: readonly Trace[],
  ids: readonly [string, string],
): Record<string, unknown>[] {
  return traces.map(({ id, version, environment, at, latency, failed, calls, scores }) => {
    const own = MODELS[version - 1]!
    const parts = calls.map(({ model, input, output, cached, written }) => ({
      provider: PROVIDER,
      model,
      counts: {
        input_tokens: input,
        output_tokens: output,
        cached_input_tokens: cached,
        cache_write_input_tokens: written,
      },
    }))
    const event = eventOf({
      release_id: ids[version - 1]!,
      run_id: `t${id}`,
      at,
      environment,
      success: !failed,
      latency,
      model: own,
      input: 0,
      output: 0,
      cached: 0,
      scores,
    })
    return parts.length === 0 ? event : { ...event, usage: usageOf(parts, own) }
  })
}

/** Tables of Langfuse; of one row in ten there is an older version too. */
export function langfuseTables(traces: readonly Trace[]): EngineTable[] {
  const of = (version: string, is_deleted = 0) => ({ project_id: "it's", is_deleted, event_ts: version })
  const twice = <T extends object>(rows: readonly T[], older: (row: T) => T) => [
    ...rows
      .filter((_, index) => index % 10 === 0)
      .map(row => ({ ...older(row), ...of('2026-01-01 00:00:00.000') })),
    ...rows.map(row => ({ ...row, ...of('2026-01-02 00:00:00.000') })),
  ]
  const time = (ms: number): string => new Date(ms).toISOString().slice(0, -1).replace('T', ' ')
  const observations = traces.flatMap(({ id, at, latency, failed, calls }) => [
    {
      id: `o${id}`,
      trace_id: `t${id}`,
      parent_observation_id: null,
      start_time: time(at - latency),
      end_time: time(at),
      level: failed ? 'ERROR' : 'DEFAULT',
      provided_model_name: null,
      usage_details: {},
    },
    ...calls.map(({ model, input, output, cached, written }, index) => ({
      id: `o${id}-${index}`,
      trace_id: `t${id}`,
      parent_observation_id: `o${id}`,
      start_time: time(at - latency),
      end_time: index === 0 ? null : time(at - Math.floor(latency / 2)),
      level: 'DEFAULT',
      provided_model_name: model,
      usage_details: {
        input: input - written,
        output,
        ...(cached === 0 ? {} : { input_cached_tokens: cached }),
        ...(written === 0 ? {} : { cache_creation_input_tokens: written }),
        total: input + output + cached,
      } as Readonly<Record<string, number>>,
    })),
  ])
  const kept = 'project_id String, is_deleted UInt8, event_ts DateTime64(3)'
  const engine = (key: string) => `) ENGINE = ReplacingMergeTree(event_ts, is_deleted) ORDER BY (${key}`
  return [
    {
      name: 'traces',
      columns: `id String, timestamp DateTime64(3, 'UTC'), environment String, name String, release Nullable(String),
        ${kept}${engine('project_id, id')}`,
      rows: twice(
        traces.map(({ id, at, latency, environment, version }) => ({
          id: `t${id}`,
          timestamp: time(at - latency),
          environment,
          name: AGENT_ID,
          release: String(version) as string | null,
        })),
        row => ({ ...row, release: null }),
      ),
    },
    {
      name: 'observations',
      columns: `id String, trace_id String, parent_observation_id Nullable(String), start_time DateTime64(3, 'UTC'),
        end_time Nullable(DateTime64(3, 'UTC')), level String, provided_model_name Nullable(String),
        usage_details Map(String, UInt64), ${kept}${engine('project_id, id')}`,
      rows: twice(observations, row => ({
        ...row,
        usage_details: { input: 1_000_000 } as typeof row.usage_details,
      })),
    },
    {
      name: 'scores',
      columns: `id String, trace_id String, name String, value Nullable(Float64), data_type String,
        timestamp DateTime64(3, 'UTC'), ${kept}${engine('project_id, id')}`,
      rows: twice(
        traces.flatMap(({ id, at, scores }) =>
          Object.entries(scores).map(([name, value]) => ({
            id: `s${id}-${name}`,
            trace_id: `t${id}`,
            name,
            value: value as number | null,
            data_type: 'NUMERIC',
            timestamp: time(at),
          })),
        ),
        row => ({ ...row, value: 9 }),
      ),
    },
  ]
}
