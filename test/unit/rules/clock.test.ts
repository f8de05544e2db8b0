import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeClock } from '../../../src/rules/clock.ts'

const NOON = Date.UTC(2026, 0, 31, 12)
const [SECOND, MINUTE, DAY] = [1000, 60_000, 86_400_000]

/** What is judged of a database of its own whose clock is so far ahead of the server's. */
const databaseAhead = (aheadMs: number, tookMs = 0) =>
  judgeClock({ database: NOON + aheadMs, server: { before: NOON, after: NOON + tookMs } })

describe('the clock of a database beside that of the server', () => {
  test.each([
    [0, {}],
    [MINUTE, {}],
    [-MINUTE, {}],
    [MINUTE + 1, { warning: expect.any(String) }],
    [-MINUTE - 1, { warning: expect.any(String) }],
    [10 * MINUTE, { warning: expect.any(String) }],
    [10 * MINUTE + 1, { warning: expect.any(String), apart: expect.any(String) }],
    [-10 * MINUTE - 1, { warning: expect.any(String), apart: expect.any(String) }],
    [400 * DAY, { warning: expect.any(String), apart: expect.any(String) }],
  ])('ahead by %i ms', (aheadMs, judged) => {
    expect(databaseAhead(aheadMs)).toEqual({ now: NOON + aheadMs, ...judged })
  })

  test('says both times', () => {
    expect(databaseAhead(-DAY).apart).toBe(
      "the server's clock says 2026-01-31T12:00:00.000Z and the database's 2026-01-30T12:00:00.000Z: " +
        'set the wrong one (NTP)',
    )
  })

  test('may have been read at any moment of a read that took long', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: DAY }), fc.integer({ min: 0, max: DAY }), (tookMs, at) => {
        expect(databaseAhead(Math.min(at, tookMs), tookMs)).toEqual({ now: NOON + Math.min(at, tookMs) })
      }),
    )
  })
})

describe("the clock of this machine, which is the database's too", () => {
  const own = (latestAgoMs: number, movedMs = 0) =>
    judgeClock({
      database: NOON,
      // It is not compared with itself.
      server: { before: NOON + DAY, after: NOON + DAY },
      own: { latest: NOON - latestAgoMs, movedMs },
    })

  test.each([
    [DAY, 0, {}],
    [0, 0, {}],
    [-SECOND, 0, {}],
    [-SECOND - 1, 0, { doubt: expect.stringMatching(/accept-clock/), warning: expect.any(String) }],
    [DAY, -10 * MINUTE, {}],
    [DAY, -10 * MINUTE - 1, { doubt: expect.stringMatching(/10 minutes less/), warning: expect.any(String) }],
    [DAY, 10 * MINUTE, {}],
    [DAY, 95 * MINUTE, { warning: expect.stringMatching(/95 minutes more/) }],
    [-DAY, 95 * MINUTE, { doubt: expect.stringMatching(/accept-clock/), warning: expect.any(String) }],
  ])('%i ms behind the newest record, moved by %i ms', (ago, moved, judged) => {
    expect(own(ago, moved)).toEqual({ now: NOON, ...judged })
  })

  test('says what it says and what the ledger holds', () => {
    expect(own(-DAY).doubt).toBe(
      "this machine's clock says 2026-01-31T12:00:00.000Z, but the audit log has an entry of " +
        '2026-02-01T12:00:00.000Z: set the clock; if it is right now, and was wrong then, run ' +
        '`svc ledger accept-clock --reason WHY`',
    )
  })
})
