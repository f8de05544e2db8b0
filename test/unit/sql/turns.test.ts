import { beforeEach, describe, expect, test, vi } from 'vitest'

import {
  type Deadline,
  type Result,
  type Sql,
  SqlError,
  type Statement,
  raw,
  sql,
} from '../../../src/sql/port.ts'
import { type Turns, newTurns, within } from '../../../src/sql/deadline.ts'

const LOCK = raw('LOCK')
const SUM = sql`SUM`

/** A database of names, to which a batch adds one. It tells what it did, by the way that it was times. */
class Names {
  readonly names: string[] = []
  readonly done: string[] = []
  /** What the next transaction fails with, when it is committed. */
  failure: SqlError | undefined
  /** Whether the connection of the next transaction is lost without a word to who waits for an answer. */
  isSilent = false
  /** Whether that is written nevertheless. */
  isWritten = false
  readonly #committing = Promise.withResolvers<void>()
  /** Resolves when a transaction is about to be committed. */
  readonly committing = this.#committing.promise
  /** What a commit waits for. */
  commit: Promise<void> = Promise.resolve()

  db(): Sql {
    const alone = async (statements: readonly Statement[]): Promise<Result[]> =>
      statements.map(statement => carriedOut(this.names, statement))
    const db: Partial<Sql> = {
      query: async statement => (await alone([statement]))[0]!,
      snapshot: alone,
      batch: async statements => {
        this.done.push('alone')
        return alone(statements)
      },
      options: { timeoutMs: 1000 },
      extras: {
        transaction: async (lock, use) => {
          expect(lock).toBe(LOCK)
          const seen = [...this.names]
          if (this.isSilent) {
            this.isSilent = false
            void use(() => new Promise(() => {}))
            throw new SqlError('unavailable', 'lost')
          }
          await use(async statements => statements.map(statement => carriedOut(seen, statement)))
          this.#committing.resolve()
          await this.commit
          this.done.push(`together ${seen.length - this.names.length}`)
          const { failure } = this
          this.failure = undefined
          if (failure === undefined || this.isWritten) this.names.splice(0, this.names.length, ...seen)
          if (failure !== undefined) throw failure
        },
      },
    }
    return db as Sql
  }
}

function carriedOut(names: string[], { text, params: [name] }: Statement): Result {
  if (text === 'ADD ?') {
    if (names.includes(String(name))) throw new SqlError('unique', `${name} is there`)
    names.push(String(name))
  }
  return { rows: [{ names: names.join('') }], changes: 1 }
}

/** Adds a name, and says what it saw before. */
const adding = (name: string) => async (db: Sql) => {
  const [before] = await db.snapshot([SUM])
  await db.batch([sql`ADD ${name}`])
  return `${name} behind ${String(before!.rows[0]!.names)}`
}

let names: Names
let turns: Turns

beforeEach(() => {
  names = new Names()
  turns = newTurns()
})

const act = <T>(how: (db: Sql) => Promise<T>, deadline?: Deadline): Promise<T> =>
  turns.act(deadline === undefined ? names.db() : within(names.db(), deadline), LOCK, how)

