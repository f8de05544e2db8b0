import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LONGEST_STOP_MS, endWithin, onStop } from '../../../src/cli/terminal/stop.ts'

const exits: (string | number | null | undefined)[] = []
beforeEach(() => {
  exits.length = 0
  vi.useFakeTimers()
  vi.spyOn(process, 'exit').mockImplementation(code => {
    exits.push(code)
    return undefined as never
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('a stop before the server is up ends the process at once', async () => {
  endWithin({ stopped: Promise.resolve('SIGTERM') }, () => {})
  await vi.advanceTimersByTimeAsync(0)
  expect(exits).toEqual([0])
})

test('a stop that does not get to its end ends the process all the same, and says so', async () => {
  const logged: string[] = []
  endWithin({ stopped: Promise.resolve('SIGTERM') }, (level, message) => logged.push(`${level} ${message}`))()
  await vi.advanceTimersByTimeAsync(LONGEST_STOP_MS - 1)
  expect([exits, logged]).toEqual([[], []])
  await vi.advanceTimersByTimeAsync(1)
  expect(exits).toEqual([1])
  expect(logged).toEqual(['error requests did not finish within 25 s; stopped without it'])
})

test('a signal tells all commands of a process, which have one listener for it, and none that is over', () => {
  const before = process.listeners('SIGTERM')
  const [first, second, over] = [onStop(), onStop(), onStop()]
  over.release()
  const added = process.listeners('SIGTERM').filter(listener => !before.includes(listener))
  expect(added).toHaveLength(1)
  added[0]!('SIGTERM')
  expect([first, second, over].map(({ signal }) => signal.aborted)).toEqual([true, true, false])
  expect(exits).toEqual([])
  first.release()
  second.release()
  expect(process.listeners('SIGTERM')).toEqual(before)
})

test('a command that begins after a signal, and while another still waits, is told at once', () => {
  const before = process.listeners('SIGINT')
  const outer = onStop()
  process.listeners('SIGINT').find(listener => !before.includes(listener))!('SIGINT')
  const inner = onStop()
  expect(inner.signal.aborted).toBe(true)
  inner.release()
  outer.release()
  const next = onStop()
  expect(next.signal.aborted).toBe(false)
  next.release()
})
