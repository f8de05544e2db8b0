import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JSON_BOUNDS, nestsDeeper, parsePieces } from '../../../src/base/json_pieces.ts'
import { scaled } from '../../support/scale.ts'

const list = (item: string, count: number): string =>
  `[${Array.from({ length: count }, () => item).join(',')}]`
const object = (count: number, from = 0): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index + from}":0`).join(',')}}`

test.each([
  ['as many levels as may be', '['.repeat(64) + ']'.repeat(64), false],
  ['more', '['.repeat(65) + ']'.repeat(65), true],
  ['more, of objects', '{"a":'.repeat(65) + '1' + '}'.repeat(65), true],
  ['more, without an end', '[{"a":'.repeat(40), true],
  ['many that are closed', '[' + '[{}],'.repeat(100) + '[]]', false],
  ['brackets in texts', JSON.stringify([`\\"${'['.repeat(100)}`, '{'.repeat(100)]), false],
] as const)('%s nest deeper than may be: %s', (_what, text, deeper) => {
  expect(nestsDeeper(text)).toBe(deeper)
})

describe('a JSON text of', () => {
  test.for([
    ['as many values as may be', list('0', 1_999_999), undefined],
    ['more values', list('0', 2_000_002), 'values'],
    ['more lists', list('[]', 1_000_001), 'values'],
    ['as many fields as may be', object(10_000), undefined],
    ['more fields', `[{"a":${object(10_001)}}]`, 'fields'],
    ['fields of many objects', list(object(20), 5000), undefined],
    ['wide objects', list(object(1032), 201), 'wide'],
    ['more names', `[${object(9000)},${object(9000, 9000)},${object(9000, 18_000)}]`, 'names'],
    ['as deep as may be', '['.repeat(64) + ']'.repeat(64), undefined],
    ['deeper', '['.repeat(65) + ']'.repeat(65), 'depth'],
    ['brackets and commas in texts', JSON.stringify(['[{,"\\'.repeat(3_000_000)]), undefined],
  ] as const)('%s', async ([, text, kind]) => {
    const result = await parsePieces(text, JSON_BOUNDS, () => {})
    if (kind === undefined) expect(Object.keys(result)).toEqual(['value'])
    else expect(result).toEqual({ excess: { kind, most: JSON_BOUNDS[kind] } })
  })

  test('more items than a document may have', async () => {
    const bounds = { ...JSON_BOUNDS, items: 3 }
    expect(await parsePieces('[1,[2,3,4]]', bounds, () => {})).toEqual({ value: [1, [2, 3, 4]] })
    const excess = { kind: 'items', most: 3 }
    expect(await parsePieces('[1,[2,3,4,5]]', bounds, () => {})).toEqual({ excess })
  })
})

/** What `JSON.parse` says: the value, or that there is none. */
function parsed(text: string): unknown {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return 'no JSON'
  }
}

async function inPieces(text: string, chars: number): Promise<unknown> {
  return parsePieces(text, JSON_BOUNDS, () => {}, chars).catch((error: unknown) => {
    expect(error).toBeInstanceOf(SyntaxError)
    return 'no JSON'
  })
}

describe('in pieces of any length', () => {
  test('it is what it is as a whole, whatever its fields are named', async () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a', '1', '\\u0061'))
    const inner = fc.oneof(
      fc.array(fc.nat(9), { maxLength: 4 }),
      fc.dictionary(name, fc.nat(9), { maxKeys: 4 }),
    )
    const middle = fc.oneof(fc.array(inner, { maxLength: 4 }), fc.dictionary(name, inner, { maxKeys: 4 }))
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.array(middle, { maxLength: 3 }),
      fc.dictionary(name, middle, { maxKeys: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(value, fc.nat(40), fc.boolean(), async (any, chars, isWide) => {
        const text = JSON.stringify(any, null, isWide ? 1 : 0)
        expect(JSON.stringify(await inPieces(text, chars))).toBe(JSON.stringify(parsed(text)))
      }),
      { numRuns: scaled(100, 300) },
    )
  })

  test('it is JSON where it is as a whole, and has its value, wherever a character is changed', async () => {
    const edit = fc.record({ at: fc.nat(), char: fc.constantFrom(...'[]{},:"0 ', ''), more: fc.boolean() })
    const named = fc.dictionary(fc.constantFrom('a', 'b', '2'), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.jsonValue(), named)),
        fc.array(edit, { maxLength: 3 }),
        fc.nat(12),
        async (any, edits, chars) => {
          let text = JSON.stringify(any)
          for (const { at, char, more } of edits) {
            const place = at % text.length
            text = text.slice(0, place) + char + text.slice(place + (more ? 0 : 1))
            if (text === '') text = ' '
          }
          expect(JSON.stringify(await inPieces(text, chars))).toBe(JSON.stringify(parsed(text)))
        },
      ),
      { numRuns: scaled(150, 600) },
    )
  })

  test.each([
    '[1,]',
    '[,1]',
    '[1,,2]',
    '[1 , ]',
    '{"a":1,}',
    '{,"a":1}',
    '[[1,],2]',
    '[1,2',
    '[1,2]]',
    '1,2',
    '[1}',
    '',
  ])('%j is no JSON', async text => {
    for (let chars = 0; chars < 8; chars++) expect(await inPieces(text, chars)).toBe('no JSON')
  })

  test('the last of two fields of a name counts, also where a piece ends in the first', async () => {
    const text = '{"a":[1,2,3],"b":{"c":[4,5],"c":6},"a":[7,8]}'
    for (let chars = 0; chars < text.length; chars++) {
      expect(await inPieces(text, chars)).toEqual({ value: { a: [7, 8], b: { c: 6 } } })
    }
  })

  test('an error says where in the whole text it is', async () => {
    const text = `[${'1,'.repeat(50)}x]`
    await expect(parsePieces(text, JSON_BOUNDS, () => {}, 10)).rejects.toThrow(/Unexpected token 'x'/)
    const missing = `[${'[1],'.repeat(50)}{"a" 1}]`
    await expect(parsePieces(missing, JSON_BOUNDS, () => {}, 10)).rejects.toThrow(/at position 206$/)
    expect(missing.slice(206, 207)).toBe('1')
  })

  test('others go on between them', async () => {
    let turns = 0
    await parsePieces(list('0', 100), JSON_BOUNDS, () => void turns++, 20)
    expect(turns).toBeGreaterThan(7)
  })
})
