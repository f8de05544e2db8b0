import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import type { Approval, PromotionRequest } from '../../models/answers/promotion_request.ts'
import { type Grounds, outdatedBecause } from '../../rules/changes.ts'
import type { Clock } from '../../rules/clock.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asJson,
  asNumber,
  asRow,
  asText,
  asTime,
  columns,
  field,
  firstRow,
  inTurn,
  mapped,
  orNull,
  together,
  insertRow,
} from '../../sql/query.ts'
import { ACTIVE_POLICY } from '../registry/policies.ts'
import { boundColumns, holding, holdsOf, updateBound } from '../trail/bound_rows.ts'
import { type LogActor, type NewEntry, SERVICE_ACTOR } from '../trail/chain.ts'
import { requireClock } from '../trail/clock.ts'
import { type LoggedChange, writeLogged } from '../trail/write_logged.ts'
import type { Actor, Ledger } from '../world/ledger.ts'
import { ageBefore } from '../world/query.ts'
import { EVERYTHING, type Scope, placeInScope } from '../world/scope.ts'
import { type Approvable, alikeWarnings, approvalBy, refuseApprover } from './approvers.ts'

type Status = PromotionRequest['status']
type Details = Readonly<Record<string, unknown>>
type Table = keyof typeof DETAILS

/** What entries of the audit log say of a request, by its table. */
const DETAILS = {
  promotion_requests: ({ release_id, agent_id, environment }: Row): Details => ({
    release_id,
    agent_id,
    environment,
  }),
  rollout_requests: ({ agent_id, environment, candidate_release_id: release_id, status }: Row): Details => ({
    agent_id,
    environment,
    release_id,
    status,
  }),
} as const
const TABLES = Object.keys(DETAILS) as Table[]

/** A kind of request that others have to confirm; `R` is how it is answered. */
export interface RequestKind<R extends Approvable = Approvable> {
  readonly what: 'promotion' | 'rollout'
  readonly table: Table
  /** How it is done where nobody has to confirm it. */
  readonly atOnce: string
  /** What it came to, as errors name it; null until then. */
  readonly cameTo: (row: Row) => string | null
  readonly show: (row: Row) => R
}

/** Throws 400 where the workspace demands no approval. */
export function requireApproval({ workspace }: Ledger, { atOnce }: RequestKind): void {
  if (workspace.promotion_requires_approval) return
  throw badRequest(
    `This workspace does not require approval (promotion_requires_approval is false): ${atOnce}.`,
  )
}

/** What every request has while it waits. Throws 503 where it has an end and the database's clock is wrong. */
export function pendingRow(
  { workspace }: Ledger,
  request_id: string,
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
  clock: Clock,
): Row {
  const { approvals_required = 1, approval_expires } = workspace
  if (approval_expires != null) requireClock(clock)
  return {
    request_id,
    status: 'pending',
    reason,
    actor: actor.name,
    actor_source: actor.source,
    claimed_actor: actor.claimed ?? null,
    expires_at: approval_expires == null ? null : 2 * clock.now - ageBefore(approval_expires, clock.now),
    approvals_required,
    approvals_json: '[]',
  }
}

interface RequestChange {
  /** Id of the change. */
  readonly id: string
  readonly kind: NewEntry['kind']
  readonly actor: LogActor
  readonly reason: string
  /** Epoch ms. */
  readonly at: number
  readonly more?: Details
}

/** The change that writes columns of a pending request, or all of a new one, with its entry in the log. */
export async function requestChange(
  { table }: RequestKind,
  before: Row | undefined,
  changed: Row,
  said: RequestChange,
  along: (after: Row, guard: Statement) => readonly Statement[] = () => [],
): Promise<LoggedChange<Row>> {
  const after = { ...before, ...changed }
  return {
    id: said.id,
    revises: 'none',
    entries: [await requestEntry(table, after, said)],
    write: guard => [
      before === undefined
        ? insertRow(table, changed, guard)
        : updateRequest(table, after, Object.keys(changed), guard),
      ...along(after, guard),
    ],
    done: after,
  }
}

/** Writes columns of the row of a request that is still pending, where the guard lets it through. */
export function updateRequest(
  table: Table,
  row: Row,
  changed: readonly string[],
  guard: Statement,
): Statement {
  return sql`${updateBound(table, row, changed, guard)} AND status = 'pending'`
}

