import { either } from '../../sql/dialect.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asFlag, asNumber, ask, asText, columns } from '../../sql/query.ts'

/** A table as the database describes it. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  /** What rows are read in order of. */
  readonly key: readonly string[]
  /** Rows are never changed, and new ones have higher keys. */
  readonly appended: boolean
  /** Tables that its rows refer to. */
  readonly parents: readonly string[]
}

export interface Column {
  readonly name: string
  readonly type: 'text' | 'integer' | 'real'
  /** Numbered by a sequence of PostgreSQL. */
  readonly numbered: boolean
}

/**
 * Tables whose rows are never changed, and the column that numbers them: sums over their columns are compared. A table that
 * isn't named here is compared row by row, which is right for any.
 */
const APPENDED: Readonly<Record<string, string>> = {
  releases: 'seq',
  release_files: 'seq',
  pricing_imports: 'seq',
  policy_history: 'seq',
  actions: 'audit_seq',
  audit_log: 'log_seq',
  scopes: 'id',
  variants: 'id',
  run_events: 'seq',
  erasures: 'seq',
  score_imports: 'seq',
  acknowledgements: 'seq',
  model_retirements: 'seq',
  aggregate_imports: 'seq',
  score_evaluations: 'seq',
}

/** Tables that triggers write along with others. */
const WRITTEN_WITH: Readonly<Record<string, readonly string[]>> = {
  place_answers: [
    'releases',
    'promoted_pointers',
    'actions',
    'promotion_requests',
    'watches',
    'rollouts',
    'rollout_requests',
  ],
  rollup_days: ['rollup_hours'],
}

/** The named tables, each behind those that its rows refer to. Throws where the database lacks one. */
export async function readTables(db: Sql, names: readonly string[]): Promise<Table[]> {
  const described = await ask(db, allRows(COLUMNS, readColumn))
  const references = await ask(db, allRows(REFERENCES, readReference))
  const tables = names.map(name =>
    toTable(
      name,
      described.filter(row => row.table_name === name),
      references.filter(row => row.table_name === name),
    ),
  )
  return parentsFirst(tables)
}

const readColumn = columns({
  table_name: asText,
  column_name: asText,
  type: asText,
  key_position: asNumber,
  numbered: asFlag,
})
const readReference = columns({ table_name: asText, parent: asText })

type Described = ReturnType<typeof readColumn>
type Reference = ReturnType<typeof readReference>

function toTable(name: string, rows: readonly Described[], references: readonly Reference[]): Table {
  const described = rows.map(row => ({
    name: row.column_name,
    type: columnType(name, row),
    numbered: row.numbered,
  }))
  const primaryKey = rows.filter(row => row.key_position > 0)
  primaryKey.sort((a, b) => a.key_position - b.key_position)
  const [appended, key] = [APPENDED[name], primaryKey.map(row => row.column_name)]
  if (key.length === 0) throw new Error(`the table ${name} is missing or has no primary key`)
  return {
    name,
    columns: described,
    key: appended === undefined ? key : [appended],
    appended: appended !== undefined,
    parents: [...references.map(row => row.parent), ...(WRITTEN_WITH[name] ?? [])].filter(
      parent => parent !== name,
    ),
  }
}

const TYPES: Readonly<Record<string, Column['type']>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  real: 'real',
  'double precision': 'real',
}

function columnType(table: string, { column_name, type }: Described): Column['type'] {
  const known = TYPES[type.toLowerCase()]
  if (known === undefined)
    throw new Error(`${table}.${column_name} is of type ${type}, which a copy can't carry`)
  return known
}

function parentsFirst(tables: readonly Table[]): Table[] {
  const sorted: Table[] = []
  const waiting = new Set(tables)
  while (waiting.size > 0) {
    const names = new Set(Array.from(waiting, table => table.name))
    const free = [...waiting].filter(table => table.parents.every(parent => !names.has(parent)))
    if (free.length === 0) throw new Error(`tables refer to each other in a circle: ${[...names].join(', ')}`)
    for (const table of free) waiting.delete(table)
    sorted.push(...free)
  }
  return sorted
}

const COLUMNS = either(
  sql`SELECT t.name AS table_name, c.name AS column_name, c.type, c.pk AS key_position, 0 AS numbered
    FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid`,
  () => sql`SELECT t.relname AS table_name, c.attname AS column_name, format_type(c.atttypid, NULL) AS type,
      coalesce(k.position, 0) AS key_position, CASE WHEN c.attidentity = '' THEN 0 ELSE 1 END AS numbered
    FROM pg_class t
    JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
    LEFT JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, position) ON k.attnum = c.attnum
    WHERE t.relkind IN ('r', 'p') AND t.relnamespace = CAST(current_schema() AS regnamespace)
    ORDER BY t.relname, c.attnum`,
)

const REFERENCES = either(
  sql`SELECT DISTINCT t.name AS table_name, f."table" AS parent
    FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`,
  () => sql`SELECT DISTINCT t.relname AS table_name, p.relname AS parent
    FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
    WHERE f.contype = 'f' AND t.relnamespace = CAST(current_schema() AS regnamespace)`,
)
