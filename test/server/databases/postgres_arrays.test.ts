import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { arrayOf } from '../../../src/sql/dialect.ts'
import { rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'

/** What PostgreSQL stores, with many of what arrays and JSON quote. */
const TEXT = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('\\', '"', '\n', '\u0001', 'n', '{', '}', ',', ' '),
      fc.string({ unit: 'grapheme', maxLength: 1 }),
    ),
  })
  .filter(text => !text.includes('\0'))
const TEXTS = fc.array(fc.oneof(TEXT, fc.constantFrom(null, 'NULL', 'null', '')))
const NUMBERS = fc.array(fc.oneof(fc.maxSafeInteger(), fc.constant(null)))

test('PostgreSQL reads every list of texts and of numbers as it was', async () => {
  const db = openPostgres({ url: await temporaryDatabase() })
  onTestFinished(() => db.close())
  await fc.assert(
    fc.asyncProperty(TEXTS, NUMBERS, async (texts, numbers) => {
      const read = async (type: 'BIGINT' | 'TEXT', values: readonly (string | number | null)[]) => {
        const listed = sql`unnest(${arrayOf(type, values)}) WITH ORDINALITY AS given (value, place)`
        return (await rowsOf(db, sql`SELECT value FROM ${listed} ORDER BY place`)).map(({ value }) => value)
      }
      expect(await read('TEXT', texts)).toEqual(texts)
      expect(await read('BIGINT', numbers)).toEqual(numbers)
    }),
    { numRuns: 300 },
  )
})
