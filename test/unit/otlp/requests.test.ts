import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MOST_OF_TRACE } from '../../../src/features/traces/receive.ts'
import { NOON, type TestSpan } from '../../support/otlp/exports.ts'
import { jsonBody, outcomeOf, releaseOf, testReceiver } from '../../support/otlp/receive.ts'
import { AGENT, type Attributes, call, child, root } from '../../support/otlp/spans.ts'

/** One request, and what comes of it. */
interface Step {
  readonly spans: readonly TestSpan[]
  /** Input tokens of the runs that are stored now. */
  readonly runs?: readonly number[]
  readonly rejected?: number
  readonly says?: string
}

interface Case {
  readonly name: string
  readonly steps: readonly Step[]
  /** How many spans are remembered in the end. */
  readonly left?: number
}

/** A span of something that is neither an agent nor a call. */
const step = (id: number, parent?: number): TestSpan => ({
  id,
  ...(parent === undefined ? {} : { parent }),
  attributes: { 'http.route': '/' },
})
/** An agent that is not the one of the release. */
const helper = (id: number, parent: number, more: Partial<TestSpan> = {}): TestSpan => ({
  ...child(id, { ...AGENT, 'gen_ai.agent.name': 'helper' }, parent),
  ...more,
})
const at = (span: TestSpan, start: number, end: number): TestSpan => ({
  ...span,
  startMs: NOON - 60_000 + start,
  endMs: NOON - 60_000 + end,
})

