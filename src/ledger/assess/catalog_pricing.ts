import type { PricingCatalog } from '../../models/documents/catalog.ts'
import type { CatalogReport } from '../../models/answers/diff.ts'
import { type Rates, costUsd } from '../../rules/cost.ts'
import { round12 } from '../../base/numbers.ts'
import { addSums } from '../../rules/rollup.ts'
import type { CatalogState } from '../world/ledger.ts'
import type { Side } from './sides.ts'

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
    cost: own.runs === 0 ? 0 : costUsd(own, ratesOf(tariff)) / own.runs,
    warnings: left === 0 ? [] : [`${label}: ${left} of ${all.runs} runs used another model and are left out`],
  }
}

function ratesOf(tariff: PricingCatalog['tariffs'][string]): Rates {
  return { ...tariff, cached_input_usd_per_1k_tokens: tariff.cached_input_usd_per_1k_tokens ?? null }
}
