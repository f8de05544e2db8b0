import type { ModelValue } from '../../models/all/models.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { either } from '../../sql/dialect.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, field, onlyRow } from '../../sql/query.ts'

/** A table with its indexes. */
export type TableSize = ModelValue<'LedgerSize'>['tables'][number]

/** Days over which growth is measured. */
const DAYS = 7

/** How large each table is and how it grows, the largest first. Reads every page of a SQLite file. */
export async function tableSizes(db: Sql, names: readonly string[], now: number): Promise<TableSize[]> {
  const bytes = await bytesOf(db)
  const sizes: TableSize[] = []
  for (const name of names) {
    const table = raw(name)
    const rows = await countOf(db, sql`SELECT count(*) AS n FROM ${table}`)
    const size = bytes.get(name) ?? 0
    const recent = recentRows(name, now - DAYS * DAY_MS)
    const added = recent === undefined ? null : await countOf(db, recent)
    const rows_per_day = added === null ? null : added / DAYS
    sizes.push({
      name,
      rows,
      bytes: size,
      rows_per_day,
      bytes_per_day: rows_per_day === null || rows === 0 ? null : (rows_per_day * size) / rows,
    })
  }
  return sizes.toSorted((a, b) => b.bytes - a.bytes)
}

async function bytesOf(db: Sql): Promise<ReadonlyMap<string, number>> {
  const sizes = allRows(BYTES, columns({ name: asText, bytes: asNumber }))
  return new Map((await ask(db, sizes)).map(({ name, bytes }) => [name, bytes]))
}

function countOf(db: Sql, statement: Statement): Promise<number> {
  return ask(db, onlyRow(statement, field('n', asNumber)))
}

const BYTES = either(
  sql`SELECT m.tbl_name AS name, sum(d.pgsize) AS bytes
  FROM dbstat d JOIN sqlite_schema m ON m.name = d.name WHERE d.aggregate = TRUE GROUP BY m.tbl_name`,
  () => sql`SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = CAST(current_schema() AS regnamespace)`,
)

/** Rows that came since, by what each table says of that; events by their own time, which rollups count. */
function recentRows(name: string, since: number): Statement | undefined {
  if (name === 'run_events') {
    return sql`SELECT coalesce(sum(runs), 0) AS n FROM rollup_hours WHERE bucket >= ${Math.floor(since / HOUR_MS)}`
  }
  const rollup = { rollup_minutes: 60_000, rollup_hours: HOUR_MS }[name]
  const column = rollup === undefined ? TIMES[name] : 'bucket'
  if (column === undefined) return undefined
  const from = Math.floor(since / (rollup ?? 1))
  return sql`SELECT count(*) AS n FROM ${raw(name)} WHERE ${raw(column)} >= ${from}`
}

/** Where a table says when a row came, epoch ms. */
const TIMES: Readonly<Record<string, string>> = {
  actions: 'created_at',
  releases: 'created_at',
  pricing_imports: 'created_at',
  policy_history: 'created_at',
  promotion_requests: 'created_at',
  idempotency_keys: 'created_at',
  webhook_deliveries: 'created_at',
  erasures: 'created_at',
  score_imports: 'created_at',
}
