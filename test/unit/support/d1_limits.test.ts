import { expect, test } from 'vitest'
import { d1Problem } from '../../support/databases/d1_limits.ts'

const select = (terms: number, joint = 'UNION ALL') =>
  Array.from({ length: terms }, () => 'SELECT 1').join(` ${joint} `)

test.each<[string, string, readonly (string | number)[], RegExp | undefined]>([
  ['100 parameters', 'SELECT 1', Array.from({ length: 100 }, () => 1), undefined],
  ['101 parameters', 'SELECT 1', Array.from({ length: 101 }, () => 1), /101 parameters/],
  ['100 kB of SQL', `SELECT ${'1'.repeat(99_993)}`, [], undefined],
  ['a byte more', `SELECT ${'1'.repeat(99_994)}`, [], /100001 bytes of SQL/],
  ['2 MB of text', 'SELECT ?', ['é'.repeat(1_000_000)], undefined],
  ['more text', 'SELECT ?', ['é'.repeat(1_000_001)], /above 2 MB/],
  ['five terms', select(5), [], undefined],
  ['six terms', select(6), [], /6 terms/],
  ['six terms in parentheses', `SELECT * FROM (${select(6, 'union')})`, [], /6 terms/],
  ['six terms on two levels', `SELECT * FROM (${select(3)}) UNION ${select(2)}`, [], undefined],
  ['the word in a text', `SELECT '${select(9)}'`, [], undefined],
  ['a transaction', ' begin immediate', [], /transaction/],
])('%s', (_what, text, params, expected) => {
  const problem = d1Problem({ text, params })
  if (expected === undefined) expect(problem).toBeUndefined()
  else expect(problem).toMatch(expected)
})
