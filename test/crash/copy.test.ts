import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLibsql } from '../../src/sql/libsql/libsql.ts'
import type { Sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { DIRECTIONS, type Database } from '../support/databases/copying.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { start } from '../support/processes/processes.ts'
import { emptyDatabase } from '../support/databases/postgres.ts'
import { seededRandom } from '../../src/base/numbers.ts'
import { scaled } from '../support/scale.ts'
import { testService } from '../support/services/service.ts'
import { contentsOf, fillLedger } from '../support/databases/whole_ledger.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'

const ROUNDS = scaled(1, 60)
const EVENTS = scaled(100, 6000)

test.each(DIRECTIONS.slice(0, scaled(1, 2)))(
  'a copy from %s to %s that is killed at any page is no ledger, and copied again loses and doubles no row',
  async (from, to) => {
    const random = seededRandom(1)
    const source = await makePlace(from)
    await fill(source, 1)
    const expected = await withSql(source, contentsOf)
    const whole = start('copy.ts', copyOf(source, await makePlace(to)))
    expect(await whole.ended).toMatchObject({ code: 0, stderr: '' })
    for (let round = 0; round < ROUNDS; round++) {
      const target = await makePlace(to)
      const copying = start('copy.ts', copyOf(source, target))
      // The first half of its steps are rows, so it is never done by then.
      await copying.printed(1 + Math.floor((random() * whole.lines.length) / 2))
      copying.child.kill('SIGKILL')
      expect(await copying.ended).toMatchObject({ stderr: '' })
      const again = await start('copy.ts', copyOf(source, target)).ended
      expect(again.stderr).toMatch(/unfinished copy/)
      const fresh = await makePlace(to)
      expect(await start('copy.ts', copyOf(source, fresh)).ended).toMatchObject({ code: 0, stderr: '' })
      expect(await withSql(fresh, contentsOf)).toEqual(expected)
    }
  },
)

interface Place {
  readonly kind: Database
  readonly folder: string
  /** A path or DSN. */
  readonly address: string
}

async function makePlace(kind: Database): Promise<Place> {
  const folder = temporaryFolder()
  return { kind, folder, address: kind === 'SQLite' ? join(folder, 'ledger.db') : await emptyDatabase() }
}

async function withSql<T>({ kind, address }: Place, use: (sql: Sql) => Promise<T>): Promise<T> {
  const sql =
    kind === 'SQLite'
      ? await openLibsql({ path: address, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
      : openPostgres({ url: `${address}?max=2` })
  try {
    return await use(sql)
  } finally {
    await sql.close()
  }
}

async function fill(place: Place, seed: number): Promise<void> {
  await withSql(place, async sql => {
    await migrate(sql, loadMigrations(sql), Date.now)
    await fillLedger(await testService({ sql }), seed, EVENTS)
  })
}

function copyOf(source: Place, target: Place): { from: string; to: string; folder: string } {
  return { from: source.address, to: target.address, folder: source.folder }
}
