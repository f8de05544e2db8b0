import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_SUMS, type Aggregate, type PartSums, type VariantSums } from '../../../src/rules/rollup.ts'
import { type OnUnusable, unusableRuns, withoutUnusable } from '../../../src/rules/left_out.ts'

const RELEASE = { agent_id: 'bot', model: 'm1' }
const PRICED = new Set(['m1', 'm2'])
const hasPrice = (model: string): boolean => PRICED.has(model)
const REFUSE = { unpriced: 'refuse' } as const

const runsOf = (agent_id: string, model: string, runs: number): VariantSums => ({
  ...NO_SUMS,
  agent_id,
  provider: 'acme',
  model,
  runs,
})

const partsOf = (agent_id: string, model: string, parts: number): PartSums => ({
  ...runsOf(agent_id, model, 0),
  block: 0,
  parts,
  token_products: [],
})

function sideOf(variants: readonly VariantSums[], parts: readonly PartSums[] = []) {
  const aggregates: Aggregate[] = variants.map(sums => ({
    ...sums,
    block: 0,
    latency_sum_ms2: 0,
    token_products: [],
  }))
  return { release: RELEASE, variants, aggregates, parts, hasPrice }
}

describe('strays', () => {
  test.each([
    ['nothing odd', [runsOf('bot', 'm1', 90), runsOf('bot', 'm2', 9)], [], {}, []],
    [
      'another agent beside the own one',
      [runsOf('bot', 'm1', 99), runsOf('bto', 'm1', 1)],
      [],
      {},
      [{ agent_id: 'bto', model: 'm1', why: 'agent', runs: 1, parts: 0 }],
    ],
    ['one agent alone, also another one', [runsOf('bto', 'm1', 99)], [], {}, []],
    [
      'several agents that may mix',
      [runsOf('bot', 'm1', 9), runsOf('bto', 'm1', 1)],
      [],
      { mayMix: true },
      [],
    ],
    [
      'a model without a price, of runs and of parts',
      [runsOf('bot', 'm1', 99), runsOf('bot', 'm9', 1)],
      [partsOf('bot', 'm9', 2), partsOf('bot', 'm2', 50)],
      {},
      [{ agent_id: 'bot', model: 'm9', why: 'price', runs: 1, parts: 2 }],
    ],
    [
      'a model that the policy leaves out of the cost',
      [runsOf('bot', 'm1', 99), runsOf('bot', 'm9', 1)],
      [partsOf('bot', 'm9', 2)],
      { unpriced: 'exclude' },
      [],
    ],
    [
      'where no run has a price',
      [runsOf('bot', 'm9', 10)],
      [],
      { unpriced: 'exclude' },
      [{ agent_id: 'bot', model: 'm9', why: 'price', runs: 10, parts: 0 }],
    ],
    [
      'another agent with parts of its own, which go with its runs',
      [runsOf('bot', 'm1', 99), runsOf('bto', 'm1', 1)],
      [partsOf('bto', 'm9', 1)],
      {},
      [{ agent_id: 'bto', model: 'm1', why: 'agent', runs: 1, parts: 0 }],
    ],
  ] as const)('of %s', (_, variants, parts, rules, expected) => {
    expect(unusableRuns(sideOf(variants, parts), { ...REFUSE, ...rules })).toEqual(expected)
  })

  test("are runs of the release's own model too, where that has no price", () => {
    const side = {
      ...sideOf([runsOf('bot', 'm1', 95), runsOf('bot', 'm2', 5)]),
      hasPrice: (m: string) => m === 'm2',
    }
    expect(unusableRuns(side, { unpriced: 'exclude' })).toMatchObject([
      { model: 'm1', why: 'price', runs: 95 },
    ])
  })
})

describe('a side without its strays', () => {
  const few = sideOf(
    [runsOf('bot', 'm1', 96), runsOf('bto', 'm1', 3), runsOf('bot', 'm9', 1)],
    [partsOf('bot', 'm9', 1), partsOf('bto', 'm2', 3)],
  )

  test('has neither their runs nor their parts, and says what it left out', () => {
    const { kept, leftOut, hint } = withoutUnusable(few, REFUSE, 'exclude')
    expect(kept.variants).toEqual([runsOf('bot', 'm1', 96)])
    expect(kept.aggregates).toMatchObject([{ agent_id: 'bot', model: 'm1', runs: 96 }])
    expect(kept.parts).toEqual([])
    expect(hint).toBe('')
    expect(leftOut).toEqual({
      runs: 4,
      of_runs: 100,
      parts: 1,
      unusable: [
        { agent_id: 'bto', model: 'm1', why: 'agent', runs: 3, parts: 0 },
        { agent_id: 'bot', model: 'm9', why: 'price', runs: 1, parts: 1 },
      ],
    })
  })

  test.each([
    [19, 1, true],
    [95, 5, true],
    [94, 6, false],
    [0, 1, false],
  ])('of %i runs and %i strays is one: %s', (own, unusable, isOne) => {
    const side = sideOf([runsOf('bot', 'm1', own), runsOf('bto', 'm1', unusable), runsOf('btoo', 'm1', 0)])
    const { leftOut, hint } = withoutUnusable(side, REFUSE, 'exclude')
    expect(leftOut !== undefined).toBe(isOne)
    expect(hint).toMatch(isOne ? /^$/ : /^ They can't be left out: they are \d+ of \d+ runs/)
  })

  test('is as it is where nobody asks for less; then the way is told while it is open', () => {
    expect(withoutUnusable(few, REFUSE, 'refuse')).toEqual({ kept: few, leftOut: undefined, hint: '' })
    const offered = withoutUnusable(few, REFUSE, 'offer')
    expect(offered).toMatchObject({ kept: few, leftOut: undefined })
    expect(offered.hint).toMatch(/--exclude-unusable .* leaves out 5 of 100 runs \(5\.0 %\)\.$/)
  })

  test('can be decided on, and lacks at most 5 % of its runs, whatever there is', () => {
    const use = fc.record({
      agent_id: fc.constantFrom('bot', 'bot', 'bto'),
      model: fc.constantFrom('m1', 'm1', 'm2', 'm9'),
      count: fc.integer({ min: 1, max: 300 }),
    })
    fc.assert(
      fc.property(
        fc.array(use, { maxLength: 8 }),
        fc.array(use, { maxLength: 5 }),
        fc.constantFrom('refuse', 'exclude'),
        fc.boolean(),
        fc.constantFrom<OnUnusable>('refuse', 'offer', 'exclude'),
        (runs, parts, unpriced, mayMix, onUnusable) => {
          const side = sideOf(
            runs.map(({ agent_id, model, count }) => runsOf(agent_id, model, count)),
            parts.map(({ agent_id, model, count }) => partsOf(agent_id, model, count)),
          )
          const rules = { unpriced, mayMix } as const
          const { kept, leftOut } = withoutUnusable(side, rules, onUnusable)
          if (leftOut === undefined) {
            expect(kept).toEqual(side)
            return
          }
          expect(onUnusable).toBe('exclude')
          expect(unusableRuns(kept, rules).filter(({ model }) => model !== 'm9')).toEqual([])
          const total = (sums: readonly VariantSums[]): number =>
            sums.reduce((sum, each) => sum + each.runs, 0)
          expect(total(kept.variants) + leftOut.runs).toBe(total(side.variants))
          expect(leftOut.runs + leftOut.parts).toBeLessThanOrEqual(0.05 * total(side.variants))
          expect(total(kept.aggregates)).toBe(total(kept.variants))
        },
      ),
    )
  })
})
