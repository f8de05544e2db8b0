import { badRequest } from '../../base/errors.ts'
import { type Sql, type Statement, raw, sql, UNFINISHED_VERSION } from '../../sql/port.ts'
import { allRows, asRow, ask, hasRow, together } from '../../sql/query.ts'
import { MARK_NEWEST } from '../../ledger/events/rollup_sql.ts'
import type { Table } from './catalog.ts'
import { rowAt } from './rows.ts'
import { type Transfer, keyRange } from './transfer.ts'

/** Whether an earlier run began a copy here. */
export async function isUnfinished(target: Sql): Promise<boolean> {
  const mark = sql`SELECT version FROM schema_migrations WHERE version = ${UNFINISHED_VERSION}`
  return ask(target, hasRow(mark))
}

/** These have rows from the migrations on, or may: rebuilding roll-ups writes counters of 0. */
const SEEDED = ['audit_head', 'cell_writes', 'counters', 'retention', 'rollout_mark']

export async function isEmpty(target: Sql, tables: readonly Table[]): Promise<boolean> {
  for (const { name } of tables.filter(table => !SEEDED.includes(table.name))) {
    if (await ask(target, hasRow(sql`SELECT 1 AS found FROM ${raw(name)} LIMIT 1`))) return false
  }
  return true
}

/** Throws 400 where what an unfinished copy holds is not the beginning of this source. */
export async function requireSameLedger(
  { source, target }: Transfer,
  tables: readonly Table[],
): Promise<void> {
  for (const table of tables.filter(({ appended }) => appended)) {
    for (const key of await keyRange(target, table)) {
      const [theirs, ours] = [await rowAt(target, table, key), await rowAt(source, table, key)]
      if (JSON.stringify(theirs) === JSON.stringify(ours)) continue
      throw badRequest(
        `The target is an unfinished copy of another ledger: its ${table.name} ${table.key[0]} ${key[0]} is not ` +
          "the source's. Finish that copy, or give an empty database.",
      )
    }
  }
}

/** The state of a ledger: a text per table that every write of the ledger moves one of. */
export async function positionOf(db: Sql, tables: readonly Table[]): Promise<Map<string, string>> {
  const position = new Map<string, string>()
  for (const table of tables.filter(({ appended }) => appended)) {
    position.set(table.name, JSON.stringify((await keyRange(db, table)).at(-1)))
  }
  const { head, counters } = await ask(
    db,
    together({
      head: allRows(sql`SELECT seq, hash, revision, log_seq FROM audit_head`, asRow),
      counters: allRows(
        sql`SELECT name, sum(value) AS value FROM counters GROUP BY name ORDER BY name`,
        asRow,
      ),
    }),
  )
  position.set('audit_head', JSON.stringify(head))
  position.set('counters', JSON.stringify(counters))
  return position
}

/** The tables by which two positions differ. */
export function movedTables(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...before.keys()].filter(name => before.get(name) !== after.get(name))
}

/** Makes a copy take new rows as the source would: behind the numbers that are taken, and behind the roll-ups. */
export function continuationStatements(target: Sql, tables: readonly Table[]): Statement[] {
  if (target.dialect === 'sqlite') {
    return [MARK_NEWEST]
  }
  return tables.flatMap(({ name, columns }) =>
    columns
      .filter(column => column.numbered)
      .map(column => {
        const sequence = sql`pg_get_serial_sequence(${name}, ${column.name})`
        return sql`SELECT setval(${sequence}, max(${raw(column.name)})) FROM ${raw(name)}`
      }),
  )
}
