import type { PricingEntry } from '../models/documents/pricing.ts'

const RATES = [
  ['input', 'input_usd_per_1k_tokens'],
  ['output', 'output_usd_per_1k_tokens'],
  ['cached', 'cached_input_usd_per_1k_tokens'],
  ['written', 'cache_write_input_usd_per_1k_tokens'],
] as const

/**
 * What a new table changes, a line per model, by name: `+` new, `-` gone, `~` other rates (USD per 1,000 tokens) or another
 * day on which the model is switched off.
 */
export function changesOf(before: readonly PricingEntry[], after: readonly PricingEntry[]): string[] {
  const [old, now] = [byModel(before), byModel(after)]
  const models = [...new Set([...old.keys(), ...now.keys()])].sort()
  return models.flatMap(model => {
    const [from, to] = [old.get(model), now.get(model)]
    if (to === undefined) return [`- ${model}`]
    const rates = RATES.filter(
      ([, name]) => from === undefined || (from[name] ?? null) !== (to[name] ?? null),
    )
    const told = rates
      .filter(([, name]) => from !== undefined || to[name] != null)
      .map(
        ([label, name]) =>
          `${label} ${from === undefined ? '' : `${shown(from[name])} → `}${shown(to[name])}`,
      )
    const [ended, ends] = [from?.retires_on, to.retires_on]
    if (ends !== ended)
      told.push(
        `ends ${from === undefined ? '' : `${ended ?? 'on no known day'} → `}${ends ?? 'on no known day'}`,
      )
    if (from === undefined) return [`+ ${model}  ${told.join(', ')}`]
    return told.length === 0 ? [] : [`~ ${model}  ${told.join(', ')}`]
  })
}

function byModel(entries: readonly PricingEntry[]): ReadonlyMap<string, PricingEntry> {
  return new Map(entries.map(entry => [entry.model, entry]))
}

function shown(rate: number | null | undefined): string {
  return rate == null ? 'none' : String(rate)
}
