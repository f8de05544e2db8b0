/** Lets one at a time do what would only get in each other's way. */
export interface Mutex {
  /** How many are through: where it hasn't moved, nobody has been in between. */
  readonly released: number
  run<T>(act: () => Promise<T>): Promise<T>
}

export function newMutex(): Mutex {
  let released = 0
  let last: Promise<unknown> = Promise.resolve()
  return {
    get released() {
      return released
    },
    run: act => {
      const result = last.then(act)
      last = Promise.allSettled([result]).then(() => released++)
      return result
    },
  }
}
