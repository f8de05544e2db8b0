import { type Row, type Sql, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, asRow, ask, asText, columns, rowsOfKeys } from '../../sql/query.ts'
import { jsonOf } from '../../base/text.ts'
import { type AnyFeature, partsOf } from '../world/ledger.ts'
import { type DoctorCheck, fail, pass } from './check.ts'

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
export async function causesIn(features: readonly AnyFeature[]): Promise<readonly Cause[]> {
  return [DECISION, REQUEST, ...(await partsOf<readonly Cause[]>(features, 'causes')).flat()]
}

/** The rows of what is named, by their ids. */
export async function causedBy(
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
export function wrongColumn(cause: Cause, said: Row, row: Row): string | undefined {
  return cause.said.find(column => {
    const value = said[column]
    return value !== undefined && value !== row[column]
  })
}

/** Answers that are read at a time. */
const PAGE = 90

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
    const rows: KeptAnswer[] = await ask(db, allRows(page, readAnswer))
    const named = rows.map(row => namedBy(row, causes))
    const found = await causedBy(db, named)
    for (const [index, row] of rows.entries()) {
      const each = named[index]
      const problem =
        each === undefined
          ? 'tells of no decision or request'
          : problemOf(row, each, found.get(each.id), given)
      if (problem !== undefined) return fail(name, `the answer kept at ${row.created_at} ${problem}`)
    }
    verified += rows.length
    after = rows.at(-1)?.key ?? ''
    if (rows.length < PAGE) return pass(name, `${verified} kept answers tell what the ledger has`)
  }
}

const readAnswer = columns({ key: asText, body_json: asText, created_at: asNumber })

type KeptAnswer = ReturnType<typeof readAnswer>

/** What an answer is about, and what it says of it. */
interface Named {
  readonly cause: Cause
  readonly id: string
  readonly said: Row & { readonly policy?: { readonly passed?: unknown; readonly reasons?: unknown } }
}

function namedBy({ body_json }: KeptAnswer, causes: readonly Cause[]): Named | undefined {
  const body = jsonOf(body_json) as { request?: unknown } | undefined
  const said = (body?.request ?? body) as Named['said'] | undefined
  if (typeof said?.action_id === 'string') return { cause: DECISION, id: said.action_id, said }
  const id = said?.request_id ?? said?.rollout_id
  const cause = causes.find(({ start }) => typeof id === 'string' && id.startsWith(start))
  return said === undefined || cause === undefined ? undefined : { cause, id: String(id), said }
}

function problemOf(
  answer: KeptAnswer,
  { cause, id, said }: Named,
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
