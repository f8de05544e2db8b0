import { describe, expect, test } from 'vitest'
import { NOON, type TestSpan, protobufExport } from '../../support/otlp/exports.ts'
import { type TokenCounts, totalTokens } from '../../../src/usage/counts.ts'
import { jsonBody, outcomeOf, releaseOf } from '../../support/otlp/receive.ts'
import { type Attributes, call, child, root } from '../../support/otlp/spans.ts'

const CACHE = { 'gen_ai.usage.cache_read.input_tokens': 700, 'gen_ai.usage.cache_write.input_tokens': 200 }

/** Own tokens of a call: 100 plain, 700 read, 200 written, 50 out, as sources write that down. */
const SOURCES: readonly (readonly [name: string, attributes: Attributes])[] = [
  ['the conventions', call(1000, 50, CACHE)],
  [
    'the conventions before cache_write',
    call(1000, 50, { ...CACHE, 'gen_ai.usage.cache_creation.input_tokens': 200 }),
  ],
  ['more cache than input', call(100, 50, CACHE)],
  ['a total that says so', call(900 + 100, 50, { ...CACHE, 'gen_ai.usage.total_tokens': 1050 })],
  [
    'OpenLLMetry of old',
    {
      'gen_ai.request.model': 'm1',
      'gen_ai.usage.prompt_tokens': 1000,
      'gen_ai.usage.completion_tokens': 50,
      'gen_ai.usage.cache_read_input_tokens': 700,
      'gen_ai.usage.cache_creation_input_tokens': 200,
    },
  ],
  [
    'AI SDK 5 on Bedrock',
    {
      'ai.model.id': 'm1',
      'ai.model.provider': 'amazon-bedrock',
      'ai.usage.inputTokens': 100,
      'ai.usage.outputTokens': 50,
      'ai.usage.cachedInputTokens': 700,
      'ai.response.providerMetadata': '{"bedrock":{"usage":{"cacheWriteInputTokens":200}}}',
    },
  ],
  [
    'Langfuse, one entry per kind',
    {
      'langfuse.observation.model.name': 'm1',
      'langfuse.observation.usage_details': JSON.stringify({
        input: 100,
        cache_read_input_tokens: 700,
        cache_creation_input_tokens: 200,
        output: 30,
        output_reasoning_tokens: 20,
        total: 1050,
      }),
    },
  ],
  [
    'Langfuse, written by hand',
    {
      'langfuse.observation.model.name': 'm1',
      'langfuse.observation.usage_details': JSON.stringify({
        input: 1000,
        input_cached_tokens: 700,
        input_cache_write_tokens: 200,
        output: 50,
        total: 1050,
      }),
    },
  ],
]

test.each(SOURCES)('tokens of %s', async (_name, attributes) => {
  const { events, message } = await outcomeOf(jsonBody({ spans: [root(), child(2, attributes)] }))
  expect(message).toBe('')
  expect(events[0]!.usage.model).toMatchObject({
    input_tokens: 300,
    cached_input_tokens: 700,
    cache_write_input_tokens: 200,
    output_tokens: 50,
  })
})

test.each(['json', 'protobuf'] as const)('the scope says what the input holds, in %s', async format => {
  const attributes = call(100, 50, { 'gen_ai.usage.cache_read.input_tokens': 40 })
  const inputOf = async (scope: string): Promise<number> => {
    const resource = { scope, spans: [root(), child(2, attributes)] }
    const bytes = format === 'json' ? jsonBody(resource).bytes : protobufExport(resource)
    return (await outcomeOf({ bytes, format, encoding: null })).events[0]!.usage.model.input_tokens
  }
  expect(await inputOf('strands.telemetry.tracer')).toBe(100)
  expect(await inputOf('gen_ai')).toBe(60)
})

