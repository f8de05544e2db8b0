import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NOON, RESOURCE, type TestSpan, hexId } from '../../support/otlp/exports.ts'
import { jsonBody, outcomeOf, releaseOf } from '../../support/otlp/receive.ts'

type Attributes = NonNullable<TestSpan['attributes']>

const AGENT = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'bot' }

/** A call of a model with so many tokens. */
function call(input: number, output: number, more: Attributes = {}): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': 'm1',
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    ...more,
  }
}

const root = (attributes: Attributes = {}): TestSpan => ({ id: 1, attributes: { ...AGENT, ...attributes } })
const child = (id: number, attributes: Attributes, parent = 1): TestSpan => ({ id, parent, attributes })

describe('what a run is made of', () => {
  test('a run event', async () => {
    const { events, rejected } = await outcomeOf(
      jsonBody({
        attributes: { ...RESOURCE, 'deployment.environment': 'prod' },
        spans: [
          root({
            'release_governance.tenant_id': 'acme',
            'release_governance.task_id': 'returns',
            'gen_ai.conversation.id': 's-1',
          }),
          child(2, call(300, 50)),
        ],
      }),
    )
    expect(rejected).toBe(0)
    expect(events).toEqual([
      {
        run_id: `otlp:${hexId(1, 32)}:${hexId(1, 16)}`,
        release_id: 'rel_1',
        agent_id: 'bot',
        environment: 'prod',
        tenant_id: 'acme',
        task_id: 'returns',
        timestamp: new Date(NOON - 60_000).toISOString(),
        metrics: { success: true, latency_ms: 800, error_type: null },
        request: { session_id: 's-1', trace_id: hexId(1, 32), span_id: hexId(1, 16) },
        usage: {
          model: {
            provider: 'acme',
            model: 'm1',
            input_tokens: 300,
            cached_input_tokens: 0,
            output_tokens: 50,
          },
        },
      },
    ])
  })

  test('several models, the one of the release first', async () => {
    const { events } = await outcomeOf(
      jsonBody({
        spans: [
          root(),
          child(2, call(900, 50, { 'gen_ai.request.model': 'm2' })),
          child(3, call(10, 5)),
          child(4, call(20, 5)),
        ],
      }),
    )
    expect(events[0]!.usage).toMatchObject({
      model: { model: 'm1', input_tokens: 30, output_tokens: 10 },
      models: [{ model: 'm2', input_tokens: 900, output_tokens: 50 }],
    })
  })
})

interface Case {
  readonly name: string
  readonly spans: readonly TestSpan[]
  /** Input tokens of the runs, each. */
  readonly inputs: readonly number[]
  readonly rejected?: number
  readonly message?: string
}

