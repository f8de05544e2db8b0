import type { PricingTable } from '../../models/documents/pricing.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import { type ReleaseFacts, toReleaseFacts } from './release_facts.ts'

/** Releases to find: by id, or by agent and version. */
export interface WantedReleases {
  readonly release_ids: readonly string[]
  readonly versions: readonly { readonly agent_id: string; readonly version: string }[]
}

/** A release with the models that its price table has. */
export interface PricedRelease extends ReleaseFacts {
  readonly models: ReadonlySet<string>
  /** Whether its price table is imported. */
  readonly hasTable: boolean
}

/** The registered ones among these, newest first. One whose price table is not imported has no models. */
export async function findReleases(db: Sql, wanted: WantedReleases): Promise<PricedRelease[]> {
  if (wanted.release_ids.length + wanted.versions.length === 0) return []
  const [found, tables] = await db.snapshot([
    sql`SELECT * FROM (${matching(db, wanted)}) AS found ORDER BY seq DESC`,
    sql`SELECT provider, pricing_version, pricing_json FROM pricing_tables
      WHERE (provider, pricing_version) IN
        (SELECT pricing_provider, pricing_version FROM (${matching(db, wanted)}) AS found)`,
  ])
  const models = new Map(
    tables!.rows.map(row => [tableKey(row.provider, row.pricing_version), modelsOf(row)]),
  )
  return found!.rows.map(row => {
    const table = models.get(tableKey(row.pricing_provider, row.pricing_version))
    return { ...toReleaseFacts(row), models: table ?? new Set(), hasTable: table !== undefined }
  })
}

function matching({ dialect }: Sql, { release_ids, versions }: WantedReleases): Statement {
  const columns = sql`r.seq, r.release_id, r.agent_id, r.version, r.checksum, r.model, r.pricing_provider,
    r.pricing_version`
  const pairs = versions.map(({ agent_id, version }) => [agent_id, version])
  const [ids, named] =
    dialect === 'postgres'
      ? [
          sql`SELECT w #>> '{}' AS a FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(release_ids)} AS TEXT) AS JSONB)) AS w`,
          sql`SELECT w ->> 0 AS a, w ->> 1 AS v FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(pairs)} AS TEXT) AS JSONB)) AS w`,
        ]
      : [
          sql`SELECT value AS a FROM json_each(${JSON.stringify(release_ids)})`,
          sql`SELECT value ->> 0 AS a, value ->> 1 AS v FROM json_each(${JSON.stringify(pairs)})`,
        ]
  return sql`SELECT ${columns} FROM releases r JOIN (${ids}) AS i ON r.release_id = i.a
    UNION SELECT ${columns} FROM releases r JOIN (${named}) AS n ON r.agent_id = n.a AND r.version = n.v`
}

function tableKey(provider: unknown, version: unknown): string {
  return JSON.stringify([provider, version])
}

function modelsOf(row: Row): ReadonlySet<string> {
  const { entries } = JSON.parse(String(row.pricing_json)) as PricingTable
  return new Set(entries.map(({ model }) => model))
}
