import { afterEach, beforeEach, vi } from 'vitest'

/** Timers of the service that have neither run nor been cleared. Others of this process, such as a connection's, are not its. */
const waiting = new Set<unknown>()

/** Fakes the timers of each test of a file, and fails one that leaves some of the service's. */
export function endsItsTimers(options?: Parameters<typeof vi.useFakeTimers>[0]): void {
  beforeEach(() => {
    vi.useFakeTimers(options)
    waiting.clear()
    const { setTimeout, clearTimeout } = globalThis
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms, ...args: unknown[]) => {
      const timer = setTimeout(() => {
        waiting.delete(timer)
        ;(run as (...given: unknown[]) => void)(...args)
      }, ms)
      if (/\/src\//.test(String(new Error('set here').stack))) waiting.add(timer)
      return timer
    })
    vi.spyOn(globalThis, 'clearTimeout').mockImplementation(timer => {
      waiting.delete(timer)
      clearTimeout(timer)
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
    if (waiting.size > 0) throw new Error(`${waiting.size} timers are left`)
  })
}
