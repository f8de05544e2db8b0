import {
  type CallOptions,
  type Deadline,
  LATE,
  type Options,
  type Result,
  type Send,
  type Sql,
  SqlError,
  type Statement,
  goneError,
} from './port.ts'

/** A deadline that begins now; `elapsed` is a clock that only goes forward, ms. */
export function deadlineIn(ms: number, elapsed: () => number, signal?: AbortSignal): Deadline {
  const until = elapsed() + ms
  return { leftMs: () => until - elapsed(), signal }
}

/** Throws {@link SqlError} `gone` where nobody waits any more, `busy` where the time is over; nothing without a deadline. */
export function requireTime(deadline: Deadline | undefined): void {
  if (deadline === undefined) return
  const { leftMs, signal } = deadline
  if (signal?.aborted === true) throw goneError()
  if (leftMs() <= 0) throw new SqlError('busy', 'what was begun before this took too long', undefined, LATE)
}

/** Calls `end` once, with what {@link requireTime} throws, when the deadline is over. Returns what takes that back. */
export function atEnd(deadline: Deadline, end: (error: unknown) => void): () => void {
  const { leftMs, signal } = deadline
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', check)
  }
  function check(): void {
    clearTimeout(timer)
    try {
      requireTime(deadline)
      const ms = leftMs()
      if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(check, Math.ceil(ms))
    } catch (error) {
      cancel()
      end(error)
    }
  }
  signal?.addEventListener('abort', check)
  check()
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

/** The same database with other options. No call begins after its deadline. */
function withOptions(db: Sql, own: Partial<Options>): Sql {
  const base = bases.get(db) ?? db
  const options = { ...db.options, ...own }
  const view: Sql = {
    ...db,
    options,
    query: async (statement, given) => base.query(statement, timely({ ...options, ...given })),
    snapshot: async (statements, given) => base.snapshot(statements, timely({ ...options, ...given })),
    batch: async (statements, given) => base.batch(statements, timely({ ...options, ...given })),
  }
  bases.set(view, base)
  return view
}

/** What the calls of a database with other options go to. */
const bases = new WeakMap<Sql, Sql>()

function timely<O extends CallOptions>(options: O): O {
  requireTime(options.deadline)
  return options
}

/** The same database without the deadline that answers to clients have: for migrations, repairs and copies. */
export function patiently(db: Sql): Sql {
  const { timeoutMs, patientMs = timeoutMs } = db.options
  return withOptions(db, { deadline: undefined, timeoutMs: patientMs })
}

/**
 * The same database, whose server keeps the plans of all statements, where that is PostgreSQL: for what is the same few
 * texts again and again, whose plans cost more than they do.
 */
export function keepingPlans(db: Sql): Sql {
  return db.dialect === 'postgres' ? withOptions(db, { keepsPlans: true }) : db
}

/** The same database for a long read that nobody else is to wait for. */
export function inBackground(db: Sql): Sql {
  return withOptions(db, { deadline: undefined, isBackground: true })
}

/** The same database without one caller's deadline: for work that takes long, and for what several callers wait for. */
export function unbounded(db: Sql): Sql {
  return db.options.deadline === undefined ? db : withOptions(db, { deadline: undefined })
}

/** The same database for one caller. After the deadline none of its operations begins or waits any more. */
export function within(db: Sql, deadline: Deadline): Sql {
  return withOptions(db, { deadline })
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
    ms = ledger.sql.options.timeoutMs,
    signal,
  }: { readonly ms?: number; readonly signal?: AbortSignal | undefined } = {},
): L {
  const { sql, elapsed } = ledger
  if (sql.options.deadline !== undefined) return ledger
  return { ...ledger, sql: within(sql, deadlineIn(ms, elapsed, signal)) }
}

