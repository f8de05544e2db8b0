import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { logOnly } from '../../../../src/ledger/trail/write_logged.ts'
import { promote } from '../../../../src/ledger/decide/promote.ts'
import { atMost, bounded, inTime, newMutex, unabandoned } from '../../../../src/sql/deadline.ts'
import { type Sql, SqlError } from '../../../../src/sql/port.ts'
import { withoutThreads } from '../../../../tools/simulation/globals.ts'
import { endsItsTimers } from '../../../support/timers.ts'
import { HERE, promoted, put } from '../../../support/ledgers/decided_ledger.ts'
import { ANN, type PlainLedger } from '../../../support/ledgers/plain_ledger.ts'

endsItsTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })

const PRUNED = {
  kind: 'events.pruned',
  actor: ANN,
  reason: null,
  details: { before: '2026-02-01', days: 1, events: 1 },
} as const

/** The ledger while another process holds its lock: writes wait as its adapter has them, and come to nothing. */
function locked(ledger: PlainLedger, timeoutMs: number): PlainLedger & { begun: number[] } {
  const begun: number[] = []
  const batch: Sql['batch'] = async (_statements, { deadline } = {}) => {
    begun.push(performance.now())
    return inTime(
      new Promise<never>(() => {}),
      atMost(timeoutMs, deadline),
      () => new SqlError('busy', 'the ledger is locked'),
    )
  }
  return { ...ledger, sql: { ...ledger.sql, options: { timeoutMs }, batch }, begun }
}

const STEP_MS = 250
const ADMITTED_MS = 20_000

/** Lets time pass in steps, between which everything that waits for nothing else comes as far as it can. */
async function passing(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    await vi.advanceTimersByTimeAsync(STEP_MS)
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
  }
}

describe('20 governed writes behind a held lock', () => {
  test.each([
    ['SQLite', 35_000],
    ['PostgreSQL', 30_000],
  ])('all answer within the time of %s, %i ms, from when they came', async (_database, timeoutMs) => {
    const { ledger, two } = await promoted()
    const behind = locked(ledger, timeoutMs)
    onTestFinished(withoutThreads())
    const took: number[] = []
    const kinds: string[] = []
    const writesOn = (on: PlainLedger, release_id: string) => [
      () => promote(on, { ...HERE, release_id, actor: ANN }),
      () => put(on, { max_latency_ms: 110 }),
      () => logOnly(on, PRUNED),
      // As an endpoint has it: some of the time is over when it comes to the first governed write.
      () => put(bounded(on, { ms: timeoutMs - ADMITTED_MS }), {}),
    ]
    // Modules that are loaded with their first use take time that the clock here doesn't know.
    const other = await promoted()
    for (const first of writesOn(other.ledger, other.two)) await first()
    const write = writesOn(behind, two)
    const writes = Array.from({ length: 20 }, async (_, index) => {
      await new Promise(resolve => setTimeout(resolve, 500 * index))
      const startedAt = performance.now()
      await write[index % write.length]!().then(
        () => kinds.push('done'),
        (error: SqlError) => kinds.push(error.kind),
      )
      took.push(performance.now() - startedAt + (index % write.length === 3 ? ADMITTED_MS : 0))
    })
    await passing(500 * 20 + timeoutMs + STEP_MS)
    expect(kinds).toEqual(writes.map(() => 'busy'))
    expect(Math.max(...took)).toBeLessThanOrEqual(timeoutMs + STEP_MS)
    await Promise.all(writes)
  })
})

describe('a caller that is gone', () => {
  test('is not served when its turn comes', async () => {
    const { ledger, two } = await promoted()
    const before = (await ledger.rows('actions')).length
    const first = Promise.withResolvers<void>()
    const holding = ledger.memo.decisions.run(() => first.promise)
    const caller = new AbortController()
    const limited = bounded(ledger, { signal: caller.signal })
    const promotion = promote(limited, { ...HERE, release_id: two, actor: ANN })
    const failed = promotion.catch((error: SqlError) => error.kind)
    await vi.advanceTimersByTimeAsync(100)
    caller.abort()
    expect(await failed).toBe('gone')
    first.resolve()
    await holding
    await vi.advanceTimersByTimeAsync(100)
    expect(await ledger.rows('actions')).toHaveLength(before)
  })

  test('ends its own wait, and no work that others wait for', async () => {
    const { ledger } = await promoted()
    const caller = new AbortController()
    const limited = bounded(ledger, { signal: caller.signal })
    caller.abort()
    await expect(put(limited, {})).rejects.toMatchObject({ kind: 'gone' })
    await put(unabandoned(limited), {})
  })
})

test('a mutex passes over whoever left, and keeps the others in order', async () => {
  const mutex = newMutex()
  const first = Promise.withResolvers<void>()
  const did: string[] = []
  const running = mutex.run(() => first.promise)
  const late = mutex.run(async () => did.push('late'), atMost(50))
  const last = mutex.run(async () => did.push('last'), atMost(1000))
  const failed = late.catch((error: SqlError) => error.kind)
  await vi.advanceTimersByTimeAsync(50)
  expect(await failed).toBe('busy')
  expect(did).toEqual([])
  first.resolve()
  await Promise.all([running, last])
  expect(did).toEqual(['last'])
})
