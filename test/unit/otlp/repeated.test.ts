import { expect, test } from 'vitest'
import { NOON, type TestResource, type TestSpan } from '../../support/otlp/exports.ts'
import { jsonBody, releaseOf, testReceiver } from '../../support/otlp/receive.ts'
import { AGENT, type Attributes, call } from '../../support/otlp/spans.ts'

const PROCESS = { 'service.name': 'shop', 'release_governance.release_id': 'rel_1' }

const at = (span: TestSpan, startMs: number, endMs: number): TestSpan => ({
  ...span,
  startMs: NOON + startMs,
  endMs: NOON + endMs,
})
const resource = (
  scope: string,
  spans: readonly TestSpan[],
  attributes: Attributes = PROCESS,
): TestResource => ({
  attributes,
  scope,
  spans,
})
/** A call in a trace of its own, as the SDK of a provider reports it. */
const own = (trace: number, attributes = call(7, 1), scope = 'sdk', from = 10, to = 990): TestResource =>
  resource(scope, [at({ id: 1, trace, attributes }, from, to)])
/** The same call below a chain of a framework, and the chain. */
const inner = (attributes = call(7, 1), from = 0, to = 1000, id = 2): TestResource =>
  resource('framework', [at({ id, parent: 1, attributes }, from, to)])
const outer = (to = 2000): TestResource => resource('framework', [at({ id: 1, attributes: AGENT }, 0, to)])

/** A call that fails, alone in a trace or below another span. */
const failing = (scope: string, trace?: number, parent?: number): TestResource => {
  const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm1' }
  const place = {
    id: parent === undefined ? 1 : 2,
    ...(parent === undefined ? { trace: trace! } : { parent }),
  }
  return resource(scope, [at({ ...place, attributes, failed: true }, 0, 1000)])
}

interface Case {
  readonly name: string
  /** Requests in the order in which they come, a second apart. */
  readonly requests: readonly (readonly TestResource[])[]
  /** Input tokens of the runs that each stores. */
  readonly runs: readonly (readonly number[])[]
  readonly says?: string
}

const WARNING = 'spans of sdk in another trace repeat calls of framework: each call is counted once'

const CASES: readonly Case[] = [
  { name: 'in one request', requests: [[own(9), inner(), outer()]], runs: [[7]], says: WARNING },
  {
    name: 'each span in a request of its own, as it ends',
    requests: [[own(9)], [inner()], [outer()]],
    runs: [[], [], [7]],
    says: WARNING,
  },
  {
    name: 'of which the span of the framework comes first',
    requests: [[inner()], [own(9), outer()]],
    runs: [[], [7]],
    says: WARNING,
  },
  {
    name: 'with one id of the response, in half of the time',
    requests: [
      [
        own(9, call(7, 1, { 'gen_ai.response.id': 'a' }), 'sdk', 500),
        inner(call(6, 1, { 'gen_ai.response.id': 'a' })),
        outer(),
      ],
    ],
    runs: [[6]],
    says: WARNING,
  },
  {
    name: 'of which one instrumentation knows what was written to a cache',
    requests: [[own(9, call(7, 1, { 'gen_ai.usage.cache_creation.input_tokens': 3 })), inner(), outer()]],
    runs: [[7]],
  },
  {
    name: 'of which the span of the framework begins with what prepares the call',
    requests: [[own(9, call(7, 1), 'sdk', 400, 960), inner(), outer()]],
    runs: [[7]],
    says: WARNING,
  },
  {
    name: 'by two instrumentations without a framework',
    requests: [[own(8, call(7, 1), 'wrapper', 0, 1000), own(9)], [own(10, call(5, 1), 'sdk', 3000, 4000)]],
    runs: [[], [7]],
    says: 'spans of wrapper in another trace repeat calls of sdk',
  },
  {
    name: 'and fails in both',
    requests: [[failing('sdk', 9)], [failing('framework', undefined, 1)], [outer()]],
    runs: [[], [], [0]],
    says: WARNING,
  },
  {
    name: 'three times, in three scopes',
    requests: [[own(8, call(7, 1), 'wrapper', 5, 995), own(9), inner(), outer()]],
    runs: [[7]],
  },
]

