import type { CountersSnapshot } from '../../models/answers/health.ts'
import { isoTime } from '../../base/time.ts'
import { type Sql, type Statement, type Row, sql } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'

const ACTIONS_PREFIX = 'actions_by_action:'

export type CounterName =
  | 'releases_total'
  | 'pricing_tables_total'
  | 'run_events_total'
  | 'promoted_pointers_total'
  | 'run_ends_dropped'
  | 'run_events_expired'
  | 'run_spans_late'
  | 'run_spans_forgotten'
  | `${typeof ACTIONS_PREFIX}${'promote' | 'rollback'}`

export function actionCounter(action: 'promote' | 'rollback'): CounterName {
  return `${ACTIONS_PREFIX}${action}`
}

/** Adds `amount`, a number or a scalar subquery, to a counter. Part of the batch that it counts. */
export function addToCounter(name: CounterName, amount: number | Statement): Statement {
  return sql`INSERT INTO counters (name, slot, value)
    SELECT ${name}, 0, CAST(${amount} AS BIGINT) WHERE true
    ON CONFLICT (name, slot) DO UPDATE SET value = counters.value + excluded.value`
}

/** What each kept counter counts. */
export const COUNTED: Readonly<Partial<Record<CounterName, string>>> = {
  releases_total: 'SELECT count(*) FROM releases',
  pricing_tables_total: 'SELECT count(*) FROM pricing_tables',
  run_events_total: 'SELECT coalesce(sum(runs), 0) FROM rollup_hours',
  promoted_pointers_total: 'SELECT count(*) FROM promoted_pointers',
  'actions_by_action:promote': "SELECT count(*) FROM actions WHERE action = 'promote'",
  'actions_by_action:rollback': "SELECT count(*) FROM actions WHERE action = 'rollback'",
}

/**
 * GET /v1/metrics. Reads kept counters, and counts only what waits or failed in the outbox, so its cost doesn't grow
 * with the ledger.
 */
export async function countersSnapshot({
  sql: db,
  now,
}: Pick<Ledger, 'sql' | 'now'>): Promise<CountersSnapshot> {
  const [totals, version, outbox] = await db.snapshot([
    sql`SELECT name, sum(value) AS value FROM counters GROUP BY name ORDER BY name`,
    sql`SELECT max(version) AS version FROM schema_migrations`,
    BACKLOG,
  ])
  const { pending, failed } = toBacklog(outbox!.rows)
  const values = new Map(totals!.rows.map(row => [String(row.name), Number(row.value)]))
  const total = (name: CounterName): number => values.get(name) ?? 0
  const byAction = [...values]
    .filter(([name]) => name.startsWith(ACTIONS_PREFIX))
    .map(([name, value]) => [name.slice(ACTIONS_PREFIX.length), value] as const)
  return {
    counters: {
      releases_total: total('releases_total'),
      pricing_tables_total: total('pricing_tables_total'),
      run_events_total: total('run_events_total'),
      promoted_pointers_total: total('promoted_pointers_total'),
      actions_total: byAction.reduce((sum, [, value]) => sum + value, 0),
      actions_by_action: Object.fromEntries(byAction),
      webhook_deliveries_pending: pending,
      webhook_deliveries_failed: failed,
    },
    schema_version: Number(version!.rows[0]!.version ?? 0),
    generated_at: isoTime(now()),
  }
}

/** Run ends that were skipped because a run_start of the same run_id came first. */
export async function droppedRunEnds(db: Sql): Promise<number> {
  const { rows } = await db.query(
    sql`SELECT coalesce(sum(value), 0) AS value FROM counters WHERE name = ${'run_ends_dropped'}`,
  )
  return Number(rows[0]!.value)
}

/** What waits in the outbox and what was given up. */
interface Backlog {
  readonly pending: number
  readonly failed: number
  /** When the oldest one that waits was written, epoch ms. */
  readonly oldestPendingAt: number | null
}

/** Its cost grows with what waits, not with what was delivered. Those that failed are counted in an index alone. */
export const BACKLOG = sql`SELECT status, count(*) AS n,
    min(CASE WHEN status = 'pending' THEN created_at END) AS oldest FROM webhook_deliveries
  WHERE status IN ('pending', 'failed') GROUP BY status`

export function toBacklog(rows: readonly Row[]): Backlog {
  const found = (status: string): Row | undefined => rows.find(row => row.status === status)
  const pending = found('pending')
  return {
    pending: Number(pending?.n ?? 0),
    failed: Number(found('failed')?.n ?? 0),
    oldestPendingAt: pending === undefined ? null : Number(pending.oldest),
  }
}
