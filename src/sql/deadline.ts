import { type Deadline, type Sql, SqlError, goneError, patiently } from './port.ts'

/** A deadline that begins now; `elapsed` is a clock that only goes forward, ms. */
export function deadlineIn(ms: number, elapsed: () => number, signal?: AbortSignal): Deadline {
  const until = elapsed() + ms
  return { leftMs: () => until - elapsed(), signal }
}

/** Throws {@link SqlError} `gone` where nobody waits any more, `busy` where the time is over. */
export function requireTime({ leftMs, signal }: Deadline): void {
  if (signal?.aborted === true) throw goneError()
  if (leftMs() <= 0) throw new SqlError('busy', 'what was begun before this took too long')
}

/** Calls `end` once, with what {@link requireTime} throws, when the deadline is over. Returns what takes that back. */
export function atEnd(deadline: Deadline, end: (error: unknown) => void): () => void {
  const { leftMs, signal } = deadline
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', look)
  }
  function look(): void {
    clearTimeout(timer)
    try {
      requireTime(deadline)
      const ms = leftMs()
      if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(look, Math.ceil(ms))
    } catch (error) {
      cancel()
      end(error)
    }
  }
  signal?.addEventListener('abort', look)
  look()
  return cancel
}

/**
 * Waits for a result until the deadline, and throws then what {@link requireTime} does, or what `toError` makes of that.
 * The work itself goes on.
 */
export async function inTime<T>(
  work: Promise<T>,
  deadline: Deadline | undefined,
  toError: (error: unknown) => unknown = error => error,
): Promise<T> {
  if (deadline === undefined) return work
  const late = Promise.withResolvers<never>()
  const cancel = atEnd(deadline, error => late.reject(toError(error)))
  return Promise.race([work, late.promise]).finally(cancel)
}

/** The deadline of an operation that begins now: in so many ms, or that of its caller. */
export function atMost(ms: number, deadline?: Deadline): Deadline {
  const own = deadlineIn(ms, () => performance.now())
  if (deadline === undefined) return own
  return { leftMs: () => Math.min(own.leftMs(), deadline.leftMs()), signal: deadline.signal }
}

/**
 * The same database for one caller. After the deadline none of its operations begins or waits any more, but for those
 * that take long by nature: `patient`, `background` and `unbounded`.
 */
export function within(db: Sql, deadline: Deadline): Sql {
  const begin = <T>(operate: () => Promise<T>): Promise<T> => {
    try {
      requireTime(deadline)
      return operate()
    } catch (error) {
      return Promise.reject(error)
    }
  }
  return {
    ...db,
    deadline,
    unbounded: db,
    query: statement => begin(() => db.query(statement, deadline)),
    snapshot: statements => begin(() => db.snapshot(statements, deadline)),
    batch: (statements, options) => begin(() => db.batch(statements, { ...options, deadline })),
    patient: patiently(db),
    background: db.background ?? {
      query: statement => db.query(statement),
      snapshot: statements => db.snapshot(statements),
    },
  }
}
