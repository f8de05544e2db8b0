import type { CountersSnapshot } from '../../models/answers/health.ts'
import { isoTime } from '../../base/time.ts'
import { type Sql, type Statement, join, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  asText,
  ask,
  columns,
  field,
  mapped,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
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
  | 'runs_dropped'
  | `${typeof ACTIONS_PREFIX}${'promote' | 'rollback'}`

export function actionCounter(action: 'promote' | 'rollback'): CounterName {
  return `${ACTIONS_PREFIX}${action}`
}

/** Adds `amount`, a number or a scalar subquery, to a counter. Part of the batch that it counts. */
export function addToCounter(name: CounterName, amount: number | Statement): Statement {
  return addToCounters([[name, amount]])
}

/** The same of several counters, each named once. */
export function addToCounters(
  added: readonly (readonly [name: CounterName, amount: number | Statement])[],
): Statement {
  const rows = added.map(
    ([name, amount]) => sql`SELECT CAST(${name} AS TEXT) AS name, CAST(${amount} AS BIGINT) AS amount`,
  )
  return sql`INSERT INTO counters (name, slot, value)
    SELECT name, 0, amount FROM (${join(rows, ' UNION ALL ')}) AS added WHERE true
    ON CONFLICT (name, slot) DO UPDATE SET value = counters.value + excluded.value`
}

/** What each kept counter counts. */
export const COUNTED: Readonly<Partial<Record<CounterName, string>>> = {
  releases_total: 'SELECT count(*) FROM releases',
  pricing_tables_total: 'SELECT count(*) FROM pricing_tables',
  // Runs that are kept as sums were never events.
  run_events_total:
    'SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h WHERE NOT EXISTS (SELECT 1 FROM event_gaps g ' +
    'WHERE g.scope = h.scope AND g.day = h.bucket / 24 AND g.kept_by IS NOT NULL)',
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
  const { totals, version, outbox } = await ask(
    db,
    together({
      totals: allRows(
        sql`SELECT name, sum(value) AS value FROM counters GROUP BY name ORDER BY name`,
        columns({ name: asText, value: asNumber }),
      ),
      version: onlyRow(
        sql`SELECT coalesce(max(version), 0) AS version FROM schema_migrations`,
        field('version', asNumber),
      ),
      outbox: BACKLOG,
    }),
  )
  const values = new Map(totals.map(({ name, value }) => [name, value]))
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
      webhook_deliveries_pending: outbox.pending,
      webhook_deliveries_failed: outbox.failed,
    },
    schema_version: version,
    generated_at: isoTime(now()),
  }
}

/** Run ends that were skipped because a run_start of the same run_id came first. */
export async function droppedRunEnds(db: Sql): Promise<number> {
  const dropped = onlyRow(
    sql`SELECT coalesce(sum(value), 0) AS value FROM counters WHERE name = ${'run_ends_dropped'}`,
    field('value', asNumber),
  )
  return ask(db, dropped)
}

/** What waits in the outbox and what was given up. */
interface Backlog {
  readonly pending: number
  readonly failed: number
  /** When the oldest one that waits was written, epoch ms. */
  readonly oldestPendingAt: number | null
}

/** Its cost grows with what waits, not with what was delivered. Those that failed are counted in an index alone. */
export const BACKLOG: Query<Backlog> = mapped(
  allRows(
    sql`SELECT status, count(*) AS n,
        min(CASE WHEN status = 'pending' THEN created_at END) AS oldest FROM webhook_deliveries
      WHERE status IN ('pending', 'failed') GROUP BY status`,
    columns({ status: asText, n: asNumber, oldest: orNull(asNumber) }),
  ),
  rows => {
    const found = (status: string) => rows.find(row => row.status === status)
    return {
      pending: found('pending')?.n ?? 0,
      failed: found('failed')?.n ?? 0,
      oldestPendingAt: found('pending')?.oldest ?? null,
    }
  },
)
