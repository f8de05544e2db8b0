import { FEATURES } from '../../../src/entry/features.ts'
import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/time.ts'
import type { DoctorReport } from '../../../src/models/answers/health.ts'
import { examine } from '../../../src/ledger/doctor/doctor.ts'
import { keepLedger } from '../../../src/ledger/decide/keep_ledger.ts'
import { checkRollouts } from '../../../src/features/rollouts/tick.ts'
import { checkWatches } from '../../../src/features/watch/tick.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { type Sql, SqlError, type Statement, raw, rowsOf, sql } from '../../../src/sql/port.ts'
import { type Edit, editsOf, placesOf } from '../../support/databases/tampering/edits.ts'
import { postgresService } from '../../support/databases/postgres.ts'
import {
  EXEMPT_COLUMNS,
  EXEMPT_TABLES,
  FOUND_BY,
  ONLY_SQLITE,
  isGoverned,
} from '../../support/databases/tampering/governed.ts'
import { endErasure, fillLedger, tableNames } from '../../support/databases/whole_ledger.ts'
import { scaled } from '../../support/scale.ts'
import { eventOf, importPrices, register, releaseOf } from '../../support/services/builders.ts'
import { ingest, ok } from '../../support/services/requests.ts'
import { type MakeService, type TestService, testService } from '../../support/services/service.ts'

const DATABASES: readonly (readonly [string, MakeService])[] = [
  ['SQLite', testService],
  ...scaled<[string, MakeService][]>([], [['PostgreSQL', postgresService]]),
]

describe.each(DATABASES)('in a ledger on %s', (name, makeService) => {
  test('every edit of what governs is found', async () => {
    const service = await makeService()
    await fill(service)
    const db = service.sql
    const tables = (await tableNames(db)).filter(table => !table.startsWith('sqlite'))
    const unknown = tables.filter(
      table => FOUND_BY[table] === undefined && EXEMPT_TABLES[table] === undefined,
    )
    expect(unknown, 'tables without a check: say in governed.ts what finds their edits').toEqual([])
    const known = [...Object.keys(FOUND_BY), ...Object.keys(EXEMPT_TABLES)].filter(
      table => db.dialect === 'sqlite' || !ONLY_SQLITE.includes(table),
    )
    expect(
      known.filter(table => !tables.includes(table)),
      'tables that there are none of',
    ).toEqual([])

    // No engine goes on making aggregates here.
    const untouched = (await wrongIn(db, true)).filter(text => !text.startsWith('aggregate_sources:'))
    expect(untouched).toEqual([])
    await withoutTriggers(db)
    const missed: string[] = []
    const counts = { tried: 0, found: 0, refused: 0, exempt: 0 }
    const before = new Set([...(await wrongIn(db, false)), ...(await wrongIn(db, true))])
    for (const place of await placesOf(
      db,
      tables.filter(table => FOUND_BY[table] !== undefined),
    )) {
      const edits = await editsOf(db, place, row => isGoverned(place.table, row))
      expect(edits, `${place.table} has no row to edit`).not.toEqual([])
      for (const edit of scaled(someOf(edits), edits)) {
        if (EXEMPT_COLUMNS[edit.table]?.[edit.what] !== undefined) counts.exempt += 1
        else await tryEdit(edit)
      }
    }
    console.info(`${name}: ${JSON.stringify(counts)}`)
    expect(missed).toEqual([])
    expect(counts.found).toBeGreaterThan(scaled(30, 1000))

    async function tryEdit(edit: Edit): Promise<void> {
      const way = await carryOut(db, edit)
      if (way === undefined) {
        counts.refused += 1
        return
      }
      counts.tried += 1
      const wrong = await wrongIn(db, FOUND_BY[edit.table] === 'deep')
      if (wrong.some(text => !before.has(text))) counts.found += 1
      else missed.push(`${edit.table}: ${edit.what}`)
      await db.batch(freely(db, way.undone))
    }
  })

  test('rows behind two megabytes of newer ones are left to the deep check, and it says so', async () => {
    const service = await makeService()
    const { sql: db } = service
    await importPrices(service)
    await register(service)
    for (const notes of ['x', 'y'].map(letter => letter.repeat(1_200_000))) {
      const body = { artifact: { ...releaseOf(), notes }, checksum: 'c'.repeat(64) }
      await ok(service.call('POST /v1/releases', { body }))
    }
    await withoutTriggers(db)
    const edit = (seq: number) =>
      db.batch(freely(db, [sql`UPDATE releases SET checksum = ${'e'.repeat(64)} WHERE seq = ${seq}`]))
    await edit(1)
    const { checks } = await examine(db, {
      features: FEATURES,
      migrations: loadMigrations(db),
      deep: false,
    })
    expect(checks.find(check => check.name === 'audit_log')).toMatchObject({
      ok: true,
      detail: expect.stringMatching(
        /the rows of 2 of them are too long, and only `svc doctor --deep` compares them$/,
      ),
    })
    expect(await wrongIn(db, true)).toContainEqual(
      expect.stringMatching(/^audit_log: .*releases seq 1 is not/),
    )
    // What makes them too long is compared: it may have been made so.
    await edit(2)
    expect(await wrongIn(db, false)).toContainEqual(
      expect.stringMatching(/^audit_log: .*releases seq 2 is not/),
    )
  })

  test('a trigger or index that is gone, or another one, is named', async () => {
    const db = (await makeService()).sql
    const wrong: string[] = []
    const objects = await objectsOf(db)
    for (const { kind, name: object, table, text } of objects) {
      const on = db.dialect === 'postgres' && kind === 'TRIGGER' ? ` ON ${table}` : ''
      await db.batch([raw(`DROP ${kind} ${object}${on}`)])
      const found = await wrongIn(db, false)
      if (!found.some(line => line.includes(object))) wrong.push(object)
      await db.batch([raw(text)])
    }
    expect(wrong).toEqual([])
    expect(objects.length).toBeGreaterThan(20)
    expect(await wrongIn(db, false)).toEqual([])
  })
})

