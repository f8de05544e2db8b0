/** More of something than any body of ours has, which would take seconds, or hundreds of megabytes, to make. */
interface Excess {
  readonly kind: keyof JsonBounds
  readonly most: number
}

/** The most that a JSON text may hold. */
interface JsonBounds {
  readonly values: number
  /** Fields of one object, and items of one list. */
  readonly fields: number
  readonly items: number
  /** Fields behind the 32nd of an object, in all. */
  readonly wide: number
  /** Different names of fields. With each the parser makes a new shape of object, which is slow, and stays. */
  readonly names: number
  /** Levels of nesting. */
  readonly depth: number
}

export const JSON_BOUNDS: JsonBounds = {
  values: 2_000_000,
  fields: 10_000,
  items: Number.POSITIVE_INFINITY,
  wide: 200_000,
  names: 20_000,
  depth: 64,
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92]
const BLANKS: readonly number[] = [9, 10, 13, 32]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/** Characters that are parsed at a time: a millisecond of work, and some 50 for the worst that the bounds let through. */
const PIECE_CHARS = 65_536

/** An object of more fields is wide. */
const WIDE = 32

/**
 * The value of a JSON text, as `JSON.parse` gives it, made in pieces between which others go on, each looked over before
 * it is made; or what the text holds too much of. Throws SyntaxError for what is no JSON.
 */
export async function parsePieces(
  text: string,
  bounds: JsonBounds,
  nextTurn: () => Promise<void> | void,
  pieceChars = PIECE_CHARS,
): Promise<{ readonly value: unknown } | { readonly excess: Excess }> {
  const parser = new PieceParser(text, bounds, pieceChars)
  for (;;) {
    const result = parser.next()
    if (result !== undefined) return result
    await nextTurn()
  }
}

/** What a text holds too much of. */
export function excessText({ kind, most }: Excess): string {
  return {
    values: `more than ${most} values`,
    fields: `an object of more than ${most} fields`,
    items: `a list of more than ${most} items`,
    wide: `objects of more than ${WIDE} fields, with more than ${most} in all behind those`,
    names: `fields of more than ${most} different names`,
    depth: `values nested more than ${most} levels deep`,
  }[kind]
}

type Json = Record<string, unknown> | unknown[]

/** A list or object that is not closed where the text was looked over to. */
interface Open {
  readonly isObject: boolean
  /** Where the name of its last field begins. */
  nameAt: number
  /** How many commas are in it. */
  commas: number
  /** What was made of it by the last cut, if it was open there. */
  value?: Json
}

/**
 * Cuts a text at commas. What is open at a cut is closed at the end of a piece, and opened again at the beginning of the
 * next one, whose first members go on where the last ones ended. So all pieces are JSON exactly where the text is.
 */
class PieceParser {
  readonly #text: string
  readonly #bounds: JsonBounds
  readonly #pieceChars: number
  readonly #open: Open[] = []
  readonly #names = new NameCounter()
  /** The field in which an object goes on; no text has it. */
  readonly #goesOn = crypto.randomUUID()
  #values = 0
  #wide = 0
  #root: unknown
  /** Where the next piece begins, and what was open there. */
  #pieceAt = 0
  #cut: readonly Open[] = []

  constructor(text: string, bounds: JsonBounds, pieceChars: number) {
    this.#text = text
    this.#bounds = bounds
    this.#pieceChars = pieceChars
  }

