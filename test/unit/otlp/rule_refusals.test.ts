import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NOON, RESOURCE, type TestSpan } from '../../support/otlp/exports.ts'
import { jsonBody, outcomeOf, releaseOf } from '../../support/otlp/receive.ts'
import { AGENT, type Attributes, call, child, root } from '../../support/otlp/spans.ts'

describe('why a run is refused', () => {
  const REFUSED: readonly (readonly [
    name: string,
    span: Partial<TestSpan>,
    call: Attributes,
    message: string,
  ])[] = [
    ['tokens below 0', {}, call(-1, 1), 'the input tokens must be a whole number of 0 or more (they are -1)'],
    ['a fraction of a token', {}, call(1.5, 1), 'must be a whole number'],
    [
      'a text that is no number',
      {},
      call(1, 1, { 'gen_ai.usage.input_tokens': 'seven' }),
      'the input tokens are not reported',
    ],
    [
      'counts that contradict each other',
      {},
      call(5, 1, { 'gen_ai.usage.total_tokens': 9 }),
      'the token counts contradict each other: 5 input, 1 output, 9 total',
    ],
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
      const { events, message } = await outcomeOf(jsonBody({ spans }))
      const all = nodes.reduce((sum, { input }) => sum + input, 0)
      const stored = events.reduce((sum, { usage }) => sum + usage.model.input_tokens, 0)
      expect(stored).toBeLessThanOrEqual(all)
      const reporting = nodes.filter(({ input }) => input > 0).length
      if (reporting > 0 && events.length === 0) expect(message).not.toBe('')
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
    const before = process.cpuUsage()
    expect((await outcomeOf(body)).events).toHaveLength(1)
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000)
  }
})
