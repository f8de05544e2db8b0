import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoredEvent } from '../../../src/models/documents/stored_event.ts'
import { NO_SUMS, type Sums, addSums, partsOf } from '../../../src/rules/rollup.ts'
import { sums } from '../support/sums.ts'

const ONE: Sums = {
  runs: 1,
  errors: 1,
  latency_count: 1,
  latency_sum_ms: 80,
  input_tokens: 1000,
  output_tokens: 500,
  cached_input_tokens: 10,
}

test('nothing adds up to nothing', () => {
  expect(addSums([])).toEqual(NO_SUMS)
  expect(Object.values(NO_SUMS).every(value => value === 0)).toBe(true)
})

test('every number is added', () => {
  expect(addSums([ONE, ONE, { ...ONE, errors: 0, latency_count: 0, latency_sum_ms: 0 }])).toEqual({
    runs: 3,
    errors: 2,
    latency_count: 2,
    latency_sum_ms: 160,
    input_tokens: 3000,
    output_tokens: 1500,
    cached_input_tokens: 30,
    cache_write_input_tokens: 0,
  })
})

test('it changes neither its parts nor what stands for nothing', () => {
  const part = Object.freeze({ ...ONE })
  addSums([part, part])
  expect(part).toEqual(ONE)
  expect(addSums([])).toEqual(NO_SUMS)
})

test('it adds in any order and any grouping', () => {
  fc.assert(
    fc.property(fc.array(sums), fc.array(sums), (left, right) => {
      const whole = addSums([...left, ...right])
      expect(addSums([...right, ...left])).toEqual(whole)
      expect(addSums([addSums(left), addSums(right)])).toEqual(whole)
      expect(addSums([whole, NO_SUMS])).toEqual(whole)
    }),
  )
})

describe('the parts of a run beside the tokens of its own model', () => {
  const own = { provider: 'a', model: 'm1', input_tokens: 100, output_tokens: 10, cached_input_tokens: 5 }
  const other = { ...own, model: 'm2' }
  const part = { ...other, cache_write_input_tokens: 0 }
  const written = {
    provider: 'a',
    model: 'm1',
    input_tokens: 0,
    output_tokens: 0,
    cached_input_tokens: 0,
    cache_write_input_tokens: 40,
  }

  test.for([
    ['one model and no cache', { model: own }, []],
    ['writes to a cache', { model: { ...own, cache_write_input_tokens: 40 } }, [written]],
    ['another model', { model: own, models: [other] }, [part]],
    [
      'another model twice',
      { model: own, models: [other, { ...other, cache_write_input_tokens: 7 }] },
      [
        {
          ...part,
          input_tokens: 200,
          output_tokens: 20,
          cached_input_tokens: 10,
          cache_write_input_tokens: 7,
        },
      ],
    ],
    [
      'its own model again',
      { model: { ...own, cache_write_input_tokens: 40 }, models: [own] },
      [{ ...own, cache_write_input_tokens: 40 }],
    ],
  ] as const)('%s', ([, usage, parts]) => {
    const event = { type: 'run_end', usage: { tools: [], ...usage } } as unknown as StoredEvent
    expect(partsOf(event)).toEqual(parts)
    expect(partsOf({ ...event, type: 'run_start' })).toEqual([])
  })
})
