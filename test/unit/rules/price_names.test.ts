import { describe, expect, test } from 'vitest'
import { ModelPrices, pricesOf } from '../../../src/rules/price_names.ts'

const table = (provider: string, ...entries: { model: string; aliases?: string[] }[]) =>
  new ModelPrices({ provider, entries })

describe('a price table is asked by', () => {
  const mistral = table(
    'mistral',
    { model: 'mistral-large', aliases: ['prod-writer', 'eu.mistral-*', 'eu.mistral-large-*'] },
    { model: 'eu.mistral-small', aliases: ['eu.mistral-s*'] },
    { model: 'mistral/codestral' },
  )

  test.each([
    ['mistral-large', 'mistral-large'],
    ['prod-writer', 'mistral-large'],
    ['eu.mistral-medium', 'mistral-large'],
    // The model itself, and then the longest prefix.
    ['eu.mistral-small', 'eu.mistral-small'],
    ['eu.mistral-small-2601', 'eu.mistral-small'],
    // With and without the provider, on either side.
    ['mistral/mistral-large', 'mistral-large'],
    ['mistralai/mistral-large', 'mistral-large'],
    ['mistral/prod-writer', 'mistral-large'],
    ['mistralai/eu.mistral-x', 'mistral-large'],
    ['codestral', 'mistral/codestral'],
    ['mistralai/codestral', 'mistral/codestral'],
    // Another provider in front is another model.
    ['openrouter/mistral-large', undefined],
    ['mistral-large-2', undefined],
    ['prod-writer-2', undefined],
    ['', undefined],
  ])('%s: the price of %s', (name, model) => {
    expect(mistral.get(name)?.model).toBe(model)
    expect(mistral.has(name)).toBe(model !== undefined)
  })

  test('the first name that is a model, and else the first that stands for one', () => {
    expect(mistral.nameOf(['prod-writer', 'eu.mistral-small'])).toBe('eu.mistral-small')
    expect(mistral.nameOf(['unknown', 'prod-writer', 'codestral'])).toBe('mistral-large')
    expect(mistral.nameOf(['unknown'])).toBeUndefined()
  })

  test('names whose bare form two entries share, each by its own', () => {
    const both = table('openai', { model: 'openai/gpt-4.1' }, { model: 'gpt-4.1' })
    expect(both.get('openai/gpt-4.1')?.model).toBe('openai/gpt-4.1')
    expect(both.get('gpt-4.1')?.model).toBe('gpt-4.1')
  })
})

test('prices are those of the models that are used, by the names of the runs', () => {
  const prices = table('openai', { model: 'gpt-4.1', aliases: ['prod*'] }, { model: 'o3' })
  expect(
    [...pricesOf(prices, ['prod-eu', 'gpt-4.1', 'none'])].map(([name, { model }]) => [name, model]),
  ).toEqual([
    ['prod-eu', 'gpt-4.1'],
    ['gpt-4.1', 'gpt-4.1'],
  ])
})