/** What the audit log says of a request: who did what to it, and why, and its row as it is then. */
export async function requestEntry(
  table: Table,
  row: Row,
  { kind, actor, reason, at, more = {} }: Omit<RequestChange, 'id'>,
): Promise<NewEntry> {
  const holds = holding(await holdsOf(table, [row]))
  const details = { ...DETAILS[table](row), ...more, ...holds }
  return { kind, subject: asText(row.request_id), actor, reason, created_at: at, fact: null, details }
}

export interface Ending {
  readonly request_id: string
  readonly reason: string
  readonly actor: Actor
  readonly scope?: Scope
}

/** Ends a pending request. Nothing comes of it any more. */
export async function endRequest<R extends Approvable>(
  ledger: Ledger,
  kind: RequestKind<R>,
  { request_id, reason, actor, scope }: Ending,
  endOf: (
    row: Row,
    clock: Clock,
  ) => Pick<RequestChange, 'kind' | 'at'> & { readonly resolution: 'rejected' | null },
): Promise<R> {
  if (isBlank(reason)) throw badRequest(`reason is required to cancel or reject a ${kind.what} request`)
  const id = ledger.newId('cnl_')
  const row = await writeLogged(
    ledger,
    requestQuery(ledger.sql, kind.table, request_id, scope),
    (stored, clock) => {
      const pending = pendingRequest(kind, stored, request_id)
      const { kind: entry, resolution, at } = endOf(pending, clock)
      const end = {
        status: 'cancelled',
        resolution,
        resolved_at: at,
        resolved_by: actor.name,
        resolution_reason: reason,
      }
      return requestChange(kind, pending, end, { id, kind: entry, actor, reason, at })
    },
  )
  return kind.show(row)
}

/** Requests of a table that are ended at a time. */
const MOST_AT_ONCE = 20
const EXPIRED = {
  status: 'cancelled',
  resolution: 'expired',
  resolved_by: SERVICE_ACTOR.name,
  resolution_reason: 'nobody confirmed it in time',
}

/** Ends requests whose time is over, and returns how many; none by a clock that is wrong. Until then they only look ended. */
export async function expireRequests(ledger: Ledger): Promise<number> {
  const { clock } = ledger.sql
  const over = TABLES.map(table =>
    allRows(
      sql`${selectRequests(table, clock)} WHERE ${hasExpired(clock)} LIMIT ${MOST_AT_ONCE}`,
      row => [table, { ...row, ...EXPIRED, resolved_at: row.expires_at! }] as const,
    ),
  )
  const id = ledger.newId('exp_')
  return writeLogged(ledger, inTurn(over), async (found, { apart, doubt }) => {
    const ended = found.flat()
    if (ended.length === 0 || apart !== undefined || doubt !== undefined) return { already: 0 }
    const by = { kind: 'request.expired', actor: SERVICE_ACTOR, reason: EXPIRED.resolution_reason } as const
    const said = { ...by, at: ledger.now() }
    return {
      id,
      revises: 'none',
      entries: await Promise.all(ended.map(([table, row]) => requestEntry(table, row, said))),
      write: guard => {
        const changed = [...Object.keys(EXPIRED), 'resolved_at']
        return ended.map(([table, row]) => updateRequest(table, row, changed, guard))
      },
      done: ended.length,
    }
  })
}

interface RequestListing {
  readonly id?: string | undefined
  readonly status?: Status | undefined
  /** All unless given. */
  readonly limit?: number
  readonly scope: Scope
}

/** Requests of one kind, newest first. */
export function listRequests<R extends Approvable>(
  { clock }: Sql,
  kind: RequestKind<R>,
  { id, status, limit, scope }: RequestListing,
): Query<R[]> {
  const isOver = hasExpired(clock)
  const hasStatus = {
    pending: sql`status = 'pending' AND NOT ${isOver}`,
    completed: sql`status = 'completed'`,
    cancelled: sql`(status = 'cancelled' OR ${isOver})`,
    all: sql`true`,
  }[status ?? 'all']
  const isIt = id === undefined ? raw('') : sql`AND request_id = ${id}`
  const most = limit === undefined ? raw('') : sql`LIMIT ${limit}`
  return allRows(
    sql`${selectRequests(kind.table, clock)} WHERE ${hasStatus} AND ${placeInScope(scope)} ${isIt}
      ORDER BY seq DESC ${most}`,
    kind.show,
  )
}

