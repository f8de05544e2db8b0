import type { InputPart } from '../../models/all/input.ts'
import { ServiceError } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { Watch, WatchDetail, WatchCheck } from './models.ts'
import type { Retry } from './rules_retry.ts'
import { type Row, type Sql, type Statement, join, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asFlag,
  asJson,
  asNumber,
  ask,
  asText,
  asTime,
  columns,
  firstRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { EVERYTHING, type Scope, inScope } from '../../ledger/world/scope.ts'

/** Checks that are kept of a watch. */
export const KEPT_CHECKS = 120

/** Named, because a newer server may have added others. */
const WATCH = sql`w.watch_id, w.agent_id, w.environment, w.release_id, w.baseline_release_id, w.state,
  w.auto_rollback, w.min_runs, w.limits_json, w.action_id, w.baseline_since, w.started_at, w.started_by, w.ends_at,
  w.checks, w.ended_at, w.ended_because, w.ended_by, w.rollback_json, w.retry_json, l.number, l.at, l.check_json`
const WITH_LAST_CHECK = sql`watches w LEFT JOIN watch_checks l ON l.watch_id = w.watch_id AND l.number = w.checks`

export interface WatchListing extends InputPart<'WatchesList', 'query'> {
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
  const listed = sql`SELECT ${WATCH} FROM ${WITH_LAST_CHECK} WHERE ${join(conditions, ' AND ')}
    ORDER BY w.seq DESC LIMIT ${limit}`
  return ask(db, allRows(listed, toWatch))
}

/** Watches that run, and those in which the release that is still live regressed. */
export function watchesOfLive(scope: Scope): Query<Watch[]> {
  return allRows(
    sql`SELECT ${WATCH} FROM ${WITH_LAST_CHECK}
      WHERE ${watchInScope(scope)} AND (w.state = 'watching' OR w.state = 'regressed' AND w.release_id = (
        SELECT p.release_id FROM promoted_pointers p
        WHERE p.agent_id = w.agent_id AND p.environment = w.environment))
      ORDER BY w.seq`,
    toWatch,
  )
}

/** One watch with its last checks, oldest first. Throws 404 where there is none. */
export async function showWatch(db: Sql, watchId: string, scope: Scope): Promise<WatchDetail> {
  const { watch, history } = await ask(
    db,
    together({
      watch: watchQuery(watchId, scope),
      history: allRows(
        sql`SELECT number, at, check_json FROM watch_checks WHERE watch_id = ${watchId} ORDER BY number`,
        toCheck,
      ),
    }),
  )
  if (watch === undefined) throw unknownWatch(watchId)
  return { ...watch, history }
}

export function watchQuery(watchId: string, scope = EVERYTHING): Query<Watch | undefined> {
  return firstRow(
    sql`SELECT ${WATCH} FROM ${WITH_LAST_CHECK} WHERE w.watch_id = ${watchId} AND ${watchInScope(scope)}`,
    toWatch,
  )
}

function watchInScope(scope: Scope): Statement {
  return inScope(scope, { agent: sql`w.agent_id`, environment: sql`w.environment` })
}

export function unknownWatch(watchId: string): ServiceError {
  return new ServiceError(404, `Unknown watch: ${watchId}`)
}

const readWatch = columns({
  watch_id: asText,
  agent_id: asText,
  environment: asText,
  release_id: asText,
  baseline_release_id: asText,
  state: asText<Watch['state']>,
  auto_rollback: asFlag,
  min_runs: asNumber,
  limits_json: asJson<Watch['limits']>,
  action_id: asText,
  baseline_since: asTime,
  started_at: asTime,
  started_by: asText,
  ends_at: asTime,
  checks: asNumber,
  ended_at: orNull(asTime),
  ended_because: orNull(asText),
  ended_by: orNull(asText),
  rollback_json: orNull(asJson<Rollback>),
  retry_json: orNull(asJson<Retry>),
})

function toWatch(row: Row): Watch {
  const { limits_json, checks, ended_at, ended_because, ended_by, rollback_json, retry_json, ...watch } =
    readWatch(row)
  const { action_id, baseline_since, started_at, started_by, ends_at, ...named } = watch
  return {
    ...named,
    limits: limits_json,
    action_id,
    baseline_since,
    started_at,
    started_by,
    ends_at,
    checks,
    last_check: row.number === null ? null : toCheck(row),
    ended_at,
    ended_because,
    ended_by,
    rollback: rollbackOf(rollback_json, retry_json),
  }
}

/** What a watch keeps of its rollback. */
export type Rollback = Omit<NonNullable<Watch['rollback']>, 'next_attempt_at'>

/** A rollback as it is answered: with when it is tried again, while it is. */
export function rollbackOf(rollback: Rollback | null, retry: Retry | null): Watch['rollback'] {
  if (rollback === null || retry === null) return rollback
  return { ...rollback, next_attempt_at: retry.next_at === null ? null : isoTime(retry.next_at) }
}

/** What a check stores of itself. */
export type CheckFacts = Omit<WatchCheck, 'number' | 'at'>

const readCheck = columns({ number: asNumber, at: asTime, check_json: asJson<CheckFacts> })

function toCheck(row: Row): WatchCheck {
  const { check_json, ...check } = readCheck(row)
  return { ...check, ...check_json }
}
