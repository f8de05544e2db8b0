import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_SUMS, type Sums, addSums } from '../../../src/rules/rollup.ts'
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