const CASES: readonly Case[] = [
  {
    name: 'a call before its agent',
    steps: [
      { spans: [child(2, call(7, 1))], says: '1 × it reports tokens, and waits up to 24 h' },
      { spans: [root(), child(3, call(5, 1))], runs: [12] },
    ],
  },
  {
    name: 'calls, links and agents one by one, as they end',
    steps: [
      { spans: [child(5, call(7, 1), 4)], says: 'waits' },
      { spans: [step(4, 3)] },
      { spans: [helper(3, 2)] },
      { spans: [child(6, call(5, 1), 2)], says: 'waits' },
      { spans: [step(2, 1)] },
      { spans: [root()], runs: [12] },
    ],
  },
  {
    name: 'requests that are sent again before the run is stored',
    steps: [
      { spans: [child(2, call(7, 1))], says: 'waits' },
      { spans: [child(2, call(7, 1))] },
      { spans: [root(), child(2, call(7, 1))], runs: [7] },
    ],
  },
  {
    name: 'a request that is sent again after the run is stored',
    steps: [
      { spans: [child(2, call(7, 1))], says: 'waits' },
      { spans: [root()], runs: [7] },
      { spans: [root()] },
    ],
  },
  {
    name: 'a call without token counts before its agent',
    steps: [
      { spans: [child(2, { 'gen_ai.operation.name': 'chat' })], says: 'waits' },
      {
        spans: [root(), child(3, call(5, 1))],
        rejected: 1,
        says: 'a call of a model in the run reports no tokens',
      },
    ],
    left: 1,
  },
  {
    name: 'a call with counts that can not be before its agent',
    steps: [
      { spans: [child(2, call(-7, 1))], says: 'waits' },
      { spans: [root(), child(3, call(5, 1))], rejected: 2, says: 'the input tokens must be a whole number' },
      { spans: [root(), child(3, call(5, 1))], rejected: 2, says: 'the input tokens must be a whole number' },
    ],
    left: 1,
  },
  {
    name: 'a call of a model without a price before its agent',
    steps: [
      { spans: [child(2, call(7, 1, { 'gen_ai.request.model': 'm9' }))], says: 'waits' },
      { spans: [root(), child(3, call(5, 1))], rejected: 2, says: 'no entry for m9' },
    ],
    left: 1,
  },
  {
    name: 'a call whose ids can not be read before its agent',
    steps: [
      { spans: [{ ...child(2, call(7, 1)), spanId: 'xyz' }], rejected: 1, says: 'is not 16 or 8 bytes' },
      { spans: [root(), child(3, call(5, 1))], rejected: 1, says: 'it may be half a run' },
    ],
    left: 3,
  },
  {
    name: 'a call whose parent never comes',
    steps: [
      { spans: [child(2, call(7, 1), 9)], says: 'waits' },
      { spans: [root(), child(3, call(5, 1))], rejected: 1, says: 'it may be half a run' },
      { spans: [step(8, 1)] },
    ],
    left: 3,
  },
  {
    name: 'a call whose parent comes after its agent',
    steps: [
      { spans: [child(2, call(7, 1), 9)], says: 'waits' },
      { spans: [root(), child(3, call(5, 1))], rejected: 1, says: 'it may be half a run' },
      { spans: [step(9, 1)], runs: [12] },
    ],
  },
  {
    name: 'a call beside the agent: their parent is the same',
    steps: [
      { spans: [child(2, call(7, 1), 9)], says: 'waits' },
      { spans: [{ ...root(), parent: 9 }, child(3, call(5, 1))], runs: [5] },
      { spans: [step(9)], rejected: 1, says: 'has no agent span above it' },
    ],
  },
  {
    name: 'a call that began when the agent had ended',
    steps: [
      { spans: [at(child(2, call(7, 1), 9), 900, 950)], says: 'waits' },
      { spans: [at(root(), 0, 800), at(child(3, call(5, 1)), 10, 700)], runs: [5] },
    ],
    left: 1,
  },
  {
    name: 'turns of a session, each with its agent',
    steps: [
      {
        spans: [at(child(11, call(7, 1), 10), 10, 90), at({ ...root(), id: 10, parent: 1 }, 0, 100)],
        runs: [7],
      },
      { spans: [at(child(21, call(5, 1), 20), 210, 290)], says: 'waits' },
      {
        spans: [at({ ...root(), id: 20, parent: 1 }, 200, 300), at(child(31, call(3, 1), 30), 310, 390)],
        runs: [5],
        says: 'waits',
      },
      { spans: [at({ ...root(), id: 30, parent: 1 }, 300, 400), step(1)], runs: [3] },
    ],
  },
  {
    name: 'a call that comes after its run, below its agent',
    steps: [
      { spans: [root(), child(2, call(7, 1))], runs: [7] },
      { spans: [child(3, call(5, 1))], rejected: 1, says: 'it came after a run of its trace was stored' },
    ],
  },
  {
    name: 'a call that comes after its run, below a span that came with it',
    steps: [
      { spans: [root(), step(4, 1), child(2, call(7, 1))], runs: [7] },
      { spans: [child(3, call(5, 1), 4)], rejected: 1, says: 'it came after a run of its trace was stored' },
      { spans: [child(3, call(5, 1), 4)], rejected: 1, says: 'it came after a run of its trace was stored' },
    ],
    left: 1,
  },
  {
    name: 'an agent before all of its calls',
    steps: [
      { spans: [root()], rejected: 1, says: 'no span of the run reports tokens' },
      { spans: [child(2, call(7, 1))], says: 'waits' },
    ],
    left: 1,
  },
  {
    name: 'a failed agent behind its calls',
    steps: [
      { spans: [child(2, call(7, 1))], says: 'waits' },
      { spans: [{ ...root(), failed: true }], runs: [7] },
    ],
  },
  {
    name: 'a failed helper of an agent that comes later',
    steps: [
      { spans: [helper(2, 1, { failed: true })], says: 'its parent has not come' },
      { spans: [root(), child(3, call(5, 1))], runs: [5] },
    ],
  },
  {
    name: 'a helper without calls of an agent that comes later',
    steps: [{ spans: [helper(2, 1)] }, { spans: [root(), child(3, call(5, 1))], runs: [5] }],
  },
  {
    name: 'a helper whose parent turns out to be no agent',
    steps: [
      { spans: [helper(2, 1), child(3, call(7, 1), 2)], says: 'set gen_ai.agent.name to bot' },
      { spans: [step(1)], runs: [7] },
    ],
  },
  {
    name: 'one answer that two requests tell of',
    steps: [
      { spans: [child(2, call(7, 1, { 'gen_ai.response.id': 'r' }))], says: 'waits' },
      { spans: [root(), child(3, call(7, 1, { 'gen_ai.response.id': 'r' }))], runs: [7] },
    ],
  },
  {
    name: 'spans of other things',
    steps: [{ spans: [step(2, 1), step(3, 2)] }, { spans: [step(1)] }],
  },
]

test.each(CASES)('$name', async ({ steps, left = 0 }) => {
  const service = testReceiver([releaseOf()])
  for (const { spans, runs = [], rejected = 0, says = '' } of steps) {
    const { events, message, ...outcome } = await service.send(jsonBody({ spans }))
    expect(events.map(({ usage }) => usage.model.input_tokens)).toEqual(runs)
    expect(outcome.rejected, message).toBe(rejected)
    if (says === '') expect(message).toBe('')
    else expect(message).toContain(says)
  }
  expect(service.kept()).toHaveLength(left)
})

test('of a process whose resource names its release', async () => {
  const service = testReceiver()
  const attributes = { 'release_governance.release_id': 'rel_1' }
  expect((await service.send(jsonBody({ attributes, spans: [child(2, call(7, 1))] }))).message).toContain(
    'waits',
  )
  const { events } = await service.send(jsonBody({ attributes, spans: [step(1)] }))
  expect(events).toMatchObject([{ release_id: 'rel_1', usage: { model: { input_tokens: 7 } } }])
})

