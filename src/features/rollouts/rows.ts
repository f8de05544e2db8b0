import type { InputPart } from '../../models/all/input.ts'
import { ServiceError } from '../../base/errors.ts'
import { MINUTE_MS, durationMs, isoTime } from '../../base/time.ts'
import type { Rollout, RolloutDetail, RolloutEntry, RolloutCheck, RolloutStep } from './models.ts'
import type { WebhookEvent } from '../../models/answers/webhook.ts'
import type { RolloutUnit } from '../../models/names.ts'
import type { AbsoluteLimits } from './rules_absolute.ts'
import type { GuardLimits } from './rules_readings.ts'
import type { Step } from './rules_steps.ts'
import { type Row, type Sql, type Statement, join, raw, rowsOf, sql } from '../../sql/port.ts'
import { type Query, allRows, asJson, asText, asTime, ask, field, mapped, orNull } from '../../sql/query.ts'
import { wantingBy } from '../../ledger/decide/approvers.ts'
import { BOUND, holding, holdsOf, updateBound } from '../../ledger/trail/bound_rows.ts'
import type { LogActor, LogRecord, NewEntry } from '../../ledger/trail/chain.ts'
import { toOutbox } from '../../ledger/webhooks/announcements.ts'
import type { Due } from '../../ledger/world/due.ts'
import type { Actor, Wanting } from '../../ledger/world/ledger.ts'
import { EVERYTHING, type Scope, placeInScope } from '../../ledger/world/scope.ts'

/** Who changes a rollout where it does so itself. */
export const ROLLOUT_ACTOR: LogActor = { name: 'rollout', source: 'service' }

/** Least time between two checks, ms. */
export const CHECK_MS = MINUTE_MS

/** Rollouts that are checked. */
export const OPEN = sql`state IN ('running', 'paused')`

/** What a rollout will still decide on, and since when its runs count. */
export const CONCERNS = join(
  ['candidate', 'baseline'].map(
    side => sql`SELECT ${raw(`${side}_release_id`)} AS release_id, environment, started_at AS since_ms
      FROM rollouts WHERE ${OPEN}`,
  ),
  ' UNION ALL ',
)

/** Whether units are split now: while it is open, and after completion during a holdback. */
export function splits(clock: Statement): Statement {
  return sql`(${OPEN} OR (state = 'completed' AND hold_until > ${clock}))`
}

/** All of a row that the log holds, and what changes without anybody deciding so. */
export const COLUMNS = raw(['seq', ...BOUND.rollouts.columns, 'checks', 'check_json'].join(', '))

export const DUE: Due = { table: 'rollouts', id: 'rollout_id', open: OPEN, columns: COLUMNS }

interface RolloutListing extends InputPart<'RolloutsList', 'query'> {
  readonly scope?: Scope
}