/** True for a request that waits still, though its time is over. */
function hasExpired(clock: Statement): Statement {
  return sql`(status = 'pending' AND expires_at IS NOT NULL AND expires_at <= ${clock})`
}

function selectRequests(table: Table, clock: Statement): Statement {
  return sql`SELECT ${boundColumns(table)}, ${clock} AS now FROM ${raw(table)}`
}

export function requestQuery(
  { clock }: Sql,
  table: Table,
  requestId: string,
  scope = EVERYTHING,
): Query<Row | undefined> {
  const found = sql`${selectRequests(table, clock)} WHERE request_id = ${requestId} AND ${placeInScope(scope)}`
  return firstRow(found, asRow)
}

/** What every kind of request says of itself. One whose time is over looks ended, by the database's clock. */
export function stateOf(row: Row) {
  const state = readState(row)
  const isOver = state.status === 'pending' && state.expires_at !== null && row.expires_at! <= (row.now ?? 0)
  return isOver
    ? ({ ...state, status: 'cancelled', resolution: 'expired', resolved_at: state.expires_at } as const)
    : state
}

const readState = columns({
  request_id: asText,
  status: asText<Status>,
  agent_id: asText,
  environment: asText,
  reason: asText,
  actor: asText,
  created_at: asTime,
  expires_at: orNull(asTime),
  approvals_required: asNumber,
  approvals_json: approvalsOf,
  resolved_at: orNull(asTime),
  resolved_by: orNull(asText),
  resolution: orNull(asText<NonNullable<PromotionRequest['resolution']>>),
  resolution_reason: orNull(asText),
})

function approvalsOf(json: Row[string] | undefined): Approval[] {
  return asJson<GivenApproval[]>(json).map(publicApproval)
}

/**
 * Throws 400 for an unknown request, and for one that is settled; with a clock 503 where it has an end and the clock doesn't tell
 * whether it is over.
 */
export function pendingRequest(
  { what, cameTo }: RequestKind,
  row: Row | undefined,
  requestId: string,
  clock?: Clock,
): Row {
  const name = `${what === 'promotion' ? 'Promotion' : 'Rollout'} request ${requestId}`
  if (row === undefined) throw badRequest(`Unknown ${what} request: ${requestId}`)
  if (clock !== undefined && row.status === 'pending' && row.expires_at !== null) requireClock(clock)
  const { status, resolution, resolved_at, resolved_by } = stateOf(row)
  if (status === 'pending') return row
  if (resolution === 'expired') {
    throw badRequest(`${name} expired at ${resolved_at}: request the ${what} again.`)
  }
  const how = resolution === 'rejected' ? ` (rejected by ${resolved_by})` : ''
  const end = cameTo(row)
  throw badRequest(`${name} is ${status} already${how}${end === null ? '.' : ` (${end}).`}`)
}

/** What a confirmation is judged by. */
export interface ReadRequest {
  readonly row: Row | undefined
  /** What confirmations rest on now; undefined if one is enough, as nothing rests on an earlier one then. */
  readonly grounds: Grounds | undefined
}

export function confirmationQuery(
  { sql: db, workspace }: Ledger,
  { table }: RequestKind,
  row: Row,
  scope?: Scope,
): Query<ReadRequest> {
  return together({
    row: requestQuery(db, table, asText(row.request_id), scope),
    grounds: approvalsRequired(workspace, row) === 1 ? undefined : groundsQuery(row),
  })
}

