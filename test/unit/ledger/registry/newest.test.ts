import { array, assert, asyncProperty, constantFrom, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { NEWEST_RELEASE } from '../../../../src/ledger/registry/newest.ts'
import { join, rowsOf, sql } from '../../../../src/sql/port.ts'
import { temporaryLedger } from '../../../support/databases/ledger.ts'
import { temporaryPostgres } from '../../../support/databases/postgres.ts'

const NAMES = ['', 'a', 'a0', 'ab', 'A', 'é', '\u{1f600}']

test.for([
  ['SQLite', temporaryLedger],
  ['PostgreSQL', temporaryPostgres],
] as const)(
  'the newest release of each place is sought on %s as it is found by reading all',
  async ([, open]) => {
    const db = await open()
    const places = array(tuple(constantFrom(...NAMES), constantFrom(...NAMES)), { maxLength: 30 })
    let registered = 0
    await assert(
      asyncProperty(places, async added => {
        const rows = added.map(([agent, environment]) => {
          const id = `rel_${registered++}`
          return sql`(${id}, ${agent}, '1', ${environment}, '', 0, '', '', '', '{}')`
        })
        if (rows.length > 0) {
          await db.batch([
            sql`INSERT INTO releases (release_id, agent_id, version, environment, checksum, created_at, model,
            pricing_provider, pricing_version, artifact_json) VALUES ${join(rows, ', ')}`,
          ])
        }
        const sought = await rowsOf(db, sql`SELECT ${NEWEST_RELEASE} AS seq FROM place_answers p ORDER BY 1`)
        const read = sql`SELECT max(seq) AS seq FROM releases GROUP BY agent_id, environment ORDER BY 1`
        expect(sought).toEqual(await rowsOf(db, read))
      }),
      { numRuns: 20 },
    )
  },
)
