import { jsonOf } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { raw, sql, type Row, type Sql } from '../../sql/port.ts'
import { allRows, asNumber, asRow, asText, ask, columns, orNull, rowsOfKeys } from '../../sql/query.ts'
import { deliveryIdStart } from '../webhooks/announcements.ts'
import { partsOf, type AnyFeature } from '../world/ledger.ts'
import { fail, pass, type DoctorCheck } from './check.ts'

/** What deliveries and kept answers are about. */
export interface Cause {
  /** How its ids begin. */
  readonly start: string
  readonly table: string
  readonly id: string
  /** What they repeat of its row. */
  readonly said: readonly string[]
  /** Ids that its deliveries are made of, by its own and what they say; its own alone unless given. */
  readonly announcedBy?: (id: string, said: Row) => readonly string[]
}

const DECISION: Cause = {
  start: 'act_',
  table: 'actions',
  id: 'action_id',
  said: [
    'audit_seq',
    'hash',
    'action',
    'release_id',
    'agent_id',
    'environment',
    'baseline_release_id',
    'actor',
    'reason',
  ],
}

const REQUEST: Cause = {
  start: 'prq_',
  table: 'promotion_requests',
  id: 'request_id',
  said: ['release_id', 'agent_id', 'environment', 'baseline_release_id', 'actor', 'reason'],
}

/** All that deliveries and kept answers may be about. */
async function causesIn(features: readonly AnyFeature[]): Promise<readonly Cause[]> {
  return [DECISION, REQUEST, ...(await partsOf<readonly Cause[]>(features, 'causes')).flat()]
}

/** The rows of what is named, by their ids. */
async function causedBy(
  db: Sql,
  named: readonly ({ readonly cause: Cause; readonly id: string } | undefined)[],
): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>()
  const known = named.filter(each => each !== undefined)
  for (const [{ table, id }, of] of Map.groupBy(known, ({ cause }) => cause)) {
    const found = await rowsOfKeys(
      db,
      of.map(each => each.id),
      listed => sql`SELECT * FROM ${raw(table)} WHERE ${raw(id)} IN (${listed})`,
      asRow,
    )
    for (const row of found) rows.set(asText(row[id]), row)
  }
  return rows
}

/** The first column of which something else is said than the row has; what isn't said is not wrong. */
function wrongColumn(cause: Cause, said: Row, row: Row): string | undefined {
  return cause.said.find(column => {
    const value = said[column]
    return value !== undefined && value !== row[column]
  })
}

/** Deliveries or answers that are read at a time. */
const PAGE = 90

/** What the outbox tells, or has told, is what the ledger has: a delivery is signed whoever put it there. */
export async function checkDeliveries(db: Sql, features: readonly AnyFeature[]): Promise<DoctorCheck> {
  const causes = await causesIn(features)
  const name = 'webhook_deliveries'
  let verified = 0
  for (let seq = 0; ;) {
    const page = sql`SELECT d.seq, d.delivery_id, d.webhook_id, d.event, d.body, d.created_at, w.webhook_id AS found
        FROM webhook_deliveries d LEFT JOIN webhooks w ON w.webhook_id = d.webhook_id
        WHERE d.seq > ${seq} ORDER BY d.seq LIMIT ${PAGE}`
    const rows: Delivery[] = await ask(db, allRows(page, readDelivery))
    const named = rows.map(row => announcedIn(row, causes))
    const found = await causedBy(db, named)
    for (const [index, row] of rows.entries()) {
      const problem = deliveryProblem(row, named[index], found)
      if (problem !== undefined) return fail(name, `${row.delivery_id} ${problem}`)
    }
    verified += rows.length
    seq = rows.at(-1)?.seq ?? seq
    if (rows.length < PAGE) return pass(name, `${verified} tell what the ledger has`)
  }
}

const readDelivery = columns({
  seq: asNumber,
  delivery_id: asText,
  webhook_id: asText,
  event: asText,
  body: asText,
  created_at: asNumber,
  found: orNull(asText),
})

type Delivery = ReturnType<typeof readDelivery>

/** What a delivery says that it is about; undefined where it says nothing that could be. */
interface Announced {
  readonly cause: Cause
  readonly id: string
  readonly payload: {
    readonly event: string
    readonly delivery_id: string
    readonly created_at: string
    readonly data: Row
  }
}

function announcedIn(
  { body, event, delivery_id }: Delivery,
  causes: readonly Cause[],
): Announced | undefined {
  const payload = jsonOf(body) as Announced['payload'] | null | undefined
  if (payload == null || payload.event !== event || payload.delivery_id !== delivery_id) return undefined
  for (const cause of causes) {
    const id = payload.data?.[cause.id]
    if (typeof id === 'string' && id.startsWith(cause.start)) return { cause, id, payload }
  }
  return undefined
}

