import { badRequest } from '../../base/errors.ts'
import type { PricingEntry } from '../../models/documents/pricing.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { type Rates, type SideMetrics, costUsd, sideMetrics } from '../../rules/cost.ts'
import {
  type Aggregate,
  type PartSums,
  type VariantSums,
  addSums,
  sumsByVariant,
} from '../../rules/rollup.ts'
import { type LeftOut, type OnUnusable, withoutUnusable } from '../../rules/left_out.ts'
import type { Cut } from '../../rules/common_time.ts'
import { isIncomplete } from '../../rules/statistics/incomplete.ts'
import { firstFew } from '../../base/text.ts'
import type { Range, Window } from '../../rules/window.ts'
import { type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  asText,
  ask,
  field,
  firstRow,
  mapped,
  rowsOfEach,
  sidesOf,
  together,
} from '../../sql/query.ts'
import type { CatalogState, Ledger } from '../world/ledger.ts'
import { ratesByModel } from '../registry/pricing.ts'
import { type ReleaseFacts, pricedReleaseQuery, pricedReleasesQuery } from '../registry/release_facts.ts'
import { onePartStatement, partsStatement, toPartSums } from '../events/parts.ts'
import { type Filters, IN_SCOPE, scopeCte } from '../events/rollups.ts'
import { BLOCK_ORDER, type KnownSums, blockSumsQuery } from '../events/known_sums.ts'
import { droppedRuns } from '../events/source_notes.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { filterConditions } from '../events/matching.ts'
import type { PricingCatalog } from '../../models/documents/catalog.ts'
import type { CatalogReport } from '../../models/answers/diff.ts'
import { round12 } from '../../base/numbers.ts'

/** One side of a comparison: a release, its price table, and what its events in the window add up to. */
export interface Side {
  readonly release: ReleaseFacts
  readonly rates: ReadonlyMap<string, PricingEntry>
  readonly variants: readonly VariantSums[]
  /** The same sums by block of time. */
  readonly aggregates: readonly Aggregate[]
  /** What its runs used besides the tokens of their own models, by block of time too. */
  readonly parts: readonly PartSums[]
  readonly metrics: SideMetrics
  /** What the policy lets pass without a price. */
  readonly excluded: Excluded
  /** What was left out of all of the above so that the side could be decided on; undefined where nothing was. */
  readonly leftOut: LeftOut | undefined
  /** How many runs carry a latency, those that were left out among them. */
  readonly timedRuns: number
  /** How many runs its recorders had to leave out. */
  readonly droppedRuns: number
}

/** Runs of models without a price, which the cost leaves out, and tokens of such models in other runs. */
interface Excluded {
  readonly models: readonly string[]
  readonly runs: number
  readonly parts: number
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
  /** Epoch ms. */
  readonly now: number
  /** The blocks of the UTC clock that sums are cut into; 24 of the window where it is undefined. */
  readonly cut?: Cut | undefined
  /** Whole hours of the window in which both ran, as numbers since the epoch; undefined where it is compared as it is. */
  readonly hours?: Range | undefined
}

/** The two sides as one snapshot saw them, unchecked. */
export interface RawSides {
  readonly baseline: RawSide
  readonly candidate: RawSide
  /** How many runs recorders had to leave out, by release; absent where that isn't wanted. */
  readonly dropped?: ReadonlyMap<string, number>
}

export interface RawSide {
  readonly release: ReleaseFacts | undefined
  readonly pricingJson: string | null
  readonly variants: readonly VariantSums[]
  readonly aggregates: readonly Aggregate[]
  /** What its runs used besides the tokens of their own models. */
  readonly parts: readonly PartSums[]
}

/** Both sides, for the snapshot that reads a comparison. */
export function sidesQuery(query: SideQuery, known?: KnownSums): Query<RawSides> {
  const { baselineId, candidateId, environment, window } = query
  const ids = [baselineId, candidateId]
  const sides = together({
    each: eachSideQuery(ids, query, known),
    dropped: droppedRuns(ids, environment, window),
  })
  return mapped(sides, ({ each, dropped }) => ({ ...sidesOf(each), dropped }))
}

type SidesQuery = Omit<SideQuery, 'baselineId' | 'candidateId' | 'now'>

