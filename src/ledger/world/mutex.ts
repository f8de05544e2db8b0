import { inTime } from '../../sql/deadline.ts'
import type { Deadline } from '../../sql/port.ts'

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
