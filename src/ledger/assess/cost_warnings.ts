import { firstFew } from '../../base/text.ts'
import { leftOutText } from '../../rules/strays.ts'
import type { Side } from './sides.ts'

/** What the policy lets a side's cost leave out: runs of models without a price, and tokens of such models. */
export function excludedWarnings(side: Side, label: string): string[] {
  const { release, metrics, excluded, parts, rates } = side
  const why = `because ${tableOf(release)} has no price for ${firstFew(excluded.models)}`
  const warnings: string[] = []
  if (excluded.runs > 0) {
    const share = ((100 * excluded.runs) / metrics.runs).toFixed(1)
    warnings.push(
      `${label}: ${excluded.runs} of ${metrics.runs} runs (${share} %) are left out of the cost, ${why} and the ` +
        'policy says unpriced: exclude',
    )
  }
  // Sums by model don't say which runs a part is of.
  if (excluded.runs > 0 && parts.some(({ model }) => rates.has(model))) {
    warnings.push(
      `${label}: what those runs used beside their own model counts where it has a price, so the cost per run may be ` +
        'too high',
    )
  }
  if (excluded.parts > 0) {
    warnings.push(
      `${label}: tokens that ${excluded.parts} of ${metrics.runs} runs used beside their own model are left out of the ` +
        `cost, ${why} and the policy says unpriced: exclude`,
    )
  }
  return warnings
}

/** What was left out of a side so that it could be decided on. */
export function leftOutWarnings({ leftOut }: Side, label: string): string[] {
  if (leftOut === undefined) return []
  const warning = `${label}: left out ${leftOutText(leftOut)}`
  return [`${warning}; percentiles of the latency, calls of tools and scores still count them`]
}

/** Reads of a cache that has no rate. */
export function freeReadWarnings({ release, rates, variants }: Side, label: string): string[] {
  const free = variants.filter(
    ({ model, cached_input_tokens }) =>
      cached_input_tokens > 0 && rates.get(model)?.cached_input_usd_per_1k_tokens === null,
  )
  if (free.length === 0) return []
  const models = [...new Set(free.map(({ model }) => model))]
  return [
    `${label}: cached input tokens of ${firstFew(models)} cost nothing, because ${tableOf(release)} has no rate for ` +
      'them (cached_input_usd_per_1k_tokens)',
  ]
}

function tableOf({ provider, pricing_version }: Side['release']): string {
  return `${provider}/${pricing_version}`
}
