import { describe, expect, test } from 'vitest'
import { checkSchema } from '../../../src/ledger/doctor/schema.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { type Sql, type Statement, raw, rowsOf, sql } from '../../../src/sql/port.ts'
import { temporaryLedger } from '../../support/databases/ledger.ts'
import { temporaryPostgres } from '../../support/databases/postgres.ts'
import { scaled } from '../../support/scale.ts'

const schemaOf = (db: Sql) => checkSchema(db, loadMigrations(db))

/** Runs statements, looks, and undoes them. */
async function checkAfter(db: Sql, done: readonly string[], undone: readonly string[]) {
  await db.batch(done.map(raw))
  const found = await schemaOf(db)
  await db.batch(undone.map(raw))
  expect(await schemaOf(db)).toMatchObject({ ok: true, detail: expect.stringMatching(/are there$/) })
  return found
}

const BODY = 'BEGIN UPDATE run_events SET success = 1 WHERE seq = NEW.seq; END'

describe('in a SQLite ledger', () => {
  test.each([
    'CREATE TRIGGER x AFTER INSERT ON run_events',
    'create trigger x after insert on run_events',
    'CREATE TRIGGER "x" AFTER INSERT ON "run_events"',
    'CREATE TRIGGER [x] AFTER INSERT ON [run_events]',
    'CREATE TRIGGER x AFTER INSERT ON`run_events`',
    'CREATE TRIGGER x AFTER INSERT ON main.run_events',
    'CREATE TRIGGER x AFTER INSERT ON RUN_EVENTS',
    'CREATE TRIGGER x AFTER INSERT ON/* y */run_events',
    'CREATE TRIGGER x AFTER INSERT ON -- actions\n run_events',
    'CREATE TRIGGER x INSERT ON run_events',
    'CREATE TRIGGER x AFTER UPDATE OF success ON run_events FOR EACH ROW WHEN NEW.success = 0',
    'CREATE TRIGGER "actions_no_update ON y " AFTER INSERT ON run_events',
  ])('the trigger of somebody else is told: %s', async start => {
    const db = await temporaryLedger()
    const name = /TRIGGER (?:"([^"]+)"|\[?(\w+))/i.exec(start)!
    const found = await checkAfter(db, [`${start} ${BODY}`], [`DROP TRIGGER "${name[1] ?? name[2]}"`])
    expect(found).toMatchObject({ ok: true, warning: true, detail: expect.stringMatching(/: trigger .* on/) })
    expect(found.detail).toContain(name[1] ?? name[2])
  })

  test('a trigger on a table of somebody else is not told', async () => {
    const db = await temporaryLedger()
    const found = await checkAfter(
      db,
      ['CREATE TABLE other (success)', `CREATE TRIGGER x AFTER INSERT ON other ${BODY}`],
      ['DROP TABLE other'],
    )
    expect(found).toMatchObject({ ok: true, detail: expect.stringMatching(/are there$/) })
  })

  test('a unique index of somebody else keeps rows out, another one nothing', async () => {
    const db = await temporaryLedger()
    const found = await checkAfter(db, ['CREATE UNIQUE INDEX x ON run_events (task_id)'], ['DROP INDEX x'])
    expect(found).toMatchObject({ warning: true, detail: expect.stringMatching(/: index x on run_events$/) })
    const harmless = await checkAfter(db, ['CREATE INDEX x ON run_events (task_id)'], ['DROP INDEX x'])
    expect(harmless).toMatchObject({ ok: true, detail: expect.stringMatching(/are there$/) })
  })

  test('each column and constraint of each table is compared', async () => {
    const db = await temporaryLedger()
    const tables = await rowsOf(
      db,
      sql`SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
    )
    const missed: string[] = []
    let edits = 0
    for (const { name, sql: text } of tables) {
      for (const edited of editsOf(String(text)).filter((_, at) => at % scaled(7, 1) === 0)) {
        edits += 1
        const set = (value: string) => sql`UPDATE sqlite_schema SET sql = ${value} WHERE name = ${name!}`
        await writeSchema(db, [set(edited)])
        const { ok, detail } = await schemaOf(db)
        if (ok || !detail.startsWith(`the table ${name} differs from the migrations`)) missed.push(edited)
        await writeSchema(db, [set(String(text))])
      }
    }
    expect(missed).toEqual([])
    expect(edits).toBeGreaterThan(scaled(60, 500))
    expect((await schemaOf(db)).detail).toMatch(/are there$/)
  })

  test('a view in the place of a table is no table', async () => {
    const db = await temporaryLedger()
    await db.batch([
      raw('ALTER TABLE watch_checks RENAME TO y'),
      raw('CREATE VIEW watch_checks AS SELECT * FROM y'),
    ])
    expect(await schemaOf(db)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/watch_checks is missing/),
    })
  })
})

/** Changes the schema as a hex editor would. */
function writeSchema(db: Sql, statements: readonly Statement[]) {
  return db.batch([raw('PRAGMA writable_schema = ON'), ...statements, raw('PRAGMA writable_schema = OFF')])
}

/** Each place where a definition takes less, or other, than it did. */
function editsOf(text: string): string[] {
  const places = [...text.matchAll(/ NOT NULL| UNIQUE| CHECK \([^)]*\)+| STRICT| REFERENCES \w+ \(\w+\)/g)]
  const without = places.map(({ 0: what, index }) => text.slice(0, index) + text.slice(index + what.length))
  const types = [...text.matchAll(/ (INTEGER|TEXT|REAL) /g)].map(
    ({ index, 1: type }) =>
      `${text.slice(0, index)} ${type === 'TEXT' ? 'INTEGER' : 'TEXT'} ${text.slice(index + type!.length + 2)}`,
  )
  const defaults = [...text.matchAll(/DEFAULT /g)].map(
    ({ index }) => `${text.slice(0, index)}DEFAULT 1 + ${text.slice(index + 8)}`,
  )
  return [...without, ...types, ...defaults, text.replace(/\n?\)([^)]*)$/, ', more TEXT)$1')]
}

describe('in a PostgreSQL ledger', () => {
  const EVIL = [
    'CREATE SCHEMA evil',
    "CREATE FUNCTION evil.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
  ]
  const UNEVIL = ['DROP SCHEMA evil CASCADE']
  const DOING = 'FOR EACH ROW EXECUTE FUNCTION evil.refuse_change()'

  test.each<[what: string, done: string[], undone: string[]]>([
    [
      'trigger x',
      [`CREATE TRIGGER x BEFORE INSERT ON run_events ${DOING}`],
      ['DROP TRIGGER x ON run_events'],
    ],
    [
      'trigger x ON actions  on run_events',
      [`CREATE TRIGGER "x ON actions " BEFORE INSERT ON run_events ${DOING}`],
      ['DROP TRIGGER "x ON actions " ON run_events'],
    ],
    [
      'trigger actions_no_change on run_events',
      [`CREATE TRIGGER actions_no_change BEFORE INSERT ON run_events ${DOING}`],
      ['DROP TRIGGER actions_no_change ON run_events'],
    ],
    ['index x', ['CREATE UNIQUE INDEX x ON run_events (task_id)'], ['DROP INDEX x']],
    [
      'rule x',
      ['CREATE RULE x AS ON INSERT TO run_events DO INSTEAD NOTHING'],
      ['DROP RULE x ON run_events'],
    ],
    [
      'policy x',
      [
        'CREATE POLICY x ON run_events USING (success = 1)',
        'ALTER TABLE run_events ENABLE ROW LEVEL SECURITY',
      ],
      ['DROP POLICY x ON run_events', 'ALTER TABLE run_events DISABLE ROW LEVEL SECURITY'],
    ],
    ['child table x', ['CREATE TABLE x () INHERITS (run_events)'], ['DROP TABLE x']],
  ])('what somebody else put on a table is told: %s', async (what, done, undone) => {
    const db = await temporaryPostgres()
    const found = await checkAfter(db, [...EVIL, ...done], [...undone, ...UNEVIL])
    expect(found).toMatchObject({ ok: true, warning: true })
    expect(found.detail).toContain(`read: ${what}`)
  })

  test.each<[what: string, done: string[], undone: string[]]>([
    [
      'trigger actions_no_change on actions',
      [
        ...EVIL,
        'DROP TRIGGER actions_no_change ON actions',
        `CREATE TRIGGER actions_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON actions
          FOR EACH STATEMENT EXECUTE FUNCTION evil.refuse_change('the audit trail is append-only')`,
      ],
      [
        'DROP TRIGGER actions_no_change ON actions',
        `CREATE TRIGGER actions_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON actions
          FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the audit trail is append-only')`,
        ...UNEVIL,
      ],
    ],
    [
      'trigger actions_no_change on actions',
      ['ALTER TABLE actions DISABLE TRIGGER USER'],
      ['ALTER TABLE actions ENABLE TRIGGER USER'],
    ],
    [
      'function refuse_change',
      ["CREATE FUNCTION refuse_change(a text) RETURNS text LANGUAGE sql AS 'SELECT a'"],
      ['DROP FUNCTION refuse_change(text)'],
    ],
    [
      'table watch_checks',
      ['ALTER TABLE watch_checks RENAME TO y', 'CREATE VIEW watch_checks AS SELECT * FROM y'],
      ['DROP VIEW watch_checks', 'ALTER TABLE y RENAME TO watch_checks'],
    ],
    [
      'table watch_checks',
      ['ALTER TABLE watch_checks ADD COLUMN x TEXT'],
      ['ALTER TABLE watch_checks DROP COLUMN x'],
    ],
    [
      'table counters',
      ['ALTER TABLE counters ALTER COLUMN value SET DEFAULT 1'],
      ['ALTER TABLE counters ALTER COLUMN value DROP DEFAULT'],
    ],
    [
      'table run_events',
      ['ALTER TABLE run_events ALTER COLUMN task_id TYPE TEXT COLLATE "default"'],
      ['ALTER TABLE run_events ALTER COLUMN task_id TYPE TEXT COLLATE "C"'],
    ],
    [
      'table run_events',
      ['ALTER TABLE run_events ALTER COLUMN seq SET GENERATED ALWAYS'],
      ['ALTER TABLE run_events ALTER COLUMN seq SET GENERATED BY DEFAULT'],
    ],
  ])('is not ours: %s', async (what, done, undone) => {
    const found = await checkAfter(await temporaryPostgres(), done, undone)
    expect(found).toMatchObject({ ok: false })
    expect(found.detail).toMatch(new RegExp(`the ${what} (?:differs from the migrations|is missing)`))
  })

  test('each column that may not be null, and each constraint, is compared', async () => {
    const db = await temporaryPostgres()
    const edits = await rowsOf(
      db,
      sql`SELECT c.relname AS name, 'ALTER TABLE ' || c.relname || ' ALTER COLUMN ' || a.attname AS alter,
          ' DROP NOT NULL' AS done, ' SET NOT NULL' AS undone
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND a.attnotnull
          AND a.attidentity = '' AND NOT EXISTS (SELECT 1 FROM pg_index i
            WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY(i.indkey))
        UNION ALL
        SELECT c.relname, 'ALTER TABLE ' || c.relname, ' DROP CONSTRAINT ' || k.conname,
          ' ADD CONSTRAINT ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
        FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
        WHERE k.connamespace = 'public'::regnamespace AND k.contype IN ('u', 'c', 'f')
          AND NOT EXISTS (SELECT 1 FROM pg_constraint f WHERE f.conindid = k.conindid AND f.contype = 'f')`,
    )
    const missed: string[] = []
    for (const { name, alter, done, undone } of edits.filter((_, at) => at % scaled(11, 1) === 0)) {
      await db.batch([raw(`${alter}${done}`)])
      const { ok, detail } = await schemaOf(db)
      if (ok || !detail.startsWith(`the table ${name} differs`)) missed.push(`${alter}${done}`)
      await db.batch([raw(`${alter}${undone}`)])
    }
    expect(missed).toEqual([])
    expect(edits.length).toBeGreaterThan(200)
    expect((await schemaOf(db)).detail).toMatch(/are there$/)
  })
})