  /** Looks over and makes one more piece; undefined where there are more. */
  next(): { readonly value: unknown } | { readonly excess: Excess } | undefined {
    const [text, { depth, fields, items }, open] = [this.#text, this.#bounds, this.#open]
    // It goes on behind a comma.
    let inner = open.at(-1)
    let isName = inner?.isObject === true
    for (let at = this.#pieceAt; at < text.length; at++) {
      const char = text.charCodeAt(at)
      if (char === QUOTE) {
        const end = endOfString(text, at)
        if (isName) this.#names.add(text, at, end)
        if (isName) inner!.nameAt = at
        at = end
        isName = false
      } else if (char === OPEN_OBJECT || char === OPEN_LIST) {
        isName = char === OPEN_OBJECT
        inner = { isObject: isName, nameAt: 0, commas: 0 }
        if (open.push(inner) > depth) return { excess: { kind: 'depth', most: depth } }
        this.#values += 1
      } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) {
        open.pop()
        inner = open.at(-1)
        isName = false
      } else if (char === COMMA) {
        this.#values += 1
        if (inner === undefined) continue
        isName = inner.isObject
        inner.commas += 1
        if (isName && inner.commas >= WIDE) this.#wide += 1
        if (inner.commas >= (isName ? fields : items)) {
          return { excess: isName ? { kind: 'fields', most: fields } : { kind: 'items', most: items } }
        }
        if (at - this.#pieceAt < this.#pieceChars) continue
        const excess = this.#excess()
        if (excess === undefined) this.#cutAt(at)
        return excess
      }
    }
    return this.#excess() ?? { value: this.#make(text.length, '') }
  }

  #excess(): { readonly excess: Excess } | undefined {
    const { values, wide, names } = this.#bounds
    if (this.#values > values) return { excess: { kind: 'values', most: values } }
    if (this.#wide > wide) return { excess: { kind: 'wide', most: wide } }
    return this.#names.size > names ? { excess: { kind: 'names', most: names } } : undefined
  }

  #cutAt(comma: number): void {
    const text = this.#text
    const [before, behind] = [lastCharBefore(text, comma), firstCharBehind(text, comma)]
    // Closed and opened again, these would be whole.
    if ('[{,'.includes(before) || ']}'.includes(behind))
      throw new SyntaxError(`Unexpected token ',' in JSON at position ${comma}`)
    const closing = this.#open
      .map(({ isObject }) => (isObject ? '}' : ']'))
      .toReversed()
      .join('')
    this.#root = this.#make(comma, closing)
    let value = this.#root as Json
    for (const [level, open] of this.#open.entries()) {
      open.value = value
      if (level === this.#open.length - 1) break
      value = (Array.isArray(value) ? value.at(-1) : value[nameAt(text, open.nameAt)]) as Json
    }
    this.#cut = [...this.#open]
    this.#pieceAt = comma + 1
  }

  /** The value of all that came up to `end`, where `closing` closes what is open. */
  #make(end: number, closing: string): unknown {
    const opening = this.#cut
      .map(({ isObject }, level) => {
        if (!isObject) return '['
        return level === this.#cut.length - 1 ? '{' : `{"${this.#goesOn}":`
      })
      .join('')
    const piece = parse(opening, this.#text.slice(this.#pieceAt, end) + closing, this.#pieceAt)
    if (this.#cut.length === 0) return piece
    let part = piece as Json
    for (const [level, { value }] of this.#cut.entries()) {
      const isInner = level === this.#cut.length - 1
      if (Array.isArray(part)) {
        for (let index = isInner ? 0 : 1; index < part.length; index++) (value as unknown[]).push(part[index])
        part = part[0] as Json
      } else {
        for (const [name, field] of Object.entries(part))
          if (name !== this.#goesOn) put(value as object, name, field)
        part = part[this.#goesOn] as Json
      }
    }
    return this.#root
  }
}

/** As an own field, whatever its name. */
function put(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

function nameAt(text: string, at: number): string {
  return JSON.parse(text.slice(at, endOfString(text, at) + 1)) as string
}

/** Where in the whole text a piece is wrong is in the message of its error. */
function parse(opening: string, piece: string, pieceAt: number): unknown {
  try {
    return JSON.parse(opening + piece)
  } catch (error) {
    const message = (error as Error).message.replace(
      /at position (\d+)(?: \(line \d+ column \d+\))?/,
      (_, position) => `at position ${Math.max(0, Number(position) - opening.length) + pieceAt}`,
    )
    throw new SyntaxError(message, { cause: error })
  }
}

function lastCharBefore(text: string, at: number): string {
  let index = at - 1
  while (isBlank(text, index)) index -= 1
  return text.charAt(index)
}

function firstCharBehind(text: string, at: number): string {
  let index = at + 1
  while (isBlank(text, index)) index += 1
  return text.charAt(index)
}

function isBlank(text: string, at: number): boolean {
  const char = text.charCodeAt(at)
  return char === 32 || char === 9 || char === 10 || char === 13
}

/** Where the string that begins at `start` ends: its closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** Counts different texts, by a hash of 17 bits that is another one each time: one in fourteen too few at most, never too many. */
class NameCounter {
  size = 0
  readonly #seen = new Uint8Array(1 << 17)
  readonly #factor = crypto.getRandomValues(new Uint32Array(1))[0]! | 1

  add(text: string, start: number, end: number): void {
    let hash = end - start
    for (let at = start + 1; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), this.#factor)
    hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b)
    const slot = (hash ^ (hash >>> 13)) >>> 15
    if (this.#seen[slot] === 1) return
    this.#seen[slot] = 1
    this.size += 1
  }
}

/** What is said of a JSON text in which {@link nestsDeeper}. */
export const TOO_DEEP = `must not be nested more than ${JSON_BOUNDS.depth} levels deep`

/**
 * Whether a JSON text nests lists and objects deeper than {@link JSON_BOUNDS} allow. No recursion over what is made of it
 * ends at a depth of its own: not the parsers', nor those that check it or say what is wrong with it.
 */
export function nestsDeeper(text: string): boolean {
  const { depth: most } = JSON_BOUNDS
  if (text.length <= most) return false
  for (let [at, depth] = [0, 0]; at < text.length; at++) {
    const char = text.charCodeAt(at)
    // As endOfString does it, without a call for each string of all run events: they cost as much as the parser.
    for (let isOpen = char === QUOTE; isOpen;) {
      at = text.indexOf('"', at + 1)
      if (at < 0) return false
      let slashes = 0
      while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1
      isOpen = slashes % 2 === 1
    }
    if (char === CLOSE_OBJECT || char === CLOSE_LIST) depth -= 1
    else if ((char === OPEN_OBJECT || char === OPEN_LIST) && ++depth > most) return true
  }
  return false
}

/** A field that an object of a JSON text has twice. The text must be JSON. */
export function repeatedField(text: string): string | undefined {
  const objects: (Set<string> | undefined)[] = []
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (char === OPEN_OBJECT) objects.push(new Set())
    else if (char === OPEN_LIST) objects.push(undefined)
    else if (char === CLOSE_OBJECT || char === CLOSE_LIST) objects.pop()
    if (char !== QUOTE) continue
    const end = endOfString(text, index)
    let next = end + 1
    while (BLANKS.includes(text.charCodeAt(next))) next += 1
    if (text.charCodeAt(next) === COLON) {
      const name = JSON.parse(text.slice(index, end + 1)) as string
      if (objects.at(-1)?.has(name) === true) return name
      objects.at(-1)?.add(name)
    }
    index = end
  }
  return undefined
}
