import { badRequest } from '../../base/errors.ts'
import type { PricingImport, PricingTable, PricingTableInput } from '../../models/documents/pricing.ts'
import { priceChangeTexts } from '../../rules/changes.ts'
import { freeCaches, oddPrices } from '../../rules/cost.ts'
import { ModelPrices } from '../../rules/price_names.ts'
import { firstFew, isBlank } from '../../base/text.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asText, asTime, ask, columns, field, firstRow, orNull, insertRow } from '../../sql/query.ts'
import { addToCounter } from '../trail/counters.ts'
import { factHash } from '../trail/facts.ts'
import { type LoggedChange, writeLogged } from '../trail/write_logged.ts'
import { sha256 } from '../../base/bytes.ts'
import type { Actor, Ledger } from '../world/ledger.ts'

export interface PricingUpload {
  readonly table: PricingTableInput
  readonly replace: boolean
  readonly reason: string | null
  readonly actor: Actor
}

/**
 * Imports a price table and records the import. A table that exists is replaced only on demand and for a
 * stated reason; the replaced one stays in the record.
 */
export async function importPricing(ledger: Ledger, upload: PricingUpload): Promise<PricingImport> {
  const { replace, actor } = upload
  const table = normaliseTable(upload.table)
  const reason = upload.reason?.trim() ?? ''
  if (replace && isBlank(reason))
    throw badRequest('Replacing a price table needs a non-empty reason (--reason).')
  const { provider, pricing_version } = table
  const key = sql`provider = ${provider} AND pricing_version = ${pricing_version}`
  const pricingJson = JSON.stringify(table)
  const imported = {
    import_id: ledger.newId('pim_'),
    provider,
    pricing_version,
    actor: actor.name,
    new_pricing_json: pricingJson,
    new_checksum: await sha256(pricingJson),
    created_at: ledger.now(),
  }
  return writeLogged(
    ledger,
    firstRow(sql`SELECT pricing_json FROM pricing_tables WHERE ${key}`, field('pricing_json', asText)),
    async old => {
      if (old !== undefined && !replace) throw badRequest(existsAlready(table))
      return importChange({ ...imported, ...replaced(old ?? null, reason) }, table, actor)
    },
  )
}

/** What is odd about a table: its prices, and models that registered releases name it for, but that it lacks. */
export async function tableWarnings(db: Sql, table: PricingTableInput): Promise<string[]> {
  const { provider, pricing_version, entries } = table
  const written = normaliseTable(table)
  const omitting = entries.filter(entry => entry.cached_input_usd_per_1k_tokens === undefined)
  const free = omitting.map(({ model }) => model)
  const odd = [...oddPrices(written), ...freeCaches(table, free)]
  if (entries.length === 0) return odd
  const used = allRows(
    sql`SELECT DISTINCT model FROM releases
      WHERE pricing_provider = ${provider} AND pricing_version = ${pricing_version} ORDER BY model`,
    field('model', asText),
  )
  const priced = new ModelPrices(written)
  const lacking = (await ask(db, used)).filter(model => !priced.has(model))
  if (lacking.length === 0) return odd
  return [
    ...odd,
    `price table ${provider}/${pricing_version} has no price for ${firstFew(lacking)}, which registered releases that name it run on`,
  ]
}

function existsAlready({ provider, pricing_version }: PricingTable): string {
  return (
    `Price table ${provider}/${pricing_version} exists already; replace it with ` +
    '`svc pricing import PATH --replace --reason WHY`.'
  )
}

/** What a record says of the table before. */
function replaced(old: string | null, reason: string) {
  return old === null
    ? { action: 'insert', reason: null, old_pricing_json: null }
    : { action: 'replace', reason, old_pricing_json: old }
}

async function importChange(
  row: Readonly<Record<'import_id' | 'action' | 'actor' | 'new_pricing_json' | 'new_checksum', string>> & {
    readonly created_at: number
    readonly reason: string | null
    readonly old_pricing_json: string | null
  },
  { provider, pricing_version, entries }: PricingTable,
  actor: Actor,
): Promise<LoggedChange<PricingImport>> {
  const { import_id, created_at, reason } = row
  return {
    id: import_id,
    revises: 'all',
    fact: 'prices',
    entries: [
      {
        kind: 'prices.import',
        subject: import_id,
        actor,
        reason,
        created_at,
        fact: await factHash('prices', { ...row, provider, pricing_version }),
        details: {
          provider,
          pricing_version,
          action: row.action,
          changes: priceChangeTexts(entriesOf(row.old_pricing_json), entries),
        },
      },
    ],
    write: guard => {
      const inserted = insertRow('pricing_imports', { ...row, provider, pricing_version }, guard)
      const counted = addToCounter(
        'pricing_tables_total',
        sql`(CASE WHEN ${guard} THEN ${row.action === 'insert' ? sql`1` : sql`0`} ELSE 0 END)`,
      )
      const stored = sql`INSERT INTO pricing_tables (provider, pricing_version, pricing_json, models, imported_at)
        SELECT ${provider}, ${pricing_version}, ${row.new_pricing_json}, CAST(${entries.length} AS BIGINT),
          CAST(${created_at} AS BIGINT)
        WHERE ${guard}
        ON CONFLICT (provider, pricing_version) DO UPDATE SET
          pricing_json = excluded.pricing_json, models = excluded.models, imported_at = excluded.imported_at`
      return [inserted, counted, stored]
    },
    done: readImport({ ...row, provider, pricing_version }),
  }
}

function entriesOf(json: string | null): PricingTable['entries'] {
  return json === null ? [] : (JSON.parse(json) as PricingTable).entries
}

const readImport = columns({
  import_id: asText,
  provider: asText,
  pricing_version: asText,
  action: asText<PricingImport['action']>,
  actor: asText,
  reason: orNull(asText),
  old_pricing_json: orNull(asText),
  new_pricing_json: asText,
  new_checksum: asText,
  created_at: asTime,
})

/**
 * Every field, in the order of the specification: equal tables have equal checksums. The rate of cache writes, aliases and
 * the day of retirement are there only where they are given, so that tables from before them keep theirs.
 */
function normaliseTable({ provider, pricing_version, entries, source }: PricingTableInput): PricingTable {
  return {
    provider,
    pricing_version,
    entries: entries.map(entry => ({
      model: entry.model,
      input_usd_per_1k_tokens: entry.input_usd_per_1k_tokens,
      output_usd_per_1k_tokens: entry.output_usd_per_1k_tokens,
      cached_input_usd_per_1k_tokens: entry.cached_input_usd_per_1k_tokens ?? null,
      ...(entry.cache_write_input_usd_per_1k_tokens == null
        ? {}
        : { cache_write_input_usd_per_1k_tokens: entry.cache_write_input_usd_per_1k_tokens }),
      ...(entry.aliases == null || entry.aliases.length === 0 ? {} : { aliases: entry.aliases }),
      ...(entry.retires_on == null ? {} : { retires_on: entry.retires_on }),
    })),
    ...(source === undefined ? {} : { source }),
  }
}
