import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ServiceError } from '../../../src/base/errors.ts'
import type { Called } from '../../../src/http/access/context.ts'
import { limitConcurrency } from '../../../src/http/endpoint/limit_concurrency.ts'
import { NOBODY } from '../../../src/http/access/caller.ts'
import { type Reply, json } from '../../../src/http/wire/message.ts'
import { bounded } from '../../../src/sql/deadline.ts'
import { newMemo, newRemembered } from '../../../src/ledger/world/memo.ts'
import type { Sql } from '../../../src/sql/port.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A caller of one server, until `signal` says that it is gone. */
function callOf(memo = newMemo(), signal?: AbortSignal, isReader = true): Called {
  const sql = { options: { timeoutMs: 30_000 } } as Partial<Sql> as Sql
  const context = { sql, memo, now: () => 0, elapsed: () => performance.now(), caller: NOBODY, isReader }
  return bounded(context as Partial<Called> as Called, { signal })
}

/** Costly reads that end when the test says so. */
function costly({ most = 1, memo = newMemo(), isReader = true } = {}) {
  const open: (() => void)[] = []
  const counts = { running: 0, mostAtOnce: 0, runs: 0 }
  const ask = (what: unknown, route = 'GET /a'): Promise<Reply> => {
    const input = { path: {}, query: { what }, body: undefined, accept: '' }
    return limitConcurrency({ most }, route, input, callOf(memo, undefined, isReader), async () => {
      counts.runs += 1
      counts.running += 1
      counts.mostAtOnce = Math.max(counts.mostAtOnce, counts.running)
      const end = Promise.withResolvers<void>()
      open.push(end.resolve)
      await end.promise
      counts.running -= 1
      return json({ what })
    })
  }
  return { ask, open, counts }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

describe('a costly read', () => {
  test.each(Array.from({ length: 12 }, (_, ticks) => ticks))(
    'begins when another has ended, also where a third comes %i ticks later',
    async ticks => {
      const { ask, open, counts } = costly()
      const answers = [ask(1), ask(2)]
      await settled()
      open[0]!()
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      answers.push(ask(3))
      await settled()
      expect(counts).toEqual({ running: 1, mostAtOnce: 1, runs: 2 })
      for (let next = 1; next < 3; next++) {
        open[next]!()
        await settled()
      }
      await Promise.all(answers)
      expect(counts).toEqual({ running: 0, mostAtOnce: 1, runs: 3 })
    },
  )

  test('that waits is shared by all that ask the same, one that has begun by none', async () => {
    const { ask, open, counts } = costly()
    const answers = [ask(1), ask(2), ask(2), ask(2)]
    await settled()
    answers.push(ask(1))
    for (let next = 0; next < 3; next++) {
      open[next]!()
      await settled()
    }
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(
      [1, 2, 2, 2, 1].map(what => JSON.stringify({ what })),
    )
    expect(counts.runs).toBe(3)
  })

  test('that is put again and again rests, and those who put it meanwhile share the next answer', async () => {
    const [memo, input] = [newMemo(), { path: {}, query: {}, body: undefined, accept: '' }]
    const began: number[] = []
    const ask = (query: unknown, signal?: AbortSignal): Promise<Reply> =>
      limitConcurrency(
        { most: 1, share: 1 / 5 },
        'GET /a',
        { ...input, query },
        callOf(memo, signal),
        async () => {
          began.push(performance.now())
          await new Promise(resolve => setTimeout(resolve, 50))
          return json({})
        },
      )
    const start = performance.now()
    const again = async (): Promise<void> => {
      while (performance.now() - start < 10_000) await Promise.all([ask({}), ask({}), ask({})])
    }
    const asking = again()
    // Twice at once, as the first of three begins; then a run every 250 ms.
    await vi.advanceTimersByTimeAsync(9_000)
    expect(began.length * 50).toBeLessThan(9_000 / 5 + 200)
    expect(began.length * 50).toBeGreaterThan(9_000 / 5 - 200)
    // Another question does not rest.
    const before = began.length
    const other = ask({ other: true })
    await vi.advanceTimersByTimeAsync(100)
    await other
    expect(began.length).toBeGreaterThan(before)
    await vi.advanceTimersByTimeAsync(10_000)
    await asking
  })

  test('does not begin behind a rest where its client has left', async () => {
    const [memo, input] = [newMemo(), { path: {}, query: {}, body: undefined, accept: '' }]
    let runs = 0
    const ask = (signal?: AbortSignal): Promise<Reply> =>
      limitConcurrency({ most: 1, share: 1 / 5 }, 'GET /a', input, callOf(memo, signal), async () => {
        runs += 1
        await new Promise(resolve => setTimeout(resolve, 200))
        return json({})
      })
    const first = ask()
    await vi.advanceTimersByTimeAsync(200)
    await first
    const leaving = new AbortController()
    const left = ask(leaving.signal).catch((error: unknown) => error)
    await settled()
    expect(runs).toBe(1)
    leaving.abort()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await left).toMatchObject({ kind: 'gone' })
    expect(runs).toBe(1)
  })

  test('that fails makes room for the next', async () => {
    const memo = newMemo()
    const input = { path: {}, query: {}, body: undefined, accept: '' }
    const run = () => Promise.reject(new Error('no'))
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(limitConcurrency({ most: 1 }, 'GET /a', input, callOf(memo), run)).rejects.toThrow('no')
    }
  })

  test('waits no longer than ten seconds', async () => {
    const { ask, open, counts } = costly()
    const first = ask(1)
    const refused = ask(2).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(9999)
    const later = ask(3)
    await vi.advanceTimersByTimeAsync(1)
    expect(await refused).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
    open[0]!()
    await vi.advanceTimersByTimeAsync(0)
    open[1]!()
    await Promise.all([first, later])
    expect(counts.runs).toBe(2)
  })

  test('is refused where 64 wait, but not where its route is free', async () => {
    const { ask } = costly()
    for (let what = 0; what < 65; what++) void ask(what)
    await settled()
    await expect(ask('more')).rejects.toThrow(ServiceError)
    void ask('free', 'GET /b')
    await settled()
  })

  test('of callers without read access is one at work and eight that wait, and takes no turn of a reader', async () => {
    const memo = newMemo()
    const readers = costly({ most: 4, memo })
    const strangers = costly({ most: 4, memo, isReader: false })
    const waiting = Array.from({ length: 9 }, (_, what) => strangers.ask(what))
    await settled()
    await expect(strangers.ask('more')).rejects.toMatchObject({ status: 503 })
    expect(strangers.counts.running).toBe(1)
    const first = [readers.ask(1), readers.ask(2), readers.ask(3)]
    await settled()
    expect(readers.counts.running).toBe(3)
    for (let what = 4; what < 60; what++) void readers.ask(what)
    await settled()
    expect(readers.counts.running).toBe(3)
    for (let next = 0; next < 3; next++) readers.open[next]!()
    await Promise.all(first)
    for (let next = 0; next < 9; next++) {
      while (strangers.open[next] === undefined) {
        readers.open.splice(0).forEach(end => end())
        await settled()
      }
      strangers.open[next]!()
      await settled()
    }
    await Promise.all(waiting)
    expect(strangers.counts).toEqual({ running: 0, mostAtOnce: 1, runs: 9 })
  })

  test('of one request counts for the others of an isolate, each of which has a memo of its own', async () => {
    const remembered = newRemembered(60_000)
    const [one, other] = [newMemo(remembered), newMemo(remembered)].map(memo => costly({ memo }))
    const answers = [one!.ask(1), other!.ask(2)]
    await settled()
    expect([one!.counts.runs, other!.counts.runs]).toEqual([1, 0])
    one!.open[0]!()
    await settled()
    other!.open[0]!()
    await Promise.all(answers)
  })
})

