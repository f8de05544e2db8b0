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
