import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeatedField } from '../../../src/base/json_pieces.ts'

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