function deliveryProblem(
  { delivery_id, webhook_id, created_at, found }: Delivery,
  named: Announced | undefined,
  rows: ReadonlyMap<string, Row>,
): string | undefined {
  if (found === null) return `is for ${webhook_id}, which is not there`
  if (named === undefined) return 'has a body that is none of its own'
  const { cause, id, payload } = named
  const row = rows.get(id)
  if (row === undefined) return `tells of ${id}, which is not there`
  const starts = (cause.announcedBy?.(id, payload.data) ?? [id]).map(deliveryIdStart)
  if (!starts.some(start => delivery_id === start + webhook_id.slice(4))) {
    return `has another id than a delivery of ${id} to ${webhook_id}`
  }
  if (payload.created_at !== isoTime(created_at)) return 'says another time than it has'
  const wrong = wrongColumn(cause, payload.data, row)
  return wrong === undefined ? undefined : `says another ${wrong} than ${id} has`
}

/**
 * The answer that a repeated Idempotency-Key is given tells of a decision or request as the ledger has it: a pipeline that
 * sends its request again goes by it. Which request a key came with nothing else holds.
 */
export async function checkKeptAnswers(db: Sql, features: readonly AnyFeature[]): Promise<DoctorCheck> {
  const causes = await causesIn(features)
  const name = 'idempotency_keys'
  const given = new Set<string>()
  let verified = 0
  for (let after = ''; ;) {
    const page = sql`SELECT key, body_json, created_at FROM idempotency_keys
      WHERE key > ${after} ORDER BY key LIMIT ${PAGE}`
    const kept: KeptAnswer[] = await ask(db, allRows(page, readAnswer))
    const rows = kept.filter(row => !isBlocked(row))
    const named = rows.map(row => answeredIn(row, causes))
    const found = await causedBy(db, named)
    for (const [index, row] of rows.entries()) {
      const each = named[index]
      const problem =
        each === undefined
          ? 'tells of no decision or request'
          : answerProblem(row, each, found.get(each.id), given)
      if (problem !== undefined) return fail(name, `the answer kept at ${row.created_at} ${problem}`)
    }
    verified += rows.length
    after = kept.at(-1)?.key ?? ''
    if (kept.length < PAGE) return pass(name, `${verified} kept answers tell what the ledger has`)
  }
}

const readAnswer = columns({ key: asText, body_json: asText, created_at: asNumber })

type KeptAnswer = ReturnType<typeof readAnswer>

/** What was blocked before there was a row of it: a promotion request by the policy, or what a feature would begin. */
function isBlocked({ body_json }: KeptAnswer): boolean {
  const body = jsonOf(body_json) as
    | { passed?: unknown; policy?: { passed?: unknown }; blocked?: unknown }
    | undefined
  return (body?.passed === false && body.policy?.passed === false) || Array.isArray(body?.blocked)
}

/** What an answer is about, and what it says of it. */
interface Answered {
  readonly cause: Cause
  readonly id: string
  readonly said: Row & { readonly policy?: { readonly passed?: unknown; readonly reasons?: unknown } }
}

function answeredIn({ body_json }: KeptAnswer, causes: readonly Cause[]): Answered | undefined {
  const body = jsonOf(body_json) as { request?: unknown } | undefined
  const said = (body?.request ?? body) as Answered['said'] | undefined
  if (typeof said?.action_id === 'string') return { cause: DECISION, id: said.action_id, said }
  const id = said?.request_id ?? said?.rollout_id
  const cause = causes.find(({ start }) => typeof id === 'string' && id.startsWith(start))
  return said === undefined || cause === undefined ? undefined : { cause, id: String(id), said }
}

function answerProblem(
  answer: KeptAnswer,
  { cause, id, said }: Answered,
  row: Row | undefined,
  given: Set<string>,
): string | undefined {
  if (row === undefined) return `tells of ${id}, which is not there`
  const wrong = wrongColumn(cause, said, row)
  if (wrong !== undefined) return `says another ${wrong} than ${id} has`
  if (cause !== DECISION) return undefined
  const passed = row.policy_passed === 1
  const reasons = JSON.stringify(said.policy?.reasons)
  if (said.policy?.passed !== passed || reasons !== row.policy_reasons)
    return `says another verdict than ${id} has`
  // One that is kept for a second key was put there.
  if (given.has(id) || answer.created_at !== row.created_at) return `is not the one that ${id} gave`
  given.add(id)
  return undefined
}
