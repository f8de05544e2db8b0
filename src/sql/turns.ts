import { type Mutex, newMutex, requireTime } from './deadline.ts'
import { type Result, type Send, type Sql, SqlError, type Statement } from './port.ts'

/** Lets one at a time change a database; those that wait do it in one transaction, where the database can. */
export interface Turns extends Mutex {
  /**
   * `act` reads and writes by the database that it is given: another one than `db` in a transaction of several. There it
   * sees what those before it wrote, and its batch, one at most, is answered when all are committed. Where they can't be,
   * each acts again, alone. `lock` keeps others from what is guarded meanwhile.
   */
  act<T>(db: Sql, lock: Statement, act: (db: Sql) => Promise<T>): Promise<T>
}

/** Most in one transaction: each waits for all of them. */
const MOST_TOGETHER = 8

export function newTurns(): Turns {
  const waiting: Turn[] = []
  const mutex = newMutex()

  return Object.assign(mutex, {
    act<T>(db: Sql, lock: Statement, act: (db: Sql) => Promise<T>): Promise<T> {
      if (db.transaction === undefined) return mutex.run(() => act(db), db.deadline)
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const answering = async (within: Sql): Promise<Answer> => {
        try {
          const done = await act(within)
          return () => resolve(done)
        } catch (error) {
          return () => reject(error)
        }
      }
      const own: Turn = { db, act: answering }
      waiting.push(own)
      const take = async (): Promise<void> => {
        // Another may have taken it along.
        if (waiting.includes(own)) await takeTurns(waiting.splice(0, MOST_TOGETHER), lock)
      }
      mutex.run(take, db.deadline).catch((error: unknown) => {
        const place = waiting.indexOf(own)
        if (place < 0) return
        waiting.splice(place, 1)
        reject(error)
      })
      return promise
    },
  })
}

interface Turn {
  readonly db: Sql
  readonly act: (db: Sql) => Promise<Answer>
}

/** Tells the caller what came of it. */
type Answer = () => void

async function takeTurns(turns: readonly Turn[], lock: Statement): Promise<void> {
  const alone = turns.length === 1 ? turns : await actTogether(turns, lock)
  for (const { db, act } of alone) (await act(db))()
}

/** Returns those that have to act again: what they saw may never have been. */
async function actTogether(turns: readonly Turn[], lock: Statement): Promise<readonly Turn[]> {
  const committed = Promise.withResolvers<void>()
  committed.promise.catch(() => {})
  const begun: Participant[] = []
  let isOver = false
  let valid: readonly Participant[] = begun
  try {
    await turns[0]!.db.transaction!(lock, async send => {
      for (const turn of turns) {
        if (isOver) return
        const participant = begin(turn, send, committed.promise)
        begun.push(participant)
        await participant.passed
      }
      await Promise.all(begun.map(async ({ written }) => written()))
      // Who is gone by now has nothing written.
      for (const { turn, written } of begun) if (written() !== undefined) requireTimeOf(turn)
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
    if (valid.includes(participant)) answer()
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

function begin(turn: Turn, send: Send, committed: Promise<void>): Participant {
  const { db, act } = turn
  const sent = Promise.withResolvers<void>()
  let written: Promise<Result[]> | undefined
  const ask: Send = async statements => {
    requireTimeOf(turn)
    // A driver may wait for ever for the answers of a connection that is lost.
    return Promise.race([send(statements), committed.then(() => [])])
  }
  // Behind its batch the transaction is over: what looks up or repeats a lost commit is on its own.
  const answer = act({
    ...db,
    query: async statement => (written === undefined ? (await ask([statement]))[0]! : db.query(statement)),
    snapshot: statements => (written === undefined ? ask(statements) : db.snapshot(statements)),
    batch: async (statements, options) => {
      if (written !== undefined) return db.batch(statements, options)
      requireTimeOf(turn)
      written = ask(statements)
      // What the next one asks comes behind it, without waiting for its results.
      sent.resolve()
      const results = await written
      await committed
      return results
    },
  })
  return { turn, answer, written: () => written, passed: Promise.race([sent.promise, answer]) }
}

function requireTimeOf({ db: { deadline } }: Turn): void {
  if (deadline !== undefined) requireTime(deadline)
}
