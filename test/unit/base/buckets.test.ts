import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Buckets, parseRate } from '../../../src/base/shares.ts'

test.each([
  ['100/s', { amount: 100, spanMs: 1000 }],
  ['1/m', { amount: 1, spanMs: 60_000 }],
  ['5/h', { amount: 5, spanMs: 3_600_000 }],
  ['0/s', undefined],
  ['1/d', undefined],
  ['01/s', undefined],
  ['1000000/s', undefined],
])('%s is %j', (text, rate) => {
  expect(parseRate(text)).toEqual(rate)
})

describe('a bucket', () => {
  const rate = { amount: 3, spanMs: 3000 }

  test('gives what it holds, says how long until there is more, and fills again', () => {
    const buckets = new Buckets()
    expect([0, 0, 0, 0].map(() => buckets.take('a', rate, 0))).toEqual([0, 0, 0, 1000])
    expect(buckets.take('b', rate, 0)).toBe(0)
    expect(buckets.take('a', rate, 400)).toBe(600)
    expect(buckets.take('a', rate, 1000)).toBe(0)
    expect(buckets.take('a', rate, 1000)).toBe(1000)
  })

  test('never gives more in any time than it holds and what that time adds', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { maxLength: 100 }), gaps => {
        const buckets = new Buckets()
        let [now, given] = [0, 0]
        for (const gap of gaps) {
          now += gap
          if (buckets.take('a', rate, now) === 0) given++
          expect(given).toBeLessThanOrEqual(3 + now / 1000 + 1e-6)
        }
      }),
    )
  })

  test('a clock that is set back gives nothing away', () => {
    const buckets = new Buckets()
    for (let take = 0; take < 3; take++) buckets.take('a', rate, 10_000)
    expect(buckets.take('a', rate, 0)).toBeGreaterThan(0)
  })

  test('as many as there may be do not grow without end', () => {
    const buckets = new Buckets()
    for (let key = 0; key < 10_001; key++) buckets.take(`${key}`, { amount: 1, spanMs: 1000 }, 0)
    expect(buckets.take('10000', { amount: 1, spanMs: 1000 }, 0)).toBeGreaterThan(0)
    expect(buckets.take('0', { amount: 1, spanMs: 1000 }, 0)).toBe(0)
  })
})
