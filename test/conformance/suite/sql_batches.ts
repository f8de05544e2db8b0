import { describe, expect, test } from 'vitest'
import { type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { idsOf, insert, withThings } from '../../support/databases/things.ts'

/** Statements that belong together: all or nothing, and reads that see one state. */
export function batchesContract(open: () => Promise<Sql>): void {
  describe('a batch', () => {
    test('without statements does nothing', async () => {
      const db = await withThings(open)
      expect(await db.batch([])).toEqual([])
      expect(await db.snapshot([])).toEqual([])
    })

    test('shows each statement what those before it did', async () => {
      const db = await withThings(open)
      const results = await db.batch([
        insert('a', { whole: 1 }),
        sql`UPDATE things SET whole = whole + 1 WHERE id = 'a'`,
        sql`INSERT INTO things (id, whole) SELECT 'b', whole * 10 FROM things`,
        sql`SELECT id, whole FROM things ORDER BY id`,
      ])
      expect(results[3]!.rows).toEqual([
        { id: 'a', whole: 2 },
        { id: 'b', whole: 20 },
      ])
    })

    test('of a caller whose time is over, or who is gone, is not begun', async () => {
      const db = await withThings(open)
      const { signal } = new AbortController()
      const caller = new AbortController()
      caller.abort()
      const [over, gone] = [
        { leftMs: () => 0, signal },
        { leftMs: () => 1000, signal: caller.signal },
      ]
      await expect(db.batch([insert('late')], { deadline: over })).rejects.toMatchObject({ kind: 'busy' })
      await expect(db.batch([insert('gone')], { deadline: gone })).rejects.toMatchObject({ kind: 'gone' })
      await expect(db.query(sql`SELECT 1 AS one`, { deadline: gone })).rejects.toMatchObject({ kind: 'gone' })
      await db.batch([insert('here')], { deadline: { leftMs: () => 10_000, signal } })
      expect(await idsOf(db)).toEqual(['here'])
    })

    test.each([0, 1, 3])('that fails at statement %i has written nothing', async position => {
      const db = await withThings(open)
      await db.batch([insert('taken')])
      const statements = ['a', 'b', 'c'].map(id => insert(id))
      statements.splice(position, 0, insert('taken'))
      await expect(db.batch(statements)).rejects.toMatchObject({ kind: 'unique' })
      expect(await idsOf(db)).toEqual(['taken'])
      await db.batch([insert('after')])
      expect(await idsOf(db)).toEqual(['after', 'taken'])
    })

    test('of many statements and parameters is one transaction', async () => {
      const db = await withThings(open)
      await db.batch(Array.from({ length: 300 }, (_, whole) => insert(`t${whole}`, { whole, name: 'n' })))
      const [row] = await rowsOf(db, sql`SELECT count(*) AS n, max(whole) AS top FROM things`)
      expect(row).toEqual({ n: 300, top: 299 })
    })

    test('runs after the others that were started before it, none is lost', async () => {
      const db = await withThings(open)
      await db.batch([insert('counter', { whole: 0 })])
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          db.batch([
            sql`UPDATE things SET whole = whole + 1 WHERE id = 'counter'`,
            sql`INSERT INTO things (id, whole)
              SELECT ${`row-${index}`}, whole FROM things WHERE id = 'counter'`,
          ]),
        ),
      )
      const rows = await rowsOf(db, sql`SELECT whole FROM things WHERE id <> 'counter' ORDER BY whole`)
      expect(rows.map(row => row.whole)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
    })

    test('lets exactly one of several win a compare-and-swap', async () => {
      const db = await withThings(open)
      await db.batch([insert('head', { whole: 0, name: '' })])
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          db.batch([
            sql`UPDATE things SET whole = 1, name = ${`w${index}`} WHERE id = 'head' AND whole = 0`,
            sql`INSERT INTO things (id) SELECT ${`won-${index}`}
              WHERE EXISTS (SELECT 1 FROM things WHERE id = 'head' AND name = ${`w${index}`}) RETURNING id`,
          ]),
        ),
      )
      expect(results.filter(([, inserted]) => inserted!.rows.length === 1)).toHaveLength(1)
      expect(await idsOf(db)).toHaveLength(2)
    })
  })

  test('of batches at the same time, one that fails fails alone, and all of it', async () => {
    const db = await withThings(open)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        db.batch([insert(`first ${index}`), index === 5 ? sql`SELEKT 1` : insert(`second ${index}`)]),
      ),
    )
    expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([5])
    expect(await idsOf(db)).toHaveLength(22)
    expect(await rowsOf(db, sql`SELECT id FROM things WHERE id = 'first 5'`)).toEqual([])
  })

  describe('a snapshot', () => {
    test('answers each of its reads in order', async () => {
      const db = await withThings(open)
      await db.batch([insert('a', { whole: 1 }), insert('b', { whole: 2 })])
      const results = await db.snapshot([
        sql`SELECT id FROM things WHERE whole = ${2}`,
        sql`SELECT id FROM things WHERE whole = ${3}`,
        sql`SELECT count(*) AS n FROM things`,
      ])
      expect(results.map(result => result.rows)).toEqual([[{ id: 'b' }], [], [{ n: 2 }]])
    })

    test('sees all of a batch or nothing of it, in all its reads', async () => {
      const db = await withThings(open)
      await db.batch([insert('left', { whole: 0 }), insert('right', { whole: 0 })])
      const step = sql`UPDATE things SET whole = whole + 1 WHERE id = ${'left'}`
      const other = sql`UPDATE things SET whole = whole + 1 WHERE id = ${'right'}`
      const read = (id: string) => sql`SELECT whole FROM things WHERE id = ${id}`
      const writes = Array.from({ length: 30 }, () => db.batch([step, other]))
      const reads = Array.from({ length: 60 }, () =>
        db.snapshot([read('left'), read('right'), read('left'), sql`SELECT sum(whole) AS both FROM things`]),
      )
      const [seen] = await Promise.all([Promise.all(reads), Promise.all(writes)])
      for (const [left, right, again, both] of seen) {
        const value = Number(left!.rows[0]!.whole)
        expect([right!.rows[0]!.whole, again!.rows[0]!.whole, Number(both!.rows[0]!.both)]).toEqual([
          value,
          value,
          2 * value,
        ])
      }
    })

    test('sees what was written before it was asked for', async () => {
      const db = await withThings(open)
      for (let index = 0; index < 20; index++) {
        await db.batch([insert(`t${index}`)])
        const [counted] = await db.snapshot([sql`SELECT count(*) AS n FROM things`])
        expect(counted!.rows).toEqual([{ n: index + 1 }])
        expect(await rowsOf(db, sql`SELECT count(*) AS n FROM things`)).toEqual([{ n: index + 1 }])
      }
    })
  })
}
