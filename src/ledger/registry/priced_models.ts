import { MINUTE_MS, HOUR_MS, isoTime } from '../../base/time.ts'
import type { Ledger } from '../world/ledger.ts'
import type { UsedModels } from '../../models/documents/release.ts'
import { jsonRows, jsonTexts } from '../../sql/dialect.ts'
import { type Statement, type Sql, sql } from '../../sql/port.ts'
import { allRows, asJson, asNumber, ask, asText, columns, together } from '../../sql/query.ts'
import {
  RELEASE_COLUMNS,
  type ReleaseFacts,
  knownRelease,
  pricedReleaseQuery,
  toReleaseFacts,
} from './release_facts.ts'
import { readWindow } from '../world/query.ts'
import { type Scope, inScope } from '../world/scope.ts'
import { ratesIfAny } from './pricing.ts'
import { isIncomplete } from '../../rules/statistics/incomplete.ts'
import { ModelPrices } from '../../rules/price_names.ts'
import type { PricingTable } from '../../models/documents/pricing.ts'

/** A registered release, and models that its price table lacks. */
export interface UnpricedModels {
  readonly release: PricedRelease
  readonly models: ReadonlySet<string>
}

/** How long a model is taken to have its price, ms: another server may replace the table. */
const KNOWN_MS = MINUTE_MS

/** Above this many the memo begins again, so that odd input can't fill the memory. */
const MOST_REMEMBERED = 10_000

/** Releases that are read at once: their ids are one parameter. */
const AT_ONCE = 1000

/**
 * Which of the models that releases used their price tables lack, by release_id. One whose table is not imported lacks
 * none: its registration says so. A price that was found is not read again for a minute.
 */
export async function unpricedModels(
  { sql: db, memo: { priced }, now }: Pick<Ledger, 'sql' | 'memo' | 'now'>,
  used: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ReadonlyMap<string, UnpricedModels>> {
  const at = now()
  const isKnown = (release_id: string, model: string): boolean => {
    const until = priced.get(`${release_id}\0${model}`)
    return until !== undefined && until > at && until <= at + KNOWN_MS
  }
  const requested = [...used].filter(([id, models]) => [...models].some(model => !isKnown(id, model)))
  if (priced.size > MOST_REMEMBERED) priced.clear()
  const unpriced = new Map<string, UnpricedModels>()
  for (let from = 0; from < requested.length; from += AT_ONCE) {
    const release_ids = requested.slice(from, from + AT_ONCE).map(([id]) => id)
    for (const release of await findReleases(db, { release_ids, versions: [] })) {
      if (!release.hasTable) continue
      const models = [...used.get(release.release_id)!]
      const lacking = new Set(models.filter(model => !release.models.has(model)))
      for (const model of models) {
        if (!lacking.has(model)) priced.set(`${release.release_id}\0${model}`, at + KNOWN_MS)
      }
      if (lacking.size > 0) unpriced.set(release.release_id, { release, models: lacking })
    }
  }
  return unpriced
}

/**
 * Which models a release's runs used in any environment in scope, and which of them its price table has; its own also where
 * none used it. Runs whose tokens aren't all known have no cost, and need no price. From the rollups of whole hours, so the
 * first may begin before the window does.
 */
export async function usedModels(
  ledger: Ledger,
  query: { readonly release_id: string; readonly window: string; readonly scope: Scope },
): Promise<UsedModels> {
  const { window, refuseWindow } = readWindow(ledger, query)
  const since = Math.floor(Math.max(0, window.since) / HOUR_MS)
  const places = sql`SELECT id FROM scopes WHERE release_id = ${query.release_id}
    AND ${inScope(query.scope, { environment: sql`environment` })}`
  const used = (table: string, count: string): Statement => ({
    text: `SELECT variant, ${count} AS runs FROM ${table} WHERE scope IN (${places.text}) AND bucket >= ?`,
    params: [...places.params, since],
  })
  const { priced, models } = await ask(
    ledger.sql,
    together({
      priced: pricedReleaseQuery(query.release_id),
      models: allRows(
        sql`SELECT v.provider, v.model, sum(u.runs) AS runs
          FROM (${used('rollup_hours', 'runs')} UNION ALL ${used('rollup_part_hours', 'parts')}) AS u
          JOIN variants v ON v.id = u.variant
          GROUP BY v.provider, v.model ORDER BY runs DESC, v.provider, v.model`,
        columns({ provider: asText, model: asText, runs: asNumber }),
      ),
    }),
  )
  const facts = knownRelease(priced?.release, query.release_id)
  refuseWindow()
  const rates = ratesIfAny(priced?.pricingJson ?? null)
  const counted = models.filter(({ model }) => !isIncomplete(model))
  const isUsed = counted.some(({ model }) => model === facts.model)
  const own = isUsed ? [] : [{ provider: facts.provider, model: facts.model, runs: 0 }]
  return {
    release_id: facts.release_id,
    since: isoTime(since * HOUR_MS),
    provider: facts.provider,
    pricing_version: facts.pricing_version,
    models: [...counted, ...own].map(each => ({ ...each, priced: rates.has(each.model) })),
  }
}

/** Releases to find: by id, or by agent and version. */
interface WantedReleases {
  readonly release_ids: readonly string[]
  readonly versions: readonly { readonly agent_id: string; readonly version: string }[]
}

/** A release with the models that its price table has. */
interface PricedRelease extends ReleaseFacts {
  readonly models: ModelPrices
  /** Whether its price table is imported. */
  readonly hasTable: boolean
}

/** The registered ones among these, newest first. One whose price table is not imported has no models. */
export async function findReleases(db: Sql, wanted: WantedReleases): Promise<PricedRelease[]> {
  if (wanted.release_ids.length + wanted.versions.length === 0) return []
  const { found, tables } = await ask(
    db,
    together({
      found: allRows(sql`SELECT * FROM (${matching(wanted)}) AS found ORDER BY seq DESC`, toReleaseFacts),
      tables: allRows(
        sql`SELECT provider, pricing_version, pricing_json FROM pricing_tables
          WHERE (provider, pricing_version) IN
            (SELECT pricing_provider, pricing_version FROM (${matching(wanted)}) AS found)`,
        columns({ provider: asText, pricing_version: asText, pricing_json: asJson<PricingTable> }),
      ),
    }),
  )
  const prices = new Map(tables.map(table => [tableKey(table), new ModelPrices(table.pricing_json)]))
  return found.map(release => {
    const table = prices.get(tableKey(release))
    const models = table ?? new ModelPrices({ provider: release.provider, entries: [] })
    return { ...release, models, hasTable: table !== undefined }
  })
}

function matching({ release_ids, versions }: WantedReleases): Statement {
  const selected = sql`r.seq, ${RELEASE_COLUMNS}`
  const pairs = versions.map(({ agent_id, version }) => [agent_id, version])
  const named = sql`SELECT g.value ->> 0 AS a, g.value ->> 1 AS v FROM ${jsonRows(pairs)}`
  return sql`SELECT ${selected} FROM releases r JOIN ${jsonTexts(release_ids)} ON r.release_id = given.value
    UNION SELECT ${selected} FROM releases r JOIN (${named}) AS n ON r.agent_id = n.a AND r.version = n.v`
}

function tableKey({ provider, pricing_version }: Pick<ReleaseFacts, 'provider' | 'pricing_version'>): string {
  return JSON.stringify([provider, pricing_version])
}
