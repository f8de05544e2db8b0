import { firstFew } from '../../base/text.ts'
import type { Side } from './sides.ts'

/** What a side's cost leaves out: runs and tokens without a price, and reads of a cache that has none. */
export function costWarnings({ release, rates, variants, metrics, excluded }: Side, label: string): string[] {
  const table = `${release.provider}/${release.pricing_version}`
  const warnings: string[] = []
  if (excluded.runs > 0) {
    const share = ((100 * excluded.runs) / metrics.runs).toFixed(1)
    warnings.push(
      `${label}: ${excluded.runs} of ${metrics.runs} runs (${share} %) are left out of the cost, because ${table} has ` +
        `no price for ${firstFew(excluded.models)} and the policy says unpriced: exclude`,
    )
  }
  if (excluded.parts > 0) {
    warnings.push(
      `${label}: ${excluded.parts} runs cost more than is counted, because ${table} has no price for tokens that they ` +
        `used beside their own model (${firstFew(excluded.models)}), and the policy says unpriced: exclude`,
    )
  }
  const free = variants.filter(
    ({ model, cached_input_tokens }) =>
      cached_input_tokens > 0 &&
      rates.has(model) &&
      rates.get(model)!.cached_input_usd_per_1k_tokens === null,
  )
  if (free.length > 0) {
    const models = [...new Set(free.map(({ model }) => model))]
    warnings.push(
      `${label}: cached input tokens of ${firstFew(models)} cost nothing, because ${table} has no rate for them ` +
        '(cached_input_usd_per_1k_tokens)',
    )
  }
  return warnings
}
