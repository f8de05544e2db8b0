import { jsonTexts } from './dialect.ts'
import { type Row, type Sql, type Statement, raw, sql } from './port.ts'
import { type Query, allRows, asNumber, ask, asText, field, onlyRow } from './query.ts'

/** What only a server of PostgreSQL answers; undefined elsewhere. */
async function askServer<T>(db: Sql, query: Query<T>): Promise<T | undefined> {
  return db.dialect === 'postgres' ? ask(db, query) : undefined
}

/** What a server reads for values that are known, by the setting that changes it (PostgreSQL, 20.11 and 20.13). */
const KNOWN = {
  extra_float_digits: ['CAST(CAST(0.1 AS FLOAT8) + CAST(0.2 AS FLOAT8) AS TEXT)', '0.30000000000000004'],
  quote_all_identifiers: [`quote_ident('name')`, 'name'],
  array_nulls: [`CAST(CAST('{NULL}' AS TEXT[]) AS TEXT)`, '{NULL}'],
  standard_conforming_strings: [String.raw`CAST('\\' AS TEXT)`, String.raw`\\`],
} as const

/** The columns of a SELECT that {@link valuesProblem} reads. */
export const KNOWN_COLUMNS = Object.entries(KNOWN)
  .map(([setting, [expression]]) => `${expression} AS ${setting}`)
  .join(', ')

/** Names the settings by which known values read otherwise; undefined where there are none. */
export function valuesProblem(row: Row): string | undefined {
  const names = Object.entries(KNOWN).flatMap(([name, [, value]]) => (row[name] === value ? [] : [name]))
  if (names.length === 0) return undefined
  return `the database sets ${names.join(' and ')} so that numbers or names read otherwise; RESET it for the database and its user`
}

/** The same of the session that carries this out: a pooler may give one that somebody else has changed. */
export async function sessionProblem(db: Sql): Promise<string | undefined> {
  const known = await askServer(
    db,
    onlyRow(raw(`SELECT ${KNOWN_COLUMNS}`), row => row),
  )
  return known && valuesProblem(known)
}

/** Which of the settings that a server keeps its commits by are off (PostgreSQL, 20.5). */
export function lossySettings(db: Sql): Promise<LossySetting[] | undefined> {
  const off = sql`SELECT name FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`
  return askServer(db, allRows(off, field('name', asText<LossySetting>)))
}

export type LossySetting = 'fsync' | 'full_page_writes' | 'synchronous_commit'

/**
 * How long the oldest transaction has kept the server from cleaning up, ms. Of sessions that the user may see: others than
 * its own take pg_read_all_stats.
 */
export function oldestReaderMs(db: Sql): Promise<number | undefined> {
  const oldest = sql`SELECT COALESCE(MAX(EXTRACT(EPOCH FROM clock_timestamp() - xact_start)), 0) * 1000 AS ms FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()`
  return askServer(db, onlyRow(oldest, field('ms', asNumber)))
}

/** How many events the planner knows of. */
export function plannedEvents(db: Sql): Promise<number | undefined> {
  const known = sql`SELECT CAST(reltuples AS BIGINT) AS known FROM pg_class WHERE oid = to_regclass('run_events')`
  return askServer(db, onlyRow(known, field('known', asNumber)))
}

/** Has the planner count the tables that are joined to find runs. Another process that does the same is not waited for. */
export async function analyze(db: Sql): Promise<void> {
  if (db.dialect !== 'postgres') return
  await db.batch([sql`ANALYZE (SKIP_LOCKED) run_events, rollup_minutes, rollup_hours, scopes`])
}

/**
 * On PostgreSQL two transactions don't see each other before they are committed, so those that lock one of the same numbers
 * take turns. Elsewhere there is one writer at a time. `group` tells the numbers from those of others.
 */
export function lockNumbers(
  { dialect }: Pick<Sql, 'dialect'>,
  group: number,
  numbers: Iterable<number>,
  mode: 'shared' | 'exclusive',
): Statement[] {
  if (dialect !== 'postgres') return []
  const take = raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  // In one order, so that two that share some can't wait for each other.
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  return [sql`SELECT ${take}(${raw(String(group))}, CAST(given.value AS INTEGER)) FROM ${jsonTexts(sorted)}`]
}

/**
 * Deletes rows and notes how many: `note` gets their number, an expression. On PostgreSQL somebody else may delete some of
 * them at the same time, so it is the number of those that it deletes itself.
 */
export function countedRemoval(
  { dialect }: Pick<Sql, 'dialect'>,
  rows: Statement,
  note: (count: Statement) => Statement,
): Statement[] {
  if (dialect !== 'postgres') return [note(sql`(SELECT count(*) FROM ${rows})`), sql`DELETE FROM ${rows}`]
  return [sql`WITH gone AS (DELETE FROM ${rows} RETURNING 1) ${note(raw('(SELECT count(*) FROM gone)'))}`]
}
