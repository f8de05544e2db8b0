import { badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { PolicyDiff, PolicyHistory, PolicySetting } from '../../models/answers/history.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { DEFAULT_POLICY } from '../../rules/policy.ts'
import { policyChanges } from '../../rules/changes.ts'
import { type Row, type Sql, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import { toPolicy } from '../../ledger/registry/policies.ts'

/** Named, because a newer server may have added others. */
const SETTING = sql`seq, policy_id, policy_json, actor, actor_source, created_at, change_id, reason`

export interface PageAsked {
  readonly limit: number
  /** Only rows older than this. */
  readonly after?: number | undefined
}

/** Every policy that was set, newest first, each with what it changed of the one that was in force before it. */
export async function policyHistory(db: Sql, { limit, after }: PageAsked): Promise<PolicyHistory> {
  const rows = await rowsOf(
    db,
    sql`SELECT ${SETTING} FROM policy_history
      WHERE ${after === undefined ? sql`true` : sql`seq < ${after}`} ORDER BY seq DESC LIMIT ${limit + 1}`,
  )
  const policies = rows.slice(0, limit).map((row, index) => toSetting(row, toPolicy(rows[index + 1])))
  return { policies, next_after: rows.length > limit ? policies.at(-1)!.seq : null }
}

/** The difference of two policies, named ID@SEQ: of the one in force to the one before it where none is named. */
export async function policyDiff(
  db: Sql,
  names: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<PolicyDiff> {
  const to = await settingOf(db, names.to)
  const from = names.from === undefined ? await settingBefore(db, to) : await settingOf(db, names.from)
  const policyOf = (row: Row | undefined): Policy => toPolicy(row)
  return {
    from: named(from),
    to: named(to),
    changes: policyChanges(policyOf(from), policyOf(to)),
  }
}

async function settingOf(db: Sql, name: string | undefined): Promise<Row | undefined> {
  if (name === undefined) {
    return (await rowsOf(db, sql`SELECT ${SETTING} FROM policy_history ORDER BY seq DESC LIMIT 1`))[0]
  }
  const match = /^(.+)@(\d{1,15})$/.exec(name)
  if (match === null) {
    throw badRequest(`A policy of the history is named ID@SEQ, such as default@3, not ${name}.`)
  }
  const [row] = await rowsOf(
    db,
    sql`SELECT ${SETTING} FROM policy_history WHERE policy_id = ${match[1]!} AND seq = ${Number(match[2])}`,
  )
  if (row === undefined) {
    throw badRequest(`No policy ${name} was ever set; \`svc policy history\` lists those that were.`)
  }
  return row
}

async function settingBefore(db: Sql, setting: Row | undefined): Promise<Row | undefined> {
  const [row] = await rowsOf(
    db,
    sql`SELECT ${SETTING} FROM policy_history WHERE seq < ${setting?.seq ?? 0} ORDER BY seq DESC LIMIT 1`,
  )
  return row
}

/** The default policy, which nobody set, has no number. */
function named(row: Row | undefined): PolicyDiff['from'] {
  if (row === undefined) return { seq: null, policy_id: DEFAULT_POLICY.policy_id, policy: DEFAULT_POLICY }
  return { seq: Number(row.seq), policy_id: String(row.policy_id), policy: toPolicy(row) }
}

function toSetting(row: Row, before: Policy): PolicySetting {
  const policy = toPolicy(row)
  return {
    seq: Number(row.seq),
    policy_id: String(row.policy_id),
    change_id: nullable(row.change_id, String),
    created_at: isoTime(Number(row.created_at)),
    actor: String(row.actor),
    actor_source: String(row.actor_source),
    reason: nullable(row.reason, String),
    policy,
    changes: policyChanges(before, policy),
  }
}
