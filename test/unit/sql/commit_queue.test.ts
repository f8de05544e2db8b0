import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { commitTogether, newCommitQueue } from '../../../src/sql/commit_queue.ts'
import { type Result, SqlError, type SqlErrorKind, type Statement, sql } from '../../../src/sql/port.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const insert = (name: string): Statement => sql`INSERT ${name}`

/** Until what has begun waits for something. */
const begun = () => vi.advanceTimersByTimeAsync(0)

/** A database of requests that share a queue: what each transaction holds, and those that are still being written. */
function database(kind: SqlErrorKind = 'other') {
  const queue = newCommitQueue()
  const transactions: string[][] = []
  const writing: (() => void)[] = []
  const write = async (statements: readonly Statement[]): Promise<Result[]> => {
    const names = statements.map(({ params }) => String(params[0]))
    transactions.push(names)
    await new Promise<void>(resolve => writing.push(resolve))
    if (names.includes('bad')) throw new SqlError(kind, 'no')
    return names.map((name, index) => ({ rows: [{ name }], changes: index }))
  }
  return {
    transactions,
    writing,
    /** A request that writes these; its outcome are the names in its own results, or the kind of its error. */
    request: async (...names: string[]): Promise<string[] | SqlErrorKind> => {
      try {
        const results = await commitTogether(queue, names.map(insert), write)
        return results.map(({ rows }) => String(rows[0]!.name))
      } catch (error) {
        return (error as SqlError).kind
      }
    },
    /** Answers all that is written, until nothing is. */
    finish: async (): Promise<void> => {
      do {
        for (const answer of writing.splice(0)) answer()
        await vi.advanceTimersByTimeAsync(10)
      } while (writing.length > 0)
    },
  }
}

test('a batch that nobody is before is written at once', async () => {
  const { request, transactions } = database()
  void request('a')
  await begun()
  expect(transactions).toEqual([['a']])
})

test('batches that come while one is written are one transaction, in order, and each gets its own results', async () => {
  const { request, transactions, finish } = database()
  const first = request('a', 'b')
  await begun()
  const outcomes = [first, request('c'), request('d', 'e'), request('f')]
  await finish()
  expect(transactions).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e', 'f'],
  ])
  expect(await Promise.all(outcomes)).toEqual([['a', 'b'], ['c'], ['d', 'e'], ['f']])
})

test('none is answered before its transaction is', async () => {
  const { request, writing, finish } = database()
  const answered: string[] = []
  for (const name of ['a', 'b', 'c']) {
    void request(name).then(() => answered.push(name))
    await begun()
  }
  await vi.advanceTimersByTimeAsync(100)
  expect([answered, writing.length]).toEqual([[], 1])
  await finish()
  expect(answered).toEqual(['a', 'b', 'c'])
})

test('who had company waits a moment for more of it, and who had none does not', async () => {
  const { request, transactions, finish } = database()
  for (const name of ['a', 'b', 'c']) {
    void request(name)
    await begun()
  }
  await finish()
  void request('d')
  await vi.advanceTimersByTimeAsync(1)
  void request('e')
  await vi.advanceTimersByTimeAsync(2)
  void request('f')
  await finish()
  void request('g')
  await finish()
  void request('h')
  await begun()
  expect(transactions).toEqual([['a'], ['b', 'c'], ['d', 'e', 'f'], ['g'], ['h']])
})

test('no transaction of several has more than 40 statements', async () => {
  const { request, transactions, finish } = database()
  const sizes = [9, 9, 9, 9, 9, 50, 20, 20, 20]
  const outcomes = sizes.map((size, index) => request(...Array.from({ length: size }, () => String(index))))
  await finish()
  expect(transactions.map(names => [...new Set(names)].join(' '))).toEqual(['0 1 2 3', '4', '5', '6 7', '8'])
  expect((await Promise.all(outcomes)).map(names => names.length)).toEqual(sizes)
})

test.each(['unique', 'too_large', 'serialization', 'other'] as const)(
  'of a transaction that fails as %s, only the batch at fault fails',
  async kind => {
    const { request, transactions, finish } = database(kind)
    const outcomes = ['a', 'bad', 'c', 'd'].map(name => request(name))
    await finish()
    expect(await Promise.all(outcomes)).toEqual([['a'], kind, ['c'], ['d']])
    expect(transactions[0]).toEqual(['a', 'bad', 'c', 'd'])
    expect(new Set(transactions.slice(1).flat())).toEqual(new Set(['a', 'bad', 'c', 'd']))
    expect(transactions).toHaveLength(5)
  },
)

test.each(['busy', 'unavailable', 'uncertain'] as const)(
  'a transaction that fails as %s is told to all who were in it, and not tried again',
  async kind => {
    const { request, transactions, finish } = database(kind)
    const outcomes = ['a', 'bad', 'c'].map(name => request(name))
    await finish()
    expect(await Promise.all(outcomes)).toEqual([kind, kind, kind])
    expect(transactions).toEqual([['a', 'bad', 'c']])
  },
)

test('who waits behind a leader that is gone, or slow, leads itself after a second', async () => {
  const { request, transactions, writing, finish } = database()
  const slow = request('slow')
  await begun()
  const others = [request('a'), request('b')]
  await vi.advanceTimersByTimeAsync(999)
  expect(transactions).toEqual([['slow']])
  const answerSlow = writing.pop()!
  await vi.advanceTimersByTimeAsync(1)
  await finish()
  expect(await Promise.all(others)).toEqual([['a'], ['b']])
  expect(transactions).toEqual([['slow'], ['a', 'b']])
  // Whoever comes now waits for nobody, and the slow one is answered when it is done.
  void request('c')
  await vi.advanceTimersByTimeAsync(10)
  expect(transactions.at(-1)).toEqual(['c'])
  answerSlow()
  expect(await slow).toEqual(['slow'])
})

test('a batch whose leader never tells what became of it is uncertain, and those behind it go on', async () => {
  const { request, transactions, writing } = database()
  const told = [request('a'), request('b')]
  await begun()
  expect(transactions).toEqual([['a', 'b']])
  const behind = request('c')
  await vi.advanceTimersByTimeAsync(1010)
  expect(transactions.at(-1)).toEqual(['c'])
  writing.pop()!()
  expect(await behind).toEqual(['c'])
  await vi.advanceTimersByTimeAsync(41_000)
  expect(await told[1]).toBe('uncertain')
})

test('whose turn does not come in forty seconds is told that there is too much to do, and is not written', async () => {
  const { request, transactions, writing } = database()
  void request('first')
  await begun()
  // Too large to go together, and each takes a little less long than what is taken for gone.
  const names = Array.from({ length: 60 }, (_, index) => String(index))
  const outcomes = names.map(name => request(...Array<string>(21).fill(name)))
  while (writing.length > 0) {
    await vi.advanceTimersByTimeAsync(900)
    writing.shift()!()
    await vi.advanceTimersByTimeAsync(10)
  }
  const told = await Promise.all(outcomes)
  const over = told.indexOf('busy')
  expect(over).toBeGreaterThan(40)
  expect(told.slice(over)).toEqual(names.slice(over).map(() => 'busy'))
  expect(transactions.map(([name]) => name)).toEqual(['first', ...names.slice(0, over)])
})
