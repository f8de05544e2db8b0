/** Longest run of bytes that is remembered, and how many are. */
const LONGEST = 64
const SLOTS = 256

type Make = (bytes: Uint8Array, start: number, end: number) => string

interface Known {
  readonly start: number
  readonly end: number
  readonly text: string
}

const NOTHING: Known = { start: 0, end: 0, text: '' }

/**
 * Texts made of parts of the same bytes, each made once as long as no other takes its place: spans repeat the names of
 * agents, models and providers, and the ids of traces and parents.
 */
export class RecentTexts {
  readonly #bytes: Uint8Array
  readonly #make: Make
  readonly #known = Array.from({ length: SLOTS }, () => NOTHING)

  constructor(bytes: Uint8Array, make: Make) {
    this.#bytes = bytes
    this.#make = make
  }

  /** The text of the bytes from one place to another. */
  get(start: number, end: number): string {
    const bytes = this.#bytes
    if (start === end || end - start > LONGEST) return this.#make(bytes, start, end)
    const slot = (bytes[start]! + bytes[end - 1]! * 31) % SLOTS
    const known = this.#known[slot]!
    if (this.#isSame(known, start, end)) return known.text
    const text = this.#make(bytes, start, end)
    this.#known[slot] = { start, end, text }
    return text
  }

  #isSame(known: Known, start: number, end: number): boolean {
    if (known.end - known.start !== end - start) return false
    const [bytes, apart] = [this.#bytes, known.start - start]
    for (let at = start; at < end; at++) if (bytes[at] !== bytes[at + apart]) return false
    return true
  }
}
