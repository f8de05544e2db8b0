import { SpanStatusCode, context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { TracerProvider } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  RunSpanProcessor,
  type RunSpanOptions,
  type SpanLike,
} from '../../../../../src/features/recorders/otel.ts'
import { RESOURCE } from '../../../../support/otlp/exports.ts'
import { eventsOf, queueOn, storingService } from '../../../sdk/support.ts'
import { AGENT, type Attributes, type Traced, type Tree, call, play, traced } from './support.ts'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => context.disable())

/** A call of a model that says nothing of tokens. */
const UNCOUNTED = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm1' }

/** A call with the provider's id of its answer. */
function answered(id: string): Attributes {
  return { ...call(3), 'gen_ai.response.id': id }
}

interface Case {
  readonly name: string
  readonly tree: Tree
  readonly inputs: readonly number[]
  readonly options?: Partial<RunSpanOptions>
  readonly problem?: string
}

const CASES: readonly Case[] = [
  { name: 'an agent and its calls', tree: [AGENT, [call(3)], [{}, [call(4)]]], inputs: [7] },
  {
    name: 'an agent that repeats its calls',
    tree: [{ ...call(7, 2), ...AGENT }, [call(3)], [call(4)]],
    inputs: [7],
  },
  { name: 'an agent in an agent', tree: [AGENT, [AGENT, [call(3)]], [call(4)]], inputs: [7] },
  {
    name: 'agents in a request',
    tree: [{ 'http.route': '/' }, [AGENT, [call(3)]], [AGENT, [call(4)]]],
    inputs: [3, 4],
  },
  {
    name: 'a call without an agent',
    tree: [{}, [call(3)]],
    inputs: [],
    problem: 'model calls are outside of any agent span',
  },
  {
    name: 'an agent without tokens',
    tree: [AGENT, [{}]],
    inputs: [],
    problem: 'no span of the run reports tokens',
  },
  {
    name: 'a call without token counts beside one with them',
    tree: [AGENT, [call(3)], [UNCOUNTED]],
    inputs: [],
    problem:
      'a call of a model in the run reports no tokens: let the instrumentation report those of streams too ' +
      '(OpenAI: stream_options.include_usage)',
  },
  {
    name: 'two calls with one response id',
    tree: [AGENT, [answered('r-1')], [{ 'http.route': '/' }, [answered('r-1')]]],
    inputs: [3],
  },
  {
    name: 'a model by a name with its provider in front',
    tree: [AGENT, [{ ...call(3), 'gen_ai.request.model': 'acme/m1' }]],
    options: { models: ['m1'] },
    inputs: [3],
  },
  {
    name: 'tokens that can not be',
    tree: [AGENT, [{ ...call(3), 'gen_ai.usage.input_tokens': -1 }]],
    inputs: [],
    problem: 'the input tokens must be a whole number of 0 or more (they are -1)',
  },
  {
    name: 'another agent',
    tree: [{ ...AGENT, 'gen_ai.agent.name': 'helper' }, [call(3)]],
    options: { agent_id: 'support-bot' },
    inputs: [],
    problem: 'runs of helper are not runs of support-bot',
  },
  {
    name: 'an agent without a name',
    tree: [{ 'gen_ai.operation.name': 'invoke_agent' }, [call(3)]],
    options: { agent_id: 'support-bot' },
    inputs: [3],
  },
  {
    name: 'an agent of another name in the service of the agent',
    tree: [{ ...AGENT, 'gen_ai.agent.name': 'summariser' }, [call(3)]],
    inputs: [3],
  },
  {
    name: 'a model that the price table does not have',
    tree: [AGENT, [call(3)]],
    options: { models: ['m2'] },
    inputs: [],
    problem: 'the option `models` has no entry for m1',
  },
  {
    name: 'a provider that nobody names',
    tree: [AGENT, [{ 'llm.model_name': 'm1', 'llm.token_count.prompt': 3, 'llm.token_count.completion': 1 }]],
    inputs: [],
    problem: 'the provider is unknown for m1: set the option `provider`',
  },
]

