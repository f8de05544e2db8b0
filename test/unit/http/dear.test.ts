import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sparingly } from '../../../src/http/endpoint/dear.ts'
import type { Called } from '../../../src/http/context.ts'
import { type Reply, json } from '../../../src/http/message.ts'
import { bounded } from '../../../src/ledger/bounded.ts'
import { newMemo } from '../../../src/ledger/memo.ts'
import type { Sql } from '../../../src/sql/port.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const ONE_AT_ONCE = { most: 1 }
const QUESTION = { path: {}, query: {}, body: {}, accept: '' }

/** Callers of one server, and what they ask while another costly read is under way, which ends when it is let. */
function busyServer() {
  const memo = newMemo()
  const begun: string[] = []
  const call = (signal?: AbortSignal): Called => {
    const sql = { timeoutMs: 30_000 } as Partial<Sql> as Sql
    const context = { sql, memo, elapsed: () => performance.now(), caller: { scope: {} } }
    return bounded(context as unknown as Called, { signal })
  }
  const ask = (name: string, called = call(), question = QUESTION): Promise<Reply> =>
    sparingly(ONE_AT_ONCE, 'POST /v1/diff', question, called, async ({ sql }) => {
      begun.push(name)
      return json({ name, signal: sql.deadline?.signal, leftMs: sql.deadline?.leftMs() })
    })
  const first = Promise.withResolvers<Reply>()
  const running = sparingly(ONE_AT_ONCE, 'POST /v1/diff', QUESTION, call(), () => first.promise)
  const end = async (): Promise<void> => {
    first.resolve(json({}))
    await running
  }
  return { begun, call, ask, end }
}

describe('a costly read that waits for its turn', () => {
  test('is done once for all who ask the same, also where the first of them leaves', async () => {
    const { begun, call, ask, end } = busyServer()
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
    const { begun, call, ask, end } = busyServer()
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

  test('is given up after ten seconds', async () => {
    const { ask, end } = busyServer()
    const late = ask('late').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await late).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
    await end()
  })
})
