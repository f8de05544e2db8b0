import { setImmediate as nextTurn } from 'node:timers/promises'

/** What a thing that waits belongs to: it goes with its owner. */
export interface Owner {
  readonly name: string
  /** Nothing that waits for it goes on ever. */
  readonly gone: boolean
}

interface Waiting {
  readonly owner: Owner
  readonly label: string
  readonly go: () => void
}

/**
 * All that waits for the database, the network or a receiver. Nothing happens by itself: a step lets one of them go on,
 * and what it does next until it waits again happens before anything else.
 */
export class Agenda {
  readonly #waiting: Waiting[] = []

  get size(): number {
    return this.#waiting.length
  }

  /** Waits to be let go, then acts. What `act` returns may wait again. */
  wait<T>(owner: Owner, label: string, act: () => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const go = (): void => {
      try {
        resolve(act())
      } catch (error) {
        reject(error as Error)
      }
    }
    if (!owner.gone) this.#waiting.push({ owner, label, go })
    return promise
  }

  /** Lets one go on, by its number, and returns what it was. */
  async letGo(index: number): Promise<string> {
    const [{ owner, label, go }] = this.#waiting.splice(index, 1) as [Waiting]
    go()
    await settled()
    return `${owner.name} ${label}`
  }

  /** Forgets what waits for owners that are gone. */
  sweep(): void {
    const kept = this.#waiting.filter(({ owner }) => !owner.gone)
    this.#waiting.splice(0, this.#waiting.length, ...kept)
  }
}

/** Resolves when everything waits: there are no timers and no threads, so all that is left are microtasks. */
export function settled(): Promise<void> {
  return nextTurn()
}
