import {
  type Migration,
  type Sql,
  type Statement,
  migrationChecksum,
  sql,
  VERSION_TABLE,
} from '../../sql/port.ts'
import { arrayOf } from '../../sql/dialect.ts'
import { allRows, asNumber, ask, asText, columns, inTurn, orNull } from '../../sql/query.ts'
import { type DoctorCheck, fail, pass } from './check.ts'

/** The migrations that were applied are those of this program, each with the statements that it has here. */
export async function checkMigrations(db: Sql, migrations: readonly Migration[]): Promise<DoctorCheck> {
  const check = 'schema_migrations'
  const rows = allRows(
    sql`SELECT version, name, checksum FROM schema_migrations WHERE version > 0 ORDER BY version`,
    columns({ version: asNumber, name: asText, checksum: orNull(asText) }),
  )
  const applied = new Map((await ask(db, rows)).map(row => [row.version, row]))
  const missing = migrations.filter(({ version }) => !applied.has(version))
  if (missing.length > 0) {
    return fail(check, `not applied: ${missing.map(({ version }) => version).join(', ')}`)
  }
  for (const migration of migrations) {
    const { version, name } = migration
    const row = applied.get(version)!
    applied.delete(version)
    if (row.name !== name) return fail(check, `${version} has the name ${row.name}, not ${name}`)
    if (row.checksum !== (await migrationChecksum(migration))) {
      return fail(check, `${version} was applied by a modified build`)
    }
  }
  const unknown = [...applied.keys()]
  if (unknown.length > 0) return fail(check, `not from this program: ${unknown.join(', ')}`)
  return pass(check, `versions 1 to ${migrations.at(-1)?.version ?? 0} are applied`)
}

/**
 * Tables, triggers, indexes and functions are those that the migrations made, by what the database says of them. What
 * somebody else put on our tables is reported as a warning.
 */
export async function checkSchema(db: Sql, migrations: readonly Migration[]): Promise<DoctorCheck> {
  const check = 'schema'
  const isPostgres = db.dialect === 'postgres'
  const made = isPostgres ? inPostgres(madeObjects(migrations)) : madeObjects(migrations)
  const { found, foreign } = await (isPostgres ? postgresObjects : sqliteObjects)(db, made)
  for (const [key, parts] of made) {
    const there = found.get(key)
    if (there === undefined) return fail(check, `the ${key} is missing; ${MEND}`)
    if (there.length === parts.length && there.every((part, at) => part === parts[at])) continue
    return fail(check, `the ${key} differs from the migrations; ${MEND}`)
  }
  if (foreign.length === 0) return pass(check, `${made.size} tables, triggers and indexes are there`)
  const detail = `no migration made these, and they may change data that is written or read: ${foreign.join(', ')}`
  return { name: check, ok: true, detail, warning: true }
}

const MEND = 'restore the ledger, or copy it with `svc ledger copy`, which makes the schema again'

/** What migrations made, as the catalogs of PostgreSQL tell it: a constraint is no part of its column there. */
function inPostgres(made: SchemaObjects): SchemaObjects {
  return new Map(Array.from(made, ([key, parts]) => [key, PARTS_OF[kindOf(key)](parts)] as const))
}

type Kind = 'table' | 'index' | 'trigger' | 'function'

function kindOf(key: string): Kind {
  return key.split(' ', 1)[0] as Kind
}

const PARTS_OF: Readonly<Record<Kind, (parts: readonly string[]) => string[]>> = {
  table: parts => parts.slice(0, -1).flatMap(itemInPostgres).map(plain).sort(),
  index: parts => parts.map(plain),
  trigger: parts => parts.map(sortedEvents),
  function: parts => parts.map(text => text.split('$$')[1]!.trim()),
}

/** A column and what constrains it, or a constraint of the table. */
function itemInPostgres(item: string): string[] {
  if (TABLE_CONSTRAINT.test(item)) return [item]
  const [clauses = ''] =
    / (?:COLLATE|GENERATED|NOT NULL|PRIMARY|UNIQUE|DEFAULT|CHECK|REFERENCES)\b.*$/.exec(item) ?? []
  const [type, name] = [item.slice(0, item.length - clauses.length).toLowerCase(), /^\w+/.exec(item)![0]]
  const clause = (pattern: RegExp): string => pattern.exec(clauses)?.[1] ?? ''
  const isRequired = / (?:NOT NULL|PRIMARY KEY|GENERATED)\b/.test(clauses)
  const [check, references] = [clause(/ (CHECK\(.*\))/), clause(/ (REFERENCES .*)/)]
  return [
    [
      type,
      clause(/ COLLATE "(\w+)"/),
      clause(/ GENERATED (ALWAYS|BY DEFAULT)/),
      isRequired ? 'NOT NULL' : '',
      clause(/(?<! BY) DEFAULT (\S+)/),
    ].join(' '),
    ...(clauses.includes(' PRIMARY KEY') ? [`PRIMARY KEY (${name})`] : []),
    ...(clauses.includes(' UNIQUE') ? [`UNIQUE (${name})`] : []),
    ...(check === '' ? [] : [check]),
    ...(references === '' ? [] : [`FOREIGN KEY (${name}) ${references}`]),
  ]
}

