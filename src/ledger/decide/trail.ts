import type { InputPart } from '../../models/all/input.ts'
import type { ActionDetail, ActionRecord, Promoted } from '../../models/answers/action.ts'
import { ServiceError } from '../../base/errors.ts'
import { jsonOf } from '../../base/text.ts'
import { either } from '../../sql/dialect.ts'
import { type Row, type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import {
  allRows,
  asFlag,
  asJson,
  asNumber,
  asRow,
  ask,
  asText,
  asTime,
  columns,
  firstRow,
  orNull,
} from '../../sql/query.ts'
import { type AuditRecord, chainProblem, readStoredAction, recordProblem } from '../trail/chain.ts'
import { changedRow } from '../trail/facts.ts'
import { vouchedBy } from '../trail/read_log.ts'
import { timeOf } from '../world/query.ts'
import type { Evidence } from '../../rules/evidence.ts'
import { resultOf } from '../../rules/result.ts'
import type { Actor } from '../world/ledger.ts'
import { type Scope, placeInScope } from '../world/scope.ts'

/** How a decision came out, as a filter of lists. */
export const VERDICTS = ['passed', 'blocked', 'forced'] as const

export interface ActionListing extends Omit<InputPart<'ActionsList', 'query'>, 'evidence'> {
  readonly scope: Scope
  /** Whether what the decisions rested on is read too, which is most of a row. Default true. */
  readonly evidence?: boolean
}

/** A record without its evidence, which comes last in it. It has no name of a field in a text: that would have its quotes escaped. */
const UNCLOSED = either(
  sql`substr(record_json, 1, instr(record_json, ',"evidence":') - 1)`,
  () => sql`split_part(record_json, ',"evidence":', 1)`,
)

const LISTED = sql`action_id, action, release_id, agent_id, environment, baseline_release_id, reason, actor,
  policy_passed, policy_reasons, created_at, audit_seq, actor_source, prev_hash, hash, forced, decided_at,
  ${UNCLOSED} AS unclosed`

const OUTCOMES = {
  passed: sql`policy_passed = 1`,
  blocked: sql`policy_passed = 0 AND forced = 0`,
  forced: sql`forced = 1`,
} as const

/**
 * A page of the trail, newest first, and where the next one starts: null on the last. `changed` says what of an action is not
 * what was written; its record is hashed only where its evidence is read. Throws 400 for an invalid time.
 */
export async function listActions(
  db: Sql,
  listing: ActionListing,
): Promise<{ actions: ActionDetail[]; next_after: number | null }> {
  const { agent, env, actor, verdict, since, until, after, limit, scope, evidence = true } = listing
  const conditions: Statement[] = [
    placeInScope(scope),
    ...(agent === undefined ? [] : [sql`agent_id = ${agent}`]),
    ...(env === undefined ? [] : [sql`environment = ${env}`]),
    ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
    ...(verdict === undefined ? [] : [OUTCOMES[verdict]]),
    ...(since === undefined ? [] : [sql`created_at >= ${timeOf('since', since)}`]),
    ...(until === undefined ? [] : [sql`created_at < ${timeOf('until', until)}`]),
    ...(after === undefined ? [] : [sql`audit_seq < ${after}`]),
  ]
  const where = join(conditions, ' AND ')
  const page = sql`SELECT ${evidence ? raw('*') : LISTED} FROM actions
    WHERE ${where} ORDER BY audit_seq DESC LIMIT ${limit + 1}`
  const rows = await ask(db, allRows(page, asRow))
  const listed = rows.slice(0, limit)
  const actions = evidence ? await Promise.all(listed.map(withEvidence)) : listed.map(withoutEvidence)
  return { actions, next_after: rows.length > limit ? (actions.at(-1)?.audit_seq ?? null) : null }
}

/** One row with its evidence, as it is stored: `changed` says what of it is not what was written. Throws 404 when there is none. */
export async function showAction(db: Sql, actionId: string): Promise<ActionDetail> {
  const found = sql`SELECT * FROM actions WHERE action_id = ${actionId}`
  const row = await ask(db, firstRow(found, asRow))
  if (row === undefined) throw new ServiceError(404, `Unknown action: ${actionId}`)
  return withEvidence(row)
}

/** The same for what takes it as evidence. Throws 409 too, where the row is not what its record and the audit log say. */
export async function unchangedAction(db: Sql, actionId: string): Promise<ActionDetail> {
  const action = await showAction(db, actionId)
  await vouchedBy(db, 'actions', actionId)
  return action
}

/** Returns an action that is as it was written. Throws 409 for another. */
export function refuseChanged(action: ActionDetail): ActionDetail {
  if (action.changed !== undefined) throw changedRow(action.action_id, action.changed)
  return action
}

async function withEvidence(row: Row): Promise<ActionDetail> {
  const stored = readStoredAction(row)
  return detailOf(row, await chainProblem(stored, stored.prev_hash))
}

function withoutEvidence(row: Row): ActionDetail {
  const record_json = `${asText(row.unclosed)}}`
  return detailOf(row, recordProblem(readStoredAction({ ...row, record_json })))
}

function detailOf(row: Row, changed: string | undefined): ActionDetail {
  return { ...toDetail(row), ...(changed === undefined ? {} : { changed }) }
}

export function toListed(detail: ActionDetail): ActionRecord {
  const {
    actor_source: _source,
    claimed_actor: _claimed,
    actor_identity: _identity,
    evidence: _evidence,
    record_json: _json,
    prev_hash: _prev,
    hash: _hash,
    ...listed
  } = detail
  return listed
}

/** GET /v1/promoted: one pointer per agent and environment. */
export async function listPromoted(db: Sql, scope: Scope): Promise<Promoted['promoted']> {
  const pointers = sql`SELECT agent_id, environment, release_id FROM promoted_pointers
    WHERE ${placeInScope(scope)} ORDER BY agent_id, environment`
  return ask(db, allRows(pointers, columns({ agent_id: asText, environment: asText, release_id: asText })))
}

const readAction = columns({
  action_id: asText,
  action: asText<ActionRecord['action']>,
  release_id: asText,
  agent_id: asText,
  environment: asText,
  baseline_release_id: orNull(asText),
  reason: asText,
  policy_passed: asFlag,
  policy_reasons: asJson<string[]>,
  created_at: asTime,
  audit_seq: asNumber,
  actor: asText,
  forced: asFlag,
  actor_source: orNull(asText<Actor['source']>),
  record_json: orNull(asText),
  prev_hash: orNull(asText),
  hash: orNull(asText),
})

function toDetail(row: Row): ActionDetail {
  const { forced, actor_source, record_json, prev_hash, hash, ...listed } = readAction(row)
  const record = jsonOf(record_json ?? '') as AuditRecord | null | undefined
  return {
    ...listed,
    result: resultOf({ passed: listed.policy_passed, reasons: listed.policy_reasons }),
    ...(forced ? { forced } : {}),
    actor_source,
    ...(record?.claimed_actor === undefined ? {} : { claimed_actor: record.claimed_actor }),
    ...(record?.actor_identity === undefined ? {} : { actor_identity: record.actor_identity }),
    evidence: (record?.evidence as Evidence | undefined) ?? null,
    record_json,
    prev_hash,
    hash,
  }
}
