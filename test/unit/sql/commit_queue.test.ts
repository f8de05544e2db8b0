import { expect, test, vi } from 'vitest'
import { endsItsTimers } from '../../support/timers.ts'
import { commitTogether, newCommitQueue } from '../../../src/sql/commit_queue.ts'
import { type Result, SqlError, type SqlErrorKind, type Statement, sql } from '../../../src/sql/port.ts'

endsItsTimers()

const insert = (name: string): Statement => sql`INSERT ${name}`

/** A database of requests that share a queue: what each transaction holds, and those that are not answered yet. */
function database(kind: SqlErrorKind = 'other') {
  const queue = newCommitQueue()
  const transactions: string[][] = []
  const sent: (() => void)[] = []
  const write = async (statements: readonly Statement[]): Promise<Result[]> => {
    const names = statements.map(({ params }) => String(params[0]))
    transactions.push(names)
    await new Promise<void>(resolve => sent.push(resolve))
    if (names.includes('bad')) throw new SqlError(kind, 'no')
    return names.map((name, index) => ({ rows: [{ name }], changes: index }))
  }
  /** A request that writes these; its outcome are the names in its own results, or the kind of its error. */
  const request = async (...names: string[]): Promise<string[] | SqlErrorKind> => {
    try {
      const results = await commitTogether(queue, names.map(insert), write)
      return results.map(({ rows }) => String(rows[0]!.name))
    } catch (error) {
      return (error as SqlError).kind
    }
  }
  return {
    queue,
    transactions,
    sent,
    request,
    /** Answers all that was sent, until nothing is. */
    finish: async (): Promise<void> => {
      await vi.advanceTimersByTimeAsync(10)
      while (sent.length > 0) {
        for (const answer of sent.splice(0)) answer()
        await vi.advanceTimersByTimeAsync(10)
      }
    },
    /** Several requests that come at once, behind one that is under way. */
    behind: (...names: string[]) => {
      const first = request('first')
      return [first, ...names.map(name => request(name))]
    },
  }
}

test('a batch that is alone is sent at once', async () => {
  const { request, transactions, finish } = database()
  const outcome = request('a')
  expect(transactions).toEqual([['a']])
  await finish()
  expect(await outcome).toEqual(['a'])
})

test('those that come at once while others are under way are one transaction, and each gets its own results', async () => {
  const { request, transactions, finish } = database()
  const outcomes = [request('a', 'b'), request('c'), request('d', 'e'), request('f')]
  await vi.advanceTimersByTimeAsync(5)
  // The first one is not answered yet: it may be far away.
  expect(transactions).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e', 'f'],
  ])
  await finish()
  expect(await Promise.all(outcomes)).toEqual([['a', 'b'], ['c'], ['d', 'e'], ['f']])
})

test('none is answered before its transaction is', async () => {
  const { behind, sent, finish } = database()
  const answered: string[] = []
  for (const outcome of behind('b', 'c')) void outcome.then(names => answered.push(...names))
  await vi.advanceTimersByTimeAsync(100)
  expect([answered, sent.length]).toEqual([[], 2])
  sent.shift()!()
  await vi.advanceTimersByTimeAsync(100)
  expect(answered).toEqual(['first'])
  await finish()
  expect(answered).toEqual(['first', 'b', 'c'])
})

test('who has company waits while more come, and who has none does not', async () => {
  const { request, transactions, finish } = database()
  for (const name of ['a', 'b', 'c', 'd']) {
    void request(name)
    await vi.advanceTimersByTimeAsync(1)
  }
  await vi.advanceTimersByTimeAsync(4)
  expect(transactions).toEqual([['a'], ['b', 'c', 'd']])
  void request('e')
  await vi.advanceTimersByTimeAsync(1)
  expect(transactions).toHaveLength(2)
  await finish()
  // Behind one that was shared, but nobody else came.
  void request('f')
  await finish()
  void request('g')
  expect(transactions.slice(2)).toEqual([['e'], ['f'], ['g']])
  await finish()
})