test.each(CASES)('a call that is traced twice counts once: $name', async ({ requests, runs, says = '' }) => {
  const service = testReceiver([releaseOf()])
  const messages: string[] = []
  for (const [index, resources] of requests.entries()) {
    const { events, message, rejected } = await service.send(
      jsonBody(...resources),
      NOON + 2000 + index * 1000,
    )
    expect(events.map(({ usage }) => usage.model.input_tokens)).toEqual(runs[index])
    expect(rejected).toBe(0)
    messages.push(message)
  }
  expect(messages.join('\n')).toContain(says)
})

const REPEATED: readonly (readonly [name: string, resources: readonly TestResource[], inputs: number[]])[] = [
  ['the same scope', [own(8), own(9)], [7, 7]],
  [
    'the same scope with one id of the response',
    [8, 9].map(trace => own(trace, call(7, 1, { 'gen_ai.response.id': 'a' }))),
    [7, 7],
  ],
  [
    'two ids of the response',
    [
      own(8, call(7, 1, { 'gen_ai.response.id': 'a' }), 'a'),
      own(9, call(7, 1, { 'gen_ai.response.id': 'b' })),
    ],
    [7, 7],
  ],
  ['another model', [own(8, call(7, 1, { 'gen_ai.request.model': 'm2' }), 'a'), own(9)], [7, 7]],
  ['other counts', [own(8, call(7, 2), 'a'), own(9)], [7, 7]],
  ['two that fail after one another', [failing('a', 8), failing('a', 9)], [0, 0]],
  ['four fifths of the time', [own(8, call(7, 1), 'a', 10, 794), own(9)], [7, 7]],
  ['one of a framework, and one beside it', [own(8), own(9), inner(), outer()], [7, 7]],
  [
    'another service',
    [
      resource('sdk', [at({ id: 1, trace: 8, attributes: call(7, 1) }, 0, 1000)], {
        ...PROCESS,
        'service.name': 'b',
      }),
      own(9),
    ],
    [7, 7],
  ],
]

test.each(REPEATED)('calls of %s are two', async (_name, resources, inputs) => {
  const { events } = await testReceiver().send(jsonBody(...resources), NOON + 60_000)
  expect(events.map(({ usage }) => usage.model.input_tokens)).toEqual(inputs)
})

test('a call alone waits for what may repeat it, as long as exporters may hold that', async () => {
  const service = testReceiver()
  expect(await service.send(jsonBody(own(9)), NOON + 2000)).toMatchObject({
    events: [],
    rejected: 0,
    message: '',
  })
  expect(service.kept()).toHaveLength(1)
  const late = { attributes: PROCESS, spans: [at({ id: 5, trace: 7, attributes: call(1, 1) }, 1500, 1600)] }
  const { events } = await service.send(jsonBody(late), NOON + 3000)
  expect(events.map(({ usage }) => usage.model.input_tokens)).toEqual([7])
  expect((await service.send(jsonBody(), NOON + 20_000)).events).toEqual([])
})

test('a call by a clock that is ahead waits no longer', async () => {
  const service = testReceiver()
  expect((await service.send(jsonBody(own(9)), NOON - 300_000)).events).toEqual([])
  const other = own(8, call(1, 1), 'sdk', -400_000, -399_000)
  const { events } = await service.send(jsonBody(other), NOON - 280_000)
  expect(new Set(events.map(({ usage }) => usage.model.input_tokens))).toEqual(new Set([1, 7]))
})

test('10,000 calls of the same counts at the same time take no square of time', async () => {
  const spans = (trace: number) =>
    Array.from({ length: 5000 }, (_, index) =>
      at({ id: 1, trace: trace + index, attributes: call(7, 1) }, 0, 1000),
    )
  const before = process.cpuUsage()
  const { events } = await testReceiver().send(
    jsonBody(resource('a', spans(1)), resource('b', spans(10_000))),
    NOON + 60_000,
  )
  expect(events).toHaveLength(5000)
  // Of this process alone, which a busy machine leaves as it is: 0.7 s.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5)
})
