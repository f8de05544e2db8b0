import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareTexts,
  findBadText,
  firstFew,
  fitsBytes,
  isBlank,
  isDisguised,
  isSameName,
  jsonOf,
  mayHoldBadText,
} from '../../../src/base/text.ts'

const NUL = 'must not contain a NUL character'
const SURROGATE = 'must be valid Unicode (it has half of a surrogate pair)'

test.for([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['', undefined],
  ['{"a":', undefined],
] as const)('the JSON of %j is %j', ([text, value]) => {
  expect(jsonOf(text)).toEqual(value)
})

describe('findBadText', () => {
  test.for([
    ['a\0b', [], NUL],
    ['\uD83D', [], SURROGATE],
    ['\uDE00\uD83D', [], SURROGATE],
    [{ a: { b: ['x', 'y\0'] } }, ['a', 'b', 1], NUL],
    [{ labels: { 'k\0': 'v' } }, ['labels', 'k\0'], NUL],
    [{ labels: { '\uD800': 'v' } }, ['labels', '\uD800'], SURROGATE],
    [[{ 0: 'a\0' }], [0, '0'], NUL],
    [{ first: '\0', second: '\uD800' }, ['first'], NUL],
  ] as const)('%j is bad at %j', ([value, path, message]) => {
    expect(findBadText(value)).toEqual({ path, message })
  })

  test.for(
    ['', 'text', '😀', '\u0001\u007F', 5, true, null, undefined, [], {}, { a: ['\uFFFF'] }].map(v => [v]),
  )('%j is fine', ([value]) => {
    expect(findBadText(value)).toBeUndefined()
  })

  test('64 levels may be nested, 65 may not', () => {
    expect(findBadText(nested(64))).toBeUndefined()
    expect(findBadText(nested(65))).toEqual({
      path: Array.from({ length: 64 }, () => 0),
      message: 'must not be nested more than 64 levels deep',
    })
  })

  test('nesting as deep as JSON allows does not overflow the stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`) as unknown
    expect(findBadText(deep)?.message).toContain('nested')
  })
})

describe('mayHoldBadText', () => {
  test.for([
    ['"\\u0000"', true],
    ['{"a\\u0000":1}', true],
    ['"\\ud83d"', true],
    ['"\\uDe00"', true],
    ['"\\ud83d\\ude00"', true],
    ['"text"', false],
    ['"😀"', false],
    ['"\\u0001\\ue000"', false],
  ] as const)('%s: %s', ([json, may]) => {
    expect(mayHoldBadText(json)).toBe(may)
  })

  test('never overlooks what a JSON text holds', () => {
    const bad = fc.constantFrom('\0', '\uD800', '\uDFFF', 'a\uDBFF', '')
    const text = fc.tuple(fc.string({ unit: 'binary' }), bad).map(parts => parts.join(''))
    const value = fc.oneof(text, fc.array(text), fc.dictionary(text, text))
    fc.assert(
      fc.property(value, given => {
        const json = JSON.stringify(given)
        const overlooked = findBadText(JSON.parse(json)) !== undefined && !mayHoldBadText(json)
        expect(overlooked).toBe(false)
      }),
    )
  })
})

describe('fitsBytes', () => {
  test.for([
    ['', 0, true],
    ['a', 0, false],
    ['x'.repeat(512), 512, true],
    ['x'.repeat(513), 512, false],
    ['é'.repeat(256), 512, true],
    ['é'.repeat(257), 512, false],
    ['€', 3, true],
    ['€', 2, false],
    ['😀', 4, true],
    ['😀', 3, false],
  ] as const)('%j in %d bytes: %s', ([text, max, fits]) => {
    expect(fitsBytes(text, max)).toBe(fits)
  })

  test('counts the bytes of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(40), (text, max) => {
        expect(fitsBytes(text, max)).toBe(Buffer.byteLength(text) <= max)
      }),
    )
  })
})

/** Arrays within arrays, `levels` of them. */
function nested(levels: number): unknown[] {
  return levels === 1 ? [] : [nested(levels - 1)]
}

test.each([
  ['prod', false],
  ['Prod eu-1', false],
  ['例', false],
  ['prod ', true],
  ['\tprod', true],
  ['prod\u200B', true],
  ['\u202Edorp', true],
  ['pr\nod', true],
  ['prod\u00A0', true],
  ['pr\u2028od', true],
  ['prod\u3164', true],
  ['\u115F', true],
  ['\u2800', true],
  ['prod\uFE0F', true],
  ['prod \u2764\uFE0F', false],
])('whether %j may pass for another text: %s', (text, expected) => {
  expect(isDisguised(text)).toBe(expected)
})

test.each([
  ['ann', 'ann', true],
  ['ann', 'Ann', true],
  ['Ann  Lee', 'ann\u00A0lee', true],
  ['J\u00FCrgen', 'ju\u0308rgen', true],
  ['\uFF41nn', 'ann', true],
  ['STRASSE', 'stra\u00DFe', true],
  ['ann', 'anne', false],
  ['ann lee', 'annlee', false],
])('whether %j and %j may be one person: %s', (one, other, expected) => {
  expect(isSameName(one, other)).toBe(expected)
  expect(isSameName(other, one)).toBe(expected)
})

test.each([
  ['', true],
  [' \n', true],
  ['\u200B\u2060', true],
  ['.', false],
])('whether %j shows nothing: %s', (text, expected) => {
  expect(isBlank(text)).toBe(expected)
})

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b', 'c'], 'a, b, c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
])('of %j a sentence names a few', (names, expected) => {
  expect(firstFew(names)).toBe(expected)
})

describe('compareTexts', () => {
  test.for([
    ['a', 'b'],
    ['a', 'aa'],
    ['', 'a'],
    ['B', 'a'],
    ['a.md', 'a/b.md'],
    ['a-b', 'a/b'],
    ['a/b', 'a0'],
    ['z', 'é'],
    // By UTF-16 units an astral character would come before U+FFFF.
    ['\uFFFF', '😀'],
    ['\uE000', '\u{10000}'],
    ['a\uFFFDb', 'a\u{1F600}'],
  ] as const)('%j sorts before %j', ([first, second]) => {
    expect(compareTexts(first, second)).toBeLessThan(0)
    expect(compareTexts(second, first)).toBeGreaterThan(0)
    expect(compareTexts(first, first)).toBe(0)
  })

  test('is the byte order of UTF-8', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(text, text, fc.string({ unit: 'binary', maxLength: 3 }), (a, b, common) => {
        const [left, right] = [common + a, common + b]
        const order = Buffer.compare(Buffer.from(left), Buffer.from(right))
        expect(Math.sign(compareTexts(left, right))).toBe(order)
      }),
      { numRuns: 1000 },
    )
  })
})