/** One side: its release with the price table, and its sums. */
export function sideQuery(releaseId: string, read: SidesQuery): Query<RawSide> {
  return mapped(eachSideQuery([releaseId], read), ([side]) => side!)
}

function eachSideQuery(releaseIds: readonly string[], read: SidesQuery, known?: KnownSums): Query<RawSide[]> {
  const both = together({
    priced: pricedReleasesQuery(releaseIds),
    sums: eachSumsQuery(releaseIds, read, known),
  })
  return mapped(both, ({ priced, sums }) =>
    sums.map((own, index) => ({ ...(priced[index] ?? UNKNOWN), ...own })),
  )
}

const UNKNOWN = { release: undefined, pricingJson: null }

/** A release, if there is one, and its price table. */
export function pricedRelease(releaseId: string): Query<Omit<RawSide, keyof SideSums>> {
  return mapped(pricedReleaseQuery(releaseId), priced => priced ?? UNKNOWN)
}

export type SideSums = Omit<RawSide, 'release' | 'pricingJson'>

/** What the events of a release in a window add up to. */
export function sumsQuery(releaseId: string, read: SidesQuery): Query<SideSums> {
  return mapped(eachSumsQuery([releaseId], read), ([sums]) => sums!)
}

function eachSumsQuery(
  releaseIds: readonly string[],
  { environment, window, cut, filters }: SidesQuery,
  known?: KnownSums,
): Query<SideSums[]> {
  const blocks = { window, cut }
  const sums = together({
    parts: rowsOfEach(
      releaseIds,
      id => partsStatement(id, environment, blocks, filters),
      BLOCK_ORDER,
      toPartSums,
    ),
    aggregates: blockSumsQuery(releaseIds, environment, blocks, filters, known),
  })
  return mapped(sums, ({ parts, aggregates }) =>
    aggregates.map((own, index) => ({ parts: parts[index]!, aggregates: own, variants: sumsByVariant(own) })),
  )
}

/**
 * The price table of a side by model. Throws 400 `Missing pricing table for <label> <provider>/<version>`.
 */
export function ratesOf(side: RawSide, label: string): ReadonlyMap<string, PricingEntry> {
  const { provider, pricing_version } = side.release!
  if (side.pricingJson === null) {
    throw badRequest(
      `Missing pricing table for ${label} ${provider}/${pricing_version}; ` +
        'import it with `svc pricing import PATH`.',
    )
  }
  return ratesByModel(side.pricingJson)
}

/**
 * Prices both sides. Throws 400 on a side of several agents, and on a model without a price, unless the policy excludes
 * such runs and it is not the release's own model, or `onUnusable` says to leave them out and they are few.
 */
export async function pricedSides(
  ledger: Ledger,
  query: SideQuery,
  raw: RawSides,
  labels: SideLabels,
  { unpriced }: Pick<Policy, 'unpriced'>,
  onUnusable: OnUnusable = 'refuse',
): Promise<Sides> {
  const rates = {
    baseline: ratesOf(raw.baseline, labels.baseline),
    candidate: ratesOf(raw.candidate, labels.candidate),
  }
  const bothHaveEvents = raw.baseline.variants.length > 0 && raw.candidate.variants.length > 0
  const side = async (which: 'baseline' | 'candidate'): Promise<Side> => {
    const release = raw[which].release!
    const found = { ...raw[which], release, hasPrice: (model: string) => rates[which].has(model) }
    const { kept, leftOut, hint } = withoutUnusable(found, { unpriced, mayMix: !bothHaveEvents }, onUnusable)
    const label = labels[which]
    if (bothHaveEvents) await refuseMixedAgents(ledger, query, kept, label, hint)
    await refuseUnpriced(ledger, query, kept, rates[which], label, unpriced === 'exclude', hint)
    const variants = withParts(kept)
    return {
      release,
      rates: rates[which],
      variants,
      aggregates: kept.aggregates,
      parts: kept.parts,
      metrics: sideMetrics(variants, rates[which]),
      excluded: excludedOf(kept, rates[which]),
      leftOut,
      droppedRuns: raw.dropped?.get(release.release_id) ?? 0,
      timedRuns: raw[which].variants.reduce((sum, { latency_count }) => sum + latency_count, 0),
    }
  }
  return { baseline: await side('baseline'), candidate: await side('candidate') }
}

