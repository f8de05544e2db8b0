import { MARK_FINISHED, type Sql, type Statement, rowsOf, sql } from '../../../src/sql/port.ts'

/**
 * Makes a SQLite ledger as after the migrations, for the next test, and does what comes `after`. The triggers that keep the
 * trail are off only for tables that hold something. `reads` says which do: a connection that changes the schema compiles
 * that question again each time.
 */
export async function emptyTables(db: Sql, after: readonly Statement[] = [], reads: Sql = db): Promise<void> {
  const filled = await filledTables(reads)
  if (filled.length === 0) return
  const found = await rowsOf(db, sql`SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger'`)
  const triggers = found.filter(
    each => filled.includes(String(each.tbl_name)) && /\bDELETE ON\b/i.test(String(each.sql)),
  )
  const named = (verb: string, name: unknown) => ({ text: `${verb} "${String(name)}"`, params: [] })
  await db.batch([
    sql`PRAGMA defer_foreign_keys = ON`,
    ...triggers.map(({ name }) => named('DROP TRIGGER', name)),
    ...filled.map(name => named('DELETE FROM', name)),
    MARK_FINISHED,
    sql`UPDATE audit_head SET seq = 0, hash = '', revision = 0, changed_by = '', created_at = 0,
      log_seq = 0, log_hash = '', logged_actions = 0, logged_policies = 0, logged_prices = 0, logged_releases = 0,
      latest_at = 0`,
    sql`UPDATE rollup_mark SET seq = 0`,
    sql`UPDATE retention SET events_before = 0, lease_until = 0, erasure_key = '', spans_before = 0, spans_swept_at = 0, segments_before = 0, case_secret = ''`,
    sql`UPDATE rollout_mark SET changed_by = '', assignment_key = ''`,
    sql`UPDATE aggregate_writes SET writes = 0`,
    ...triggers.map(trigger => ({ text: String(trigger.sql), params: [] })),
    ...after,
  ])
}

/** Tables with rows that a new ledger doesn't have. */
export async function filledTables(db: Sql): Promise<string[]> {
  names ??= await tablesOf(db)
  const columns = names.map(name => `EXISTS (SELECT 1 FROM "${name}") AS "${name}"`).join(', ')
  const [row] = await rowsOf(db, { text: `SELECT ${columns}`, params: [] })
  return names.filter(name => row![name] === 1)
}

/** What every ledger of this process has: reading it each time takes longer than looking for rows. */
let names: readonly string[] | undefined

async function tablesOf(db: Sql): Promise<string[]> {
  const tables = await rowsOf(
    db,
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 1) <> '_'`,
  )
  return tables.map(({ name }) => String(name)).filter(name => !KEPT.has(name))
}

const KEPT = new Set([
  'schema_migrations',
  'audit_head',
  'rollup_mark',
  'rollout_mark',
  'retention',
  'aggregate_writes',
])