/** A text without what PostgreSQL adds to it: casts, parentheses, the usual kind of index, lists as arrays. */
function plain(text: string): string {
  return text
    .replaceAll(/ USING btree|::\w+/g, '')
    .replaceAll(/= ANY \(ARRAY\[(.*?)\]\)/g, 'IN ($1)')
    .replaceAll(/[\s()]/g, '')
}

/** PostgreSQL tells the events of a trigger in an order of its own. */
function sortedEvents(text: string): string {
  return text.replace(/(?<= BEFORE )\w+(?: OR \w+)*/, events => events.split(' OR ').sort().join(' OR '))
}

/** Of what the database has, what is `made`, and what else changes what our tables take or give. */
async function postgresObjects(db: Sql, made: SchemaObjects): Promise<StoredObjects> {
  const names = (kind: Kind): Statement =>
    arrayOf(
      'TEXT',
      [...made.keys()].filter(key => kindOf(key) === kind).map(key => key.slice(kind.length + 1)),
    )
  const objects = catalogs(names('table'), names('function')).map(catalog => allRows(catalog, readObject))
  const found = new Map<string, string[]>()
  const foreign: string[] = []
  for (const { kind, name, on_table, part, is_harmless } of (await ask(db, inTurn(objects))).flat()) {
    const key = keyOf(kind, name, on_table)
    if (made.has(key)) found.set(key, [...(found.get(key) ?? []), partOf(kind as Kind, part)])
    else if (is_harmless !== 1) foreign.push(`${kind} ${name} on ${on_table}`)
  }
  for (const parts of found.values()) parts.sort()
  return { found, foreign }
}

const readObject = columns({
  kind: asText,
  name: asText,
  on_table: asText,
  part: asText,
  is_harmless: orNull(asNumber),
})

function partOf(kind: Kind, part: string): string {
  if (kind === 'function') return flat(part)
  return kind === 'trigger' ? sortedEvents(flat(part)) : plain(part)
}

/**
 * Triggers that are switched off and indexes that are not valid are none. A unique index of somebody else keeps rows out,
 * a rule writes others, a policy or a child table changes what is read.
 */
function catalogs(tables: Statement, functions: Statement): Statement[] {
  const schema = sql`CAST(current_schema() AS regnamespace)`
  const ours = sql`c.relnamespace = ${schema} AND c.relname = ANY(${tables})`
  return [
    sql`SELECT 'table' AS kind, c.relname AS name, c.relname AS on_table,
        concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), nullif(l.collname, 'default'),
          CASE a.attidentity WHEN 'a' THEN 'ALWAYS' WHEN 'd' THEN 'BY DEFAULT' END,
          CASE WHEN a.attnotnull THEN 'NOT NULL' END, CASE WHEN a.attgenerated <> '' THEN 'GENERATED' END,
          pg_get_expr(d.adbin, d.adrelid, true)) AS part
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      LEFT JOIN pg_collation l ON l.oid = a.attcollation
      WHERE c.relkind IN ('r', 'p') AND ${ours}`,
    sql`SELECT 'table' AS kind, c.relname AS name, c.relname AS on_table, pg_get_constraintdef(k.oid, true) AS part
      FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE k.contype <> 'n' AND ${ours}`,
    sql`SELECT 'trigger' AS kind, t.tgname AS name, c.relname AS on_table, pg_get_triggerdef(t.oid, true) AS part
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND ${ours}`,
    sql`SELECT 'index' AS kind, x.relname AS name, c.relname AS on_table, pg_get_indexdef(i.indexrelid, 0, true) AS part,
        CASE WHEN i.indisunique THEN 0 ELSE 1 END AS is_harmless
      FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid
      WHERE i.indisvalid AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid
        AND k.contype IN ('p', 'u', 'x')) AND ${ours}`,
    sql`SELECT 'function' AS kind, proname AS name, '' AS on_table, prosrc AS part
      FROM pg_proc WHERE pronamespace = ${schema} AND proname = ANY(${functions})`,
    sql`SELECT 'rule' AS kind, r.rulename AS name, c.relname AS on_table, '' AS part
      FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE ${ours}`,
    sql`SELECT 'policy' AS kind, p.polname AS name, c.relname AS on_table, '' AS part
      FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relrowsecurity AND ${ours}`,
    sql`SELECT 'child table' AS kind, x.relname AS name, c.relname AS on_table, '' AS part
      FROM pg_inherits h JOIN pg_class x ON x.oid = h.inhrelid JOIN pg_class c ON c.oid = h.inhparent WHERE ${ours}`,
  ]
}

