import type { Context } from '../http/access/context.ts'
import { hex } from '../base/text.ts'

/** A context that still lacks the caller, which each request brings. */
export type Services = Omit<Context, 'peer'>

export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** A new id: the prefix and 12 hex digits. */
export function randomId(prefix: string): string {
  return prefix + hex(crypto.getRandomValues(new Uint8Array(6)))
}

/** What was opened so far. Closed the last first, so that nothing outlives what it uses. */
export class Opened {
  readonly #closes: (() => Promise<unknown>)[] = []

  /** Remembers how something that has just been opened is closed. */
  add(close: () => Promise<unknown>): void {
    this.#closes.push(close)
  }

  /** Closes everything, also where something fails to close. Throws the first failure. */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const close of this.#closes.splice(0).toReversed()) {
      await close().catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}

/** A function whose code is loaded when it is first called, and looked for again where it could not be. */
export function lazily<A extends unknown[], R>(
  load: () => Promise<(...args: A) => Promise<R>>,
): (...args: A) => Promise<R> {
  let loaded: Promise<(...args: A) => Promise<R>> | undefined
  return async function callLoaded(...args) {
    const loading = (loaded ??= load())
    loading.catch(() => (loaded = undefined))
    return (await loading)(...args)
  }
}
