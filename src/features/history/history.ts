import { badRequest } from '../../base/errors.ts'
import type { PolicyDiff, PolicyHistory, PolicySetting, PriceHistory } from './models.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { PricingTable } from '../../models/documents/pricing.ts'
import { DEFAULT_POLICY } from '../../rules/scope.ts'
import { changesOf, policyChanges } from '../../rules/changes.ts'
import { type Row, type Sql, type Statement, join, sql } from '../../sql/port.ts'
import { allRows, asJson, asNumber, asText, asTime, ask, columns, firstRow, orNull } from '../../sql/query.ts'

/** Named, because a newer server may have added others. */
const SETTING = sql`seq, policy_id, policy_json, actor, actor_source, created_at, change_id, reason`

const readSetting = columns({
  seq: asNumber,
  policy_id: asText,
  policy_json: asJson<Policy>,
  actor: asText,
  actor_source: asText,
  created_at: asTime,
  change_id: orNull(asText),
  reason: orNull(asText),
})

type Setting = ReturnType<typeof readSetting>

interface PageQuery {
  readonly limit: number
  /** Only rows older than this. */
  readonly after?: number | undefined
}

/** Every policy that was set, newest first, each with what it changed of the one that was in force before it. */
export async function policyHistory(db: Sql, { limit, after }: PageQuery): Promise<PolicyHistory> {
  const page = sql`SELECT ${SETTING} FROM policy_history
    WHERE ${after === undefined ? sql`true` : sql`seq < ${after}`} ORDER BY seq DESC LIMIT ${limit + 1}`
  const rows = await ask(db, allRows(page, readSetting))
  const policies = rows.slice(0, limit).map((row, index) => toSetting(row, policyOf(rows[index + 1])))
  return { policies, next_after: rows.length > limit ? policies.at(-1)!.seq : null }
}

/** The difference of two policies, named ID@SEQ: of the one in force to the one before it where none is named. */
export async function policyDiff(
  db: Sql,
  names: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<PolicyDiff> {
  const to = await settingOf(db, names.to)
  const from = names.from === undefined ? await settingBefore(db, to) : await settingOf(db, names.from)
  return {
    from: named(from),
    to: named(to),
    changes: policyChanges(policyOf(from), policyOf(to)),
  }
}

function policyOf(setting: Setting | undefined): Policy {
  return setting?.policy_json ?? DEFAULT_POLICY
}

async function settingOf(db: Sql, name: string | undefined): Promise<Setting | undefined> {
  if (name === undefined) return newestSetting(db, sql`true`)
  const match = /^(.+)@(\d{1,15})$/.exec(name)
  if (match === null) {
    throw badRequest(`A policy of the history is named ID@SEQ, such as default@3, not ${name}.`)
  }
  const setting = await newestSetting(db, sql`policy_id = ${match[1]!} AND seq = ${Number(match[2])}`)
  if (setting === undefined) {
    throw badRequest(`No policy ${name} was ever set; \`svc policy history\` lists those that were.`)
  }
  return setting
}

function settingBefore(db: Sql, setting: Setting | undefined): Promise<Setting | undefined> {
  return newestSetting(db, sql`seq < ${setting?.seq ?? 0}`)
}

function newestSetting(db: Sql, condition: Statement): Promise<Setting | undefined> {
  const newest = sql`SELECT ${SETTING} FROM policy_history WHERE ${condition} ORDER BY seq DESC LIMIT 1`
  return ask(db, firstRow(newest, readSetting))
}

/** The default policy, which nobody set, has no number. */
function named(setting: Setting | undefined): PolicyDiff['from'] {
  if (setting === undefined) return { seq: null, policy_id: DEFAULT_POLICY.policy_id, policy: DEFAULT_POLICY }
  return { seq: setting.seq, policy_id: setting.policy_id, policy: setting.policy_json }
}

function toSetting(setting: Setting, before: Policy): PolicySetting {
  const { seq, policy_id, policy_json: policy, change_id, created_at, actor, actor_source, reason } = setting
  return {
    seq,
    policy_id,
    change_id,
    created_at,
    actor,
    actor_source,
    reason,
    policy,
    changes: policyChanges(before, policy),
  }
}

/** Every import of price tables, newest first, each with what it changed of the table. */
export async function priceHistory(
  db: Sql,
  query: PageQuery & {
    readonly provider?: string | undefined
    readonly pricing_version?: string | undefined
  },
): Promise<PriceHistory> {
  const { limit, after, provider, pricing_version } = query
  const conditions: Statement[] = [
    sql`true`,
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
    ...(pricing_version === undefined ? [] : [sql`pricing_version = ${pricing_version}`]),
    ...(after === undefined ? [] : [sql`seq < ${after}`]),
  ]
  const page = sql`SELECT seq, import_id, provider, pricing_version, action, actor, reason, old_pricing_json,
        new_pricing_json, new_checksum, created_at
      FROM pricing_imports WHERE ${join(conditions, ' AND ')} ORDER BY seq DESC LIMIT ${limit + 1}`
  const rows = await ask(db, allRows(page, toImport))
  const imports = rows.slice(0, limit)
  return { imports, next_after: rows.length > limit ? imports.at(-1)!.seq : null }
}

const readImport = columns({
  seq: asNumber,
  import_id: asText,
  provider: asText,
  pricing_version: asText,
  action: asText<PriceHistory['imports'][number]['action']>,
  actor: asText,
  reason: orNull(asText),
  new_checksum: asText,
  created_at: asTime,
  old_pricing_json: orNull(asJson<PricingTable>),
  new_pricing_json: asJson<PricingTable>,
})

function toImport(row: Row): PriceHistory['imports'][number] {
  const { new_checksum: checksum, created_at, old_pricing_json, new_pricing_json, ...rest } = readImport(row)
  const changes = changesOf(old_pricing_json?.entries ?? [], new_pricing_json.entries)
  return { ...rest, checksum, created_at, changes }
}
