import { join } from 'node:path'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { openLibsql } from '../../src/sql/libsql/libsql.ts'
import type { Sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { runProcess, spawnSvc } from '../support/processes/cli.ts'
import { DIRECTIONS, type Database } from '../support/databases/copying.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { emptyDatabase } from '../support/databases/postgres.ts'
import { seededRandom } from '../../src/base/numbers.ts'
import { scaled } from '../support/scale.ts'
import { testService } from '../support/services/service.ts'
import { contentsOf, fillLedger } from '../support/databases/whole_ledger.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'

const ROUNDS = scaled(2, 60)

test.each(DIRECTIONS.slice(0, 2))(
  'svc ledger copy from %s to %s, killed twice at any moment, loses and doubles no row',
  async (from, to) => {
    const random = seededRandom(1)
    const source = await makePlace(from)
    await fill(source, 1)
    const expected = await withSql(source, contentsOf)
    let lasts = await timeOf(source, await makePlace(to))
    let resumed = 0
    // Kills that all come too early or too late would show nothing, and a machine is not as busy all the time.
    for (let round = 0; round < ROUNDS || resumed < 2; round++) {
      const target = await makePlace(to)
      for (let kill = 0; kill < 2; kill++) {
        const tookMs = await killAfter((0.2 + 0.8 * random()) * lasts, source, target)
        lasts = tookMs === undefined ? lasts * 1.1 : Math.min(lasts, tookMs)
      }
      const { code, stderr } = await runProcess(args(source, target), { cwd: source.folder })
      expect({ code, stderr }).toMatchObject({ code: 0 })
      if (stderr.includes('completed the copy')) resumed += 1
      expect(await withSql(target, contentsOf)).toEqual(expected)
    }
  },
)

/** Returns how long a copy took that was quicker than its kill. */
async function killAfter(ms: number, source: Place, target: Place): Promise<number | undefined> {
  const startedAt = performance.now()
  const child = spawnSvc(args(source, target), { cwd: source.folder })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  const [code, signal] = await exited
  clearTimeout(timer)
  if (signal !== null) return undefined
  expect(code).toBe(0)
  return performance.now() - startedAt
}

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
    await migrate(sql, loadMigrations(sql.dialect), Date.now)
    await fillLedger(await testService({ sql }), seed, 6000)
  })
}

function args(source: Place, target: Place): string[] {
  return ['ledger', 'copy', '--from', source.address, '--to', target.address]
}

/** How long a whole copy takes here and now, ms. */
async function timeOf(source: Place, target: Place): Promise<number> {
  const startedAt = performance.now()
  const { code, stderr } = await runProcess(args(source, target), { cwd: source.folder })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return performance.now() - startedAt
}
