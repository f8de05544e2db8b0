import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { undone } from '../../../tools/proofs/mended/mend.ts'
import { MENDS } from '../../../tools/proofs/mended/mends.ts'

/** The short form of `npm run prove -- mended`, which runs these tests with each mend undone. */
test('every mend can be undone, and its test exists', () => {
  const files = readdirSync(join(ROOT_PATH, 'test'), { recursive: true, encoding: 'utf8' })
  const tests = files.filter(file => file.endsWith('.test.ts'))
  for (const { item, test: guard, undo } of MENDS) {
    for (const edit of undo) undone(readFileSync(join(ROOT_PATH, edit.file), 'utf8'), edit)
    const found = tests.filter(file => `test/${file}`.includes(guard.file))
    expect(found, `${item}: ${guard.file}`).not.toEqual([])
    expect(undo, `${item} undoes nothing`).not.toEqual([])
  }
})

test('an edit whose text is missing or repeated is refused', () => {
  const edit = { file: 'a.ts', find: 'x', replace: 'y' }
  expect(undone('a x b', edit)).toBe('a y b')
  expect(() => undone('a b', edit)).toThrow('occurs 0 times')
  expect(() => undone('x x', edit)).toThrow('occurs 2 times')
})
