import type { DecisionPart } from '../../ledger/assess/parts.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { MINUTE_MS, durationMs } from '../../base/time.ts'
import { hasMoved } from '../../rules/evidence.ts'
import { DEFAULT_MIN_RUNS } from './rules_verdict.ts'
import { type WatchLimits, watchLimits } from './rules_readings.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import { type Query, asRow, asText, field, firstRow, insertRow } from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { AuditRecord, LogActor, NewEntry } from '../../ledger/trail/chain.ts'
import { OPEN } from './claim.ts'

/** Least time between two checks of a watch, ms. */
export const CHECK_MS = MINUTE_MS

/** A watch that is to begin. */
export interface NewWatch {
  readonly watch_id: string
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
  readonly baseline_release_id: string
  /** The decision that made the release live. */
  readonly action_id: string
  readonly auto_rollback: boolean
  readonly min_runs: number
  readonly limits: WatchLimits
  /** Epoch ms. */
  readonly baseline_since: number
  readonly lasts_ms: number
  readonly started_by: string
}

/** The watch that a policy wants of a promotion; undefined where it wants none or there is nothing to compare with. */
function watchOfPromotion(
  record: AuditRecord,
  policy: Policy,
  since: string,
  newId: (prefix: string) => string,
): NewWatch | undefined {
  const { watch } = policy
  const { action, action_id, agent_id, environment, release_id, baseline_release_id } = record
  const isMoved = record.policy_passed && baseline_release_id !== null && baseline_release_id !== release_id
  if (watch == null || action !== 'promote' || !isMoved) return undefined
  return {
    watch_id: newId('wch_'),
    agent_id,
    environment,
    release_id,
    baseline_release_id,
    action_id,
    auto_rollback: watch.auto_rollback ?? false,
    min_runs: watch.min_runs ?? DEFAULT_MIN_RUNS,
    limits: watchLimits(policy),
    baseline_since: wholeMinute(Date.parse(since)),
    lasts_ms: durationMs(watch.for)!,
    started_by: record.actor,
  }
}

/** Whole minutes are summed from rollups alone, also where the events of that time were pruned. */
export function wholeMinute(ms: number): number {
  return Math.max(0, Math.floor(ms / MINUTE_MS) * MINUTE_MS)
}

/** The row of a watch that begins at `now`, the database's clock. */
export function newWatchRow(watch: NewWatch, now: number): Row {
  const { auto_rollback, limits, lasts_ms, ...named } = watch
  return {
    ...named,
    state: 'watching',
    auto_rollback: auto_rollback ? 1 : 0,
    limits_json: JSON.stringify(limits),
    started_at: now,
    ends_at: now + lasts_ms,
  }
}

/** Begins a watch at `now`, the database's clock, unless one runs in its place already. */
export function insertWatch(watch: NewWatch, guard: Statement, now: number): Statement {
  const row = { ...newWatchRow(watch, now), checks: 0, due_at: now + CHECK_MS }
  const running = runningStatement(watch.agent_id, watch.environment)
  return insertRow('watches', row, sql`${guard} AND NOT EXISTS (${running})`)
}

/** The id of the watch that runs in a place. */
export function runningQuery(agentId: string, environment: string): Query<string | undefined> {
  return firstRow(runningStatement(agentId, environment), field('watch_id', asText))
}

function runningStatement(agentId: string, environment: string): Statement {
  return sql`SELECT watch_id FROM watches
    WHERE agent_id = ${agentId} AND environment = ${environment} AND state = 'watching'`
}

/** The id of the watch in a place whose rollback was blocked and is tried again. */
export function retriedQuery(agentId: string, environment: string): Query<string | undefined> {
  return firstRow(
    sql`SELECT watch_id FROM watches
      WHERE agent_id = ${agentId} AND environment = ${environment} AND retry_json IS NOT NULL ORDER BY seq DESC LIMIT 1`,
    field('watch_id', asText),
  )
}

/** The row of what watched the release that a decision replaces at `now`, the database's clock; undefined where it goes on. */
function endedWatchRow(running: Row | undefined, record: AuditRecord, now: number): Row | undefined {
  if (running === undefined || record.baseline_release_id === record.release_id) return undefined
  const { action, action_id, release_id, actor } = record
  return {
    ...running,
    state: action === 'rollback' ? 'rolled_back' : 'superseded',
    ended_at: now,
    ended_because: `${release_id} took its place (${action}, ${action_id})`,
    ended_by: actor,
  }
}

/** Ends it, in the batch of that decision. */
export function endWatch(ended: Row, guard: Statement): Statement {
  return sql`UPDATE watches SET state = ${ended.state!}, ended_at = ${ended.ended_at!},
      ended_because = ${ended.ended_because!}, ended_by = ${ended.ended_by!}, retry_json = NULL
    WHERE watch_id = ${ended.watch_id!} AND ${OPEN} AND ${guard}`
}

/** Has nothing tried again that was blocked in a place: another release is live there from now on, or another watch runs. */
export function endRetries(
  { agent_id, environment }: { readonly agent_id: string; readonly environment: string },
  guard: Statement,
): Statement {
  return sql`UPDATE watches SET retry_json = NULL
    WHERE agent_id = ${agent_id} AND environment = ${environment} AND retry_json IS NOT NULL AND ${guard}`
}

/** What the audit log says of a watch that begins, ends or tries again by itself, and not by a decision: the row as it is then. */
export async function watchEntry(
  kind: 'watch.started' | 'watch.ended' | 'watch.retried',
  row: Row,
  actor: LogActor,
  reason: string | null,
  created_at: number,
): Promise<NewEntry> {
  const { watch_id, agent_id, environment, release_id, state } = row
  const holds = await holdsOf('watches', [row])
  const details = { agent_id, environment, release_id, state, ...holding(holds) }
  return { kind, subject: asText(watch_id), actor, reason, created_at, fact: null, details }
}

/** A decision that moves the pointer ends the watch there, and a promotion begins one where its policy says so. */
export const decision: DecisionPart<Row | undefined> = {
  name: 'watch',
  reads: ({ release_id, environment }) =>
    firstRow(
      sql`SELECT w.* FROM watches w JOIN releases r ON r.agent_id = w.agent_id
      WHERE r.release_id = ${release_id} AND w.environment = ${environment} AND w.state = 'watching'`,
      asRow,
    ),
  contribute: async ({ record, policy, since, now, newId }, running) => {
    const begun = watchOfPromotion(record, policy, since, newId)
    const isMoved = hasMoved(record)
    const ended = isMoved ? endedWatchRow(running, record, now) : undefined
    const rows = [ended, begun && newWatchRow(begun, now)].filter(row => row !== undefined)
    return {
      holds: await holdsOf('watches', rows),
      statements: guard => [
        ...(ended === undefined ? [] : [endWatch(ended, guard)]),
        ...(isMoved && record.baseline_release_id !== record.release_id ? [endRetries(record, guard)] : []),
        ...(begun === undefined ? [] : [insertWatch(begun, guard, now)]),
      ],
      answer: begun === undefined ? {} : { watch_id: begun.watch_id },
    }
  },
}