describe('what is remembered', () => {
  test('is no text that only the first span of a run needs', async () => {
    const service = testReceiver()
    const secrets: Attributes = {
      'session.id': 's-1',
      'release_governance.tenant_id': 'acme',
      'gen_ai.prompt': 'Where is it?',
      'error.type': 'E',
    }
    await service.send(jsonBody({ spans: [child(2, call(7, 1, secrets))] }))
    expect(service.kept().map(({ span }) => span.attributes)).toEqual([
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'acme',
        'gen_ai.request.model': 'm1',
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 1,
      },
    ])
  })

  test('has an end: a run that began before spans were forgotten is refused', async () => {
    const service = testReceiver()
    await service.send(jsonBody({ spans: [child(2, call(7, 1))] }))
    service.forget(NOON + 1)
    const spans = [root(), child(3, call(5, 1))]
    const soon = await service.send(jsonBody({ spans }), NOON + 60_000)
    expect([soon.events, soon.rejected]).toEqual([[], 1])
    expect(soon.message).toContain(
      'it began before 2026-01-31T12:00:00.001Z, and spans of that time were forgotten',
    )
    // By its own clock it began before, however long it took to come.
    expect((await service.send(jsonBody({ spans }), NOON + 3_600_000)).events).toEqual([])
    const later = spans.map(span => ({ ...span, endMs: NOON + 602_000 }))
    // Its arrival less its duration and ten minutes is behind that.
    expect((await service.send(jsonBody({ spans: later }), NOON + 602_000)).events).toHaveLength(1)
  })

  test('is bounded by trace: then none of its runs is stored', async () => {
    const service = testReceiver()
    const many = Array.from({ length: MOST_OF_TRACE }, (_, index) => child(index + 2, call(1, 1)))
    await service.send(jsonBody({ spans: many }))
    const more = await service.send(jsonBody({ spans: [child(MOST_OF_TRACE + 2, call(1, 1))] }))
    expect(more.message).toContain('more spans of its trace wait for others than are remembered')
    const { events, message } = await service.send(jsonBody({ spans: [root()] }))
    expect([events, service.kept()]).toEqual([[], expect.objectContaining({ length: MOST_OF_TRACE })])
    expect(message).toContain('more spans of its trace wait')
  })
})

/** Spans of a run, children after their parents, each with an own answer. */
const trees = fc
  .array(
    fc.record({
      parent: fc.nat(20),
      kind: fc.constantFrom('call', 'call', 'step', 'helper'),
      input: fc.nat(9),
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map(nodes => [
    root(),
    ...nodes.map(({ parent, kind, input }, index): TestSpan => {
      const [id, above] = [index + 2, (parent % (index + 1)) + 1]
      if (kind === 'step') return step(id, above)
      if (kind === 'helper') return helper(id, above)
      return child(id, call(input + 1, 1, { 'gen_ai.response.id': `r${id}` }), above)
    }),
  ])

/** Cuts spans into requests. */
function cut(spans: readonly TestSpan[], sizes: readonly number[]): TestSpan[][] {
  const requests: TestSpan[][] = []
  for (let from = 0, index = 0; from < spans.length; index++) {
    const size = sizes[index % sizes.length]!
    requests.push(spans.slice(from, from + size))
    from += size
  }
  return requests
}

/** All tokens, in and out: by these a call counts where the calls below it report less. */
const totalOf = (
  events: readonly {
    readonly usage: { readonly model: { readonly input_tokens: number; readonly output_tokens: number } }
  }[],
) => events.map(({ usage: { model } }) => model.input_tokens + model.output_tokens)

describe('whatever the tree', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 })

  test('cut into requests as its spans end, and sent twice, it is the run that one request makes', async () => {
    await fc.assert(
      fc.asyncProperty(trees, sizes, fc.boolean(), async (spans, cuts, twice) => {
        const whole = await outcomeOf(jsonBody({ spans }))
        const service = testReceiver()
        const stored: number[] = []
        for (const request of cut(spans.toReversed(), cuts)) {
          for (let time = 0; time < (twice ? 2 : 1); time++) {
            stored.push(...totalOf((await service.send(jsonBody({ spans: request }))).events))
          }
        }
        expect(stored).toEqual(totalOf(whole.events))
        if (stored.length > 0) expect(service.kept()).toEqual([])
      }),
    )
  })

  test('in any order, a call that is in no run is told of, or waits', async () => {
    await fc.assert(
      fc.asyncProperty(
        trees.chain(spans => fc.shuffledSubarray(spans, { minLength: spans.length })),
        sizes,
        async (spans, cuts) => {
          const service = testReceiver()
          let [tokens, refused] = [0, 0]
          for (const request of cut(spans, cuts)) {
            const { events, rejected } = await service.send(jsonBody({ spans: request }))
            expect(events.length).toBeLessThanOrEqual(1)
            for (const total of totalOf(events)) tokens += total
            refused += rejected
          }
          const [all = 0] = totalOf((await outcomeOf(jsonBody({ spans }))).events)
          if (tokens < all) expect(refused + service.kept().length).toBeGreaterThan(0)
          expect(tokens).toBeLessThanOrEqual(all)
        },
      ),
    )
  })
})
