import { describe, expect, test } from 'vitest'
import { NOON, RESOURCE, type TestSpan, hexId } from '../../support/otlp/exports.ts'
import { jsonBody, outcomeOf, releaseOf } from '../../support/otlp/receive.ts'
import { AGENT, type Attributes, call, child, root } from '../../support/otlp/spans.ts'

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

/** A call of a model that says nothing of tokens. */
const UNCOUNTED = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm1' }

/** A call with the provider's id of its answer. */
function answered(id: string, input: number): Attributes {
  return call(input, 1, { 'gen_ai.response.id': id })
}

interface Case {
  readonly name: string
  readonly spans: readonly TestSpan[]
  /** Input tokens of the runs, each. */
  readonly inputs: readonly number[]
  readonly rejected?: number
  readonly message?: string
  /** The whole message. */
  readonly exactly?: string
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
    exactly: '',
  },
  {
    name: 'an agent that says more than its calls, which are of another model',
    spans: [root(call(2000, 100, AGENT)), child(2, call(1000, 50, { 'gen_ai.request.model': 'm2' }))],
    inputs: [2000],
    message:
      'Warning: a span reports more tokens than the calls below it, which are of other models: all are priced at its model',
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
    rejected: 1,
    message:
      '1 × it reports tokens, but has no agent span above it; Spans that wait for others of their trace: ' +
      '1 × it reports tokens, and waits up to 24 h for the agent span above it',
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
    message: 'Spans that wait for others of their trace: 2 × its parent has not come',
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
    message: '1 × it reports tokens, and waits',
  },
  {
    name: 'an agent without any tokens',
    spans: [root(), child(2, { 'gen_ai.operation.name': 'execute_tool' })],
    inputs: [],
    rejected: 1,
    message: 'no span of the run reports tokens',
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
    inputs: [0],
  },
  {
    name: 'a call without token counts at the time of one with them',
    spans: [root(), child(2, call(7, 1)), child(3, UNCOUNTED)],
    inputs: [7],
  },
  {
    name: 'two calls without token counts at the time of one with them',
    spans: [root(), child(2, call(7, 1)), child(3, UNCOUNTED), child(4, UNCOUNTED)],
    inputs: [],
    rejected: 1,
    message: 'a call of a model in the run reports no tokens',
  },
  {
    name: 'a call without token counts at the time of one of another model',
    spans: [root(), child(2, call(7, 1, { 'gen_ai.request.model': 'm2' })), child(3, UNCOUNTED)],
    inputs: [],
    rejected: 1,
    message: 'a call of a model in the run reports no tokens',
  },
  {
    name: 'a helper that prepares a call',
    spans: [
      root(),
      { ...child(2, UNCOUNTED), startMs: NOON - 60_800, endMs: NOON - 60_798 },
      { ...child(3, call(7, 1)), startMs: NOON - 60_797, endMs: NOON - 60_100 },
    ],
    inputs: [7],
  },
  {
    name: 'a log beside a streamed call',
    spans: [
      root(),
      { ...child(2, UNCOUNTED), startMs: NOON - 60_800, endMs: NOON - 60_600 },
      { ...child(3, call(7, 1)), startMs: NOON - 60_100, endMs: NOON - 60_100 },
    ],
    inputs: [7],
  },
  {
    name: 'a call without token counts before one with them',
    spans: [
      root(),
      { ...child(2, UNCOUNTED), startMs: NOON - 60_800, endMs: NOON - 60_500 },
      { ...child(3, call(7, 1)), startMs: NOON - 60_500, endMs: NOON - 60_100 },
    ],
    inputs: [],
    rejected: 1,
    message: 'a call of a model in the run reports no tokens',
  },
  {
    name: 'a call with token counts of 0 before one with more',
    spans: [
      root(),
      child(2, call(7, 1)),
      { ...child(3, call(0, 0)), startMs: NOON - 63_000, endMs: NOON - 62_000 },
    ],
    inputs: [],
    rejected: 1,
    message: 'a call of a model in the run reports no tokens',
  },
  {
    name: 'a call without token counts that failed',
    spans: [root(), child(2, call(7, 1)), { ...child(3, UNCOUNTED), failed: true }],
    inputs: [7],
  },
  {
    name: 'a call without token counts that recorded an exception',
    spans: [root(), child(2, call(7, 1)), { ...child(3, UNCOUNTED), exception: 'TimeoutError' }],
    inputs: [7],
  },
  {
    name: 'a call without token counts in a run that failed',
    spans: [{ ...root(), failed: true }, child(2, call(7, 1)), child(3, UNCOUNTED)],
    inputs: [7],
  },
  {
    name: 'a call without token counts whose agent reports more than the others',
    spans: [root(call(20, 2, AGENT)), child(2, call(7, 1)), child(3, UNCOUNTED)],
    inputs: [20],
  },
  {
    name: 'a call without token counts around one with them',
    spans: [root(), child(2, UNCOUNTED), child(3, call(7, 1), 2)],
    inputs: [7],
  },
  {
    name: 'calls beside each other with one response id',
    spans: [root(), child(2, answered('resp-1', 7)), child(3, answered('resp-1', 9))],
    inputs: [9],
  },
  {
    name: 'calls with one response id, not beside each other',
    spans: [
      root(),
      child(2, { name: 'step' }),
      child(3, answered('resp-1', 7), 2),
      child(4, answered('resp-1', 7)),
    ],
    inputs: [7],
  },
  {
    name: 'a response id that comes again at another time with other counts',
    spans: [
      root(),
      { ...child(2, answered('resp-1', 7)), startMs: NOON - 60_800, endMs: NOON - 60_700 },
      { ...child(3, answered('resp-1', 9)), startMs: NOON - 60_600, endMs: NOON - 60_500 },
    ],
    inputs: [16],
  },
  {
    name: 'an answer that was taken from a cache',
    spans: [
      root(),
      { ...child(2, answered('resp-1', 7)), startMs: NOON - 60_800, endMs: NOON - 60_700 },
      { ...child(3, answered('resp-1', 7)), startMs: NOON - 60_600, endMs: NOON - 60_500 },
    ],
    inputs: [7],
  },
  {
    name: 'two calls that look like one',
    spans: [root(), child(2, call(7, 1)), child(3, answered('resp-1', 7))],
    inputs: [14],
    message: 'Warning: 1 × calls agree in model, time and counts: use one instrumentation',
  },
  {
    name: 'two short calls of the same size, one after the other',
    spans: [
      root(),
      { ...child(2, call(7, 1)), startMs: NOON - 60_100, endMs: NOON - 60_060 },
      { ...child(3, call(7, 1)), startMs: NOON - 60_060, endMs: NOON - 60_020 },
    ],
    inputs: [14],
    exactly: '',
  },
  {
    name: 'a model by a name with its provider in front',
    spans: [
      root(),
      child(2, call(7, 1, { 'gen_ai.request.model': 'acme/m1' })),
      child(3, call(5, 2, { 'gen_ai.provider.name': 'x_ai', 'gen_ai.request.model': 'xai/m2' })),
    ],
    inputs: [7],
  },
  {
    name: 'a model by a name with another provider in front',
    spans: [root(), child(2, call(7, 1, { 'gen_ai.request.model': 'other/m1' }))],
    inputs: [],
    rejected: 1,
    message: 'has no entry for other/m1',
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

test.each(TREES)('$name', async ({ spans, inputs, rejected = 0, message = '', exactly }) => {
  const outcome = await outcomeOf(jsonBody({ spans }))
  expect(outcome.events.map(({ usage }) => usage.model.input_tokens)).toEqual(inputs)
  expect(outcome.rejected).toBe(rejected)
  expect(outcome.message).toContain(message)
  if (exactly !== undefined) expect(outcome.message).toBe(exactly)
})

/** A root takes 800 ms, as do its calls. */
test.each<[attributes: Attributes, ttft: number | undefined, message: string]>([
  [{ 'gen_ai.server.time_to_first_token': 0.3 }, 300, ''],
  [{ 'gen_ai.latency.time_to_first_token': '0.3' }, 300, ''],
  [{ 'gen_ai.response.time_to_first_chunk': 0.3 }, 300, ''],
  [{ 'ai.response.msToFirstChunk': 300 }, 300, ''],
  [
    { 'gen_ai.server.time_to_first_token': 300 },
    undefined,
    'Warning: gen_ai.server.time_to_first_token is in seconds, and ignored if it is longer than its call',
  ],
  [{ 'http.response.time_to_first_byte': 0.3, retries_to_first_success: 0 }, undefined, ''],
])('a call with %j has a first token after %s ms', async (attributes, ttft, message) => {
  const outcome = await outcomeOf(jsonBody({ spans: [root(), child(2, call(7, 1, attributes))] }))
  expect([outcome.events[0]!.metrics.ttft_ms, outcome.message]).toEqual([ttft, message])
})

test('only calls of a model have a first token', async () => {
  const attributes = { 'http.route': '/', 'gen_ai.server.time_to_first_token': 0.1 }
  const { events } = await outcomeOf(
    jsonBody({ spans: [root(), child(2, call(7, 1)), child(3, attributes)] }),
  )
  expect(events[0]!.metrics.ttft_ms).toBeUndefined()
})

test('a run without an environment, of a release for another one than the default, is warned of', async () => {
  const releases = [releaseOf({ environment: 'prod' })]
  const spans = [root(), child(2, call(7, 1))]
  const plain = await outcomeOf(jsonBody({ spans }), releases)
  expect(plain.events[0]!.environment).toBe('local')
  expect(plain.message).toBe(
    'Warning: runs of rel_1, which is registered for prod, name no environment and go to local: ' +
      'set it on the resource (svc docs traces)',
  )
  const attributes = { ...RESOURCE, 'deployment.environment.name': 'local' }
  expect((await outcomeOf(jsonBody({ attributes, spans }), releases)).message).toBe('')
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

describe('a process whose resource names its release, without any agent span', () => {
  const attributes = { 'service.name': 'shop', 'release_governance.release_id': 'rel_1' }
  const request = (more: Partial<TestSpan> = {}): TestSpan => ({
    id: 1,
    attributes: { 'http.route': '/' },
    ...more,
  })

  const CASES: readonly (readonly [name: string, spans: TestSpan[], inputs: number[], rejected: number])[] = [
    ['its calls make a run of the request', [request(), child(2, call(7, 1)), child(3, call(5, 1))], [12], 0],
    ['a call alone is a run', [{ id: 1, attributes: call(7, 1) }], [7], 0],
    ['a request without calls is none', [request()], [], 0],
    ['a failed request without calls is none', [request({ failed: true })], [], 0],
    [
      'a request whose call failed is a failed run',
      [request({ failed: true }), { ...child(2, UNCOUNTED), failed: true }],
      [0],
      0,
    ],
    [
      'with an agent span after all, only that is a run',
      [request(), child(2, call(5, 1)), { ...child(3, AGENT) }, child(4, call(7, 1), 3)],
      [7],
      1,
    ],
    ['a request that goes on another one is none', [request({ parent: 9 }), child(2, call(7, 1))], [], 0],
  ]

  test.each(CASES)('%s', async (_name, spans, inputs, rejected) => {
    const outcome = await outcomeOf(jsonBody({ attributes, spans }))
    expect(outcome.events.map(({ usage }) => usage.model.input_tokens)).toEqual(inputs)
    expect(outcome.rejected).toBe(rejected)
  })
})

test.each<[name: string, call: Attributes, more: Partial<TestSpan>, input: number]>([
  ['that says its input alone', { ...UNCOUNTED, 'gen_ai.usage.input_tokens': 7 }, { failed: true }, 7],
  ['that timed out', UNCOUNTED, { failed: true, exception: 'APITimeoutError' }, 0],
  ['that says nothing, and ended well', UNCOUNTED, {}, 0],
])(
  'a failed run with a call %s is stored with an incomplete usage',
  async (_name, attributes, more, input) => {
    const { events, message } = await outcomeOf(
      jsonBody({
        spans: [
          { ...root(), failed: true },
          { ...child(2, attributes), ...more },
        ],
      }),
    )
    expect(events).toMatchObject([
      { metrics: { success: false }, usage: { model: { input_tokens: input }, incomplete: true } },
    ])
    expect(message).toBe('')
  },
)

test.each<[name: string, calls: TestSpan[], runs: boolean[]]>([
  ['whose one call failed', [{ ...child(2, UNCOUNTED), failed: true, exception: 'Refused' }], [false]],
  [
    'whose second call came to something',
    [{ ...child(2, UNCOUNTED), failed: true }, child(3, call(7, 1))],
    [true],
  ],
  [
    'with a call that ended well and says nothing',
    [{ ...child(2, UNCOUNTED), failed: true }, child(3, UNCOUNTED)],
    [],
  ],
])('a run %s, by a framework that says nothing of it on the run', async (_name, calls, runs) => {
  const { events } = await outcomeOf(jsonBody({ spans: [root(), ...calls] }))
  expect(events.map(({ metrics }) => metrics.success)).toEqual(runs)
  if (runs[0] === false) expect(events[0]!.metrics.error_type).toBe('Refused')
})

test('a failed agent without any call is a failed run of the model of its release', async () => {
  const { events } = await outcomeOf(jsonBody({ spans: [{ ...root(), failed: true, exception: 'Oops' }] }))
  expect(events).toMatchObject([
    {
      metrics: { success: false, error_type: 'Oops' },
      usage: { model: { provider: 'acme', model: 'm1', input_tokens: 0, output_tokens: 0 } },
    },
  ])
})
