import { describe, expect, test } from 'vitest'
import { modelWarnings, oddPrices } from '../../../src/rules/cost.ts'

const tableOf = (prices: Readonly<Record<string, number>>) => ({
  provider: 'acme',
  pricing_version: 'v1',
  entries: Object.entries(prices).map(([model, input_usd_per_1k_tokens]) => ({
    model,
    input_usd_per_1k_tokens,
  })),
})
const perMillion = (rest: string): string =>
  `price table acme/v1: m1 costs 3 USD per 1,000 input tokens, which is 3000 USD per million${rest}`
const mend = '; if 3 is the price per million, write 0.003, and divide its other prices by 1,000 too'

describe('odd prices', () => {
  test.each([
    [{ m1: 0.003, m2: 0 }, []],
    [{ m1: 1 }, []],
    [{ m1: 3 }, [perMillion(mend)]],
    [{ m0: 0.5, m1: 3, m2: 15, m3: 1.01 }, [perMillion(`, and m2, m3 cost more than 1 too${mend}`)]],
    [
      {},
      [
        'price table acme/v1 has no entries: a diff of a release that names it is refused as soon as there are runs',
      ],
    ],
  ])('of %j: %j', (prices, warnings) => {
    expect(oddPrices(tableOf(prices))).toEqual(warnings)
  })

  test('of a tenth of a cent per million are written in full', () => {
    expect(oddPrices(tableOf({ m: 1.1 }))).toEqual([
      expect.stringMatching(/which is 1100 USD per million; .* write 0\.0011,/),
    ])
  })
})

describe('the price of a release', () => {
  const named = { provider: 'acme', pricing_version: 'v1', model: 'm1' }

  test.each([
    [undefined, ['price table acme/v1 is not imported yet; a diff needs it (svc pricing import PATH)']],
    [tableOf({ m1: 0.003, m2: 15 }), []],
    [tableOf({ m1: 3, m2: 15 }), [perMillion(mend)]],
    [
      tableOf({ m2: 0.1 }),
      [
        'price table acme/v1 has no price for m1, the model of this release; a diff needs one ' +
          '(svc pricing import PATH --replace --reason WHY)',
      ],
    ],
    [tableOf({}), [expect.stringMatching(/^price table acme\/v1 has no price for m1/)]],
  ])('by %j: %j', (table, warnings) => {
    expect(modelWarnings(named, table)).toEqual(warnings)
  })
})
