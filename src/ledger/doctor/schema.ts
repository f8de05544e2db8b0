import {
  type Migration,
  type Row,
  type Sql,
  type Statement,
  migrationText,
  rowsOf,
  sql,
} from '../../sql/port.ts'
import { sha256 } from '../../base/bytes.ts'
import { type DoctorCheck, fail, pass } from './report.ts'

/** The migrations that were applied are those of this program, each with the statements that it has here. */
export async function checkMigrations(db: Sql, migrations: readonly Migration[]): Promise<DoctorCheck> {
  const check = 'schema_migrations'
  const rows = await rowsOf(
    db,
    sql`SELECT version, name, checksum FROM schema_migrations WHERE version > 0 ORDER BY version`,
  )
  const applied = new Map(rows.map(row => [Number(row.version), row]))
  const missing = migrations.filter(({ version }) => !applied.has(version))
  if (missing.length > 0) {
    return fail(check, `not applied: ${missing.map(({ version }) => version).join(', ')}`)
  }
  for (const migration of migrations) {
    const { version, name } = migration
    const row = applied.get(version)!
    applied.delete(version)
    if (row.name !== name) return fail(check, `${version} is named ${row.name}, not ${name}`)
    if (row.checksum !== (await sha256(migrationText(migration)))) {
      return fail(check, `${version} was applied with other statements than this program has`)
    }
  }
  const unknown = [...applied.keys()]
  if (unknown.length > 0) return fail(check, `not of this program: ${unknown.join(', ')}`)
  return pass(check, `versions 1 to ${migrations.at(-1)?.version ?? 0} are applied`)
}

/** Tables, triggers and indexes are those that the migrations made. A trigger of somebody else is told as a warning. */
export async function checkSchema(db: Sql, migrations: readonly Migration[]): Promise<DoctorCheck> {
  const check = 'schema'
  const expected = objectsOf(migrations)
  const found = await (db.dialect === 'postgres' ? postgresObjects(db) : sqliteObjects(db))
  for (const [key, text] of expected) {
    const there = found.get(key)
    if (there === undefined) return fail(check, `the ${key} is missing; ${MEND}`)
    if (there !== text) return fail(check, `the ${key} is not as the migrations made it; ${MEND}`)
  }
  const tables = [...expected.keys()].flatMap(key => (key.startsWith('table ') ? [key.slice(6)] : []))
  const foreign = [...found].flatMap(([key, text]) => {
    const isOnOurs = tables.includes(/ ON (?:\w+\.)?(\w+) /.exec(text)?.[1] ?? '')
    return key.startsWith('trigger ') && !expected.has(key) && isOnOurs ? [key.slice(8)] : []
  })
  if (foreign.length === 0) return pass(check, `${expected.size} tables, triggers and indexes are there`)
  const detail = `triggers that no migration made may change what is written: ${foreign.join(', ')}`
  return { name: check, ok: true, detail, warning: true }
}

const MEND = 'restore the ledger, or copy it with `svc ledger copy`, which makes the schema anew'

/** What migrations leave behind, by kind and name; its text is compared, of a table only that it is there. */
function objectsOf(migrations: readonly Migration[]): Map<string, string> {
  const objects = new Map<string, string>()
  for (const statement of migrations.flatMap(({ statements }) => statements)) {
    const text = statement.replaceAll(/^--.*$/gm, '').trim()
    const [, verb, kind, name] = OBJECT.exec(text) ?? []
    if (kind === undefined) continue
    const key = `${kind.toLowerCase()} ${name}`
    if (verb === 'DROP') objects.delete(key)
    else objects.set(key, kind === 'TABLE' ? '' : normalised(kind === 'FUNCTION' ? bodyOf(text) : text))
  }
  return objects
}

const OBJECT = /^(CREATE|DROP) (?:UNIQUE )?(TABLE|TRIGGER|INDEX|FUNCTION) (?:IF (?:NOT )?EXISTS )?(\w+)/

function bodyOf(text: string): string {
  return text.split('$$')[1] ?? ''
}

/** A text in which only what differs between two spellings of one thing is left out. */
function normalised(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const trigger =
    /^(CREATE TRIGGER \w+ BEFORE) ((?:INSERT|UPDATE|DELETE|TRUNCATE| OR )+) ON (?:\w+\.)?(.*)$/.exec(flat)
  if (trigger !== null) {
    const [, start, events, rest] = trigger
    const sorted = events!.split(' OR ').sort().join(' OR ')
    return `${start} ${sorted} ON ${rest!.replace(/FUNCTION \w+\.(\w+\()/, 'FUNCTION $1')}`
  }
  return /^CREATE (?:UNIQUE )?INDEX/.test(flat) ? flat.replaceAll(INDEX_NOISE, '') : flat
}

/** What PostgreSQL adds to the text of an index: schema, method, casts, parentheses. */
const INDEX_NOISE = /(?<= ON )(?:\w+\.)|USING btree|::\w+|[()\s]/g

async function sqliteObjects(db: Sql): Promise<Map<string, string>> {
  const rows = await rowsOf(db, sql`SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL`)
  return toObjects(rows)
}

async function postgresObjects(db: Sql): Promise<Map<string, string>> {
  const results = await db.snapshot(POSTGRES_OBJECTS)
  return toObjects(results.flatMap(({ rows }) => rows))
}

function toObjects(rows: readonly Row[]): Map<string, string> {
  return new Map(
    rows.map(({ type, name, sql: text }) => [
      `${type} ${name}`,
      type === 'table' ? '' : normalised(String(text)),
    ]),
  )
}

const SCHEMA = sql`CAST(current_schema() AS regnamespace)`

/** A trigger that is switched off, and an index that is not valid, are none. */
const POSTGRES_OBJECTS: readonly Statement[] = [
  sql`SELECT 'table' AS type, relname AS name, '' AS sql FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace = ${SCHEMA}`,
  sql`SELECT 'trigger' AS type, t.tgname AS name, pg_get_triggerdef(t.oid) AS sql
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND c.relnamespace = ${SCHEMA}`,
  sql`SELECT 'index' AS type, c.relname AS name, pg_get_indexdef(i.indexrelid) AS sql
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indisvalid AND c.relnamespace = ${SCHEMA}`,
  sql`SELECT 'function' AS type, proname AS name, prosrc AS sql FROM pg_proc WHERE pronamespace = ${SCHEMA}`,
]
