import { type Sql, type Statement, arrayOf, sql } from '../../sql/port.ts'
import { type SchemaObjects, type StoredObjects, TABLE_CONSTRAINT, flat, keyOf } from './schema_objects.ts'

/** What migrations made, as the catalogs of PostgreSQL tell it: a constraint is no part of its column there. */
export function inPostgres(made: SchemaObjects): SchemaObjects {
  return new Map(Array.from(made, ([key, parts]) => [key, TOLD[kindOf(key)](parts)] as const))
}

type Kind = 'table' | 'index' | 'trigger' | 'function'

function kindOf(key: string): Kind {
  return key.split(' ', 1)[0] as Kind
}

const TOLD: Readonly<Record<Kind, (parts: readonly string[]) => string[]>> = {
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
export async function postgresObjects(db: Sql, made: SchemaObjects): Promise<StoredObjects> {
  const names = (kind: Kind): Statement =>
    arrayOf(
      'TEXT',
      [...made.keys()].filter(key => kindOf(key) === kind).map(key => key.slice(kind.length + 1)),
    )
  const results = await db.snapshot(catalogs(names('table'), names('function')))
  const found = new Map<string, string[]>()
  const foreign: string[] = []
  for (const { kind, name, on_table, part, is_harmless } of results.flatMap(({ rows }) => rows)) {
    const key = keyOf(String(kind), String(name), String(on_table))
    if (made.has(key)) found.set(key, [...(found.get(key) ?? []), partOf(kind as Kind, String(part))])
    else if (is_harmless !== 1) foreign.push(`${kind} ${name} on ${on_table}`)
  }
  for (const parts of found.values()) parts.sort()
  return { found, foreign }
}

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