const TREES: readonly Case[] = [
  {
    name: 'an agent that repeats its calls counts once',
    spans: [root(call(2000, 100, AGENT)), child(2, call(1000, 50)), child(3, call(1000, 50))],
    inputs: [2000],
  },
  {
    name: 'an agent that has only the last call',
    spans: [root(call(1000, 50, AGENT)), child(2, call(1000, 50)), child(3, call(1000, 50))],
    inputs: [2000],
  },
  { name: 'an agent without tokens', spans: [root(), child(2, call(7, 1))], inputs: [7] },
  {
    name: 'calls that were sampled away',
    spans: [root(call(2000, 100, AGENT)), child(2, call(1000, 50))],
    inputs: [2000],
  },
  {
    name: 'a call within a call',
    spans: [root(), child(2, call(7, 1)), child(3, call(7, 1), 2)],
    inputs: [7],
  },
  {
    name: 'an agent within an agent',
    spans: [
      root(),
      child(2, { ...AGENT, 'gen_ai.agent.name': 'helper' }),
      child(3, call(7, 1), 2),
      child(4, call(5, 1)),
    ],
    inputs: [12],
  },
  {
    name: 'children before their parents',
    spans: [child(3, call(7, 1), 2), child(2, { 'gen_ai.operation.name': 'agent_step' }), root()],
    inputs: [7],
  },
  {
    name: 'two traces with the same span ids',
    spans: [root(), child(2, call(7, 1)), { ...root(), trace: 2 }, { ...child(2, call(5, 1)), trace: 2 }],
    inputs: [7, 5],
  },
  {
    name: 'a span that is there twice',
    spans: [root(), child(2, call(7, 1)), child(2, call(7, 1))],
    inputs: [7],
  },
  {
    name: 'calls without an agent',
    spans: [child(2, call(7, 1), 9), { id: 3, attributes: call(7, 1) }],
    inputs: [],
    rejected: 2,
    message: '2 × it reports tokens, but no agent span above it is in this request',
  },
  { name: 'spans of other things', spans: [{ id: 5 }, child(6, { 'http.route': '/' }, 5)], inputs: [] },
  {
    name: 'parents in a circle',
    spans: [child(1, AGENT, 2), child(2, call(7, 1), 1)],
    inputs: [],
    rejected: 1,
  },
  { name: 'a span that is its own parent', spans: [child(1, call(7, 1, AGENT), 1)], inputs: [], rejected: 1 },
  {
    name: 'an agent of the name of the release, whose parent is elsewhere',
    spans: [{ ...root(), parent: 9 }, child(2, call(7, 1))],
    inputs: [7],
  },
  {
    name: 'another agent whose parent is elsewhere',
    spans: [
      { ...root({ 'gen_ai.agent.name': 'helper' }), parent: 9 },
      child(2, call(7, 1)),
      child(3, call(7, 1)),
    ],
    inputs: [],
    rejected: 2,
    message: 'its parent is not in this request',
  },
  {
    name: 'another agent whose parent is in another process',
    spans: [
      { ...root({ 'gen_ai.agent.name': 'helper' }), parent: 9, isParentRemote: true },
      child(2, call(7, 1)),
    ],
    inputs: [7],
  },
  {
    name: 'a span that names its release and begins the trace',
    spans: [{ id: 1, attributes: { 'release_governance.release_id': 'rel_1' } }, child(2, call(7, 1))],
    inputs: [7],
  },
  {
    name: 'a call that names its release, of an agent that comes later',
    spans: [child(2, call(7, 1, { 'release_governance.release_id': 'rel_1' }), 9)],
    inputs: [],
    rejected: 1,
  },
  {
    name: 'an agent without any tokens',
    spans: [root(), child(2, { 'gen_ai.operation.name': 'execute_tool' })],
    inputs: [],
    rejected: 1,
    message: 'no span of it reports tokens',
  },
  { name: 'an agent with tokens of 0', spans: [root(call(0, 0, AGENT))], inputs: [], rejected: 1 },
  {
    name: 'an agent that failed before it had tokens',
    spans: [
      { ...root(), failed: true },
      child(2, { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm2' }),
    ],
    inputs: [0],
  },
  {
    name: 'an agent that failed before it called a model',
    spans: [{ ...root(), failed: true }],
    inputs: [],
    rejected: 1,
  },
  {
    name: 'an embedding, which has no output',
    spans: [
      root(),
      child(2, {
        'gen_ai.operation.name': 'embeddings',
        'gen_ai.request.model': 'm1',
        'gen_ai.usage.input_tokens': 7,
      }),
    ],
    inputs: [7],
  },
]

test.each(TREES)('$name', async ({ spans, inputs, rejected = 0, message = '' }) => {
  const outcome = await outcomeOf(jsonBody({ spans }))
  expect(outcome.events.map(({ usage }) => usage.model.input_tokens)).toEqual(inputs)
  expect(outcome.rejected).toBe(rejected)
  expect(outcome.message).toContain(message)
})

test('agents of two services are two runs, and neither pays for the other', async () => {
  const { events } = await outcomeOf(
    jsonBody(
      { spans: [root(), child(2, call(7, 1))] },
      {
        attributes: { ...RESOURCE, 'service.name': 'other' },
        spans: [{ id: 3, parent: 2, attributes: AGENT }, child(4, call(5, 1), 3)],
      },
    ),
  )
  expect(events.map(({ usage }) => usage.model.input_tokens)).toEqual([7, 5])
})

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

test('an input of 100 beside a smaller cache is told apart by the total alone', async () => {
  const cache = { 'gen_ai.usage.cache_read.input_tokens': 40 }
  const inputs = async (total: number): Promise<unknown> => {
    const attributes = call(100, 50, { ...cache, 'gen_ai.usage.total_tokens': total })
    return (await outcomeOf(jsonBody({ spans: [root(), child(2, attributes)] }))).events[0]!.usage.model
  }
  expect(await inputs(150)).toMatchObject({ input_tokens: 60, cached_input_tokens: 40 })
  expect(await inputs(190)).toMatchObject({ input_tokens: 100, cached_input_tokens: 40 })
})

describe('why a run is refused', () => {
  const REFUSED: readonly (readonly [
    name: string,
    span: Partial<TestSpan>,
    call: Attributes,
    message: string,
  ])[] = [
    ['tokens below 0', {}, call(-1, 1), 'the input tokens must be a whole number of 0 or more (they are -1)'],
    ['a fraction of a token', {}, call(1.5, 1), 'must be a whole number'],
    ['tokens as a text', {}, call(1, 1, { 'gen_ai.usage.input_tokens': '7' }), 'must be a whole number'],
    [
      'output alone',
      {},
      { 'gen_ai.request.model': 'm1', 'gen_ai.usage.output_tokens': 5 },
      'input tokens are not reported',
    ],
    [
      'input alone',
      {},
      { 'gen_ai.request.model': 'm1', 'gen_ai.usage.input_tokens': 5 },
      'output tokens are not reported',
    ],
    ['more tokens than an event may have', {}, call(1e12 + 1, 1), 'more than 1000000000000 tokens'],
    [
      'an end in the future',
      { endMs: NOON + 700_000 },
      call(1, 1),
      'it ends in the future (2026-01-31T12:11:40.000Z)',
    ],
    ['a latency of a year', { startMs: 1000 }, call(1, 1), 'longer than 10000000000 ms'],
    [
      'a model without a price',
      {},
      call(1, 1, { 'gen_ai.request.model': 'm7', 'gen_ai.response.model': 'm7-2026' }),
      'the price table acme/v1 of its release has no entry for m7, m7-2026',
    ],
    [
      'a model without a name',
      {},
      { 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 5 },
      'a span reports tokens, but not of which model',
    ],
  ]

  test.each(REFUSED)('%s', async (_name, span, attributes, message) => {
    const spans = [{ ...root(), ...span }, child(2, attributes)]
    const outcome = await outcomeOf(jsonBody({ spans }))
    expect(outcome.events).toEqual([])
    expect(outcome.rejected).toBe(1)
    expect(outcome.message).toContain(message)
  })

  test('a clock that is a little ahead is none', async () => {
    const spans = [{ ...root(), endMs: NOON + 500_000 }, child(2, call(1, 1))]
    expect((await outcomeOf(jsonBody({ spans }))).events).toHaveLength(1)
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
  ['xai', 'x_ai', 'xai'],
  ['openai', 'groq', 'groq'],
  ['together.ai', 'fireworks.ai', 'fireworks.ai'],
])('the table of %s, a span of %s: %s', async (table, provider, expected) => {
  const attributes = call(1, 1, { 'gen_ai.provider.name': provider === 'openai' ? 'acme' : provider })
  const release = releaseOf({ pricing: { provider: table, pricing_version: 'v1' } })
  const { events } = await outcomeOf(jsonBody({ spans: [root(), child(2, attributes)] }), [release])
  expect(events[0]!.usage.model.provider).toBe(expected)
})

describe('which release it is', () => {
  const spans = (attributes: Attributes = {}): TestSpan[] => [root(attributes), child(2, call(1, 1))]
  const other = releaseOf({ release_id: 'rel_2' })

  test('the one whose id it names, on the span before the resource', async () => {
    const named = (id: string) => ({ 'release_governance.release_id': id })
    const on = async (span: Attributes, resource: Attributes) =>
      await outcomeOf(jsonBody({ attributes: { ...RESOURCE, ...resource }, spans: spans(span) }), [
        releaseOf(),
        other,
      ])
    expect((await on({}, named('rel_2'))).events[0]!.release_id).toBe('rel_2')
    expect((await on(named('rel_1'), named('rel_2'))).events[0]!.release_id).toBe('rel_1')
    expect((await on(named('rel_9'), {})).message).toContain('unknown release: rel_9')
    expect((await on(named('rel_9'), {})).wanted).toEqual({ release_ids: ['rel_9'], versions: [] })
  })

  test('the first agent that is known, with its version', async () => {
    const attributes = {
      'gen_ai.agent.id': '5fff85bf',
      'gen_ai.agent.name': 'bot',
      'gen_ai.agent.version': '2',
    }
    const release = releaseOf({ version: '2' })
    const { events, wanted } = await outcomeOf(
      jsonBody({ attributes: { 'service.name': 'shop', 'service.version': '9' }, spans: spans(attributes) }),
      [release],
    )
    expect(events).toHaveLength(1)
    expect(wanted!.versions).toEqual(
      ['5fff85bf', 'bot', 'shop'].map(agent_id => ({ agent_id, version: '2' })),
    )
  })

  test('the newest of several that are the same bundle, and none of several that differ', async () => {
    const same = await outcomeOf(jsonBody({ spans: spans() }), [other, releaseOf()])
    expect(same.events[0]!.release_id).toBe('rel_2')
    const differing = [other, releaseOf({ checksum: 'b'.repeat(64) })]
    expect((await outcomeOf(jsonBody({ spans: spans() }), differing)).message).toContain(
      'several releases of bot have version 1.5.0 and differ',
    )
  })

  test.each([
    [{}, {}, 'it names no release'],
    [{ 'service.version': '3' }, {}, 'no release of bot has version 3'],
    [{ 'service.name': 'shop', 'service.version': '3' }, {}, 'no release of bot or shop has version 3'],
    [
      { 'service.version': '3' },
      { 'gen_ai.agent.name': '' },
      'no release of an agent without a name has version 3',
    ],
  ])('resource %j, span %j: %s', async (attributes, span, message) => {
    expect((await outcomeOf(jsonBody({ attributes, spans: spans(span) }))).message).toContain(message)
  })
})

test('texts that no identifier may be count as absent', async () => {
  for (const text of ['x'.repeat(513), 'é'.repeat(257), 'a\0b', '\uD800']) {
    const { events } = await outcomeOf(
      jsonBody({
        spans: [root({ 'session.id': text, 'release_governance.task_id': text }), child(2, call(1, 1))],
      }),
    )
    expect(events[0]).toMatchObject({ task_id: '', request: { session_id: null } })
  }
})

test('whatever the tree, no token is in two runs, and each is in a run or told of', async () => {
  const node = fc.record({
    parent: fc.integer({ min: -1, max: 12 }),
    isAgent: fc.boolean(),
    input: fc.nat(3),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(node, { maxLength: 12 }), async nodes => {
      const spans = nodes.map(({ parent, isAgent, input }, index) => ({
        id: index + 1,
        ...(parent < 0 ? {} : { parent: parent + 1 }),
        attributes: {
          ...(input === 0 ? { 'gen_ai.request.model': 'm1' } : call(input, 0)),
          ...(isAgent ? AGENT : {}),
        },
      }))
      const { events, rejected } = await outcomeOf(jsonBody({ spans }))
      const all = nodes.reduce((sum, { input }) => sum + input, 0)
      const stored = events.reduce((sum, { usage }) => sum + usage.model.input_tokens, 0)
      expect(stored).toBeLessThanOrEqual(all)
      const reporting = nodes.filter(({ input }) => input > 0).length
      if (reporting > 0) expect(events.length + rejected).toBeGreaterThan(0)
      expect(new Set(events.map(({ run_id }) => run_id)).size).toBe(events.length)
    }),
  )
})

test('ten thousand spans, one in the other or all side by side, take no time to speak of', async () => {
  const count = 10_000
  const deep = Array.from({ length: count }, (_, index) =>
    index === 0 ? root() : child(index + 1, call(index % 7, 1), index),
  )
  const wide = Array.from({ length: count }, (_, index) =>
    index === 0 ? root() : child(index + 1, call(1, 1)),
  )
  for (const spans of [deep, wide]) {
    const body = jsonBody({ spans })
    const startedAt = performance.now()
    expect((await outcomeOf(body)).events).toHaveLength(1)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  }
})
