import postgres from 'postgres'
import { beforeAll, expect, test } from 'vitest'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import type { Statement } from '../../../src/sql/port.ts'
import { RAN } from '../../support/databases/recorded.ts'
import { remoteLedgers } from '../../support/databases/servers/remote_libsql.ts'

/** What only statements of the dialect SQLite have. */
const OF_SQLITE =
  /\bjson_(?:each|extract|group_object|object|group_array|array)\(|\bunixepoch\(|\bsqlite_|\bPRAGMA\b|->>? '\$|\bNOT INDEXED\b|\bevent_blocks\b|\brollup_mark\b|\bTRIGGER\b/i

/** What only files have. */
const ELSEWHERE = /\bsqlite_|\bPRAGMA\b|\bTRIGGER\b/i

/**
 * Has PostgreSQL prepare what the other tests of this file ran on SQLite: what of the contract doesn't run on PostgreSQL
 * itself has no statement that it refuses.
 */
export function preparedContract(): void {
  const remoteLedger = remoteLedgers()
  // A file that this worker ran before may have left its own statements.
  beforeAll(() => {
    RAN.sqlite.clear()
    RAN.postgres.clear()
  })

  test('every statement that SQLite ran can be prepared on PostgreSQL, but for those of its dialect', async () => {
    const client = postgres(await temporaryDatabase(), { max: 1, onnotice: () => {} })
    const shared = [...RAN.postgres].filter(text => !OF_SQLITE.test(text))
    expect(shared.length).toBeGreaterThan(200)
    const refused: string[] = []
    for (const text of shared) {
      let count = 0
      const numbered = text.replaceAll('?', () => `$${++count}`)
      await client
        .unsafe(numbered)
        .describe()
        .catch((error: Error) =>
          refused.push(`${error.message}: ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`),
        )
    }
    await client.end()
    expect(refused).toEqual([])
  })

  test('the parser of a remote libSQL server understands every statement that SQLite ran', async () => {
    const { sql: db } = await remoteLedger()
    const refused: string[] = []
    const texts = [...RAN.sqlite].filter(text => !ELSEWHERE.test(text))
    const formOf = (text: string): string => text.replaceAll(/\d+|(?:\?(?:, )?)+|\s+/g, ' ')
    const ofEachForm = [...new Map(texts.map(text => [formOf(text), text])).values()]
    expect(ofEachForm.length).toBeGreaterThan(200)
    const explain = (text: string): Statement => {
      return { text: `EXPLAIN QUERY PLAN ${text}`, params: Array.from(text.matchAll(/\?/g), () => null) }
    }
    for (let from = 0; from < ofEachForm.length; from += 50) {
      const some = ofEachForm.slice(from, from + 50)
      const areUnderstood = await db.snapshot(some.map(explain)).then(Boolean, () => false)
      if (areUnderstood) continue
      for (const text of some)
        await db
          .query(explain(text))
          .catch((error: Error) => refused.push(`${error.message}: ${text.replaceAll(/\s+/g, ' ')}`))
    }
    expect(refused).toEqual([])
  })
}
