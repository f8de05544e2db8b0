import { FEATURES } from '../../../src/entry/features.ts'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@libsql/client/sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { type RouteName, routes } from '../../../handlers/index.ts'
import { seededRandom } from '../../../src/base/numbers.ts'
import { examine, checkFile } from '../../../src/ledger/doctor/doctor.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { type Sql, SqlError, raw, rowsOf } from '../../../src/sql/port.ts'
import { temporaryFolder, temporaryLedger } from '../../support/databases/ledger.ts'
import { fillLedger } from '../../support/databases/whole_ledger.ts'
import { scaled } from '../../support/scale.ts'
import { testService } from '../../support/services/service.ts'

const SEED = Number(process.env.SEED ?? 1)
const PAGE = 4096
const READS = (Object.keys(routes) as RouteName[]).filter(route => /^GET (?!\/v1\/stream)[^{]*$/.test(route))

type Damage = (page: Buffer, random: () => number) => void

const DAMAGES: Readonly<Record<string, Damage>> = {
  noise: (page, random) => {
    for (let at = 0; at < page.length; at++) page[at] = Math.floor(random() * 256)
  },
  zeros: page => page.fill(0),
  'a part of itself': page => page.copy(page, 0, PAGE / 2),
  ones: page => page.fill(0xff),
}

test('a damaged page, of whatever table or index it is, is found by the doctor and answered with 503', async () => {
  const whole = join(temporaryFolder(), 'ledger.db')
  const service = await testService({ sql: await temporaryLedger(whole) })
  await fillLedger(service, 1)
  const pages = await pagesOf(whole)
  expect(pages.length).toBeGreaterThan(60)
  const random = seededRandom(SEED)
  const kinds = Object.keys(DAMAGES)
  let [tried, refused] = [0, 0]
  for (const [index, { name, pageno }] of everyNth(pages, scaled(28, 1)).entries()) {
    for (const kind of scaled([kinds[index % kinds.length]!], kinds)) {
      tried += 1
      const path = join(temporaryFolder(), 'damaged.db')
      copyFileSync(whole, path)
      damage(path, pageno, DAMAGES[kind]!, random)
      expect(await doctorSays(path), `${name}, page ${pageno}, ${kind}`).toMatch(
        /damaged|not a SQLite database/,
      )
      // Noise may hold a text that is no UTF-8, on which the driver ends the process.
      if (kind !== 'zeros' && kind !== 'ones') continue
      const statuses = await statusesOf(path)
      expect(
        [...statuses].filter(status => status >= 500 && status !== 503),
        `${name}, ${kind}`,
      ).toEqual([])
      if (statuses.has(503)) refused += 1
    }
  }
  expect(refused).toBeGreaterThanOrEqual(scaled(0, 20))
  process.stdout.write(
    `${tried} damaged pages, of ${pages.length} tables and indexes, all found; ` +
      `reads of ${refused} ledgers refused with 503, SEED=${SEED}\n`,
  )
})

test('a text that is no UTF-8, of whatever table it is, is found by the doctor', async () => {
  const whole = join(temporaryFolder(), 'ledger.db')
  const service = await testService({ sql: await temporaryLedger(whole) })
  await fillLedger(service, 1)
  const texts = await rowsOf(
    service.sql,
    raw(`SELECT t.name AS tab, c.name AS col FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
      WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%' AND c.type = 'TEXT' ORDER BY t.name, c.cid`),
  )
  // What keeps rows from being changed would keep this from damaging them.
  const triggers = await rowsOf(service.sql, raw("SELECT name FROM sqlite_schema WHERE type = 'trigger'"))
  await service.sql.batch(triggers.map(({ name }) => raw(`DROP TRIGGER "${name}"`)))
  await pagesOf(whole)
  const [missed, tried]: [string[], string[]] = [[], []]
  for (const { tab, col } of everyNth(texts, scaled(40, 1))) {
    const path = join(temporaryFolder(), 'damaged.db')
    copyFileSync(whole, path)
    const bytes = `CAST(substr(CAST("${col}" AS BLOB), 1, 1) || x'80' AS TEXT)`
    const damaging = raw(`UPDATE OR IGNORE "${tab}" SET "${col}" = ${bytes} WHERE "${col}" IS NOT NULL`)
    await withFile(path, async db => {
      const damaged = await db.batch([raw('PRAGMA ignore_check_constraints = ON'), damaging]).catch(() => [])
      if ((damaged[1]?.changes ?? 0) === 0) return
      tried.push(`${tab}.${col}`)
      const progress: number[] = []
      const said = (await checkFile(db, (_step, done, total) => progress.push(done / total)))[0]!.detail
      // It says how far it is table by table.
      expect([progress.length > 20, progress.at(-1)]).toEqual([true, 1])
      if (
        !said.includes(`: a text of ${tab}.${col} is not UTF-8;`) &&
        !said.includes('CHECK constraint failed')
      )
        missed.push(`${tab}.${col}: ${said}`)
    })
  }
  expect(missed).toEqual([])
  expect(tried.length).toBeGreaterThan(scaled(2, 60))
  process.stdout.write(`a text that is no UTF-8 in ${tried.length} columns, all found\n`)
})

function everyNth<T>(items: readonly T[], step: number): T[] {
  return items.filter((_, index) => index % step === 0)
}

/**
 * The last page of each table and index, after all of the log has gone to the file. Not one that a long text goes on in:
 * it holds nothing that SQLite could check, only the hashes of what governs.
 */
async function pagesOf(path: string): Promise<{ name: string; pageno: number }[]> {
  const client = createClient({ url: `file:${path}` })
  onTestFinished(() => client.close())
  await client.execute('PRAGMA wal_checkpoint(TRUNCATE)')
  const { rows } = await client.execute(
    "SELECT name, max(pageno) AS pageno FROM dbstat WHERE pagetype <> 'overflow' GROUP BY name",
  )
  return rows.map(row => ({ name: row.name as string, pageno: Number(row.pageno) }))
}

function damage(path: string, pageno: number, how: Damage, random: () => number): void {
  const bytes = readFileSync(path)
  how(bytes.subarray((pageno - 1) * PAGE, pageno * PAGE), random)
  writeFileSync(path, bytes)
}

/** What the deep check fails with, or what it says of itself that it could not read. */
async function doctorSays(path: string): Promise<string> {
  return withFile(path, async db => {
    try {
      const { checks } = await examine(db, {
        features: FEATURES,
        migrations: loadMigrations({ dialect: 'sqlite' }),
        deep: true,
      })
      return checks.flatMap(check => (check.ok ? [] : `${check.name} ${check.detail}`)).join('\n')
    } catch (error) {
      expect(error).toBeInstanceOf(SqlError)
      expect((error as SqlError).kind).toBe('unavailable')
      return (error as SqlError).message
    }
  })
}

async function statusesOf(path: string): Promise<Set<number>> {
  return withFile(path, async db => {
    const service = await testService({ sql: db })
    const statuses = new Set<number>()
    for (const route of READS) {
      const { status } = await service.call(route, { query: { window: '1h', limit: 50 } })
      statuses.add(status)
      if (status === 503) {
        const last = service.logged.at(-1)!
        expect((last.fields as { error: Error }).error.message).toMatch(/damaged|not a SQLite database/)
      }
    }
    return statuses
  })
}

async function withFile<T>(path: string, use: (db: Sql) => Promise<T>): Promise<T> {
  const db = await openLibsql({ path, busyTimeoutMs: 100, lockRetryMs: 0 })
  try {
    // What is damaged at its head is not even opened.
    await rowsOf(db, raw('SELECT 1')).catch(() => {})
    return await use(db)
  } finally {
    await db.close()
  }
}
