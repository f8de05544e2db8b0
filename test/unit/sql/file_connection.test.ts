import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { FileConnection } from '../../../src/sql/libsql/file_connection.ts'
import { raw, sql } from '../../../src/sql/port.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'

let path: string
let connection: FileConnection

beforeEach(() => {
  path = join(temporaryFolder(), 'things.db')
  connection = open()
  connection.execute(raw('PRAGMA journal_mode = WAL'))
  connection.execute(raw('CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size)'))
})

function open(): FileConnection {
  const opened = new FileConnection(path, 0)
  onTestFinished(() => opened.close())
  return opened
}

const add = (name: string, size: number | null = null) =>
  sql`INSERT INTO things (name, size) VALUES (${name}, ${size}) RETURNING id`
const all = raw('SELECT * FROM things ORDER BY id')

test('a statement that failed answers as before when it is asked again', () => {
  connection.execute(add('a'))
  expect(() => connection.execute(add('a'))).toThrow('UNIQUE constraint failed: things.name')
  expect(connection.execute(add('b'))).toEqual({ rows: [{ id: 2 }], changes: 1 })
  expect(() => connection.transaction('IMMEDIATE', [add('c'), add('a')])).toThrow('UNIQUE')
  expect(connection.execute(all).rows.map(({ name }) => name)).toEqual(['a', 'b'])
})

test('a statement that was prepared before a change of the schema knows the columns after it', () => {
  connection.execute(add('a', 7))
  expect(connection.execute(all).rows).toEqual([{ id: 1, name: 'a', size: 7 }])
  open().transaction('IMMEDIATE', [
    raw("ALTER TABLE things ADD COLUMN kind TEXT NOT NULL DEFAULT 'round'"),
    raw('ALTER TABLE things DROP COLUMN size'),
  ])
  expect(connection.execute(all).rows).toEqual([{ id: 1, name: 'a', kind: 'round' }])
})

test('what it read keeps no other connection from writing, nor the log from being emptied', () => {
  connection.transaction('IMMEDIATE', [add('a'), add('b')])
  connection.transaction('DEFERRED', [all])
  const other = open()
  other.execute(add('c'))
  expect(other.execute(raw('PRAGMA wal_checkpoint(TRUNCATE)')).rows).toMatchObject([{ busy: 0, log: 0 }])
  expect(connection.execute(all).rows).toHaveLength(3)
})

test('a statement as long as the longest of a comparison is compiled once', () => {
  const long = raw(`SELECT 1 AS one /* ${'x'.repeat(25_000)} */`)
  connection.execute(long)
  connection.execute(long)
  const kept = connection.execute(sql`SELECT run FROM sqlite_stmt WHERE sql LIKE ${'%xxx%'}`).rows
  expect(kept).toEqual([{ run: 2 }])
})

test('more statements than are kept prepared', () => {
  for (let n = 0; n < 450; n += 1) {
    expect(connection.execute(raw(`SELECT ${n} AS n, 'text' AS text`)).rows).toEqual([{ n, text: 'text' }])
  }
  expect(connection.execute(raw('SELECT 0 AS n')).rows).toEqual([{ n: 0 }])
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  '%d is refused, where SQLite would make it NULL',
  size => {
    expect(() => connection.execute(add('a', size))).toThrow(RangeError)
    expect(connection.execute(all).rows).toEqual([])
  },
)

test('a number that JavaScript can only round is not read', () => {
  connection.execute(raw("INSERT INTO things (name, size) VALUES ('exact', 9007199254740991)"))
  connection.execute(raw("INSERT INTO things (name, size) VALUES ('real', 9.5e300)"))
  expect(connection.execute(all).rows.map(({ size }) => size)).toEqual([Number.MAX_SAFE_INTEGER, 9.5e300])
  connection.execute(raw("INSERT INTO things (name, size) VALUES ('rounded', 9007199254740993)"))
  expect(() => connection.execute(all)).toThrow('9007199254740993')
})

test('a connection that was closed is not open, and can be closed again', () => {
  expect([connection.isOpen, existsSync(path)]).toEqual([true, true])
  connection.close()
  connection.close()
  expect(connection.isOpen).toBe(false)
})