const ONE_AT_ONCE = { most: 1 }
const QUESTION = { path: {}, query: {}, body: {}, accept: '' }

/** Callers of one server, and what they ask while another costly read is under way, which ends when it is let. */
async function busyServer() {
  const memo = newMemo()
  const begun: string[] = []
  const call = (signal?: AbortSignal): Called => callOf(memo, signal)
  const ask = (name: string, called = call(), question = QUESTION): Promise<Reply> =>
    limitConcurrency(ONE_AT_ONCE, 'POST /v1/diff', question, called, async ({ sql }) => {
      begun.push(name)
      return json({ name, signal: sql.options.deadline?.signal, leftMs: sql.options.deadline?.leftMs() })
    })
  const first = Promise.withResolvers<Reply>()
  const running = limitConcurrency(ONE_AT_ONCE, 'POST /v1/diff', QUESTION, call(), () => first.promise)
  await settled()
  const end = async (): Promise<void> => {
    first.resolve(json({}))
    await running
  }
  return { begun, call, ask, end }
}

describe('a costly read that waits for its turn', () => {
  test('is done once for all who ask the same, also where the first of them leaves', async () => {
    const { begun, call, ask, end } = await busyServer()
    const caller = new AbortController()
    const [leaving, staying] = [ask('first', call(caller.signal)), ask('second')]
    await vi.advanceTimersByTimeAsync(1000)
    caller.abort()
    await end()
    expect(JSON.parse((await staying).body as string)).toEqual({ name: 'first', leftMs: 29_000 })
    await leaving
    expect(begun).toEqual(['first'])
  })

  test('is not done where everybody has left', async () => {
    const { begun, call, ask, end } = await busyServer()
    const caller = new AbortController()
    const both = [ask('first', call(caller.signal)), ask('second', call(caller.signal))]
    const other = ask('other', call(), { ...QUESTION, accept: 'text/plain' })
    caller.abort()
    await end()
    const answers = await Promise.allSettled(both)
    expect(answers).toMatchObject([{ reason: { kind: 'gone' } }, { reason: { kind: 'gone' } }])
    await other
    expect(begun).toEqual(['other'])
  })
})
