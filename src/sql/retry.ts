import type { Deadline, SqlError } from './port.ts'

/** How often a failure is tried in all, and half the longest pause after the first time, ms; it doubles each time. */
export interface Patience {
  readonly tries: number
  readonly pauseMs: number
}

export interface Retrying {
  readonly toSqlError: (error: unknown) => SqlError
  /** Undefined where trying again is of no use. */
  readonly patienceFor: (failure: SqlError) => Patience | undefined
  /** No try begins later. */
  readonly deadline?: Deadline | undefined
  /** Called before a try is repeated, with why. */
  readonly onRetry?: ((reason: string) => void) | undefined
}

/** Tries again, with growing pauses of random length, so that those who failed together don't come back together. */
export async function persistently<T>(
  attempt: () => Promise<T>,
  { toSqlError, patienceFor, deadline, onRetry }: Retrying,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const failure = toSqlError(error)
      const patience = patienceFor(failure)
      if (patience === undefined || tries >= patience.tries) throw failure
      const pauseMs = patience.pauseMs * 2 ** tries * (0.5 + Math.random() / 2)
      if (deadline !== undefined && (deadline.leftMs() <= pauseMs || deadline.signal?.aborted === true))
        throw failure
      onRetry?.(failure.message)
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
}
