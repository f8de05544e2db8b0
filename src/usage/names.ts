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
export const WORDS: ReadonlyMap<string, string> = byName({
  '': 'token|tokens|count|counts|detail|details|usage|metadata|content|num',
  input: 'prompt',
  output: 'completion|candidates|response',
  'cache read': 'cached',
  read: 'hit',
  write: 'written|creation|create',
  'cache write': 'ephemeral',
  'no cache': 'uncached',
  no: 'miss',
  reasoning: 'thoughts|thought|thinking',
  tier: 'flex|priority',
})

/** The words of a name, sorted, and what it counts. */
export const KINDS: ReadonlyMap<string, Kind> = byName<Kind>({
  input: 'input|input total',
  plain: 'cache input no',
  tool: 'input tool use',
  read: 'cache read|cache input read|cache input read tier|cache input read text',
  // BeeAI has cached_creation_tokens.
  written: 'cache write|cache input write|cache read write',
  '5m': '5m cache write|5m cache input write',
  '1h': '1h cache write|1h cache input write',
  output: 'output|output total',
  reasoning: 'reasoning|output reasoning|output reasoning tier',
  total: 'total',
})

function byName<T extends string>(names: Readonly<Record<T, string>>): Map<string, T> {
  return new Map(
    Object.entries<string>(names).flatMap(([meaning, all]) =>
      all.split('|').map(name => [name, meaning as T] as const),
    ),
  )
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
  const key = [...new Set(words)].sort().join(' ').trim()
  return KINDS.get(key) ?? (PARTS.test(key) ? 'part' : undefined)
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
