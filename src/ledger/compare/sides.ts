import { refused } from '../../base/errors.ts'
import type { PricingEntry } from '../../models/documents/pricing.ts'
import { type SideMetrics, sideMetrics, unpricedModels } from '../../rules/cost.ts'
import { type CellSums, type VariantSums, byVariant } from '../../rules/rollup.ts'
import { firstFew } from '../../base/text.ts'
import type { Window } from '../../rules/window.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/row.ts'
import type { Ledger } from '../ledger.ts'
import { ratesByModel } from '../registry/pricing.ts'
import { type ReleaseFacts, toReleaseFacts } from '../registry/releases.ts'
import { type Filters, cellsStatement, oneRunStatement, toCellSums } from '../events/rollups.ts'

/** One side of a comparison: a release, its price table, and what its events in the window add up to. */
export interface Side {
  readonly release: ReleaseFacts
  readonly rates: ReadonlyMap<string, PricingEntry>
  readonly variants: readonly VariantSums[]
  /** The same sums by block of time. */
  readonly cells: readonly CellSums[]
  readonly metrics: SideMetrics
}

export interface Sides {
  readonly baseline: Side
  readonly candidate: Side
}

/** What error messages call the two sides. */
export interface SideLabels {
  readonly baseline: string
  readonly candidate: string
}

export interface SideQuery {
  readonly baselineId: string
  readonly candidateId: string
  readonly environment: string
  readonly window: Window
  readonly filters: Filters
}

/** The two sides as one snapshot saw them, unchecked. */
export interface RawSides {
  readonly baseline: RawSide
  readonly candidate: RawSide
}

interface RawSide {
  readonly release: ReleaseFacts | undefined
  readonly pricingJson: string | null
  readonly variants: readonly VariantSums[]
  readonly cells: readonly CellSums[]
}

/** The statements that `toRawSides` reads the results of, for one snapshot. */
export function sideStatements(query: SideQuery): Statement[] {
  const { baselineId, candidateId, environment, window, filters } = query
  return [baselineId, candidateId].flatMap(releaseId => [
    pricedReleaseStatement(releaseId),
    cellsStatement(releaseId, environment, window, filters),
  ])
}

export function toRawSides(results: readonly { readonly rows: Row[] }[]): RawSides {
  const side = (release: Row | undefined, rows: Row[]): RawSide => {
    const cells = rows.map(toCellSums)
    return {
      release: release === undefined ? undefined : toReleaseFacts(release),
      pricingJson: nullable(release?.pricing_json, String),
      variants: byVariant(cells),
      cells,
    }
  }
  return {
    baseline: side(results[0]!.rows[0], results[1]!.rows),
    candidate: side(results[2]!.rows[0], results[3]!.rows),
  }
}

export function pricedReleaseStatement(releaseId: string): Statement {
  return sql`SELECT r.release_id, r.agent_id, r.version, r.checksum, r.model, r.pricing_provider,
      r.pricing_version, p.pricing_json
    FROM releases r LEFT JOIN pricing_tables p
      ON p.provider = r.pricing_provider AND p.pricing_version = r.pricing_version
    WHERE r.release_id = ${releaseId}`
}

/**
 * The price table of a side by model. Throws 400 `Missing pricing table for <label> <provider>/<version>`.
 */
export function ratesOf(side: RawSide, label: string): ReadonlyMap<string, PricingEntry> {
  const { provider, pricing_version } = side.release!
  if (side.pricingJson === null) {
    throw refused(
      `Missing pricing table for ${label} ${provider}/${pricing_version}; ` +
        'import it with `svc pricing import PATH`.',
    )
  }
  return ratesByModel(side.pricingJson)
}

/** Prices both sides. Throws 400 on a side of several agents, and on a model without a price. */
export async function pricedSides(
  ledger: Ledger,
  query: SideQuery,
  raw: RawSides,
  labels: SideLabels,
): Promise<Sides> {
  const rates = {
    baseline: ratesOf(raw.baseline, labels.baseline),
    candidate: ratesOf(raw.candidate, labels.candidate),
  }
  const bothHaveEvents = raw.baseline.variants.length > 0 && raw.candidate.variants.length > 0
  const side = async (which: 'baseline' | 'candidate'): Promise<Side> => {
    const { release, variants, cells } = raw[which]
    if (bothHaveEvents) await refuseMixedAgents(ledger, query, raw[which], labels[which])
    await refuseUnpriced(ledger, query, raw[which], rates[which], labels[which])
    const metrics = sideMetrics(variants, rates[which])
    return { release: release!, rates: rates[which], variants, cells, metrics }
  }
  return { baseline: await side('baseline'), candidate: await side('candidate') }
}

async function refuseMixedAgents(
  ledger: Ledger,
  query: SideQuery,
  side: RawSide,
  label: string,
): Promise<void> {
  const agents = [...new Set(side.variants.map(variant => variant.agent_id))]
  if (agents.length <= 1) return
  const release = side.release!
  const odd = agents.find(agent => agent !== release.agent_id)!
  const run = await findRun(ledger, query, release.release_id, { agent_id: odd })
  throw refused(
    'Each side of the diff must have a single consistent agent_id among run events: ' +
      `${label} ${release.release_id} has ${firstFew(agents)} (run_id ${run} is of agent ${odd}); choose a window that ` +
      'starts behind those events.',
  )
}

async function refuseUnpriced(
  ledger: Ledger,
  query: SideQuery,
  side: RawSide,
  rates: ReadonlyMap<string, PricingEntry>,
  label: string,
): Promise<void> {
  const [model] = unpricedModels(side.variants, rates)
  if (model === undefined) return
  const { release_id, provider, pricing_version } = side.release!
  const run = await findRun(ledger, query, release_id, { model })
  throw refused(
    `Pricing table missing model entry: ${provider}/${pricing_version} has no price for ${model}, which ` +
      `events of ${label} ${release_id} used (run_id ${run}); add it to the table and import that with ` +
      '`svc pricing import PATH --replace --reason WHY`.',
  )
}

async function findRun(
  { sql: db }: Ledger,
  { environment, window, filters }: SideQuery,
  releaseId: string,
  variant: { agent_id?: string; model?: string },
): Promise<string> {
  const { rows } = await db.query(oneRunStatement(releaseId, environment, window, filters, variant))
  return String(rows[0]?.run_id ?? 'unknown')
}