async function refuseMixedAgents(
  ledger: Ledger,
  query: SideQuery,
  side: RawSide,
  label: string,
  hint: string,
): Promise<void> {
  const agents = [...new Set(side.variants.map(variant => variant.agent_id))]
  if (agents.length <= 1) return
  const release = side.release!
  const odd = agents.find(agent => agent !== release.agent_id)!
  const run = await findRun(ledger, query, release.release_id, { agent_id: odd })
  throw badRequest(
    'Each side of the diff must have a single consistent agent_id among run events: ' +
      `${label} ${release.release_id} has ${firstFew(agents)} (run_id ${run} is of agent ${odd}); choose a window that ` +
      `starts after those events.${hint}`,
  )
}

/** The sums of a side by variant, with what its runs used besides their own models. */
function withParts({ variants, parts }: RawSide): VariantSums[] {
  if (parts.length === 0) return [...variants]
  const groups = Map.groupBy([...variants, ...parts], ({ agent_id, provider, model }) =>
    [agent_id, provider, model].join('\0'),
  )
  return Array.from(groups.values(), ([first, ...others]) => ({
    agent_id: first!.agent_id,
    provider: first!.provider,
    model: first!.model,
    ...addSums([first!, ...others]),
  }))
}

function excludedOf({ variants, parts }: RawSide, rates: ReadonlyMap<string, PricingEntry>): Excluded {
  const unpriced = ({ model }: VariantSums): boolean => !rates.has(model) && !isIncomplete(model)
  const [runs, partial] = [variants.filter(unpriced), parts.filter(unpriced)]
  return {
    models: [...new Set([...runs, ...partial].map(({ model }) => model))],
    runs: runs.reduce((sum, variant) => sum + variant.runs, 0),
    parts: partial.reduce((sum, part) => sum + part.parts, 0),
  }
}

async function refuseUnpriced(
  ledger: Ledger,
  query: SideQuery,
  side: RawSide,
  rates: ReadonlyMap<string, PricingEntry>,
  label: string,
  mayExclude: boolean,
  hint: string,
): Promise<void> {
  const { models, runs, parts } = excludedOf(side, rates)
  const own = side.release!.model
  const model = models.includes(own) ? own : models[0]
  if (model === undefined) return
  const priced = side.variants.some(variant => rates.has(variant.model) && variant.runs > 0)
  if (mayExclude && model !== own && priced) return
  const { release_id, provider, pricing_version } = side.release!
  const run = await findRun(ledger, query, release_id, { model })
  const concerned = `${runs + parts} ${runs + parts === 1 ? 'event' : 'events'}`
  const others = models.length === 1 ? '' : `, and for ${models.length - 1} more models`
  const way =
    model === own
      ? ''
      : mayExclude
        ? ' No run that has a price would be left to leave them out of.'
        : ' Or leave such runs out of the cost with `unpriced: exclude` in the policy.'
  throw badRequest(
    `Pricing table missing model entry: ${provider}/${pricing_version} has no price for ${model}, which ` +
      `events of ${label} ${release_id} used (run_id ${run})${others}: ${concerned} in this window. Add ` +
      `${models.length === 1 ? 'it' : 'them'} to the table and import that with ` +
      `\`svc pricing import PATH --replace --reason WHY\`.${way}${hint}`,
  )
}

async function findRun(
  { sql: db }: Ledger,
  { environment, window, filters }: SideQuery,
  releaseId: string,
  variant: { agent_id?: string; model?: string },
): Promise<string> {
  const readRun = field('run_id', asText)
  const run = await ask(
    db,
    firstRow(oneRunStatement(releaseId, environment, window, filters, variant), readRun),
  )
  if (run !== undefined || variant.model === undefined) return run ?? 'unknown'
  const part = onePartStatement(releaseId, environment, window, variant.model)
  return (await ask(db, firstRow(part, readRun))) ?? 'unknown'
}

