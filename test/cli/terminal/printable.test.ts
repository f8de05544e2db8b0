import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { printable } from '../../../src/cli/terminal/text.ts'

describe('what a command prints', () => {
  test.each([
    ['a\tb\nc', 'a\tb\nc'],
    ['\u001B[1mbold\u001B[22m \u001B[31mred\u001B[39m', '\u001B[1mbold\u001B[22m \u001B[31mred\u001B[39m'],
    ['\r50 %\u001B[K', '\r50 %\u001B[K'],
    ['id\u001B]0;title\u0007', 'id\\u001b]0;title\\u0007'],
    ['id\u001B[2J', 'id\\u001b[2J'],
    ['id\u001B[8mhidden', 'id\\u001b[8mhidden'],
    ['id\rother', 'id\\u000dother'],
    ['a\u009B31m', 'a\\u009b31m'],
    ['a\u202Eb', 'a\\u202eb'],
  ])('%j is %j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  test('in JSON stands for the same value', () => {
    fc.assert(
      fc.property(fc.json(), json => {
        expect(JSON.parse(printable(json))).toEqual(JSON.parse(json))
      }),
    )
  })
})
