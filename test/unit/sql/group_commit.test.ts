import { expect, test } from 'vitest'
import { monotonicMs } from '../../../src/sql/libsql/wait.ts'
import { groupCommit } from '../../../src/sql/libsql/group_commit.ts'
import { type Result, SqlError, type Statement, sql } from '../../../src/sql/port.ts'

const NOTHING: Result = { rows: [], changes: 0 }

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

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
  const { batch } = groupCommit(commit, 35_000)
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
  const { batch, settled } = groupCommit(() => committed.promise, 35_000)
  const answered: string[] = []
  const both = ['a', 'b'].map(name => batch([insert(name)]).then(() => answered.push(name)))
  await nextTurn()
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
    const { batch } = groupCommit(commit, 35_000)
    const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map(name => batch([insert(name)])))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(transactions).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']])
  },
)

test('a lock that was waited for in vain is not waited for by each batch again', async () => {
  const { commit, transactions } = writer(new SqlError('busy', 'locked'))
  const { batch } = groupCommit(commit, 35_000)
  const outcomes = await Promise.allSettled(['a', 'bad'].map(name => batch([insert(name)])))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(transactions).toHaveLength(1)
})

test('many that wait are several transactions, still in order', async () => {
  const { commit, transactions } = writer(new Error('no'))
  const { batch } = groupCommit(commit, 35_000)
  const names = Array.from({ length: 100 }, (_, index) => String(index))
  await Promise.all(names.map(name => batch([insert(name)])))
  expect(transactions.length).toBeGreaterThan(1)
  expect(transactions.length).toBeLessThan(100)
  expect(transactions.flat()).toEqual(names)
})

test('what comes after a pause is written too', async () => {
  const { commit, transactions } = writer(new Error('no'))
  const { batch, settled } = groupCommit(commit, 35_000)
  await batch([insert('a')])
  await settled()
  await batch([insert('b')])
  expect(transactions).toEqual([['a'], ['b']])
})

test('a batch leaves when its deadline is over or its caller is gone, and is never written', async () => {
  const first = Promise.withResolvers<Result[]>()
  const written: string[] = []
  const { batch } = groupCommit(statements => {
    written.push(...statements.map(({ params }) => String(params[0])))
    return written.length === 1 ? first.promise : Promise.resolve(statements.map(() => NOTHING))
  }, 35_000)
  const one = batch([insert('a')])
  await nextTurn()
  let leftMs = 30
  const caller = new AbortController()
  const late = batch([insert('late')], { deadline: { leftMs: () => leftMs } })
  const gone = batch([insert('gone')], { deadline: { leftMs: () => 1000, signal: caller.signal } })
  const patient = batch([insert('b')], { deadline: { leftMs: () => 1000 } })
  const left = Promise.allSettled([late, gone])
  leftMs = 0
  caller.abort()
  expect(await left).toMatchObject([{ reason: { kind: 'busy' } }, { reason: { kind: 'gone' } }])
  first.resolve([NOTHING])
  await Promise.all([one, patient])
  expect(written).toEqual(['a', 'b'])
})

test('of batches behind a lock each waits as long as its own deadline lets it', async () => {
  const waits: (() => number)[] = []
  let isLocked = true
  const { batch } = groupCommit(async (statements, { until }) => {
    waits.push(until)
    if (isLocked) throw new SqlError('busy', 'locked')
    return statements.map(() => NOTHING)
  }, 35_000)
  const now = monotonicMs()
  const outcomes = Promise.allSettled([
    batch([insert('a')], { deadline: { leftMs: () => 20_000 } }),
    batch([insert('b')]).finally(() => void (isLocked = false)),
    batch([insert('c')], { deadline: { leftMs: () => 50_000 } }),
  ])
  const [a, b, c] = await outcomes
  expect([a.status, b.status, c.status]).toEqual(['rejected', 'rejected', 'rejected'])
  const seconds = waits.map(until => Math.round((until() - now) / 1000))
  // The lock's own time is the most that anybody waits.
  expect(seconds).toEqual([20, 35])
})
