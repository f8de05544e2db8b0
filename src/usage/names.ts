/**
 * What a number of usage counts. `plain` is input that neither comes from a cache nor goes to one, `tool` is input that a
 * tool of the provider adds to the prompt.
 */
export type Kind =
  | 'input'
  | 'plain'
  | 'tool'
  | 'read'
  | 'written'
  | '5m'
  | '1h'
  | 'output'
  | 'reasoning'
  | 'total'

/** Words of names by what they mean; those that mean nothing are ''. All others stay as they are. */
export const WORDS: ReadonlyMap<string, string> = new Map([
  ...wordsFor('', 'token tokens count counts detail details usage metadata content num'),
  ...wordsFor('input', 'prompt'),
  ...wordsFor('output', 'completion candidates response'),
  ...wordsFor('cache read', 'cached'),
  ...wordsFor('read', 'hit'),
  ...wordsFor('write', 'written creation create'),
  ...wordsFor('cache write', 'ephemeral'),
  ...wordsFor('no cache', 'uncached'),
  ...wordsFor('no', 'miss'),
  ...wordsFor('reasoning', 'thoughts thought thinking'),
  ...wordsFor('tier', 'flex priority'),
])

function wordsFor(meaning: string, words: string): [word: string, meaning: string][] {
  return words.split(' ').map(word => [word, meaning])
}

/** The words of a name, sorted, and what it counts. */
export const KINDS: Readonly<Record<string, Kind>> = {
  input: 'input',
  'input total': 'input',
  'cache input no': 'plain',
  'input tool use': 'tool',
  'cache read': 'read',
  'cache input read': 'read',
  'cache write': 'written',
  'cache input write': 'written',
  'cache input read tier': 'read',
  'cache input read text': 'read',
  '5m cache write': '5m',
  '5m cache input write': '5m',
  '1h cache write': '1h',
  '1h cache input write': '1h',
  'cache read write': 'written', // BeeAI's cached_creation_tokens
  output: 'output',
  'output total': 'output',
  reasoning: 'reasoning',
  'output reasoning': 'reasoning',
  'output reasoning tier': 'reasoning',
  total: 'total',
}

/** Words of parts that other numbers hold, and that cost what those cost. */
export const PARTS = /\b(?:text|prediction)\b/

/** What a number counts by its name: undefined for one that isn't known, `part` for a part of another one. */
export const kindOf = remembering((name: string): Kind | 'part' | undefined => {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .flatMap(word => (WORDS.get(word) ?? word).split(' '))
  const key = [...new Set(words)]
    .filter(word => word !== '')
    .sort()
    .join(' ')
  return Object.hasOwn(KINDS, key) ? KINDS[key] : PARTS.test(key) ? 'part' : undefined
})

/** Names that are remembered, and the longest of them: senders choose names. */
const MOST_REMEMBERED = 1000
const LONGEST_REMEMBERED = 200

/** A pure rule about names that remembers what it said of short ones: the same few come with each span. */
export function remembering<T>(rule: (name: string) => T): (name: string) => T {
  const remembered = new Map<string, T>()
  return name => {
    if (name.length > LONGEST_REMEMBERED) return rule(name)
    if (!remembered.has(name)) {
      if (remembered.size >= MOST_REMEMBERED) remembered.clear()
      remembered.set(name, rule(name))
    }
    return remembered.get(name) as T
  }
}

/** The numbers of an object and of the objects in it, by their path; lists and `raw`, the provider's own, are left out. */
export function numbersIn(value: object | null | undefined, path = ''): Record<string, unknown> {
  const numbers: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value ?? {}) as [string, unknown][]) {
    if (inner == null || Array.isArray(inner) || name === 'raw') continue
    if (typeof inner === 'object') Object.assign(numbers, numbersIn(inner, `${path}${name}.`))
    else numbers[path + name] = inner
  }
  return numbers
}