/** Rollouts, newest first. */
export async function listRollouts(db: Sql, listing: RolloutListing): Promise<Rollout[]> {
  const { agent, env, state, limit, scope = EVERYTHING } = listing
  const conditions: Statement[] = [
    placeInScope(scope),
    ...(agent === undefined ? [] : [sql`agent_id = ${agent}`]),
    ...(env === undefined ? [] : [sql`environment = ${env}`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
  ]
  const rows = await rowsOf(
    db,
    sql`SELECT ${COLUMNS}, ${db.clock} AS now FROM rollouts WHERE ${join(conditions, ' AND ')}
      ORDER BY seq DESC LIMIT ${limit}`,
  )
  return rows.map(toRollout)
}

/** The last rollout of each place, which alone may be open. */
export function lastRollouts({ clock }: Sql, scope: Scope): Query<Rollout[]> {
  return allRows(
    sql`SELECT ${COLUMNS}, ${clock} AS now FROM rollouts
      WHERE seq IN (SELECT max(seq) FROM rollouts WHERE ${placeInScope(scope)} GROUP BY agent_id, environment)`,
    toRollout,
  )
}

/** One rollout. Throws 404 where there is none in scope. */
export async function showRollout(db: Sql, rolloutId: string, scope: Scope): Promise<Rollout> {
  const [row] = await rowsOf(db, rolloutStatement(db, rolloutId, scope))
  if (row === undefined) throw unknownRollout(rolloutId)
  return toRollout(row)
}

export function rolloutStatement({ clock }: Sql, rolloutId: string, scope = EVERYTHING): Statement {
  return sql`SELECT ${COLUMNS}, ${clock} AS now FROM rollouts
    WHERE rollout_id = ${rolloutId} AND ${placeInScope(scope)}`
}

/** The newest event that there is. */
export const NEWEST_EVENT = sql`(SELECT coalesce(max(seq), 0) FROM run_events)`

export function unknownRollout(rolloutId: string): ServiceError {
  return new ServiceError(404, `Unknown rollout: ${rolloutId}`)
}

/** What started a rollout, as it is kept next to the name. */
export interface StartedBy extends Pick<Actor, 'source' | 'claimed' | 'identity'> {
  /** Who requested it, where another one confirmed that. */
  readonly wanted_by?: Wanting
  readonly request?: Rollout['request']
}

/** Who wants a rollout: who requested it, else who started it. */
export function wantingOf(row: Row, { wanted_by, source, claimed, identity }: StartedBy): Wanting {
  return (
    wanted_by ??
    wantingBy({
      actor: String(row.started_by),
      actor_source: source,
      claimed_actor: claimed,
      actor_identity: identity,
    })
  )
}

/** What a rollout judges by from its start on. */
export interface Frozen {
  readonly guard: GuardLimits
  readonly absolute: AbsoluteLimits
  /** What is counted of runs besides their sums. */
  readonly values: readonly string[]
}

/** A step as it is kept. */
export interface StoredStep extends RolloutStep {
  /** The newest event when it began: none up to it counts there, whatever its time says. */
  readonly after_event: number | null
}

/** The parts of a row that are JSON. */
interface Parsed {
  readonly steps: readonly StoredStep[]
  readonly frozen: Frozen
  readonly startedBy: StartedBy
  readonly hold: { readonly share: number; readonly for: string } | null
}

export function parsedOf(row: Row): Parsed {
  return {
    steps: stepsOf(row),
    frozen: JSON.parse(String(row.limits_json)) as Frozen,
    startedBy: JSON.parse(String(row.started_by_json)) as StartedBy,
    hold: holdOf(row),
  }
}

function stepsOf({ steps_json }: Row): StoredStep[] {
  return JSON.parse(String(steps_json)) as StoredStep[]
}

/** The steps as they were planned. */
function plannedSteps(row: Row): Pick<StoredStep, 'share' | 'for'>[] {
  return stepsOf(row).map(({ share, for: time }) => ({ share, for: time }))
}

/** What the log says of the plan of a rollout when it begins: a pack for auditors reads that. */
export function plannedDetails(row: Row): Readonly<Record<string, unknown>> {
  return { steps: plannedSteps(row), hold: holdOf(row) }
}

function holdOf({ hold_json }: Row): Parsed['hold'] {
  return orNull(asJson<NonNullable<Parsed['hold']>>)(hold_json)
}

/** The plan of a rollout with its times in ms, from what is stored. */
export function planOf({ steps, hold }: Pick<Parsed, 'steps' | 'hold'>) {
  const timed = (step: { readonly share: number; readonly for: string }): Step => ({
    share: step.share,
    for: step.for,
    lasts_ms: durationMs(step.for)!,
  })
  return { steps: steps.map(timed), hold: hold === null ? undefined : timed(hold) }
}

/** The share of the units that get the candidate at `now`; null where nothing is split. */
export function shareInForce(row: Row, now: number): number | null {
  if (row.state === 'running' || row.state === 'paused') return stepsOf(row)[Number(row.step)]!.share
  const hold = holdOf(row)
  const isOnHold = row.state === 'completed' && hold !== null && Number(row.hold_until ?? 0) > now
  return isOnHold ? 1 - hold.share : null
}

export function toRollout(row: Row): Rollout {
  const text = (column: string): string => String(row[column])
  const optional = (column: string): string | null => orNull(String)(row[column])
  const time = (column: string): string | null => orNull(asTime)(row[column])
  const { steps, frozen, startedBy, hold } = parsedOf(row)
  return {
    rollout_id: text('rollout_id'),
    agent_id: text('agent_id'),
    environment: text('environment'),
    candidate_release_id: text('candidate_release_id'),
    baseline_release_id: text('baseline_release_id'),
    state: text('state') as Rollout['state'],
    by: text('unit') as RolloutUnit,
    reason: text('reason'),
    steps: steps.map(({ after_event: _after, ...step }) => step),
    step: Number(row.step),
    share: shareInForce(row, Number(row.now)),
    limits: frozen.guard,
    started_by: text('started_by'),
    started_at: time('started_at')!,
    ends_at: time('ends_at')!,
    hold,
    hold_until: time('hold_until'),
    ended_at: time('ended_at'),
    because: optional('because'),
    changed_by: text('changed_by'),
    action_id: optional('action_id'),
    checks: Number(row.checks),
    last_check: orNull(asJson<RolloutCheck>)(row.check_json),
    ...(startedBy.request === undefined ? {} : { request: startedBy.request }),
  }
}

/**
 * What the audit log says of a change of a rollout: its row as it is then, the split in force, and what was seen.
 * `others` are rows of rollouts that change along, `more` is said besides.
 */
export async function rolloutEntry(
  kind: NewEntry['kind'],
  row: Row,
  { actor, reason, at, check }: ChangedBy,
  {
    others = [],
    more = {},
  }: { readonly others?: readonly Row[]; readonly more?: Readonly<Record<string, unknown>> } = {},
): Promise<NewEntry> {
  const share = shareInForce(row, at)
  const details = {
    ...stateOf(row),
    split: share === null ? null : { by: row.unit, share, until: row.hold_until ?? null },
    ...(check === undefined ? {} : { check }),
    ...more,
    ...holding(await holdsOf('rollouts', [row, ...others])),
  }
  return { kind, subject: String(row.rollout_id), actor, reason, created_at: at, fact: null, details }
}

function stateOf({ agent_id, environment, candidate_release_id, baseline_release_id, state, step }: Row) {
  return { agent_id, environment, candidate_release_id, baseline_release_id, state, step }
}

/** Who changes a rollout, why, when (epoch ms), and by what that was seen. */
export interface ChangedBy {
  readonly actor: LogActor
  readonly reason: string | null
  readonly at: number
  readonly check?: RolloutCheck | undefined
}

/** Writes a row as it is from now on. The first result has a row exactly where the guard passed. */
export function changeStatements(row: Row, changeId: string, guard: Statement): Statement[] {
  return [
    sql`${updateBound('rollouts', row, CHANGING, guard)} RETURNING rollout_id`,
    markStatement(changeId, guard),
  ]
}

const CHANGING =
  'state steps_json step hold_until ended_at because changed_by action_id attempts checks check_json'.split(
    ' ',
  )

/** Invalidates the ingest cache of open rollouts. */
export function markStatement(changeId: string, guard: Statement): Statement {
  return sql`UPDATE rollout_mark SET changed_by = ${changeId} WHERE id = 1 AND ${guard}`
}

/** Tells receivers of a change. */
export function announced(
  event: WebhookEvent,
  row: Row,
  changeId: string,
  { actor, reason, at, check }: ChangedBy,
  guard: Statement,
  clock: Statement,
): Statement {
  const data = {
    rollout_id: row.rollout_id,
    change_id: changeId,
    // What all payloads name a release by.
    release_id: row.candidate_release_id,
    ...stateOf(row),
    steps: plannedSteps(row),
    share: shareInForce(row, at),
    by: row.unit,
    actor: actor.name,
    reason,
    because: row.because ?? null,
    check: check ?? null,
  }
  return toOutbox({ event, cause: changeId, createdAt: at, data }, guard, clock)
}

/** Kinds of entries whose subject is a rollout, and of those whose subject is a request for one. */
const KINDS = ['started', 'advanced', 'paused', 'resumed', 'aborted', 'expired', 'requested', 'approved']

/** One rollout with its entries in the audit log. Throws 404 where there is none in scope. */
export async function showWithHistory(db: Sql, rolloutId: string, scope: Scope): Promise<RolloutDetail> {
  const rollout = await showRollout(db, rolloutId, scope)
  const subjects = [rolloutId, ...(rollout.request === undefined ? [] : [rollout.request.request_id])]
  const kinds = join(
    KINDS.map(kind => sql`${`rollout.${kind}`}`),
    ', ',
  )
  const named = join(
    subjects.map(subject => sql`record_json LIKE ${`%"subject":"${subject}"%`}`),
    ' OR ',
  )
  // As the index says it: a decision is most entries.
  const found = sql`SELECT record_json FROM audit_log
    WHERE kind IN (${kinds}) AND kind <> 'decision' AND (${named}) ORDER BY log_seq DESC`
  const records = await ask(
    db,
    mapped(allRows(found, field('record_json', asText)), texts =>
      texts.map(text => JSON.parse(text) as LogRecord),
    ),
  )
  const history = records.filter(({ subject }) => subjects.includes(subject)).map(toEntry)
  return { ...rollout, history }
}

function toEntry({ log_seq, kind, actor, reason, created_at, details }: LogRecord): RolloutEntry {
  const { step, split, check } = details as {
    readonly step?: number
    readonly split?: { readonly share: number } | null
    readonly check?: RolloutCheck
  }
  return {
    log_seq,
    kind,
    actor,
    reason,
    created_at: isoTime(created_at),
    step: step ?? null,
    share: split?.share ?? null,
    check: check ?? null,
  }
}