/** The same with a time of its own, and not given up when its caller is gone: others may wait for the result. */
export function unabandoned<L extends Bounded>(ledger: L, ms = ledger.sql.options.timeoutMs): L {
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

/**
 * Lets one at a time change a database; those that wait do it in one transaction, where the database can. What is run waits until
 * all that was written before is answered.
 */
export interface Turns extends Mutex {
  /**
   * `act` reads and writes by the database that it is given, and writes one batch at most. In a transaction of several it
   * sees what those before it wrote, and its batch is answered when all are committed. Where they can't be,
   * each acts again, alone. `lock` keeps others from what is guarded meanwhile. Who finds alone that another process was in
   * between returns undefined: the next ones then take the lock alone too.
   *
   * Where batches are written in order, the turn of one that is alone ends when its batch is sent, and reads before that wait for
   * what was sent before: who reads nothing has to know, and to guard, what it rests on.
   */
  act<T>(db: Sql, lock: Statement, act: Act<T>): Promise<T>
}

type Act<T> = (db: Sql, isShared: boolean) => Promise<T>

/** Most in one transaction: each waits for all of them. */
const MOST_TOGETHER = 8

/** How many transactions take the lock after one that another process was in between of, even of one turn. */
const LOCKED_AFTER = 16

export function newTurns(): Turns {
  const waiting: Turn[] = []
  const mutex = newMutex()
  /** Batches that were sent in turns that are over. */
  const underWay = new Set<Promise<unknown>>()
  let locked = 0

  async function passOn<T>(db: Sql, act: Act<T>): Promise<T> {
    const { promise: sent, resolve: send } = Promise.withResolvers<void>()
    let isSent = false
    const behindOthers = async <R>(read: () => Promise<R>): Promise<R> => {
      if (!isSent) await Promise.allSettled(underWay)
      return read()
    }
    const own: Sql = {
      ...db,
      query: (statement, options) => behindOthers(() => db.query(statement, options)),
      snapshot: (statements, options) => behindOthers(() => db.snapshot(statements, options)),
      batch: (statements, options) => {
        isSent = true
        const written = db.batch(statements, options)
        underWay.add(written)
        void written.catch(() => {}).finally(() => underWay.delete(written))
        send()
        return written
      },
    }
    let answer: Promise<T> | undefined
    await mutex.run(() => Promise.race([sent, (answer = act(own, false))]), db.options.deadline)
    return answer!
  }

  return {
    get released() {
      return mutex.released
    },
    run: (work, deadline) =>
      mutex.run(async () => {
        await inTime(Promise.allSettled(underWay), deadline)
        return work()
      }, deadline),
    act<T>(db: Sql, lock: Statement, act: Act<T>): Promise<T> {
      const { transaction, isInOrder } = db.extras ?? {}
      if (isInOrder === true) return passOn(db, act)
      if (transaction === undefined) return mutex.run(() => act(db, false), db.options.deadline)
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const answering = async (given: Sql): Promise<Answer> => {
        try {
          const done = await act(given, given !== db)
          return { isLost: done === undefined, settle: () => resolve(done) }
        } catch (error) {
          return { isLost: false, settle: () => reject(error) }
        }
      }
      const own: Turn = { db, act: answering }
      waiting.push(own)
      const take = async (): Promise<void> => {
        // Another may have taken it along.
        if (!waiting.includes(own)) return
        const turns = waiting.splice(0, MOST_TOGETHER)
        const isLocked = turns.length > 1 || locked > 0
        if (isLocked) locked = Math.max(0, locked - 1)
        if (await takeTurns(turns, isLocked ? lock : undefined)) locked = LOCKED_AFTER
      }
      mutex.run(take, db.options.deadline).catch((error: unknown) => {
        const place = waiting.indexOf(own)
        if (place < 0) return
        waiting.splice(place, 1)
        reject(error)
      })
      return promise
    },
  }
}

interface Turn {
  readonly db: Sql
  readonly act: (db: Sql) => Promise<Answer>
}

/** What came of a turn; `settle` gives it to the caller. */
interface Answer {
  readonly isLost: boolean
  readonly settle: () => void
}

/** Returns whether another process was in between of one that acted alone, as all do without a lock. */
async function takeTurns(turns: readonly Turn[], lock: Statement | undefined): Promise<boolean> {
  let isLost = false
  for (const { db, act } of lock === undefined ? turns : await actTogether(turns, lock)) {
    const answer = await act(db)
    answer.settle()
    isLost ||= answer.isLost
  }
  return isLost
}

/** Returns those that have to act again: what they saw may never have been. */
async function actTogether(turns: readonly Turn[], lock: Statement): Promise<readonly Turn[]> {
  const committed = Promise.withResolvers<void>()
  committed.promise.catch(() => {})
  const begun: Participant[] = []
  let isOver = false
  let valid: readonly Participant[] = begun
  try {
    await turns[0]!.db.extras!.transaction!(lock, async send => {
      for (const turn of turns) {
        if (isOver) return
        const participant = takePart(turn, send, committed.promise)
        begun.push(participant)
        await participant.passed
      }
      await Promise.all(begun.map(async ({ written }) => written()))
      // Who is gone by now has nothing written.
      for (const { turn, written } of begun)
        if (written() !== undefined) requireTime(turn.db.options.deadline)
    })
    committed.resolve()
  } catch (error) {
    const isUncertain = error instanceof SqlError && error.kind === 'uncertain'
    valid = isUncertain ? begun.filter(({ written }) => written() !== undefined) : []
    isOver = true
    committed.reject(error)
  }
  for (const participant of begun) {
    const answer = await participant.answer
    if (valid.includes(participant)) answer.settle()
  }
  return turns.filter(turn => !valid.some(participant => participant.turn === turn))
}

/** A turn in a transaction of several. */
interface Participant {
  readonly turn: Turn
  readonly answer: Promise<Answer>
  /** What became of its batch; undefined before that is sent. */
  readonly written: () => Promise<unknown> | undefined
  /** Settles when the next one may begin. */
  readonly passed: Promise<unknown>
}

function takePart(turn: Turn, send: Send, committed: Promise<void>): Participant {
  const { db, act } = turn
  const sent = Promise.withResolvers<void>()
  let written: Promise<Result[]> | undefined
  const ask: Send = async (statements, options) => {
    requireTime(db.options.deadline)
    // A driver may wait for ever for the answers of a connection that is lost.
    return Promise.race([send(statements, options), committed.then(() => [])])
  }
  // Behind its batch the transaction is over: what looks up or repeats a lost commit is on its own.
  const answer = act({
    ...db,
    query: async (statement, options) =>
      written === undefined ? (await ask([statement], options))[0]! : db.query(statement, options),
    snapshot: (statements, options) =>
      written === undefined ? ask(statements, options) : db.snapshot(statements, options),
    batch: async (statements, options) => {
      if (written !== undefined) return db.batch(statements, options)
      requireTime(db.options.deadline)
      written = ask(statements, options)
      // What the next one asks comes behind it, without waiting for its results.
      sent.resolve()
      const results = await written
      await committed
      return results
    },
  })
  return { turn, answer, written: () => written, passed: Promise.race([sent.promise, answer]) }
}