test('a number that speaks of tokens or cost and is not read is a warning, once', async () => {
  const attributes = call(100, 50, {
    'gen_ai.usage.audio_tokens': 7,
    'gen_ai.usage.cost': 0,
    'gen_ai.request.max_tokens': 9,
  })
  const spans = [root(), child(2, attributes), child(3, attributes)]
  const { events, message } = await outcomeOf(
    jsonBody({
      spans: spans.map(span => ({
        ...span,
        startMs: NOON - 90_000 + span.id * 10_000,
        endMs: NOON - 80_000 + span.id * 10_000,
      })),
    }),
  )
  expect(events).toHaveLength(1)
  expect(message).toBe('Warning: gen_ai.usage.audio_tokens of test is not read, and has no price')
})

test('each number of a span that is not read is a warning', async () => {
  const attributes = call(100, 50, {
    'gen_ai.usage.prompt_tokens_details.audio_tokens': 7,
    'llm.cost.total': 0.5,
    'langfuse.observation.cost_details': '{"total":0.5}',
  })
  const { message } = await outcomeOf(jsonBody({ spans: [root(), child(2, attributes)] }))
  expect(message.match(/\S+(?= of test is not read)/g)).toEqual([
    'gen_ai.usage.prompt_tokens_details.audio_tokens',
    'llm.cost.total',
    'langfuse.observation.cost_details.total',
  ])
})

/** Calls of two instrumentations in one trace, by scope, and all tokens of the run. */
const REPORTED_TWICE: readonly (readonly [name: string, ours: TestSpan, theirs: TestSpan, all: number])[] = [
  ['at one time', child(2, call(100, 50)), child(3, call(100, 50)), 150],
  [
    'of which one knows the cache',
    child(2, call(100, 50)),
    child(3, call(100, 50, { 'gen_ai.usage.cache_read.input_tokens': 40 })),
    150,
  ],
  [
    'of which one has an id',
    child(2, call(100, 50, { 'gen_ai.response.id': 'r1' })),
    child(3, call(100, 50)),
    150,
  ],
  [
    'whose ids differ',
    child(2, call(100, 50, { 'gen_ai.response.id': 'r1' })),
    child(3, call(100, 50, { 'gen_ai.response.id': 'r2' })),
    300,
  ],
  ['of other counts', child(2, call(100, 50)), child(3, call(101, 50)), 301],
  [
    'of other models',
    child(2, call(100, 50)),
    child(3, call(100, 50, { 'gen_ai.request.model': 'm2' })),
    300,
  ],
  [
    'one after the other',
    { ...child(2, call(100, 50)), startMs: NOON - 60_800, endMs: NOON - 60_600 },
    { ...child(3, call(100, 50)), startMs: NOON - 60_600, endMs: NOON - 60_400 },
    300,
  ],
]

test.each(REPORTED_TWICE)('calls of two instrumentations %s', async (_name, ours, theirs, all) => {
  for (const [first, second] of [
    [ours, theirs],
    [theirs, ours],
  ] as const) {
    const { events, message } = await outcomeOf(
      jsonBody({ scope: 'ours', spans: [root(), first] }, { scope: 'theirs', spans: [second] }),
    )
    const uses = events.flatMap(({ usage }) => [usage.model, ...(usage.models ?? [])])
    expect(uses.reduce((sum, use) => sum + totalTokens(use as TokenCounts), 0)).toBe(all)
    expect(message.includes('use one instrumentation')).toBe(all === 150)
    if (theirs.attributes!['gen_ai.usage.cache_read.input_tokens']) {
      expect(uses).toMatchObject([{ input_tokens: 60, cached_input_tokens: 40 }])
    }
  }
})

test('an input of 100 beside a smaller cache is told apart by the total alone', async () => {
  const cache = { 'gen_ai.usage.cache_read.input_tokens': 40 }
  const inputs = async (total: number): Promise<unknown> => {
    const attributes = call(100, 50, { ...cache, 'gen_ai.usage.total_tokens': total })
    return (await outcomeOf(jsonBody({ spans: [root(), child(2, attributes)] }))).events[0]!.usage.model
  }
  expect(await inputs(150)).toMatchObject({ input_tokens: 60, cached_input_tokens: 40 })
  expect(await inputs(190)).toMatchObject({ input_tokens: 100, cached_input_tokens: 40 })
})

