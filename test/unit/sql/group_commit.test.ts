import { expect, test } from 'vitest'
import { groupCommit } from '../../../src/sql/libsql/group_commit.ts'
import { type Result, SqlError, type Statement, sql } from '../../../src/sql/port.ts'

const insert = (name: string): Statement => sql`INSERT ${name}`

/** A writer that keeps the names of each transaction, and fails one that holds a bad name. */
function writer(failure: Error): {
  commit: (statements: readonly Statement[]) => Promise<Result[]>
  transactions: string[][]
} {
  const transactions: string[][] = []
  return {
    transactions,
    commit: async statements => {
      const names = statements.map(({ params }) => String(params[0]))
      transactions.push(names)
      if (names.includes('bad')) throw failure
      return names.map((name, index) => ({ rows: [{ name }], changes: index }))
    },
  }
}

test('batches that wait are one transaction, in order, and each gets its own results', async () => {
  const { commit, transactions } = writer(new Error('no'))
  const { batch } = groupCommit(commit)
  const answers = await Promise.all([
    batch([insert('a'), insert('b')]),
    batch([]),
    batch([insert('c'), insert('d')]),
  ])
  expect(transactions).toEqual([['a', 'b', 'c', 'd']])
  expect(answers.map(results => results.map(({ rows }) => rows[0]!.name))).toEqual([
    ['a', 'b'],
    [],
    ['c', 'd'],
  ])
})

test('none is answered before its transaction is committed', async () => {
  const committed = Promise.withResolvers<Result[]>()
  const { batch, settled } = groupCommit(() => committed.promise)
  const answered: string[] = []
  const both = ['a', 'b'].map(name => batch([insert(name)]).then(() => answered.push(name)))
  await new Promise(resolve => setImmediate(resolve))
  expect(answered).toEqual([])
  committed.resolve([
    { rows: [], changes: 1 },
    { rows: [], changes: 1 },
  ])
  await Promise.all([...both, settled()])
  expect(answered).toEqual(['a', 'b'])
})

test.each(['unique', 'other', 'unavailable'] as const)(
  'of a transaction that fails as %s, only the batch at fault fails',
  async kind => {
    const { commit, transactions } = writer(new SqlError(kind, 'no'))
    const { batch } = groupCommit(commit)
    const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map(name => batch([insert(name)])))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(transactions).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']])
  },
)

test('a lock that was waited for in vain is not waited for by each batch again', async () => {
  const { commit, transactions } = writer(new SqlError('busy', 'locked'))
  const { batch } = groupCommit(commit)
  const outcomes = await Promise.allSettled(['a', 'bad'].map(name => batch([insert(name)])))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(transactions).toHaveLength(1)
})

test('many that wait are several transactions, still in order', async () => {
  const { commit, transactions } = writer(new Error('no'))
  const { batch } = groupCommit(commit)
  const names = Array.from({ length: 100 }, (_, index) => String(index))
  await Promise.all(names.map(name => batch([insert(name)])))
  expect(transactions.length).toBeGreaterThan(1)
  expect(transactions.length).toBeLessThan(100)
  expect(transactions.flat()).toEqual(names)
})

test('what comes after a pause is written too', async () => {
  const { commit, transactions } = writer(new Error('no'))
  const { batch, settled } = groupCommit(commit)
  await batch([insert('a')])
  await settled()
  await batch([insert('b')])
  expect(transactions).toEqual([['a'], ['b']])
})
