import { expect, test } from 'vitest'
import { Sized } from '../../../../src/ledger/world/memo.ts'

test('values are kept as far as their sizes allow, those that were kept last', () => {
  const values = new Sized<string>(10)
  const kept = () => ['a', 'b', 'c'].filter(key => values.get(key) !== undefined)
  values.keep('a', 'A', 4)
  values.keep('b', 'B', 4)
  values.keep('a', 'A again', 6)
  expect(kept()).toEqual(['a', 'b'])
  values.keep('c', 'C', 4)
  expect(kept()).toEqual(['a', 'c'])
  expect(values.get('a')).toBe('A again')
  // What is larger than all may be leaves nothing else either.
  values.keep('b', 'B', 11)
  expect(kept()).toEqual([])
})
