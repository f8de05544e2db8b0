import { HOUR_MS, MINUTE_MS } from './time.ts'

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
