import { HOUR_MS, MINUTE_MS } from './time.ts'

/** Who takes a share, where it may be taken back for others. */
export interface Holder {
  readonly key: string
  /** Gives the share back soon; returns whether it can. */
  readonly giveUp: () => boolean
}

interface Taken {
  readonly amount: number
  readonly holder: Holder | undefined
  readonly since: number
}

interface Waiting {
  readonly amount: number
  readonly holder: Holder | undefined
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
  take(amount: number, now: () => number, begin: Waiting['begin'], holder?: Holder): () => void {
    const waiting = { amount, begin, holder }
    this.#waiting.push(waiting)
    this.#serve(now)
    return () => {
      const place = this.#waiting.indexOf(waiting)
      if (place < 0) return
      this.#waiting.splice(place, 1)
      this.#serve(now)
    }
  }

  /** For one who waits, others who have more than half of all give up their newest shares, until they have no more than that. */
  reclaim({ key }: Holder): void {
    const totals = new Map<string, number>()
    for (const { amount, holder } of this.#parts) {
      if (holder !== undefined) totals.set(holder.key, (totals.get(holder.key) ?? 0) + amount)
    }
    for (const { amount, holder } of [...this.#parts].toReversed()) {
      if (holder === undefined || holder.key === key) continue
      const total = totals.get(holder.key)!
      if (total > this.#most / 2 && holder.giveUp()) totals.set(holder.key, total - amount)
    }
  }

  #serve(now: () => number): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && this.#fits(next.amount, now());
      next = this.#waiting[0]
    ) {
      this.#waiting.shift()
      const part = { amount: next.amount, holder: next.holder, since: now() }
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

/** Time that a kind of work may take of a process: so much at once, and a share of all time. */
export class TimeShare {
  readonly #mostMs: number
  readonly #share: number
  #leftMs: number
  #at = Number.NEGATIVE_INFINITY

  constructor(mostMs: number, share: number) {
    this.#mostMs = mostMs
    this.#share = share
    this.#leftMs = mostMs
  }

  /** How long such work may go on at `now`, ms. */
  leftMs(now: number): number {
    this.#leftMs = Math.min(this.#mostMs, this.#leftMs + Math.max(0, now - this.#at) * this.#share)
    this.#at = now
    return this.#leftMs
  }

  /** Says that it took so long until `now`. What was too much is missing later, but never more than it may take at once. */
  take(ms: number, now: number): void {
    this.#leftMs = Math.max(-this.#mostMs, this.leftMs(now) - ms)
  }

  /** How long it is from `now` until such work may go on, ms. */
  restMs(now: number): number {
    return Math.max(0, -this.leftMs(now)) / this.#share
  }
}

/** So many requests in a span of time; as many may come at once. */
export interface Rate {
  readonly amount: number
  readonly spanMs: number
}

const SPANS = { s: 1000, m: MINUTE_MS, h: HOUR_MS } as const

/** A rate as it is written: `{N}/s`, `{N}/m` or `{N}/h`. */
export function parseRate(text: string): Rate | undefined {
  const match = /^([1-9]\d{0,5})\/([smh])$/.exec(text)
  if (match === null) return undefined
  return { amount: Number(match[1]), spanMs: SPANS[match[2] as keyof typeof SPANS] }
}

/** Above this many the buckets begin again, so that callers who change their address can't fill the memory. */
const MOST_BUCKETS = 10_000

interface Bucket {
  tokens: number
  filledAt: number
}

/** Token buckets by who draws from them. A full one is the same as none. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>()

  /** Takes one from the bucket of `key`, and returns 0; or how long it is until there is one, in ms. */
  take(key: string, { amount, spanMs }: Rate, now: number): number {
    const bucket = this.#bucketOf(key, amount, now)
    const passedMs = Math.max(0, now - bucket.filledAt)
    bucket.tokens = Math.min(amount, bucket.tokens + (passedMs / spanMs) * amount)
    bucket.filledAt = now
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / amount) * spanMs)
    bucket.tokens--
    return 0
  }

  #bucketOf(key: string, amount: number, now: number): Bucket {
    const known = this.#buckets.get(key)
    if (known !== undefined) return known
    if (this.#buckets.size >= MOST_BUCKETS) this.#buckets.clear()
    const made = { tokens: amount, filledAt: now }
    this.#buckets.set(key, made)
    return made
  }
}
