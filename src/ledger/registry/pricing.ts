import { ServiceError } from '../../base/errors.ts'
import type { PricingEntry, PricingSummary, PricingTable } from '../../models/documents/pricing.ts'
import { bundledAgeDays } from '../../rules/cost.ts'
import { ModelPrices } from '../../rules/price_names.ts'
import { firstFew, similarNames } from '../../base/text.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import {
  allRows,
  asJson,
  asNumber,
  asText,
  asTime,
  ask,
  columns,
  field,
  firstRow,
  together,
} from '../../sql/query.ts'
import type { Ledger } from '../world/ledger.ts'

/** All imported tables, by provider and version. */
export async function listPricing({ sql: db, now }: Ledger): Promise<PricingSummary[]> {
  const tables = allRows(
    sql`SELECT provider, pricing_version, models, imported_at FROM pricing_tables
      ORDER BY provider, pricing_version`,
    columns({ provider: asText, pricing_version: asText, models: asNumber, imported_at: asTime }),
  )
  return (await ask(db, tables)).map(table => {
    const age = bundledAgeDays(table.pricing_version, now())
    return { ...table, bundled: age !== undefined, age_days: age ?? null }
  })
}

/** One table. Throws 404 and names what is imported. */
export async function showPricing(db: Sql, provider: string, version: string): Promise<PricingTable> {
  const { table, newest } = await ask(
    db,
    together({
      table: firstRow(
        sql`SELECT pricing_json FROM pricing_tables WHERE provider = ${provider} AND pricing_version = ${version}`,
        field('pricing_json', asJson<PricingTable>),
      ),
      newest: allRows(versionsStatement(provider), toVersion),
    }),
  )
  if (table !== undefined) return table
  const others = [...new Set([...similarNames(version, newest), ...newest])]
  throw new ServiceError(
    404,
    `No price table ${provider}/${version} is imported` +
      (others.length === 0 ? '.' : `; of ${provider} there are: ${firstFew(others)}.`),
  )
}

/** The imported versions of a provider's table, newest first. */
export function versionsStatement(provider: string | Statement): Statement {
  return sql`SELECT pricing_version, imported_at FROM pricing_tables WHERE provider = ${provider}
    ORDER BY ${raw(VERSIONS_ORDER)}`
}

export const VERSIONS_ORDER = 'imported_at DESC, pricing_version DESC'
export const toVersion = field('pricing_version', asText)

/** The entries of a stored table by model name and its aliases. */
export function ratesByModel(pricingJson: string): ReadonlyMap<string, PricingEntry> {
  return new ModelPrices(JSON.parse(pricingJson) as PricingTable)
}

/** The entries of the table that came with a release; none where it is not imported. */
export function ratesIfAny(pricingJson: string | null): ReadonlyMap<string, PricingEntry> {
  return pricingJson === null ? new Map() : ratesByModel(pricingJson)
}
