import type { PricedPart } from '../../spans/event.ts'
import { modelNames, servedAs, shortProvider } from '../../spans/provider.ts'
import type { ModelUse } from '../../spans/use.ts'

/** By which names the release's price table has the models that were called. */
export interface PriceNames {
  /** Default: as the source says, in short: `openai`, `anthropic`, `google`, `bedrock`. */
  readonly provider?: string
  /** Where given, a model goes by the first of its names (as requested, as answered) that is among these. */
  readonly models?: readonly string[]
}

/** What was used, by the names of its price table; or why there can be no event. */
export function pricedParts(parts: readonly ModelUse[], names: PriceNames): PricedPart[] | string {
  const priced: PricedPart[] = []
  for (const { models, provider, counts, served } of parts) {
    const named = names.provider ?? (provider === undefined ? undefined : shortProvider(provider))
    const model = modelNames(models, [provider, names.provider]).find(
      name => names.models?.includes(name) ?? true,
    )
    if (models.length === 0) return 'tokens are reported, but not of which model'
    if (model === undefined) return `the option \`models\` has no entry for ${models.join(' or ')}`
    if (named === undefined) return `the provider is unknown for ${model}: set the option \`provider\``
    priced.push({ provider: named, model, counts, served: servedAs(model, served) })
  }
  return priced
}
