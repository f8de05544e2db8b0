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

  const dated = table(
    'anthropic',
    { model: 'gpt-5' },
    { model: 'gpt-4o' },
    { model: 'gpt-4o-2024-05-13' },
    { model: 'davinci' },
    { model: 'claude-sonnet-4-5', aliases: ['sonnet'] },
    { model: 'claude-haiku-4-5-20251001' },
    { model: 'anthropic.claude-opus-4-1' },
    { model: 'gemini-2.5-pro' },
  )

  test.each([
    ['gpt-5-2025-08-07', 'gpt-5'],
    ['anthropic/gpt-5-2025-08-07', 'gpt-5'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['claude-haiku-4-5@20251001', 'claude-haiku-4-5-20251001'],
    ['sonnet-20250929', 'claude-sonnet-4-5'],
    ['anthropic.claude-opus-4-1-20250805-v1:0', 'anthropic.claude-opus-4-1'],
    ['anthropic.claude-opus-4-1-v1:0', 'anthropic.claude-opus-4-1'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    // A build with a price of its own.
    ['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    // Another model, or what is no date.
    ['gpt-5-mini', undefined],
    ['gpt-5-mini-2025-08-07', undefined],
    ['gpt-5.1-2025-11-13', undefined],
    ['gpt-5-2025-13-07', undefined],
    ['gpt-5-0613', undefined],
    ['gpt-5-99999999', undefined],
    ['davinci-002', undefined],
    ['ft:gpt-5-2025-08-07:org::id', undefined],
    ['us.anthropic.claude-opus-4-1-v1:0', undefined],
    ['openrouter/gpt-5-2025-08-07', undefined],
    ['-2025-08-07', undefined],
    // Which build the plain name means can change.
    ['claude-haiku-4-5', undefined],
    ['claude-haiku-4-5-20260101', undefined],
  ])('%s, without its date or version where it has no price of its own: the price of %s', (name, model) => {
    expect(dated.get(name)?.model).toBe(model)
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
