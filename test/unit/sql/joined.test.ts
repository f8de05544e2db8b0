import { expect, test } from 'vitest'
import { joinBatches } from '../../../src/sql/joined.ts'
import { type Result, type Statement, sql } from '../../../src/sql/port.ts'

const insert = (name: string): Statement => sql`INSERT ${name}`
const catchUp = (text: string): Statement => ({ ...sql`ROLL UP ${text}`, catchesUp: true })

/** What a transaction answers: each statement's own text and parameter. */
const answersOf = (statements: readonly Statement[]): Result[] =>
  statements.map(statement => ({ rows: [{ ran: nameOf(statement) }], changes: 1 }))

const nameOf = ({ text, params }: Statement): string => `${text} ${String(params[0])}`

function joined(...batches: Statement[][]): { ran: string[]; received: (string | null)[][] } {
  const { statements, split } = joinBatches(batches)
  const received = split(answersOf(statements)).map(results =>
    results.map(({ rows }) => (rows[0]?.ran as string) ?? null),
  )
  return { ran: statements.map(nameOf), received }
}

test('each batch gets the results of its own statements', () => {
  expect(joined([insert('a'), insert('b')], [], [insert('a')])).toEqual({
    ran: ['INSERT ? a', 'INSERT ? b', 'INSERT ? a'],
    received: [['INSERT ? a', 'INSERT ? b'], [], ['INSERT ? a']],
  })
})

test('what a batch catches up on is left to the next where that has all of it', () => {
  const [x, y] = [catchUp('x'), catchUp('y')]
  expect(joined([insert('a'), x, y], [insert('b'), y, x], [insert('c'), x], [x])).toEqual({
    ran: ['INSERT ? a', 'INSERT ? b', 'ROLL UP ? y', 'ROLL UP ? x', 'INSERT ? c', 'ROLL UP ? x'],
    received: [
      ['INSERT ? a', null, null],
      ['INSERT ? b', 'ROLL UP ? y', 'ROLL UP ? x'],
      ['INSERT ? c', null],
      ['ROLL UP ? x'],
    ],
  })
})

test.each<[string, Statement[][]]>([
  ['the batch behind the next', [[catchUp('x')], [insert('b')], [catchUp('x')]]],
  ['one with other parameters', [[catchUp('x')], [catchUp('y')]]],
  ['one with another text', [[catchUp('x')], [{ ...catchUp('x'), text: 'ROLL  UP ?' }]]],
  ['one that needs what was before to be caught up on', [[catchUp('x')], [sql`ROLL UP ${'x'}`]]],
  ['nothing, where it does not make up for what was before', [[insert('a')], [insert('a')]]],
])('it is not left to %s', (_, batches) => {
  expect(joined(...batches).ran).toEqual(batches.flat().map(nameOf))
})
