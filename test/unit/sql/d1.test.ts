import { afterEach, expect, test, vi } from 'vitest'
import { newCommitQueue } from '../../../src/sql/commit_queue.ts'
import { type D1Like, openD1 } from '../../../src/sql/d1.ts'
import { raw } from '../../../src/sql/port.ts'
import { noWrite } from '../../../src/sql/write_health.ts'

afterEach(() => void vi.useRealTimers())

/** A D1 that counts its queries, each time opened by another request of one isolate. */
function isolate() {
  const counts = { reads: 0, writes: 0 }
  const statement = (text: string) => ({ text, bind: () => statement(text), all: async () => ({ meta: {} }) })
  const state = { fails: false }
  const database: D1Like = {
    prepare: text => statement(text),
    batch: async statements => {
      const isWrite = statements.some(each => (each as unknown as { text: string }).text.startsWith('UPDATE'))
      counts[isWrite ? 'writes' : 'reads'] += 1
      if (isWrite && state.fails) throw new Error('D1_ERROR: no such table')
      return statements.map(() => ({ meta: {} }))
    },
  }
  const together = { queue: newCommitQueue(), lastWrite: noWrite(), keepAlive: () => {} }
  return { counts, state, open: () => openD1(database, together) }
}

test('what watches the service has D1 write once a second, however many ask', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { counts, open } = isolate()
  for (let request = 0; request < 5; request++) await open().check(raw('SELECT 1'), 'write')
  expect(counts).toEqual({ reads: 5, writes: 1 })
  vi.advanceTimersByTime(1000)
  await open().check(raw('SELECT 1'), 'write')
  expect(counts.writes).toBe(2)
})

test('and not at all where another request has just written', async () => {
  const { counts, open } = isolate()
  await open().batch([raw('UPDATE a SET b = 1')])
  await open().check(raw('SELECT 1'), 'write')
  await open().check(raw('SELECT 1'), 'read')
  expect(counts).toEqual({ reads: 2, writes: 1 })
})

test('a write that failed shows nothing, and what does not go through is told', async () => {
  const { counts, state, open } = isolate()
  state.fails = true
  await expect(open().check(raw('SELECT 1'), 'write')).rejects.toThrow(/no such table/)
  await expect(open().check(raw('SELECT 1'), 'write')).rejects.toThrow(/no such table/)
  expect(counts.writes).toBe(2)
})
