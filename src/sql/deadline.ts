import { type Deadline, LATE, type Sql, SqlError, goneError, patiently, unbounded } from './port.ts'

/** A deadline that begins now; `elapsed` is a clock that only goes forward, ms. */
export function deadlineIn(ms: number, elapsed: () => number, signal?: AbortSignal): Deadline {
  const until = elapsed() + ms
  return { leftMs: () => until - elapsed(), signal }
}

/** Throws {@link SqlError} `gone` where nobody waits any more, `busy` where the time is over. */
export function requireTime({ leftMs, signal }: Deadline): void {
  if (signal?.aborted === true) throw goneError()
  if (leftMs() <= 0) throw new SqlError('busy', 'what was begun before this took too long', undefined, LATE)
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

interface Bounded {
  readonly sql: Sql
  readonly elapsed: () => number
}

/**
 * The same ledger for one caller, or for one run of a job: all that it does, whatever it waits for, ends within `ms`, by
 * default the time that its database promises. One that has a deadline already keeps it.
 */
export function bounded<L extends Bounded>(
  ledger: L,
  {
    ms = ledger.sql.timeoutMs,
    signal,
  }: { readonly ms?: number; readonly signal?: AbortSignal | undefined } = {},
): L {
  const { sql, elapsed } = ledger
  if (sql.deadline !== undefined) return ledger
  return { ...ledger, sql: within(sql, deadlineIn(ms, elapsed, signal)) }
}

/** The same with a time of its own, and not given up when its caller is gone: others may wait for the result. */
export function unabandoned<L extends Bounded>(ledger: L, ms = ledger.sql.timeoutMs): L {
  return bounded({ ...ledger, sql: unbounded(ledger.sql) }, { ms })
}

/** Lets one at a time do what would only get in each other's way. */
export interface Mutex {
  /** How many are through: where it hasn't moved, nobody has been in between. */
  readonly released: number
  /** Throws, without having called `act`, where the deadline is over before its turn. */
  run<T>(act: () => Promise<T>, deadline?: Deadline): Promise<T>
}

export function newMutex(): Mutex {
  let released = 0
  let last: Promise<void> = Promise.resolve()
  return {
    get released() {
      return released
    },
    run: async (act, deadline) => {
      const { promise: done, resolve: end } = Promise.withResolvers<void>()
      const turn = last
      last = turn.then(() => done)
      try {
        await inTime(turn, deadline)
        return await act()
      } finally {
        released++
        end()
      }
    },
  }
}
