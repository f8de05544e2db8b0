import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findExcess, repeatedField } from '../../../src/base/json_scan.ts'

const list = (item: string, count: number): string =>
  `[${Array.from({ length: count }, () => item).join(',')}]`
const object = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`

test.for([
  ['no more values than may be', list('0', 1_999_999), undefined],
  ['more values', list('0', 2_000_002), { kind: 'values', most: 2_000_000 }],
  ['more lists', list('[]', 1_000_001), { kind: 'values', most: 2_000_000 }],
  ['as many fields as may be', object(10_000), undefined],
  ['more fields', `[{"a":${object(10_001)}}]`, { kind: 'fields', most: 10_000 }],
  ['fields of many objects', list(object(20), 5000), undefined],
  ['as deep as may be', '['.repeat(64) + ']'.repeat(64), undefined],
  ['deeper', '['.repeat(65) + ']'.repeat(65), { kind: 'depth', most: 64 }],
  ['brackets and commas in texts', JSON.stringify(['[{,"\\'.repeat(3_000_000)]), undefined],
  ['a text that never ends', `["${'\\"'.repeat(100_000)}`, undefined],
  ['closing brackets alone', ']'.repeat(100), undefined],
] as const)('%s', ([, text, excess]) => {
  expect(findExcess(text)).toEqual(excess)
})

test('whatever JSON within the bounds passes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(findExcess(JSON.stringify(value))).toBeUndefined()
    }),
  )
})

test('a field that an object has twice is found wherever it is, and nothing else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, name) => {
      const [text, field] = [JSON.stringify(value, null, 1), JSON.stringify(name)]
      expect(repeatedField(text)).toBeUndefined()
      expect(repeatedField(`[${text},{"a:":${text},"b":{${field}:"x"}}]`)).toBeUndefined()
      expect(repeatedField(`[${text},{${field}:${text},${field} :1}]`)).toBe(name)
    }),
  )
})