describe('a run that failed before it called a model', () => {
  const play1 = (options?: Partial<RunSpanOptions>): Traced => {
    const it = traced(options)
    const span = it.tracer.startSpan('agent', { attributes: AGENT })
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    return it
  }

  test('is a failed run of the model of its release', () => {
    const { runs, problems } = play1({ provider: 'acme', model: 'm1' })
    expect([problems, runs]).toMatchObject([
      [],
      [{ metrics: { success: false }, usage: { model: { provider: 'acme', model: 'm1', input_tokens: 0 } } }],
    ])
  })

  test('is left out where nobody says which that is', () => {
    const { runs, problems } = play1()
    expect([runs, problems]).toEqual([
      [],
      ['a run failed before it called a model: set the option `model` to the model of the release'],
    ])
  })
})

describe('a process whose resource names its release', () => {
  const named = { 'release_governance.release_id': 'rel_9' }
  const CASES_OF_PROCESS: readonly (readonly [name: string, tree: Tree, inputs: readonly number[]])[] = [
    ['makes a run of a request with calls', [{ 'http.route': '/' }, [call(3)], [call(4)]], [7]],
    ['makes none of a request without', [{ 'http.route': '/' }], []],
    [
      'makes none of a request that holds an agent',
      [{ 'http.route': '/' }, [AGENT, [call(3)]], [call(4)]],
      [3],
    ],
  ]

  test.each(CASES_OF_PROCESS)('%s', (_name, tree, inputs) => {
    const { tracer, runs } = traced({}, named)
    play(tracer, tree)
    expect(runs.map(({ usage }) => usage.model.input_tokens)).toEqual(inputs)
    expect(runs.map(({ release_id }) => release_id)).toEqual(inputs.map(() => 'rel_9'))
  })
})

test('two calls beside each other that look like one are told of, and counted', () => {
  const { processor, runs, problems } = traced()
  const agent = oldSpan('1', undefined, AGENT)
  const calls = [oldSpan('2', '1', call(3)), oldSpan('3', '1', call(3))]
  for (const span of [agent, ...calls]) processor.onStart(span)
  for (const span of [...calls, agent]) processor.onEnd(span)
  expect(runs.map(({ usage }) => usage.model.input_tokens)).toEqual([6])
  expect(problems).toEqual(['1 × calls agree in model, time and counts: use one instrumentation'])
})

test.each(CASES)('$name', ({ tree, inputs, options, problem }) => {
  const { tracer, runs, problems } = traced(options)
  play(tracer, tree)
  expect(runs.map(({ usage }) => usage.model.input_tokens)).toEqual(inputs)
  expect(problems).toEqual(problem === undefined ? [] : [problem])
})

test('a run as its root says it', () => {
  const { tracer, runs } = traced({ models: ['m1-2026'], provider: 'table' })
  const attributes = {
    ...AGENT,
    ...call(3),
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.response.model': 'm1-2026',
    'release_governance.release_id': 'rel_2',
    'release_governance.task_id': 'returns',
    'session.id': 's-1',
  }
  const span = tracer.startSpan('agent', { attributes, startTime: [1_790_000_000, 0] })
  span.recordException(new RangeError('no'))
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.end([1_790_000_001, 500_600_000])
  const { traceId, spanId } = span.spanContext()
  expect(runs).toEqual([
    {
      run_id: `otlp:${traceId}:${spanId}`,
      agent_id: 'bot',
      release_id: 'rel_2',
      task_id: 'returns',
      timestamp: '2026-09-21T14:13:21.500Z',
      metrics: { success: false, latency_ms: 1501, error_type: 'RangeError' },
      request: { session_id: 's-1', trace_id: traceId, span_id: spanId },
      usage: {
        model: {
          provider: 'table',
          model: 'm1-2026',
          input_tokens: 3,
          cached_input_tokens: 0,
          output_tokens: 1,
        },
      },
    },
  ])
})

/** A span as the SDK of 1.x has it. */
function oldSpan(spanId: string, parentSpanId: string | undefined, attributes: Attributes): SpanLike {
  return {
    spanContext: () => ({ traceId: 'a'.repeat(32), spanId }),
    parentSpanId,
    endTime: [1_790_000_000, 0],
    duration: [0, 5_000_000],
    status: { code: 0 },
    attributes,
    events: [],
    resource: { attributes: RESOURCE },
  }
}

