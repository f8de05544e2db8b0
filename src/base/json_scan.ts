import { endOfString } from './json_pieces.ts'

const [QUOTE, COLON] = [34, 58]
const BLANKS: readonly number[] = [9, 10, 13, 32]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

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
