import { type Row, type Sql, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, asRow, ask, asText, columns, rowsOfKeys } from '../../sql/query.ts'
import { jsonOf } from '../../base/text.ts'
import { type DoctorCheck, fail, pass } from './check.ts'

/** What deliveries and kept answers tell of, by the first letters of its id, and what they repeat of it. */
export const CAUSES = {
  act_: {
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
  },
  prq_: {
    table: 'promotion_requests',
    id: 'request_id',
    said: ['release_id', 'agent_id', 'environment', 'baseline_release_id', 'actor', 'reason'],
  },
  wch_: {
    table: 'watches',
    id: 'watch_id',
    said: ['release_id', 'agent_id', 'environment', 'baseline_release_id'],
  },
  rol_: {
    table: 'rollouts',
    id: 'rollout_id',
    said: ['candidate_release_id', 'agent_id', 'environment', 'baseline_release_id'],
  },
  rrq_: {
    table: 'rollout_requests',
    id: 'request_id',
    said: ['candidate_release_id', 'agent_id', 'environment', 'baseline_release_id', 'actor', 'reason'],
  },
} as const

export type CauseKind = keyof typeof CAUSES
export const CAUSE_KINDS = Object.keys(CAUSES) as CauseKind[]

/** What is told of, by kind and id. */
interface Cause {
  readonly kind: CauseKind
  readonly id: string
}

/** The rows of what is told of, by their ids. */
export async function causesOf(
  db: Sql,
  told: readonly (Cause | undefined)[],
): Promise<ReadonlyMap<string, Row>> {
  const causes = new Map<string, Row>()
  for (const kind of CAUSE_KINDS) {
    const { table, id } = CAUSES[kind]
    const ids = told.flatMap(each => (each?.kind === kind ? [each.id] : []))
    const rows = await rowsOfKeys(
      db,
      ids,
      listed => sql`SELECT * FROM ${raw(table)} WHERE ${raw(id)} IN (${listed})`,
      asRow,
    )
    for (const row of rows) causes.set(asText(row[id]), row)
  }
  return causes
}

/** The first column of which something else is said than the row has; what isn't said is not wrong. */
export function wrongColumn(kind: CauseKind, said: Row, row: Row): string | undefined {
  return CAUSES[kind].said.find(column => {
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
export async function checkKeptAnswers(db: Sql): Promise<DoctorCheck> {
  const name = 'idempotency_keys'
  const given = new Set<string>()
  let verified = 0
  for (let after = ''; ;) {
    const page = sql`SELECT key, body_json, created_at FROM idempotency_keys
      WHERE key > ${after} ORDER BY key LIMIT ${PAGE}`
    const rows: KeptAnswer[] = await ask(db, allRows(page, readAnswer))
    const told = rows.map(toldBy)
    const causes = await causesOf(db, told)
    for (const [index, row] of rows.entries()) {
      const each = told[index]
      const problem =
        each === undefined
          ? 'tells of no decision or request'
          : problemOf(row, each, causes.get(each.id), given)
      if (problem !== undefined) return fail(name, `the answer kept at ${row.created_at} ${problem}`)
    }
    verified += rows.length
    after = rows.at(-1)?.key ?? ''
    if (rows.length < PAGE) return pass(name, `${verified} kept answers tell what the ledger has`)
  }
}

const readAnswer = columns({ key: asText, body_json: asText, created_at: asNumber })

type KeptAnswer = ReturnType<typeof readAnswer>

interface Told {
  readonly kind: CauseKind
  readonly id: string
  readonly said: Row & { readonly policy?: { readonly passed?: unknown; readonly reasons?: unknown } }
}

function toldBy({ body_json }: KeptAnswer): Told | undefined {
  const body = jsonOf(body_json) as { request?: unknown } | undefined
  const said = (body?.request ?? body) as Told['said'] | undefined
  if (typeof said?.action_id === 'string') return { kind: 'act_', id: said.action_id, said }
  const id = said?.request_id ?? said?.rollout_id
  const kind = CAUSE_KINDS.find(start => typeof id === 'string' && id.startsWith(start))
  return said === undefined || kind === undefined ? undefined : { kind, id: String(id), said }
}

function problemOf(
  row: KeptAnswer,
  { kind, id, said }: Told,
  cause: Row | undefined,
  given: Set<string>,
): string | undefined {
  if (cause === undefined) return `tells of ${id}, which is not there`
  const wrong = wrongColumn(kind, said, cause)
  if (wrong !== undefined) return `says another ${wrong} than ${id} has`
  if (kind !== 'act_') return undefined
  const passed = cause.policy_passed === 1
  const reasons = JSON.stringify(said.policy?.reasons)
  if (said.policy?.passed !== passed || reasons !== cause.policy_reasons)
    return `says another verdict than ${id} has`
  // One that is kept for a second key was put there.
  if (given.has(id) || row.created_at !== cause.created_at) return `is not the one that ${id} gave`
  given.add(id)
  return undefined
}
