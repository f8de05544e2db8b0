import { isoTime } from '../../base/time.ts'
import type { PriceHistory } from '../../models/answers/history.ts'
import type { PricingEntry, PricingTable } from '../../models/documents/pricing.ts'
import { changesOf } from '../../rules/changes.ts'
import { type Row, type Sql, type Statement, join, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import type { PageAsked } from './policy_history.ts'

/** Every import of price tables, newest first, each with what it changed of the table. */
export async function priceHistory(
  db: Sql,
  asked: PageAsked & {
    readonly provider?: string | undefined
    readonly pricing_version?: string | undefined
  },
): Promise<PriceHistory> {
  const { limit, after, provider, pricing_version } = asked
  const conditions: Statement[] = [
    sql`true`,
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
    ...(pricing_version === undefined ? [] : [sql`pricing_version = ${pricing_version}`]),
    ...(after === undefined ? [] : [sql`seq < ${after}`]),
  ]
  const rows = await rowsOf(
    db,
    sql`SELECT seq, import_id, provider, pricing_version, action, actor, reason, old_pricing_json,
        new_pricing_json, new_checksum, created_at
      FROM pricing_imports WHERE ${join(conditions, ' AND ')} ORDER BY seq DESC LIMIT ${limit + 1}`,
  )
  const imports = rows.slice(0, limit).map(toImport)
  return { imports, next_after: rows.length > limit ? imports.at(-1)!.seq : null }
}

function toImport(row: Row): PriceHistory['imports'][number] {
  const entries = (json: Row[string] | undefined): readonly PricingEntry[] =>
    json == null ? [] : (JSON.parse(String(json)) as PricingTable).entries
  return {
    seq: Number(row.seq),
    import_id: String(row.import_id),
    provider: String(row.provider),
    pricing_version: String(row.pricing_version),
    action: row.action === 'replace' ? 'replace' : 'insert',
    actor: String(row.actor),
    reason: nullable(row.reason, String),
    checksum: String(row.new_checksum),
    created_at: isoTime(Number(row.created_at)),
    changes: changesOf(entries(row.old_pricing_json), entries(row.new_pricing_json)),
  }
}