/** They come while another has its turn, and so wait together. */
async function actTogether<T>(...hows: ((db: Sql) => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
  const holding = Promise.withResolvers<void>()
  const first = turns.run(() => holding.promise)
  const all = Promise.allSettled(hows.map(how => act(how)))
  holding.resolve()
  await first
  return all
}

const outcomesOf = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  results.map(result => (result.status === 'fulfilled' ? result.value : result.reason.message))

test('one that waits for nobody is alone', async () => {
  expect(await act(adding('a'))).toBe('a behind ')
  expect(names.done).toEqual(['alone'])
})

test('those that wait see what those before them wrote, eight in a transaction', async () => {
  const results = await actTogether(...Array.from('abcdefghij', name => adding(name)))
  expect(outcomesOf(results)).toEqual([
    'a behind ',
    'b behind a',
    'c behind ab',
    'd behind abc',
    'e behind abcd',
    'f behind abcde',
    'g behind abcdef',
    'h behind abcdefg',
    'i behind abcdefgh',
    'j behind abcdefghi',
  ])
  expect(names.done).toEqual(['together 8', 'together 2'])
})

test('behind one that another process was in between of the next take the lock, for a while', async () => {
  const overtaken = async (): Promise<undefined> => undefined
  expect(await act(overtaken)).toBeUndefined()
  for (const name of 'abcdefghijklmnopq') await act(adding(name))
  expect(names.done).toEqual([...Array<string>(16).fill('together 1'), 'alone'])
})

test('a database without transactions has each alone', async () => {
  const { extras: _, ...db } = names.db()
  const all = ['a', 'b'].map(name => turns.act(db, LOCK, adding(name)))
  expect(await Promise.all(all)).toEqual(['a behind ', 'b behind a'])
  expect(names.done).toEqual(['alone', 'alone'])
})

describe('where batches are written in order', () => {
  /** Each is sent at once, and written when `write` says so. */
  function inOrder(): { db: Sql; sent: string[]; write: (count: number) => void } {
    const [sent, writing]: [string[], (() => void)[]] = [[], []]
    const db: Sql = {
      ...names.db(),
      extras: { isInOrder: true },
      batch: async ([statement]) => {
        sent.push(String(statement!.params[0]))
        await new Promise<void>(resolve => writing.push(resolve))
        return [carriedOut(names.names, statement!)]
      },
    }
    return { db, sent, write: count => writing.splice(0, count).forEach(resolve => resolve()) }
  }
  const blindly = (name: string) => async (db: Sql) => {
    await db.batch([sql`ADD ${name}`])
    return name
  }

  test('a turn ends when its batch is sent, and is answered when that is written', async () => {
    const { db, sent, write } = inOrder()
    const answered: string[] = []
    const answering = async (name: string) => answered.push(await turns.act(db, LOCK, blindly(name)))
    const all = [...'abc'].map(answering)
    await vi.waitFor(() => expect(sent).toEqual(['a', 'b', 'c']))
    expect(turns.released).toBe(3)
    expect(answered).toEqual([])
    write(3)
    await Promise.all(all)
    expect(answered).toEqual(['a', 'b', 'c'])
  })

  test('who reads waits for what was sent before, and so does what is run', async () => {
    const { db, sent, write } = inOrder()
    const first = turns.act(db, LOCK, blindly('a'))
    const reading = turns.act(db, LOCK, adding('b'))
    const run = turns.run(async () => names.names.join(''))
    await vi.waitFor(() => expect(sent).toEqual(['a']))
    write(1)
    await first
    await vi.waitFor(() => expect(sent).toEqual(['a', 'b']))
    write(1)
    expect(await reading).toBe('b behind a')
    expect(await run).toBe('ab')
  })

  test('one that fails leaves the others, before it is sent and behind that', async () => {
    const { db, sent, write } = inOrder()
    const refused = turns.act(db, LOCK, async () => Promise.reject(new Error('no')))
    const all = Promise.allSettled([
      refused,
      ...['a', 'a', 'b'].map(name => turns.act(db, LOCK, blindly(name))),
    ])
    await vi.waitFor(() => expect(sent).toEqual(['a', 'a', 'b']))
    write(3)
    expect(outcomesOf(await all)).toEqual(['no', 'a', 'a is there', 'b'])
  })
})

test('nobody is answered before the commit, not even one that was refused', async () => {
  const commit = Promise.withResolvers<void>()
  names.commit = commit.promise
  const answered: string[] = []
  const refused = async (): Promise<never> => {
    throw new Error('no')
  }
  const all = [adding('a'), refused, adding('b')].map(how => act(how).finally(() => answered.push('one')))
  const settled = Promise.allSettled(all)
  await names.committing
  expect(answered).toEqual([])
  commit.resolve()
  expect(outcomesOf(await settled)).toEqual(['a behind ', 'no', 'b behind a'])
})

describe('where a transaction fails', () => {
  test('each acts again, alone, and only the one at fault fails', async () => {
    const results = await actTogether(adding('a'), adding('b'), adding('a'), adding('c'))
    expect(outcomesOf(results)).toEqual(['a behind ', 'b behind a', 'a is there', 'c behind ab'])
    expect(names.done).toEqual(['alone', 'alone', 'alone', 'alone'])
  })

  test('what was refused in view of it acts again', async () => {
    names.failure = new SqlError('serialization', 'another was first')
    let times = 0
    const refusedAtFirst = async (db: Sql): Promise<string> => {
      times += 1
      if (times === 1) throw new Error('no')
      return adding('b')(db)
    }
    expect(outcomesOf(await actTogether(adding('a'), refusedAtFirst))).toEqual(['a behind ', 'b behind a'])
    expect(names.done).toEqual(['together 1', 'alone', 'alone'])
  })

  test('and never answers its statements, it is waited for no longer', async () => {
    names.isSilent = true
    expect(outcomesOf(await actTogether(adding('a'), adding('b')))).toEqual(['a behind ', 'b behind a'])
    expect(names.done).toEqual(['alone', 'alone'])
  })

  test.each([true, false])(
    'and may have been committed, each that wrote is answered so; written: %s',
    async isWritten => {
      Object.assign(names, { failure: new SqlError('uncertain', 'lost'), isWritten })
      const lookup = (name: string) => async (db: Sql) => {
        await expect(adding(name)(db)).rejects.toMatchObject({ kind: 'uncertain' })
        return `${name} among ${String((await db.query(SUM)).rows[0]!.names)}`
      }
      const neverSure = async (db: Sql): Promise<string> =>
        `saw ${String((await db.query(SUM)).rows[0]!.names)}`
      const results = await actTogether(lookup('a'), neverSure, lookup('b'))
      const found = isWritten ? 'ab' : ''
      expect(outcomesOf(results)).toEqual([`a among ${found}`, `saw ${found}`, `b among ${found}`])
    },
  )
})

test('of a caller who is gone before the commit nothing is written', async () => {
  const caller = new AbortController()
  const leaving = async (db: Sql): Promise<string> => {
    caller.abort()
    return adding('c')(db)
  }
  const gone = { leftMs: () => 1000, signal: caller.signal }
  const all = await Promise.allSettled([act(adding('a')), act(adding('b'), gone), act(leaving)])
  expect(outcomesOf(all)).toEqual(['a behind ', 'nobody waits for this any more', 'c behind a'])
  expect(names.done).toEqual(['alone', 'alone'])
})

test('one whose time is over before its turn leaves the others', async () => {
  const holding = Promise.withResolvers<void>()
  const first = turns.run(() => holding.promise)
  const late = act(adding('late'), { leftMs: () => 0 })
  await expect(late).rejects.toMatchObject({ kind: 'busy' })
  const all = Promise.all([act(adding('a')), act(adding('b'))])
  holding.resolve()
  await first
  expect(await all).toEqual(['a behind ', 'b behind a'])
  expect(names.done).toEqual(['together 2'])
})
