import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearestNames, similarNames } from '../../../src/base/text.ts'

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'claude-sonnet-5', 'claude-opus-5', 'gemini-2.5-pro']

test.for([
  ['gpt-4o-mni', ['gpt-4o', 'gpt-4o-mini']],
  ['GPT-4O-MINI', ['gpt-4o-mini', 'gpt-4o']],
  ['gpt-4o-2024-08-06', ['gpt-4o']],
  ['claude-sonet-5', ['claude-sonnet-5', 'claude-opus-5']],
  ['claude', ['claude-opus-5', 'claude-sonnet-5']],
  ['gpt-4', ['gpt-4o', 'gpt-4.1', 'gpt-4o-mini']],
  ['llama-3', []],
  ['', []],
] as const)('%j may have meant %j', ([name, expected]) => {
  expect(similarNames(name, MODELS)).toEqual(expected)
})

test('the number of names is bounded', () => {
  expect(similarNames('gpt-4', MODELS, 1)).toEqual(['gpt-4o'])
  expect(similarNames('gpt-4', MODELS, 0)).toEqual([])
})

test('names longer than 64 characters, and more than 200 of them, are not compared', () => {
  const long = 'x'.repeat(64)
  expect(similarNames(long, [`${long}x`, long.slice(1)])).toEqual([long.slice(1)])
  expect(similarNames(`${long}x`, [long])).toEqual([])
  const others = Array.from({ length: 200 }, (_, index) => `other-name-${index}`)
  expect(similarNames('gpt-4', [...others, 'gpt-4o'])).toEqual([])
  expect(similarNames('gpt-4', [...others.slice(1), 'gpt-4o'])).toEqual(['gpt-4o'])
})

test('nothing known, nothing similar', () => {
  expect(similarNames('gpt-4o', [])).toEqual([])
})

test('the same name in another case comes first', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9.-]{3,20}$/), name => {
      expect(similarNames(name.toUpperCase(), [...MODELS, `${name}x`, name], 20)[0]).toBe(name)
    }),
  )
})

test('one slip in a name is found, wherever it is', () => {
  const slips = fc.tuple(fc.constantFrom(...MODELS), fc.nat(100), fc.constantFrom('', 'q', 'qq'))
  fc.assert(
    fc.property(slips, ([name, position, typed]) => {
      const at = position % name.length
      const slip = name.slice(0, at) + typed + name.slice(at + 1)
      expect(similarNames(slip, MODELS)).toContain(name)
    }),
  )
})

test('the order in which names are known does not matter', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(MODELS, { minLength: MODELS.length }), shuffled => {
      expect(similarNames('gpt-4', shuffled)).toEqual(similarNames('gpt-4', MODELS))
    }),
  )
})

test('names that are equally close are all said, the shortest first', () => {
  const limits = ['max_latency_increase_pct', 'max_latency_ms', 'max_cost_per_run_usd', 'max_error_rate']
  expect(nearestNames('max_latency', limits)).toBe('max_latency_ms or max_latency_increase_pct')
  expect(nearestNames('max_eror_rate', limits)).toBe('max_error_rate')
  expect(nearestNames('zzz', limits)).toBeUndefined()
})
