import { describe, expect, test } from 'vitest'
import { type Sql, type Statement, join, rowsOf, sql } from '../../../src/sql/port.ts'
import { batchesContract } from './sql_batches.ts'
import { failureOf, idsOf, insert, roundTrip, withThings } from '../../support/databases/things.ts'

/** Integers that a column of 64 bits and a JavaScript number both hold exactly. */
const INTEGERS = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32 + 1, 2 ** 53 - 1, -(2 ** 53 - 1)]
const DOUBLES = [0.1, -2.5, 1e-300, 1.7976931348623157e308, 0.1 + 0.2, 1e21]
const TEXTS = [
  '',
  ' ',
  "it's; DROP TABLE things; --",
  '"quoted" `ticked` [bracketed]',
  '? ?1 $1 :name @name %s \\',
  'Zürich, 東京, עברית, 🚀👩‍👩‍👧, e\u0301 and \u00e9',
  '\u2028\u2029\u0001\t\r\n\ufeff',
  '{"json": [1, 2.5, null]}',
  'x'.repeat(70_000),
]

/**
 * What the ledger relies on in a database. `open` gives an empty one; a table of the suite's own is made in it.
 * Only SQL that all adapters share is used here.
 */
export function sqlPortContract(open: () => Promise<Sql>): void {
  batchesContract(open)

  describe('values', () => {
    test('integers come back exactly, and are found', async () => {
      const db = await withThings(open)
      for (const value of INTEGERS) {
        expect(await roundTrip(db, 'whole', value)).toBe(value)
        const found = await rowsOf(db, sql`SELECT id FROM things WHERE whole = ${value}`)
        expect(found, String(value)).toEqual([{ id: 'a' }])
        await db.batch([sql`DELETE FROM things`])
      }
    })

    test('doubles come back exactly', async () => {
      const db = await withThings(open)
      for (const value of DOUBLES) {
        expect(await roundTrip(db, 'ratio', value)).toBe(value)
        await db.batch([sql`DELETE FROM things`])
      }
    })

    test('texts come back exactly, and are found', async () => {
      const db = await withThings(open)
      for (const value of TEXTS) {
        expect(await roundTrip(db, 'name', value)).toBe(value)
        const found = await rowsOf(db, sql`SELECT id FROM things WHERE name = ${value}`)
        expect(found, value.slice(0, 60)).toEqual([{ id: 'a' }])
        await db.batch([sql`DELETE FROM things`])
      }
    })

    test('null comes back as null, of every type', async () => {
      const db = await withThings(open)
      await db.batch([
        sql`INSERT INTO things (id, name, whole, ratio) VALUES ('a', ${null}, ${null}, ${null})`,
      ])
      expect(await rowsOf(db, sql`SELECT name, whole, ratio FROM things`)).toEqual([
        { name: null, whole: null, ratio: null },
      ])
    })

    test('a count and a sum are numbers', async () => {
      const db = await withThings(open)
      await db.batch(['a', 'b', 'c'].map(id => insert(id, { whole: 2 ** 50 })))
      expect(
        await rowsOf(db, sql`SELECT count(*) AS n, CAST(sum(whole) AS BIGINT) AS total FROM things`),
      ).toEqual([{ n: 3, total: 3 * 2 ** 50 }])
    })

    test('texts compare and sort by code point, not by language', async () => {
      const db = await withThings(open)
      const ids = ['a', 'B', 'ä', 'Z', '_', '1', '10', '9']
      await db.batch(ids.map(id => insert(id)))
      const rows = await rowsOf(db, sql`SELECT id FROM things ORDER BY id`)
      expect(rows.map(row => row.id)).toEqual(ids.toSorted())
    })
  })

  describe('statements', () => {
    test('are built from parts, whose parameters stay in order', async () => {
      const db = await withThings(open)
      await db.batch(['a', 'b', 'c', 'd'].map((id, whole) => insert(id, { whole })))
      const condition = join([sql`whole > ${0}`, sql`whole < ${3}`, sql`id <> ${'?'}`], ' AND ')
      const rows = await rowsOf(db, sql`SELECT id FROM things WHERE ${condition} AND id > ${'b'} ORDER BY id`)
      expect(rows).toEqual([{ id: 'c' }])
    })

    test('name their columns as the statement does', async () => {
      const db = await withThings(open)
      await db.batch([insert('a', { whole: 5 })])
      const rows = await rowsOf(db, sql`SELECT whole AS first, id AS second FROM things`)
      expect(JSON.stringify(rows)).toBe('[{"first":5,"second":"a"}]')
    })

    test('may read in a common table expression', async () => {
      const db = await withThings(open)
      await db.batch([insert('a', { whole: 5 })])
      const rows = await rowsOf(
        db,
        sql`WITH big AS (SELECT id FROM things WHERE whole > ${1}) SELECT id FROM big`,
      )
      expect(rows).toEqual([{ id: 'a' }])
    })

    test('give plain rows, which can be sent to another thread', async () => {
      const db = await withThings(open)
      await db.batch([insert('a')])
      expect(structuredClone(await rowsOf(db, sql`SELECT id FROM things`))).toEqual([{ id: 'a' }])
    })
  })

  describe('changes', () => {
    test('count inserted, updated and deleted rows', async () => {
      const db = await withThings(open)
      const results = await db.batch([
        insert('a'),
        sql`INSERT INTO things (id) VALUES ('b'), ('c'), ('d')`,
        sql`INSERT INTO things (id) VALUES ('a'), ('e') ON CONFLICT (id) DO NOTHING`,
        sql`UPDATE things SET whole = 1 WHERE id > ${'b'}`,
        sql`UPDATE things SET whole = 1 WHERE id = ${'nobody'}`,
        sql`DELETE FROM things WHERE whole = 1`,
      ])
      expect(results.map(result => result.changes)).toEqual([1, 3, 1, 3, 0, 3])
      expect(results.map(result => result.rows)).toEqual([[], [], [], [], [], []])
    })

    test('with RETURNING are the rows that come back', async () => {
      const db = await withThings(open)
      const results = await db.batch([
        sql`INSERT INTO things (id, whole) VALUES ('a', 1), ('b', 2) RETURNING id, whole`,
        sql`INSERT INTO things (id) VALUES ('a') ON CONFLICT (id) DO NOTHING RETURNING id`,
        sql`UPDATE things SET whole = whole + ${10} WHERE id = ${'b'} RETURNING whole`,
        sql`DELETE FROM things WHERE id = 'nobody' RETURNING id`,
      ])
      expect(results).toEqual([
        {
          rows: [
            { id: 'a', whole: 1 },
            { id: 'b', whole: 2 },
          ],
          changes: 2,
        },
        { rows: [], changes: 0 },
        { rows: [{ whole: 12 }], changes: 1 },
        { rows: [], changes: 0 },
      ])
    })
  })

  describe('errors', () => {
    test.each<[string, Statement]>([
      ['a primary key', sql`INSERT INTO things (id) VALUES ('a')`],
      ['a unique column', sql`INSERT INTO things (id, tag) VALUES ('b', 't')`],
      ['an update', sql`UPDATE things SET tag = 't' WHERE id = 'c'`],
    ])('%s that exists is of the kind unique', async (_what, statement) => {
      const db = await withThings(open)
      await db.batch([sql`INSERT INTO things (id, tag) VALUES ('a', 't')`, insert('c')])
      const error = await failureOf(db.batch([statement]))
      expect([error.kind, error.cause === undefined]).toEqual(['unique', false])
    })

    test.each<[string, Statement]>([
      ['a syntax error', sql`SELEKT 1`],
      ['an unknown table', sql`SELECT * FROM nowhere`],
      ['an unknown column', sql`UPDATE things SET colour = 'red'`],
      ['a null where none may be', sql`INSERT INTO things (id) VALUES (${null})`],
      ['a failed check', sql`INSERT INTO things (id, ratio) VALUES ('a', -1e9)`],
    ])('%s is of the kind other', async (_what, statement) => {
      const db = await withThings(open)
      expect((await failureOf(db.batch([statement]))).kind).toBe('other')
      await db.batch([insert('still works')])
      expect(await idsOf(db)).toEqual(['still works'])
    })

    test('of a snapshot are of the same kinds', async () => {
      const db = await withThings(open)
      expect((await failureOf(db.snapshot([sql`SELECT 1 AS one`, sql`SELECT * FROM nowhere`]))).kind).toBe(
        'other',
      )
      expect(await rowsOf(db, sql`SELECT count(*) AS n FROM things`)).toEqual([{ n: 0 }])
    })
  })

  test('close waits for what was started, and may be called twice', async () => {
    const db = await withThings(open)
    const writes = Array.from({ length: 10 }, (_, index) => db.batch([insert(`t${index}`)]))
    const results = await Promise.all(writes.concat(db.close().then(() => [])))
    await db.close()
    expect(results.flat().map(result => result.changes)).toEqual(Array.from({ length: 10 }, () => 1))
  })
}
