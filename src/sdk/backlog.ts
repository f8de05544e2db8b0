import { chunkLength } from './chunks.ts'

/** Most characters of events that wait, whatever their number: an event may have 256 kB. */
const MAX_CHARS = 64_000_000

/** Events as JSON texts, oldest first, bounded: what is too much is taken from the old end. */
export class Backlog {
  readonly #max: number
  #items: string[] = []
  #start = 0
  #chars = 0

  constructor(max: number) {
    this.#max = max
  }

  get length(): number {
    return this.#items.length - this.#start
  }

  /** Appends an event and returns how many of the oldest it cost. `reserved` are kept elsewhere and count as well. */
  push(json: string, reserved: number): number {
    this.#items.push(json)
    this.#chars += json.length
    return this.#trim(reserved)
  }

  /** Takes the oldest events: up to `most`, and what fits in one request. */
  take(most: number): string[] {
    const end = this.#start + chunkLength(this.#items, this.#start, most)
    const taken = this.#items.slice(this.#start, end)
    this.#forget(taken)
    return taken
  }

  /** Puts events back where they were taken from, and returns how many of the oldest that cost. */
  putBack(events: readonly string[]): number {
    this.#items = events.concat(this.#items.slice(this.#start))
    this.#start = 0
    for (const event of events) this.#chars += event.length
    return this.#trim(0)
  }

  clear(): number {
    const { length } = this
    this.#items = []
    this.#start = 0
    this.#chars = 0
    return length
  }

  #trim(reserved: number): number {
    let dropped = 0
    while (this.length > 0 && (this.length + reserved > this.#max || this.#chars > MAX_CHARS)) {
      this.#forget([this.#items[this.#start]!])
      dropped += 1
    }
    return dropped
  }

  #forget(oldest: readonly string[]): void {
    for (const json of oldest) this.#chars -= json.length
    this.#start += oldest.length
    // Now and then, so that it costs nothing per event.
    if (this.#start > 1024 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start)
      this.#start = 0
    }
  }
}
