/** More of something than any body of ours has, which would keep the parser busy for seconds. */
export type Excess =
  | { readonly kind: 'values'; readonly most: number }
  | { readonly kind: 'fields'; readonly most: number }
  | { readonly kind: 'depth'; readonly most: number }

/** Values in one body, fields of one object, and levels of nesting. */
const MOST_VALUES = 2_000_000
const MOST_FIELDS = 10_000
const MOST_DEPTH = 64

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92]
const BLANKS: readonly number[] = [9, 10, 13, 32]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/**
 * Looks over a JSON text without making anything of it, at some 200 MB/s, and says of what it has too much. A text that
 * isn't JSON passes or not; the parser will say.
 */
export function findExcess(text: string): Excess | undefined {
  const fields = new Int32Array(MOST_DEPTH + 2)
  const isObject = new Uint8Array(MOST_DEPTH + 2)
  let [depth, values] = [0, 0]
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index)
        break
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1
        if (depth > MOST_DEPTH) return { kind: 'depth', most: MOST_DEPTH }
        fields[depth] = 0
        isObject[depth] = text.charCodeAt(index) === OPEN_OBJECT ? 1 : 0
        values += 1
        break
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth = Math.max(0, depth - 1)
        break
      case COMMA:
        values += 1
        fields[depth]! += 1
        if (isObject[depth] === 1 && fields[depth]! >= MOST_FIELDS)
          return { kind: 'fields', most: MOST_FIELDS }
        break
      default:
    }
    if (values > MOST_VALUES) return { kind: 'values', most: MOST_VALUES }
  }
  return undefined
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

/** Where the string that begins at `start` ends: its closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return text.length
}
