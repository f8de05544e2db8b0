interface Taken {
  readonly amount: number
  readonly since: number
}

interface Waiting {
  readonly amount: number
  readonly begin: (giveBack: () => void) => void
}

/**
 * An amount of something that is shared, such as memory for bodies. First come, first served, so that small shares don't
 * keep a large one waiting for ever. A share of more than there is takes it all.
 */
export class Shares {
  readonly #most: number
  readonly #lapseMs: number
  readonly #parts = new Set<Taken>()
  readonly #waiting: Waiting[] = []

  /** A share lapses after `lapseMs`: in Workers a request may end without a word, and never give its own back. */
  constructor(most: number, lapseMs = Number.POSITIVE_INFINITY) {
    this.#most = most
    this.#lapseMs = lapseMs
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether a share would be there at once. */
  has(amount: number, now: number): boolean {
    return this.#waiting.length === 0 && this.#fits(amount, now)
  }

  /**
   * Calls `begin` with what gives the share back, at once where it is there. Returns what leaves the queue, which does
   * nothing once it has begun.
   */
  take(amount: number, now: () => number, begin: Waiting['begin']): () => void {
    const waiting = { amount, begin }
    this.#waiting.push(waiting)
    this.#serve(now)
    return () => {
      const place = this.#waiting.indexOf(waiting)
      if (place < 0) return
      this.#waiting.splice(place, 1)
      this.#serve(now)
    }
  }

  #serve(now: () => number): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && this.#fits(next.amount, now());
      next = this.#waiting[0]
    ) {
      this.#waiting.shift()
      const part = { amount: next.amount, since: now() }
      this.#parts.add(part)
      next.begin(() => {
        if (this.#parts.delete(part)) this.#serve(now)
      })
    }
  }

  #fits(amount: number, now: number): boolean {
    let taken = Math.min(amount, this.#most)
    for (const part of this.#parts) {
      if (now - part.since >= this.#lapseMs) this.#parts.delete(part)
      else taken += part.amount
    }
    return taken <= this.#most
  }
}
