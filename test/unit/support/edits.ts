import * as fc from 'fast-check'
import { DOCUMENTS } from './documents.ts'

/** A change of a document: at the place of this number, counted through its parts. */
interface Edit {
  readonly place: number
  readonly how: 'set' | 'delete' | 'add' | 'repeat'
  readonly value: unknown
}

/** Values of all documents, and odd ones. */
const VALUES: readonly unknown[] = [
  ...Object.values(DOCUMENTS).flatMap(({ document }) =>
    partsOf(document).map(({ parent, key }) => parent[key]),
  ),
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  ' ',
  'v2',
  'a\\b"c',
  'x'.repeat(513),
  'é'.repeat(300),
  '90d',
  '100/s',
  'fri 16:00',
  'x*y',
  '\uD800',
  [],
  {},
  [1, 'a', null, { a: ['\\'] }],
  { a: { b: ['"\\'] } },
  ['a\0'],
]

const KEYS = ['extra', '', 'a b', '0', 'model', 'environment', 'text', 'x'.repeat(70), 'A/b']

/** JSON without the names that every object has, which arktype takes for fields that it knows. */
export const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter(value => !INHERITED.some(name => JSON.stringify(value).includes(`"${name}":`)))

const INHERITED = Object.getOwnPropertyNames(Object.prototype)

export const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    place: fc.nat(),
    how: fc.constantFrom('set', 'set', 'set', 'delete', 'add', 'repeat'),
    value: fc.oneof(fc.constantFrom(...VALUES), json),
  }),
  { maxLength: 4 },
)

/** A copy of a document with all changes made. */
export function edited(document: unknown, changes: readonly Edit[]): unknown {
  const root = { document: structuredClone(document) }
  for (const { place, how, value } of changes) {
    const parts = partsOf(root)
    const { parent, key } = parts[place % parts.length]!
    const part = parent[key]
    const given = structuredClone(value)
    if (how === 'delete' && key !== 'document') {
      if (Array.isArray(parent)) parent.splice(Number(key), 1)
      else delete parent[key]
    } else if (how === 'add' && typeof part === 'object' && part !== null) {
      if (Array.isArray(part)) part.push(given)
      else (part as Container)[KEYS[place % KEYS.length]!] = given
    } else if (how === 'repeat') {
      // Long enough that only a part of it is explained.
      parent[key] = Array.from({ length: place % 130 }, (_, index) => (index % 60 === 59 ? given : part))
    } else parent[key] = given
  }
  return root.document
}

type Container = Record<string | number, unknown>

interface Part {
  readonly parent: Container
  readonly key: string | number
}

function partsOf(value: unknown): Part[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => [
    { parent: value as Container, key: Array.isArray(value) ? Number(key) : key },
    ...partsOf(part),
  ])
}