/** Some of everything, all events of it in a sealed hour. */
async function fill(service: TestService): Promise<void> {
  const keep = () => keepLedger(service.context, { version: '1', pace: batch => batch() })
  await keep()
  await fillLedger(service, 7, 12)
  await endErasure(service)
  const release = await register(service, { version: 'sealed' })
  await ingest(service, [eventOf({ release_id: release, run_id: 'sealed' })])
  for (let hour = 0; hour < 3; hour++) {
    service.clock.now += HOUR_MS
    await keep()
    await checkRollouts(service.context)
    await checkWatches(service.context)
  }
}

/** The server of the tests keeps nothing over a power cut, and what runs used or which models end is no fault of the ledger. */
const NOT_OF_THE_LEDGER = ['durability', 'undeclared_use', 'retirements']

/** What the doctor finds, a line each; warnings count. */
async function wrongIn(db: Sql, deep: boolean): Promise<string[]> {
  const { checks }: DoctorReport = await examine(db, {
    features: FEATURES,
    migrations: loadMigrations(db),
    deep,
  })
  return checks
    .filter(check => (!check.ok || check.warning === true) && !NOT_OF_THE_LEDGER.includes(check.name))
    .map(check => `${check.name}: ${check.detail}`)
}

/** Of each table one edit, of a row or of a column: which, goes by its name. */
function someOf(edits: readonly Edit[]): Edit[] {
  const kinds = [...new Map(edits.map(edit => [edit.what, edit])).values()]
  const covered = kinds.filter(({ table, what }) => EXEMPT_COLUMNS[table]?.[what] === undefined)
  const at = edits[0]!.table.length
  const groups = [covered.filter(isOfRows), covered.filter(edit => !isOfRows(edit))].filter(
    group => group.length > 0,
  )
  const group = groups[at % groups.length] ?? []
  return group.slice((at * 7) % group.length).slice(0, 1)
}

function isOfRows({ what }: Edit): boolean {
  return what.includes(' row')
}

/** The way that the database took, or undefined where it refused them all. */
async function carryOut(db: Sql, { ways }: Edit): Promise<Edit['ways'][number] | undefined> {
  for (const way of ways) {
    try {
      await db.batch(freely(db, way.done))
      return way
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
    }
  }
  return undefined
}

/** As whoever owns the database: without triggers, and references are looked at in the end, if at all. */
function freely(db: Sql, statements: readonly Statement[]): Statement[] {
  const first =
    db.dialect === 'postgres'
      ? 'SET LOCAL session_replication_role = replica'
      : 'PRAGMA defer_foreign_keys = ON'
  return [raw(first), ...statements]
}

async function withoutTriggers(db: Sql): Promise<void> {
  if (db.dialect === 'postgres') return
  const triggers = await rowsOf(db, sql`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
  await db.batch(triggers.map(({ name }) => raw(`DROP TRIGGER ${name}`)))
}

interface SchemaObject {
  readonly kind: 'TRIGGER' | 'INDEX'
  readonly name: string
  readonly table: string
  readonly text: string
}

/** Triggers and indexes, but for those of keys. */
async function objectsOf(db: Sql): Promise<SchemaObject[]> {
  const rows = await rowsOf(
    db,
    db.dialect === 'postgres'
      ? sql`SELECT 'TRIGGER' AS kind, t.tgname AS name, c.relname AS "table", pg_get_triggerdef(t.oid) AS text
          FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
          UNION ALL SELECT 'INDEX', indexname, tablename, indexdef FROM pg_indexes
          WHERE schemaname = current_schema() AND indexname NOT LIKE '%\\_key' AND indexname NOT LIKE '%\\_pkey'`
      : sql`SELECT upper(type) AS kind, name, tbl_name AS "table", sql AS text FROM sqlite_schema
          WHERE type IN ('trigger', 'index') AND sql IS NOT NULL`,
  )
  return rows as unknown as SchemaObject[]
}
