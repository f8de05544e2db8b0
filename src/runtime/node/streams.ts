import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamPlace, Streams } from '../../http/access/context.ts'

/** Most open answers of one credential, and of a process. */
const [MOST_OF_ONE, MOST_OF_ALL] = [6, 200] as const

/** When a place is left whatever becomes of the answer, ms. */
const LAPSE_MS = 330_000

/** The open answers of a server. Ended, it takes no more, and those there are end. */
export class NodeStreams implements Streams {
  readonly #ending = new AbortController()
  readonly #open = new Map<string, number>()
  #all = 0

  get count(): number {
    return this.#all
  }

  enter(caller: string, gone?: AbortSignal): StreamPlace | undefined {
    const own = this.#open.get(caller) ?? 0
    const left = new AbortController()
    const signal = AbortSignal.any([this.#ending.signal, left.signal, ...(gone === undefined ? [] : [gone])])
    if (own >= MOST_OF_ONE || this.#all >= MOST_OF_ALL || signal.aborted) return undefined
    this.#open.set(caller, own + 1)
    this.#all += 1
    const timer = setTimeout(() => left.abort(), LAPSE_MS).unref()
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      this.#all -= 1
      const others = this.#open.get(caller)! - 1
      if (others === 0) this.#open.delete(caller)
      else this.#open.set(caller, others)
    })
    return {
      signal,
      pause: ms => sleep(ms, undefined, { signal }).catch(() => {}),
      leave: () => left.abort(),
    }
  }

  end(): void {
    this.#ending.abort()
  }
}