/** One run_id of a side that has the given agent or model, found through the minutes that hold it. */
function oneRunStatement(
  releaseId: string,
  environment: string,
  { since, until }: Window,
  filters: Filters,
  variant: { agent_id?: string; model?: string },
): Statement {
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT e.run_id FROM variants v
    JOIN rollup_minutes m ON m.variant = v.id AND m.${IN_SCOPE}
      AND m.bucket >= ${Math.floor(Math.max(0, since) / MINUTE_MS)} AND m.bucket < ${Math.ceil(until / MINUTE_MS)}
    JOIN run_events e ON e.scope = m.scope AND e.variant = v.id
      AND e.ts >= m.bucket * 60000 AND e.ts < (m.bucket + 1) * 60000
    WHERE e.ts >= ${since} AND e.ts < ${until} AND ${filterConditions({ ...filters })}
      AND ${
        variant.model === undefined
          ? sql`v.agent_id = ${variant.agent_id ?? null}`
          : sql`v.model = ${variant.model}`
      }
    LIMIT 1`
}

const DISABLED: CatalogReport = {
  enabled: false,
  catalog_version: null,
  baseline_slot_id: null,
  candidate_slot_id: null,
  baseline_cost_per_run_usd: null,
  candidate_cost_per_run_usd: null,
  delta_cost_per_run_usd: null,
  warnings: [],
}

/**
 * Prices both sides by the tariffs of the slots that the catalog puts their models in. A side's cost is the
 * mean over its events on the release's own model. Without a slot or tariff on either side, no costs at all.
 */
export function catalogReport(
  state: CatalogState,
  { baseline, candidate }: { baseline: Side; candidate: Side },
): CatalogReport {
  if (state.state === 'off') return DISABLED
  if (state.state === 'malformed') {
    return { ...DISABLED, warnings: [`the pricing catalog is switched off: ${state.problem}`] }
  }
  const { catalog } = state
  const sides = {
    baseline: priceBySlot(catalog, baseline, 'baseline'),
    candidate: priceBySlot(catalog, candidate, 'candidate'),
  }
  const bothPriced = sides.baseline.cost !== null && sides.candidate.cost !== null
  const [baselineCost, candidateCost] = bothPriced
    ? [round12(sides.baseline.cost!), round12(sides.candidate.cost!)]
    : [null, null]
  return {
    enabled: true,
    catalog_version: catalog.catalog_version,
    baseline_slot_id: sides.baseline.slot,
    candidate_slot_id: sides.candidate.slot,
    baseline_cost_per_run_usd: baselineCost,
    candidate_cost_per_run_usd: candidateCost,
    delta_cost_per_run_usd:
      baselineCost === null || candidateCost === null ? null : round12(candidateCost - baselineCost),
    warnings: [...sides.baseline.warnings, ...sides.candidate.warnings],
  }
}

function priceBySlot(
  catalog: PricingCatalog,
  { release, variants }: Side,
  label: string,
): { slot: string | null; cost: number | null; warnings: string[] } {
  const { provider, pricing_version, model } = release
  const slot = catalog.mappings.find(
    mapping =>
      mapping.provider === provider && mapping.pricing_version === pricing_version && mapping.model === model,
  )?.catalog_slot_id
  if (slot === undefined) {
    return {
      slot: null,
      cost: null,
      warnings: [`${label}: the catalog maps no slot to ${provider}/${pricing_version} ${model}`],
    }
  }
  const tariff = Object.hasOwn(catalog.tariffs, slot) ? catalog.tariffs[slot] : undefined
  if (tariff === undefined) {
    return { slot, cost: null, warnings: [`${label}: the catalog has no tariff for slot ${slot}`] }
  }
  const own = addSums(variants.filter(variant => variant.model === model))
  const all = addSums(variants)
  const left = all.runs - own.runs
  return {
    slot,
    cost: own.runs === 0 ? 0 : costUsd(own, tariffRates(tariff)) / own.runs,
    warnings: left === 0 ? [] : [`${label}: ${left} of ${all.runs} runs used another model and are left out`],
  }
}

function tariffRates(tariff: PricingCatalog['tariffs'][string]): Rates {
  return { ...tariff, cached_input_usd_per_1k_tokens: tariff.cached_input_usd_per_1k_tokens ?? null }
}