/**
 * Tables, triggers, indexes and functions by kind and name. A table is its columns, its constraints and, in SQLite, last
 * its options; anything else is one text.
 */
type SchemaObjects = ReadonlyMap<string, readonly string[]>

interface StoredObjects {
  readonly found: SchemaObjects
  /** What no migration made, and what it is on: `trigger x on run_events`. */
  readonly foreign: readonly string[]
}

/** What migrations leave behind, as their own statements say it. */
function madeObjects(migrations: readonly Migration[]): SchemaObjects {
  const objects = new Map<string, readonly string[]>()
  for (const statement of [VERSION_TABLE, ...migrations.flatMap(({ statements }) => statements)]) {
    const text = flat(statement.replaceAll(/^--.*$/gm, ''))
    const [, altered, column = ''] = /^ALTER TABLE (\w+) ADD COLUMN (.*)$/.exec(text) ?? []
    if (altered !== undefined) {
      objects.set(`table ${altered}`, withColumn(objects.get(`table ${altered}`)!, column))
      continue
    }
    const [, verb, kind = '', name = '', rest = ''] = OBJECT.exec(text) ?? []
    if (verb === undefined) continue
    const key = keyOf(kind.toLowerCase(), name, / ON (\w+)/.exec(rest)?.[1])
    if (verb === 'DROP') objects.delete(key)
    else objects.set(key, partsOf(text.replace('IF NOT EXISTS ', '')))
  }
  return objects
}

const OBJECT = /^(CREATE|DROP) (?:UNIQUE )?(TABLE|TRIGGER|INDEX|FUNCTION) (?:IF (?:NOT )?EXISTS )?(\w+)(.*)$/

/** In PostgreSQL each table has names of triggers of its own. */
function keyOf(kind: string, name: string, table: string | undefined): string {
  return kind === 'trigger' ? `trigger ${name} on ${table}` : `${kind} ${name}`
}

/** What a statement defines, in parts. */
function partsOf(statement: string): string[] {
  const text = flat(statement)
  return text.startsWith('CREATE TABLE ') ? itemsOf(text) : [text]
}

/** A text in one line, without blanks around what separates its parts: SQLite adds columns to a text as it likes. */
function flat(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),;]) ?/g, '$1')
    .trim()
}

/** The columns and constraints of a table, and what follows them. */
function itemsOf(text: string): string[] {
  const items: string[] = []
  let [depth, start] = [0, text.indexOf('(') + 1]
  for (let at = start; at < text.length && depth >= 0; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth > 0 || (depth === 0 && text[at] !== ',')) continue
    items.push(text.slice(start, at))
    start = at + 1
  }
  return [...items, text.slice(start)]
}

const TABLE_CONSTRAINT = /^(?:CONSTRAINT|PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY)\b/

/** A new column comes behind the others: before constraints and options. */
function withColumn(items: readonly string[], column: string): string[] {
  const constraint = items.findIndex(item => TABLE_CONSTRAINT.test(item))
  return items.toSpliced(constraint < 0 ? -1 : constraint, 0, column)
}

/** What a SQLite database has. Its column tbl_name is right however a statement spells the table: a wrong one doesn't load. */
async function sqliteObjects(db: Sql, made: SchemaObjects): Promise<StoredObjects> {
  const found = new Map<string, readonly string[]>()
  const foreign: string[] = []
  const objects = allRows(
    sql`SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL`,
    columns({ type: asText, name: asText, tbl_name: asText, sql: asText }),
  )
  for (const { type, name, tbl_name, sql: statement } of await ask(db, objects)) {
    const [key, table] = [keyOf(type, name, tbl_name), tbl_name.toLowerCase()]
    // SQLite writes the beginning of a statement itself.
    const mayChange = type === 'trigger' || statement.startsWith('CREATE UNIQUE ')
    if (made.has(key)) found.set(key, partsOf(statement))
    else if (mayChange && made.has(`table ${table}`)) foreign.push(`${type} ${name} on ${table}`)
  }
  return { found, foreign }
}
