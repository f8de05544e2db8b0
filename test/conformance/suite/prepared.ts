import postgres from 'postgres'
import { beforeAll, expect, test } from 'vitest'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { RAN } from '../../support/databases/recorded.ts'

/** What only statements of the dialect SQLite have. */
const OF_SQLITE =
  /\bjson_(?:each|extract|group_object|object|group_array|array)\(|\bunixepoch\(|\bsqlite_|\bPRAGMA\b|->>? '\$|\bNOT INDEXED\b|\bevent_blocks\b|\brollup_mark\b|\bTRIGGER\b/i

/**
 * Has PostgreSQL prepare what the other tests of this file ran on SQLite: what of the contract doesn't run on PostgreSQL
 * itself has no statement that it refuses.
 */
export function preparedContract(): void {
  // A file that this worker ran before may have left its own statements.
  beforeAll(() => RAN.clear())

  test('every statement that SQLite ran can be prepared on PostgreSQL, but for those of its dialect', async () => {
    const client = postgres(await temporaryDatabase(), { max: 1, onnotice: () => {} })
    const shared = [...RAN].filter(text => !OF_SQLITE.test(text))
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
}
