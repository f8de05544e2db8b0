import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MINUTE_MS } from '../../../../src/base/time.ts'
import {
  MOST_ATTEMPTS,
  type Retry,
  afterBlock,
  blockOf,
  isGivenUp,
  isRetryDue,
} from '../../../../src/features/watch/rules_retry.ts'

const minutes = (count: number): number => count * MINUTE_MS

describe('what blocks a rollback', () => {
  test.each([
    [
      ['candidate latency_ms_avg 148.22 exceeds max 10'],
      ['candidate latency_ms_avg 151.00 exceeds max 10'],
      true,
    ],
    [
      ['diff confidence is LOW (candidate sample < 50 runs); promotion requires HIGH'],
      ['diff confidence is LOW (baseline sample < 50 runs); promotion requires HIGH'],
      true,
    ],
    [
      [
        'too little evidence on latency_ms: +3.1 % [no lower bound, +9 %] against max_latency_increase_pct +2.0 %',
      ],
      [
        'too little evidence on latency_ms: -3.1 % [-4 %, no upper bound] against max_latency_increase_pct +2.0 %',
      ],
      true,
    ],
    [['candidate latency_ms_avg 148.22 exceeds max 10'], ['candidate error_rate 0.2 exceeds max 0.1'], false],
    [['candidate error_rate 0.2 exceeds max 0.1'], [], false],
    [['diff confidence is LOW (a); x'], ['diff confidence is MEDIUM (a); x'], false],
  ])('%j and %j are the same: %s', (one, other, same) => {
    expect(blockOf(one) === blockOf(other)).toBe(same)
  })
})

describe('a rollback that is blocked', () => {
  /** Asks each minute for a day what to do, where `blockAt` says what blocks, and returns the minutes of attempts. */
  function attempts(blockAt: (minute: number) => string | null, endsAt = minutes(120)): number[] {
    let retry = afterBlock(null, blockAt(0)!, 0)
    const made = [0]
    for (let minute = 1; minute < 1440; minute++) {
      if (isGivenUp(retry, minutes(minute), endsAt)) return made
      const block = blockAt(minute)
      if (!isRetryDue(retry, block, minutes(minute))) continue
      made.push(minute)
      if (block === null) return made
      retry = afterBlock(retry, block, minutes(minute))
    }
    throw new Error('it is never given up')
  }

  test('is tried after 5, 15 and 60 minutes while the same blocks it', () => {
    expect(attempts(() => 'a')).toEqual([0, 5, 15, 60])
  })

  test('is tried for so long also where the watch would have ended before', () => {
    expect(attempts(() => 'a', minutes(1))).toEqual([0, 5, 15, 60])
  })

  test('is tried at once where another reason blocks it, or none; each reason once', () => {
    expect(attempts(minute => (minute % 2 === 0 ? 'a' : 'b'))).toEqual([0, 1, 5, 15, 60])
    expect(attempts(minute => (minute < 100 ? 'a' : null))).toEqual([0, 5, 15, 60, 100])
  })

  test('is given up, also where none of those times came to an attempt', () => {
    const retry = afterBlock(null, 'a', 0)
    expect(isGivenUp(retry, minutes(64), minutes(1))).toBe(false)
    expect(isGivenUp(retry, minutes(65), minutes(1))).toBe(true)
    expect(isGivenUp(retry, minutes(119), minutes(120))).toBe(false)
    expect(isGivenUp(retry, minutes(120), minutes(120))).toBe(true)
  })

  test('is given up at the end of the watch', () => {
    expect(attempts(minute => (minute < 121 ? 'a' : null))).toEqual([0, 5, 15, 60])
  })

  test('is tried a bounded number of times, whatever blocks it and however clocks jump', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -600, max: 600 }), fc.integer({ min: 0, max: 40 })), {
          minLength: 200,
          maxLength: 400,
        }),
        steps => {
          let retry: Retry = afterBlock(null, 'first', 0)
          let now = 0
          for (const [step, reason] of steps) {
            now += minutes(step)
            if (isGivenUp(retry, now, 0)) return
            const block = `reason ${String.fromCodePoint(97 + reason)}`
            if (isRetryDue(retry, block, now)) retry = afterBlock(retry, block, now)
            expect(retry.attempts).toBeLessThanOrEqual(MOST_ATTEMPTS)
            // What is planned is never further ahead than the longest pause.
            if (retry.next_at !== null)
              expect(retry.next_at - retry.blocked_at).toBeLessThanOrEqual(minutes(60))
          }
        },
      ),
    )
  })

  test('is tried at once where the clock was set back, and then by the clock as it is', () => {
    const retry = afterBlock(null, 'a', minutes(1000))
    expect(isRetryDue(retry, 'a', minutes(10))).toBe(true)
    expect(afterBlock(retry, 'a', minutes(10))).toMatchObject({
      blocked_at: minutes(10),
      next_at: minutes(15),
    })
  })
})
