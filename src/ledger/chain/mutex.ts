import type { Sql } from '../../sql/port.ts'

/** Takes turns at writing the next link of the audit chain. */
export interface Turns {
  /** How many turns are over: where it hasn't moved, nobody of this process has written in between. */
  readonly over: number
  take<T>(act: () => Promise<T>): Promise<T>
}

const TURNS = new WeakMap<Sql, Turns>()

/**
 * The turns of a database in this process. Every decision writes the head of the chain, so of those at the same time
 * one would win and the others try again, and again. Other processes are kept out by the guard of the batch alone.
 */
export function turnsOf(db: Sql): Turns {
  const known = TURNS.get(db) ?? newTurns()
  TURNS.set(db, known)
  return known
}

function newTurns(): Turns {
  let over = 0
  let last: Promise<unknown> = Promise.resolve()
  return {
    get over() {
      return over
    },
    take: act => {
      const result = last.then(act)
      last = Promise.allSettled([result]).then(() => over++)
      return result
    },
  }
}