/** What a decision on a release in a place rests on now. */
function groundsQuery(row: Row): Query<Grounds> {
  const [agent_id, environment] = [asText(row.agent_id), asText(row.environment)]
  const release_id = asText(row.release_id ?? row.candidate_release_id)
  const live = sql`SELECT release_id FROM promoted_pointers
    WHERE agent_id = ${agent_id} AND environment = ${environment}`
  const tables = sql`SELECT r.pricing_provider, r.pricing_version, (
      SELECT p.new_checksum FROM pricing_imports p
      WHERE p.provider = r.pricing_provider AND p.pricing_version = r.pricing_version ORDER BY p.seq DESC LIMIT 1
    ) AS checksum
    FROM releases r WHERE r.release_id = ${release_id} OR r.release_id IN (${live}) ORDER BY 1, 2`
  const read = together({
    live: firstRow(live, field('release_id', asText)),
    policy: ACTIVE_POLICY,
    tables: allRows(
      tables,
      columns({ pricing_provider: asText, pricing_version: asText, checksum: orNull(asText) }),
    ),
  })
  return mapped(read, found => ({
    baseline_release_id: found.live ?? null,
    policy: resolveOverrides(found.policy, { agent_id, environment }).policy,
    prices: Object.fromEntries(
      found.tables.map(({ pricing_provider, pricing_version, checksum }) => [
        `${pricing_provider}/${pricing_version}`,
        checksum,
      ]),
    ),
  }))
}

/** A confirmation with what it rests on, which is kept but not answered. */
interface GivenApproval extends Approval {
  readonly grounds?: Grounds
}

function publicApproval({ grounds: _grounds, ...approval }: GivenApproval): Approval {
  return approval
}

/** Who gives a confirmation, and why. */
export interface Confirming {
  readonly request_id: string
  readonly approval_reason: string
  readonly actor: Actor
}

export function refuseBlankApproval({ what }: RequestKind, { approval_reason }: Confirming): void {
  if (isBlank(approval_reason)) throw badRequest(`approval_reason is required to confirm a ${what}`)
}

/** A request with one confirmation more: what it is then, and what is missing. */
export type Confirmed = ReturnType<typeof confirmedBy>

/**
 * A pending request with this confirmation. Those that rest on other grounds than there are now no longer count. Throws 400 where
 * the request isn't pending any more, or this one may not confirm it.
 */
export function confirmedBy(
  workspace: Ledger['workspace'],
  kind: RequestKind,
  { row: stored, grounds }: ReadRequest,
  clock: Clock,
  { request_id, approval_reason: reason, actor }: Confirming,
  at: number,
) {
  const row = pendingRequest(kind, stored, request_id, clock)
  const judged = asJson<GivenApproval[]>(row.approvals_json).map(approval => ({
    approval,
    because: grounds === undefined ? [] : outdatedBecause(approval.grounds, grounds),
  }))
  const given = judged.filter(({ because }) => because.length === 0).map(({ approval }) => approval)
  const voided = judged
    .filter(({ because }) => because.length > 0)
    .map(({ approval: { actor: by, created_at }, because }) => ({ actor: by, created_at, because }))
  const request: Approvable = {
    ...kind.show(row),
    actor_source: asText(row.actor_source),
    claimed_actor: orNull(asText)(row.claimed_actor),
    approvals: given.map(publicApproval),
  }
  refuseApprover(request, kind.what, actor, workspace)
  const mine: GivenApproval = {
    ...approvalBy(actor, { reason, created_at: isoTime(at) }),
    ...(grounds === undefined ? {} : { grounds }),
  }
  const approvals = [...given, mine]
  const required = approvalsRequired(workspace, row)
  const outdated = voided.map(
    ({ actor: by, created_at, because }) =>
      `The confirmation by ${by} at ${created_at} no longer counts: ${because.join('; ')}.`,
  )
  const warnings = [...outdated, ...alikeWarnings(request, actor)]
  return {
    row,
    at,
    /** Who requested it. */
    requester: request,
    approvals: approvals.map(publicApproval),
    required,
    missing: required - approvals.length,
    changed: { approvals_json: JSON.stringify(approvals), approvals_required: required },
    /** What an audit entry or the evidence of a decision says of confirmations that no longer count. */
    voiding: voided.length === 0 ? {} : { void_approvals: voided },
    warned: warnings.length === 0 ? {} : { warnings },
  }
}

/** The columns that settle a request with its last confirmation. */
export function completed({ changed }: Confirmed, { actor, approval_reason }: Confirming, at: number): Row {
  return {
    status: 'completed',
    resolved_at: at,
    resolved_by: actor.name,
    resolution_reason: approval_reason,
    ...changed,
  }
}

/** How many have to confirm: as many as were required at the request, or more if more are now. */
function approvalsRequired({ approvals_required: now = 1 }: Ledger['workspace'], row: Row): number {
  return Math.max(asNumber(row.approvals_required), now)
}
