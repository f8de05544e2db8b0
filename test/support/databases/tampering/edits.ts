import { readTables } from '../../../../src/features/copy/catalog.ts'
import {
  type Row,
  type Sql,
  type Statement,
  type Value,
  join,
  raw,
  rowsOf,
  sql,
} from '../../../../src/sql/port.ts'

/** One edit of a ledger by somebody who owns its database, and the way back. */
export interface Edit {
  readonly table: string
  /** What was done: to a column, or to a whole row. */
  readonly what: string
  /** The first that the database takes: a column may take few values. */
  readonly ways: readonly Way[]
}

interface Way {
  readonly done: readonly Statement[]
  readonly undone: readonly Statement[]
}

interface Place {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly key: readonly string[]
}

/** Where each table has its rows and what tells them apart. */
export async function placesOf(db: Sql, names: readonly string[]): Promise<Place[]> {
  const tables = await readTables(db, names)
  return tables.map(({ name, columns, key }) => ({ table: name, columns, key }))
}

/** All edits of a table: each column of each row changed, each row deleted, copied under a key of its own, and swapped. */
export async function editsOf(db: Sql, place: Place, wanted: (row: Row) => boolean): Promise<Edit[]> {
  const { table, key } = place
  const rows = await rowsOf(db, raw(`SELECT * FROM ${table} ORDER BY ${key.join(', ')}`))
  return rows.flatMap((row, index) => {
    if (!wanted(row)) return []
    const other = rows[index + 1] ?? rows[index - 1]
    return [
      ...place.columns.map(({ name, type }) => change(place, row, { name, type }, rows)),
      {
        table,
        what: 'a deleted row',
        ways: [{ done: [remove(place, row)], undone: [insert(db, place, row)] }],
      },
      add(db, place, row, rows),
      ...(other === undefined || !wanted(other) || isSame(place, row, other)
        ? []
        : [swap(db, place, row, other)]),
    ]
  })
}

/** Values that columns of few words take: one of them is another than what is there. */
const WORDS = [
  'cancelled',
  'completed',
  'passed',
  'watching',
  'read',
  'admin',
  'promote',
  'rollback',
  'failed',
]

function change(
  { table, key }: Place,
  row: Row,
  { name, type }: Place['columns'][number],
  rows: readonly Row[],
): Edit {
  const before = row[name]!
  const others = rows.map(other => other[name]!).filter(value => value !== null)
  const values: Value[] =
    type === 'text'
      ? [`${before ?? ''}x`, ...WORDS, ...others]
      : [Number(before ?? 0) * (type === 'real' ? 2 : 1) + (STEPS[name] ?? 1), 0, ...others]
  const set = (value: Value, where: Row): Statement =>
    sql`UPDATE ${raw(table)} SET ${raw(name)} = ${value} WHERE ${at(key, where)}`
  const ways = [...new Set(values)]
    .filter(value => value !== before)
    .slice(0, MOST_WAYS)
    .map(value => ({ done: [set(value, row)], undone: [set(before, { ...row, [name]: value })] }))
  return { table, what: name, ways }
}

/**
 * How much a number is raised by, where 1 means nothing: it says of a block whose events were erased in part that there may be
 * later ones, which costs a look.
 */
const STEPS: Readonly<Record<string, number>> = { max_ts: -1 }

const MOST_WAYS = 12

function at(key: readonly string[], row: Row): Statement {
  return join(
    key.map(name => sql`${raw(name)} = ${row[name]!}`),
    ' AND ',
  )
}

function remove({ table, key }: Place, row: Row): Statement {
  return sql`DELETE FROM ${raw(table)} WHERE ${at(key, row)}`
}

function insert(db: Sql, { table, columns }: Place, row: Row): Statement {
  const names = columns.map(({ name }) => name)
  const values = join(
    names.map(name => sql`${row[name]!}`),
    ', ',
  )
  const overriding = raw(db.dialect === 'postgres' ? 'OVERRIDING SYSTEM VALUE' : '')
  return sql`INSERT INTO ${raw(table)} (${raw(names.join(', '))}) ${overriding} VALUES (${values})`
}

/** A copy that differs in all that must be its own: numbers of the key, and ids. */
function add(db: Sql, place: Place, row: Row, rows: readonly Row[]): Edit {
  const { table, columns, key } = place
  const copy: Row = { ...row }
  for (const { name, type } of columns) {
    if (!key.includes(name) && OWN[table]?.includes(name) !== true) continue
    const highest = Math.max(...rows.map(other => Number(other[name] ?? 0)))
    copy[name] = type === 'text' ? `${row[name]}x` : highest + 1
  }
  return {
    table,
    what: 'an inserted row',
    ways: [{ done: [insert(db, place, copy)], undone: [remove(place, copy)] }],
  }
}

/** Columns with a unique index in addition to the key. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  actions: ['action_id', 'audit_seq'],
  releases: ['release_id'],
  release_files: ['path'],
  pricing_imports: ['import_id'],
  policy_history: ['change_id'],
  promotion_requests: ['request_id'],
  webhooks: ['webhook_id'],
  webhook_deliveries: ['delivery_id'],
  watches: ['watch_id', 'environment'],
  erasures: ['erasure_id'],
  score_imports: ['import_id'],
  run_events: ['run_id'],
  scopes: ['environment'],
  variants: ['model'],
}

/** Whether two rows differ in nothing but their keys. */
function isSame({ columns, key }: Place, row: Row, other: Row): boolean {
  return columns.every(({ name }) => key.includes(name) || row[name] === other[name])
}

/** Two rows change places: all that is not the key. */
function swap(db: Sql, place: Place, row: Row, other: Row): Edit {
  const keyOf = (from: Row): Row => Object.fromEntries(place.key.map(name => [name, from[name]!]))
  const both = [remove(place, row), remove(place, other)]
  const swapped = [
    { ...other, ...keyOf(row) },
    { ...row, ...keyOf(other) },
  ]
  const put = (rows: readonly Row[]): Statement[] => rows.map(each => insert(db, place, each))
  return {
    table: place.table,
    what: 'two swapped rows',
    ways: [{ done: [...both, ...put(swapped)], undone: [...both, ...put([row, other])] }],
  }
}
