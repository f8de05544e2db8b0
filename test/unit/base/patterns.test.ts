import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { common, isPattern, isWithin, matches } from '../../../src/base/text.ts'

test.each([
  ['bot', 'bot', true],
  ['bot', 'bots', false],
  ['bot*', 'bots', true],
  ['bot*', 'bot', true],
  ['bot*', 'bo', false],
  ['*', '', true],
] as const)('%s matches %s: %s', (pattern, name, expected) => {
  expect(matches(pattern, name)).toBe(expected)
})

test.each([
  ['bot', true],
  ['bot*', true],
  ['*', true],
  ['b*t', false],
  ['*bot', false],
  ['bot**', false],
] as const)('%s is a pattern: %s', (text, expected) => {
  expect(isPattern(text)).toBe(expected)
})

const NAME = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 })
const PATTERN = fc.tuple(NAME, fc.boolean()).map(([name, isOpen]) => (isOpen ? `${name}*` : name))

test('what two patterns have in common matches exactly what both match', () => {
  fc.assert(
    fc.property(PATTERN, PATTERN, NAME, (a, b, name) => {
      const both = common(a, b)
      expect(both !== undefined && matches(both, name)).toBe(matches(a, name) && matches(b, name))
    }),
  )
})

test('a pattern within another matches nothing that the other does not', () => {
  fc.assert(
    fc.property(PATTERN, PATTERN, NAME, (inner, outer, name) => {
      expect(isWithin(inner, outer) && matches(inner, name) && !matches(outer, name)).toBe(false)
    }),
  )
})
