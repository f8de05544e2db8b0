import type { PriceHistory } from '../../models/answers/history.ts'
import type { PricingTable } from '../../models/documents/pricing.ts'
import { changesOf } from '../../rules/changes.ts'
import { type Row, type Sql, type Statement, join, sql } from '../../sql/port.ts'
import { allRows, asJson, asNumber, ask, asText, asTime, columns, orNull } from '../../sql/query.ts'
import type { PageQuery } from './policy_history.ts'

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
  const { new_checksum: checksum, created_at, old_pricing_json, new_pricing_json, ...named } = readImport(row)
  const changes = changesOf(old_pricing_json?.entries ?? [], new_pricing_json.entries)
  return { ...named, checksum, created_at, changes }
}