test('who was in company waits for it again', async () => {
  const { behind, request, transactions, finish } = database()
  const outcomes = behind('a', 'b')
  await finish()
  outcomes.push(request('c'))
  await vi.advanceTimersByTimeAsync(1)
  outcomes.push(request('d'))
  await finish()
  expect(await Promise.all(outcomes)).toEqual([['first'], ['a'], ['b'], ['c'], ['d']])
  expect(transactions).toEqual([['first'], ['a', 'b'], ['c', 'd']])
})

test('a transaction has at most four batches, and no more than 40 statements where it has several', async () => {
  const { request, transactions, finish } = database()
  const sizes = [1, 1, 1, 1, 1, 1, 50, 20, 20, 20, 9]
  const outcomes = sizes.map((size, index) => request(...Array<string>(size).fill(`${index}:${size}`)))
  await finish()
  expect(transactions.map(names => [...new Set(names)].join(' '))).toEqual([
    '0:1',
    '1:1 2:1 3:1 4:1',
    '5:1',
    '6:50',
    '7:20 8:20',
    '9:20 10:9',
  ])
  expect((await Promise.all(outcomes)).map(names => names.length)).toEqual(sizes)
})

test.each(['unique', 'too_large', 'serialization', 'unavailable', 'other'] as const)(
  'of a transaction that fails as %s, only the batch at fault fails',
  async kind => {
    const { behind, transactions, finish } = database(kind)
    const outcomes = behind('a', 'bad', 'c', 'd')
    await finish()
    expect(await Promise.all(outcomes)).toEqual([['first'], ['a'], kind, ['c'], ['d']])
    expect(transactions[1]).toEqual(['a', 'bad', 'c', 'd'])
    expect(transactions.slice(2).toSorted(byName)).toEqual([['a'], ['bad'], ['c'], ['d']])
  },
)

const byName = ([a = '']: string[], [b = '']: string[]): number => a.localeCompare(b)

test.each(['busy', 'uncertain'] as const)(
  'a transaction that fails as %s is told to all who were in it, and not tried again',
  async kind => {
    const { behind, transactions, finish } = database(kind)
    const outcomes = behind('a', 'bad', 'c')
    await finish()
    expect(await Promise.all(outcomes)).toEqual([['first'], kind, kind, kind])
    expect(transactions).toEqual([['first'], ['a', 'bad', 'c']])
  },
)

test('a batch that fails alone is not tried again', async () => {
  const { request, transactions, finish } = database()
  const outcome = request('bad')
  await finish()
  expect([await outcome, transactions]).toEqual(['other', [['bad']]])
})

test('who joined one that is gone before it sent anything writes alone after a second, and nobody joins it any more', async () => {
  const { queue, request, transactions, finish } = database()
  queue.gathering = [{ statements: [insert('gone')], settle: () => {} }]
  const outcomes = [request('a'), request('b')]
  await vi.advanceTimersByTimeAsync(999)
  expect(transactions).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(transactions).toEqual([['a'], ['b']])
  await finish()
  expect(await Promise.all(outcomes)).toEqual([['a'], ['b']])
  void request('c')
  expect(transactions.at(-1)).toEqual(['c'])
  await finish()
})

test('who leaves a leader that was only late is not written twice', async () => {
  const { queue, request, transactions, finish } = database()
  const late = [{ statements: [insert('late')], settle: () => {} }]
  queue.gathering = late
  void request('a')
  await finish()
  await vi.advanceTimersByTimeAsync(1000)
  expect([transactions, late.length]).toEqual([[['a']], 1])
  await finish()
})

test('a database that takes long is waited for as long as it may take', async () => {
  const { behind, finish } = database()
  const outcomes = behind('a', 'b')
  await vi.advanceTimersByTimeAsync(39_000)
  await finish()
  expect(await Promise.all(outcomes)).toEqual([['first'], ['a'], ['b']])
})

test('a batch whose leader never tells what became of it is uncertain, and nobody else waits', async () => {
  const { behind, request, transactions, sent, finish } = database()
  const [, , follower] = behind('a', 'b')
  await vi.advanceTimersByTimeAsync(10)
  const never = sent.splice(0)
  const next = request('c')
  await finish()
  expect(await next).toEqual(['c'])
  await vi.advanceTimersByTimeAsync(41_000)
  expect(await follower).toBe('uncertain')
  expect([transactions, never.length]).toEqual([[['first'], ['a', 'b'], ['c']], 2])
})
