import type { PricedPart } from '../spans/event.ts'
import { type Gathered, mayBeEmpty } from '../spans/gather.ts'
import { MODELS } from '../spans/names.ts'
import { shortProvider } from '../spans/provider.ts'
import { type Span, textOf } from '../spans/span.ts'
import type { Part } from '../spans/use.ts'
import { sumCounts } from '../usage/counts.ts'

/** By which names the release's price table has what the spans name. */
export interface PriceNames {
  /** Default: as the spans say, in short: `openai`, `anthropic`, `google`, `bedrock`. */
  readonly provider?: string
  /** Where given, a model goes by the first of its names (as asked for, as answered) that is among these. */
  readonly models?: readonly string[]
}

/** What a run used, by the names of its price table; or why there can be no event. */
export function pricedParts(root: Span, gathered: Gathered, names: PriceNames): PricedPart[] | string {
  const parts = partsOf(root, gathered)
  if (parts.length === 0) return 'no span of a run reports tokens'
  const priced: PricedPart[] = []
  for (const { models, provider = textOf(root, MODELS.provider), counts } of parts) {
    const model = models.find(name => names.models?.includes(name) ?? true)
    if (models.length === 0) return 'a span reports tokens, but not of which model'
    if (model === undefined) return `the option \`models\` has no entry for ${models.join(' or ')}`
    const named = names.provider ?? (provider === undefined ? undefined : shortProvider(provider))
    if (named === undefined) return `no span says who provides ${model}: set the option \`provider\``
    priced.push({ provider: named, model, counts })
  }
  return priced
}

function partsOf(root: Span, gathered: Gathered): readonly Part[] {
  const { parts, models } = gathered
  if (parts.length > 0 || !mayBeEmpty(root, gathered)) return parts
  return [{ models, provider: undefined, counts: sumCounts([]) }]
}