const JSON_SOURCES: readonly (readonly [name: string, agent: Attributes, spans: readonly TestSpan[]])[] = [
  [
    'Genkit 1.42',
    { 'genkit:type': 'action', 'genkit:metadata:subtype': 'flow' },
    [
      {
        ...child(2, {
          'genkit:type': 'action',
          'genkit:metadata:subtype': 'model',
          'genkit:output': '{"usage":{"inputTokens":1100,"outputTokens":51,"cachedContentTokens":400}}',
        }),
        name: 'acme/m1',
      },
      { ...child(3, { 'genkit:metadata:subtype': 'tool.v2' }), name: 'get_weather' },
    ],
  ],
  [
    'MLflow 3.17',
    { 'mlflow.spanType': '"AGENT"' },
    [
      child(2, {
        'mlflow.spanType': '"CHAT_MODEL"',
        'mlflow.llm.model': '"m1"',
        'mlflow.chat.tokenUsage':
          '{"input_tokens":1100,"output_tokens":51,"total_tokens":1151,"cache_read_input_tokens":400}',
      }),
      { ...child(3, { 'mlflow.spanType': '"TOOL"' }), name: 'get_weather' },
    ],
  ],
  [
    'Langfuse 5.0.4',
    { 'langfuse.observation.type': 'agent' },
    [
      child(2, {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.model.name': 'm1',
        'langfuse.observation.usage_details': '{"input":700,"input_cache_read":400,"output":51,"total":1151}',
      }),
      { ...child(3, { 'langfuse.observation.type': 'tool' }), name: 'get_weather' },
    ],
  ],
]

describe.each(['json', 'protobuf'] as const)('in %s', format => {
  test.each(JSON_SOURCES)('tokens and tools of %s', async (_name, agent, spans) => {
    const resource = { spans: [{ id: 1, attributes: { ...agent, 'gen_ai.agent.name': 'bot' } }, ...spans] }
    const bytes = format === 'json' ? jsonBody(resource).bytes : protobufExport(resource)
    const { events } = await outcomeOf({ bytes, format, encoding: null })
    expect(events[0]!.usage).toMatchObject({
      model: { model: 'm1', input_tokens: 700, cached_input_tokens: 400, output_tokens: 51 },
      tools: [{ tool_name: 'get_weather', invocations: 1 }],
    })
  })
})

test('the model is the one that is priced, as asked for or as answered', async () => {
  const attributes = call(1, 1, { 'gen_ai.request.model': 'm-latest', 'gen_ai.response.model': 'm2' })
  const { events } = await outcomeOf(jsonBody({ spans: [root(), child(2, attributes)] }))
  expect(events[0]!.usage.model.model).toBe('m2')
})

test.each([
  ['acme', 'openai', 'acme'],
  ['openai', 'azure.ai.openai', 'openai'],
  ['google', 'gcp.gemini', 'google'],
  ['google', 'gcp.vertex.agent', 'google'],
  ['bedrock', 'aws.bedrock', 'bedrock'],
  ['anthropic', 'anthropic.messages', 'anthropic'],
  ['mistral', 'mistralai', 'mistral'],
  ['google', 'googleai', 'google'],
  ['xai', 'x_ai', 'xai'],
  ['openai', 'groq', 'groq'],
  ['together.ai', 'fireworks.ai', 'fireworks.ai'],
])('the table of %s, a span of %s: %s', async (table, provider, expected) => {
  const attributes = call(1, 1, { 'gen_ai.provider.name': provider === 'openai' ? 'acme' : provider })
  const release = releaseOf({ pricing: { provider: table, pricing_version: 'v1' } })
  const { events } = await outcomeOf(jsonBody({ spans: [root(), child(2, attributes)] }), [release])
  expect(events[0]!.usage.model.provider).toBe(expected)
})