describe('spans as they come', () => {
  let it: Traced
  beforeEach(() => {
    it = traced()
  })

  test('those of OpenTelemetry 1.x', () => {
    const [agent, chat] = [oldSpan('1', undefined, AGENT), oldSpan('2', '1', call(3))]
    it.processor.onStart(agent)
    it.processor.onStart(chat)
    it.processor.onEnd(chat)
    it.processor.onEnd(agent)
    expect(it.runs).toMatchObject([{ metrics: { latency_ms: 5 }, usage: { model: { input_tokens: 3 } } }])
  })

  test('a child that ends after its run, and one that was never started', () => {
    const [agent, late] = [
      oldSpan('1', undefined, { ...AGENT, ...call(7), ...AGENT }),
      oldSpan('2', '1', call(3)),
    ]
    it.processor.onStart(agent)
    it.processor.onStart(late)
    it.processor.onEnd(agent)
    it.processor.onEnd(late)
    it.processor.onEnd(oldSpan('3', '9', call(3)))
    expect(it.runs).toHaveLength(1)
    expect(it.problems).toEqual(['model calls are outside of any agent span'])
  })

  test('those that never end are forgotten, the oldest first', () => {
    const { processor, runs, problems } = traced({ maxSpans: 2 })
    for (const id of ['1', '2', '3']) processor.onStart(oldSpan(id, undefined, AGENT))
    processor.onEnd(oldSpan('3', undefined, { ...call(3), ...AGENT }))
    expect(runs).toHaveLength(1)
    expect(problems).toEqual(['too many spans are open; the oldest are dropped'])
  })

  test('those that are none: nothing is thrown', () => {
    for (const strange of [
      {},
      null,
      { spanContext: () => ({}) },
      { ...oldSpan('1', undefined, AGENT), events: 1 },
    ]) {
      it.processor.onStart(strange as never)
      it.processor.onEnd(strange as never)
    }
    expect(it.runs).toEqual([])
    expect(it.problems.length).toBeGreaterThan(0)
  })
})

test('neither a queue nor a listener that throws reaches the program', () => {
  const throws = (): never => {
    throw new Error('as asked')
  }
  const options = { agent_id: 'bot', release_id: 'rel_1', onError: throws }
  const processor = new RunSpanProcessor({ add: throws, flush: throws, drain: throws }, options)
  const agent = oldSpan('1', undefined, { ...call(3), ...AGENT })
  expect(() => {
    processor.onStart(agent)
    processor.onEnd(agent)
  }).not.toThrow()
})

test('thirty thousand runs leave nothing behind', () => {
  const queue = { add: () => '', flush: async () => {}, drain: async () => {} }
  const processor = new RunSpanProcessor(queue as never, { agent_id: 'bot', release_id: 'rel_1' })
  const run = (index: number): void => {
    const [agent, chat] = [oldSpan(`a${index}`, undefined, AGENT), oldSpan(`c${index}`, `a${index}`, call(3))]
    for (const span of [agent, chat]) processor.onStart(span)
    for (const span of [chat, agent]) processor.onEnd(span)
  }
  for (let index = 0; index < 1000; index++) run(index)
  globalThis.gc!()
  const before = process.memoryUsage().heapUsed
  for (let index = 1000; index < 30_000; index++) run(index)
  globalThis.gc!()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000)
})

test('what the queue has is delivered as the tracer shuts down, and the queue stays open', async () => {
  const service = storingService()
  const { queue, problems } = queueOn(service.fetch)
  onTestFinished(async () => void (await queue.close()))
  const processor = new RunSpanProcessor(queue, { agent_id: 'bot', release_id: 'rel_1' })
  const provider = new TracerProvider({ spanProcessors: [processor] })
  play(provider.getTracer('test'), [AGENT, [call(3)]])
  await provider.forceFlush()
  play(provider.getTracer('test'), [AGENT, [call(4)]])
  await provider.shutdown()
  expect(service.seen.flatMap(eventsOf)).toMatchObject([
    { agent_id: 'bot', release_id: 'rel_1', tenant_id: 't', task_id: 'k', environment: 'prod' },
    { usage: { model: { input_tokens: 4 } } },
  ])
  expect([queue.queued, problems]).toEqual([0, []])
})
