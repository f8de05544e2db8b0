import { describe, expect, test, vi } from 'vitest'
import { endsItsTimers } from '../../support/timers.ts'
import {
  atMost,
  deadlineIn,
  inTime,
  within,
  inBackground,
  patiently,
  requireTime,
  unbounded,
} from '../../../src/sql/deadline.ts'
import { type Deadline, type Sql, sql } from '../../../src/sql/port.ts'

endsItsTimers()

const inMs = (ms: number, signal?: AbortSignal): Deadline => deadlineIn(ms, () => performance.now(), signal)
const ONE = sql`SELECT 1`

describe('a deadline', () => {
  test('is over when its time is, or its caller is gone', async () => {
    const caller = new AbortController()
    const [timed, called] = [inMs(1000), inMs(1000, caller.signal)]
    await vi.advanceTimersByTimeAsync(999)
    expect(timed.leftMs()).toBe(1)
    expect(() => requireTime(timed)).not.toThrow()
    caller.abort()
    expect(() => requireTime(called)).toThrow(expect.objectContaining({ kind: 'gone' }))
    await vi.advanceTimersByTimeAsync(1)
    expect(() => requireTime(timed)).toThrow(expect.objectContaining({ kind: 'busy' }))
  })

  test('of an operation is that of its caller, where that is earlier', async () => {
    expect(atMost(500, inMs(1000)).leftMs()).toBe(500)
    expect(atMost(1000, inMs(500)).leftMs()).toBe(500)
    expect(atMost(500).leftMs()).toBe(500)
    const caller = new AbortController()
    expect(atMost(500, inMs(1000, caller.signal)).signal).toBe(caller.signal)
  })
})

describe('a wait', () => {
  test('gives what comes in time, and what fails in time', async () => {
    expect(await inTime(Promise.resolve(1), inMs(10))).toBe(1)
    await expect(inTime(Promise.reject(new Error('no')), inMs(10))).rejects.toThrow('no')
    expect(await inTime(Promise.resolve(1), undefined)).toBe(1)
  })

  test('ends at the deadline', async () => {
    const ended = inTime(new Promise(() => {}), inMs(10)).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(9)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await ended).toMatchObject({ kind: 'busy' })
  })

  test('ends when the caller goes', async () => {
    const caller = new AbortController()
    const ended = inTime(new Promise(() => {}), inMs(10, caller.signal))
    caller.abort()
    await expect(ended).rejects.toMatchObject({ kind: 'gone' })
  })

  test('that has no end sets no timer', async () => {
    const caller = new AbortController()
    const ended = inTime(new Promise(() => {}), inMs(Number.POSITIVE_INFINITY, caller.signal))
    expect(vi.getTimerCount()).toBe(0)
    caller.abort()
    await expect(ended).rejects.toMatchObject({ kind: 'gone' })
  })
})

describe('a database for one caller', () => {
  /** Notes the deadline that each operation is given. */
  function noting(): { db: Sql; given: (Deadline | undefined)[] } {
    const given: (Deadline | undefined)[] = []
    const note = async (deadline: Deadline | undefined): Promise<never[]> => (given.push(deadline), [])
    const db: Partial<Sql> = {
      options: { timeoutMs: 1000 },
      query: (_statement, options) => note(options?.deadline).then(() => ({ rows: [], changes: 0 })),
      snapshot: (_statements, options) => note(options?.deadline),
      batch: (_statements, options) => note(options?.deadline),
    }
    return { db: db as Sql, given }
  }

  test('gives each operation its deadline, and begins none after it', async () => {
    const { db, given } = noting()
    const mine = inMs(1000)
    const bounded = within(db, mine)
    await Promise.all([bounded.query(ONE), bounded.snapshot([ONE]), bounded.batch([ONE], { durable: true })])
    expect(given).toEqual([mine, mine, mine])
    await vi.advanceTimersByTimeAsync(1000)
    for (const begin of [
      () => bounded.query(ONE),
      () => bounded.snapshot([ONE]),
      () => bounded.batch([ONE]),
    ]) {
      await expect(begin()).rejects.toMatchObject({ kind: 'busy' })
    }
    expect(given).toHaveLength(3)
  })

  test('leaves without it what takes long, and what others wait for', async () => {
    const { db, given } = noting()
    const bounded = within(db, inMs(0))
    await patiently(bounded).batch([ONE])
    await inBackground(bounded).query(ONE)
    await unbounded(bounded).snapshot([ONE])
    expect(given).toEqual([undefined, undefined, undefined])
    expect(unbounded(db)).toBe(db)
  })
})
