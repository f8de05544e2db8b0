import type { Deadline } from '../port.ts'

/** How long a lock is waited for, by `monotonicMs`. */
export interface Wait {
  /** Since when. */
  readonly askedAt: number
  /** Until when; what nobody waits for any more is over. */
  readonly until: () => number
  /** Of one caller: what has not begun by then never does. */
  readonly deadline?: Deadline | undefined
}

/** A lock is waited for at most so long from now on, and not beyond the deadline. */
export function waitFor(lockMs: number, deadline?: Deadline): Wait {
  const askedAt = monotonicMs()
  const until = askedAt + Math.min(lockMs, deadline?.leftMs() ?? lockMs)
  const isGone = (): boolean => deadline?.signal?.aborted === true
  return { askedAt, until: () => (isGone() ? Number.NEGATIVE_INFINITY : until), deadline }
}

/** What a caller may be kept by others before it where locks are given up at once, ms. */
const LEAST_MS = 5000

/** How long a caller is kept at most, ms. */
export function callerMs(lock: { readonly busyTimeoutMs: number; readonly lockRetryMs: number }): number {
  return Math.max(LEAST_MS, lock.busyTimeoutMs + lock.lockRetryMs)
}

// Node's own `performance` and `timers/promises` do as much; the first call of either loads a dozen modules.

/** Time that only goes on, ms. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Resolves when what waits in the loop of events has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve)
  })
}
