import { ServiceError } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { Watch, WatchDetail, WatchLook } from '../../models/answers/watch.ts'
import type { Retry } from './rules_retry.ts'
import { type Row, type Sql, type Statement, join, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import { EVERYTHING, type Scope, inScope } from '../../ledger/world/scope.ts'

/** Looks that are kept of a watch. */
export const KEPT_LOOKS = 120

/** Named, because a newer server may have added others. */
const WATCH = sql`w.watch_id, w.agent_id, w.environment, w.release_id, w.baseline_release_id, w.state,
  w.auto_rollback, w.min_runs, w.limits_json, w.action_id, w.baseline_since, w.started_at, w.started_by, w.ends_at,
  w.looks, w.ended_at, w.ended_because, w.ended_by, w.rollback_json, w.retry_json, l.look, l.at, l.look_json`
const WITH_LAST_LOOK = sql`watches w LEFT JOIN watch_looks l ON l.watch_id = w.watch_id AND l.look = w.looks`

export interface WatchListing {
  readonly agent?: string | undefined
  readonly env?: string | undefined
  readonly state?: Watch['state'] | undefined
  readonly limit: number
  readonly scope?: Scope
}

/** Watches, newest first. */
export async function listWatches(db: Sql, listing: WatchListing): Promise<Watch[]> {
  const { agent, env, state, limit, scope = EVERYTHING } = listing
  const conditions: Statement[] = [
    watchInScope(scope),
    ...(agent === undefined ? [] : [sql`w.agent_id = ${agent}`]),
    ...(env === undefined ? [] : [sql`w.environment = ${env}`]),
    ...(state === undefined ? [] : [sql`w.state = ${state}`]),
  ]
  const rows = await rowsOf(
    db,
    sql`SELECT ${WATCH} FROM ${WITH_LAST_LOOK} WHERE ${join(conditions, ' AND ')}
      ORDER BY w.seq DESC LIMIT ${limit}`,
  )
  return rows.map(toWatch)
}

/** One watch with its last looks, oldest first. Throws 404 where there is none. */
export async function showWatch(db: Sql, watchId: string, scope: Scope): Promise<WatchDetail> {
  const [found, looks] = await db.snapshot([
    watchStatement(watchId, scope),
    sql`SELECT look, at, look_json FROM watch_looks WHERE watch_id = ${watchId} ORDER BY look`,
  ])
  const row = found!.rows[0]
  if (row === undefined) throw unknownWatch(watchId)
  return { ...toWatch(row), history: looks!.rows.map(toLook) }
}

export function watchStatement(watchId: string, scope = EVERYTHING): Statement {
  return sql`SELECT ${WATCH} FROM ${WITH_LAST_LOOK} WHERE w.watch_id = ${watchId} AND ${watchInScope(scope)}`
}

function watchInScope(scope: Scope): Statement {
  return inScope(scope, { agent: sql`w.agent_id`, environment: sql`w.environment` })
}

export function unknownWatch(watchId: string): ServiceError {
  return new ServiceError(404, `Unknown watch: ${watchId}`)
}

export function toWatch(row: Row): Watch {
  const text = (column: string): string => String(row[column])
  const optional = (column: string): string | null => nullable(row[column], String)
  const time = (column: string): string => isoTime(Number(row[column]))
  return {
    watch_id: text('watch_id'),
    agent_id: text('agent_id'),
    environment: text('environment'),
    release_id: text('release_id'),
    baseline_release_id: text('baseline_release_id'),
    state: text('state') as Watch['state'],
    auto_rollback: row.auto_rollback === 1,
    min_runs: Number(row.min_runs),
    limits: JSON.parse(text('limits_json')) as Watch['limits'],
    action_id: text('action_id'),
    baseline_since: time('baseline_since'),
    started_at: time('started_at'),
    started_by: text('started_by'),
    ends_at: time('ends_at'),
    looks: Number(row.looks),
    last_look: row.look === null ? null : toLook(row),
    ended_at: nullable(row.ended_at, at => isoTime(Number(at))),
    ended_because: optional('ended_because'),
    ended_by: optional('ended_by'),
    rollback: rollbackOf(parsed(row.rollback_json), parsed(row.retry_json)),
  }
}

/** What a watch keeps of its rollback. */
export type Rollback = Omit<NonNullable<Watch['rollback']>, 'next_attempt_at'>

/** A rollback as it is answered: with when it is tried again, while it is. */
export function rollbackOf(rollback: Rollback | null, retry: Retry | null): Watch['rollback'] {
  if (rollback === null || retry === null) return rollback
  return { ...rollback, next_attempt_at: retry.next_at === null ? null : isoTime(retry.next_at) }
}

function parsed<T>(json: Row[string] | undefined): T | null {
  return nullable(json, text => JSON.parse(String(text)) as T)
}

/** What a look stores of itself. */
export type LookFacts = Omit<WatchLook, 'look' | 'at'>

function toLook(row: Row): WatchLook {
  const facts = JSON.parse(String(row.look_json)) as LookFacts
  return { look: Number(row.look), at: isoTime(Number(row.at)), ...facts }
}
